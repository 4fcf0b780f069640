# SPDX-License-Identifier: MIT
"""Writes a page for each measured case of a report: its rows and their raw samples."""
from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Template

from plotting.report import BadReport

CASE_COLUMNS = ("experiment", "variant", "device", "precision", "size", "parameter")


def records(file: Path) -> Iterator[tuple[tuple[str, ...], dict]]:
    """The lines of a CSV file, each with its case."""
    with file.open(encoding="utf-8", errors="replace", newline="") as lines:
        for record in csv.DictReader(lines):
            yield tuple(record[column] for column in CASE_COLUMNS), record


def cases_of(rows: Path, samples: Path) -> list[dict]:
    """The cases with a number, in the order of their first rows, as link_cases in reports/page/report.cpp numbers them."""
    cases: dict[tuple[str, ...], dict] = {}
    for key, row in records(rows):
        if row["value"]:
            cases.setdefault(key, {"rows": [], "samples": {}})["rows"].append(row)
    for key, sample in records(samples):
        if key in cases:
            cases[key]["samples"].setdefault(sample["metric"], []).append(sample["value"])
    for case in cases.values():
        case["samples"] = [(metric, [v for v in values if v and math.isfinite(float(v))])
                           for metric, values in sorted(case["samples"].items())]
    return list(cases.values())


def points(values: list[str]) -> dict:
    """The places of samples in the order of measurement, scaled from the smallest to the largest."""
    numbers = [float(value) for value in values]
    low, high = min(numbers), max(numbers)
    step, scale = 100 / max(1, len(numbers) - 1), (high - low) or 1
    places = [(f"{i * step:.4g}", f"{50 - 50 * (value - low) / scale:.4g}") for i, value in enumerate(numbers)]
    return {"low": f"{low:.6g}", "high": f"{high:.6g}", "places": places}


def write_case_pages(report: dict, folder: Path, template: Template) -> None:
    for run in report["runs"]:
        rows = folder / run["rows_file"]
        pages = rows.parent / "cases"
        pages.mkdir(exist_ok=True)
        try:
            cases = cases_of(rows, folder / run["samples_file"])
        except (KeyError, TypeError, ValueError) as error:
            raise BadReport(f"{run['rows_file']} or its samples are damaged: {error}") from None
        for number, case in enumerate(cases, 1):
            first = case["rows"][0]
            title = f"{first['variant']} on {run['labels'].get(first['device'], first['device'])}"
            text = template.render(case, run=run, first=first, title=title, points=points)
            (pages / f"{number}.html").write_text(text + "\n", encoding="utf-8")
