# SPDX-License-Identifier: MIT
"""Reads rows, published numbers and verdicts."""
from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

Source = str | os.PathLike[str]
NUMBERS = ("value", "q1", "q3", "samples")
CASE = ("folder", "experiment", "variant", "device", "precision", "size", "parameter")


def read_runs(*folders: Source) -> pd.DataFrame:
    """The rows of runs, one measured number a line.

    To the columns of rows.csv come `paper`, `width` and `nodes` of the size, a column `parameter_NAME` for each parameter,
    `device_name`, the vendor's name of the device, and `folder`, the run's folder: two runs may have the same name.
    """
    if not folders:
        raise ValueError("no folder of a run: name at least one")
    return pd.concat([_run(Path(folder)) for folder in folders], ignore_index=True)


def choose(rows: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """The rows whose columns have these values, or one of a list: choose(rows, device="cpu", size=["8x8", "9x9"])."""
    for column, wanted in where.items():
        if column not in rows:
            raise KeyError(f"the rows have no column {column}: they have {', '.join(rows.columns)}")
        rows = rows[rows[column].isin(wanted if isinstance(wanted, (list, tuple, set)) else [wanted])]
    return rows


def cases(rows: pd.DataFrame, *metrics: str) -> pd.DataFrame:
    """One line for each case whose answer is right, with its metrics as columns: all of them, or those named.

    A case is a variant on a device with a precision, size and parameter, in an experiment of a run. Right is what the program
    that wrote the run called so; `read_claims` judges by today's rules.
    """
    right = rows[rows["status"].isin(["ok", "published"])]
    if metrics:
        right = choose(right, metric=list(metrics))
    key = [column for column in CASE if column in right]
    return right.drop_duplicates([*key, "metric"]).pivot(index=key, columns="metric", values="value").reset_index()


def read_published(folder: Source) -> pd.DataFrame:
    """The numbers that the papers print, with the same columns. `folder` is reference/published."""
    files = sorted(Path(folder).glob("*.csv"))
    if not files:
        raise FileNotFoundError(f"{folder} holds no published numbers: name the folder reference/published")
    frame = pd.concat([_tidy(_rows(file)) for file in files], ignore_index=True)
    frame["device_name"] = frame["device"]
    return frame


def read_claims(*runs: Source, program: Source = "reprise") -> pd.DataFrame:
    """The papers' claims and what became of them in these runs, or in the recorded ones if none is named."""
    options = [text for run in runs for text in ("--run", os.fspath(run))]
    command = [os.fspath(program), "claims", "--json", "--fail-on", "never", *options]
    papers = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["papers"]
    claims = [{"paper": paper, **claim} for paper, judged in papers.items() for claim in judged["claims"]]
    return pd.DataFrame(claims)


def _rows(file: Path) -> pd.DataFrame:
    texts = pd.read_csv(file, dtype=str, keep_default_na=False)
    for column in NUMBERS:
        texts[column] = pd.to_numeric(texts[column], errors="coerce")
    return texts


def _stored(file: Path) -> Path:
    """The file, or the packed one if only that is there; pandas unpacks it."""
    packed = file.with_name(file.name + ".xz")
    return packed if packed.exists() and not file.exists() else file


def _run(folder: Path) -> pd.DataFrame:
    description = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    frame = _tidy(_rows(_stored(folder / "rows.csv")))
    frame["run"] = description["name"]
    frame["folder"] = os.fspath(folder)
    names = {device["id"]: device["name"] for device in description["devices"]}
    frame["device_name"] = frame["device"].map(names).fillna(frame["device"])
    return frame


def _tidy(frame: pd.DataFrame) -> pd.DataFrame:
    frame = frame.copy()
    frame.insert(0, "paper", frame["experiment"].str.split("/").str[0])
    sides = frame["size"].str.extract(r"^(\d+)(?:x(\d+))?$").astype(float)
    frame["width"] = sides[0]
    frame["nodes"] = sides[0] * sides[1].fillna(1)
    return frame.join(_parameters(frame["parameter"]))


def _parameters(texts: pd.Series) -> pd.DataFrame:
    """A column for each name in texts such as "method=heun;dt=0.01"; numbers where all its values are numbers."""
    parts = {text: dict(part.split("=", 1) for part in text.split(";") if "=" in part) for text in texts.unique()}
    names: Sequence[str] = sorted({name for values in parts.values() for name in values})
    columns = {f"parameter_{name}": texts.map({text: values.get(name) for text, values in parts.items()}) for name in names}
    return pd.DataFrame({name: _as_numbers(column) for name, column in columns.items()}, index=texts.index)


def _as_numbers(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce")
    return numbers if numbers.notna().equals(column.notna()) else column
