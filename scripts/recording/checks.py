# SPDX-License-Identifier: MIT
"""What is wrong with a recording, a line each."""
from __future__ import annotations

import fnmatch
import json
import pathlib
import re
import subprocess
from collections import Counter
from typing import Any

from recording.errors import Refusal
from recording.pieces import Device
from recording.run_files import description_of, is_finished, runs_in

MOST_BYTES = 3_000_000
# Parts of reasons for which a recording could have had the row.
AVOIDABLE = ("more than this preset's", "no row was measured", "matches --device", "left out by --benchmark_filter",
             "only rows with a parameter were measured")
VARIANT_WITHOUT_ROW = re.compile(r"(\S+)@\S+: no row was measured")


def size_of(folder: pathlib.Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def flaws_of_run(run: pathlib.Path) -> list[str]:
    description = description_of(run)
    if not description:
        return ["was not recorded"]
    flaws = []
    if not is_finished(run):
        flaws.append("is unfinished")
    elif not (run / "seal.json").exists():
        flaws.append("has no seal")
    if description["git"].endswith("-dirty"):
        flaws.append(f"is from changed sources ({description['git']})")
    if description.get("build_type") != "Release":
        flaws.append(f"is from a build of the type {description.get('build_type')}, not Release")
    flaws += [f"{device['id']} {device['code_remark']}" for device in description["devices"] if device.get("code_remark")]
    return flaws


def _common(descriptions: list[dict[str, Any]]) -> dict[str, Counter]:
    """How often each value occurs of what all pieces have in common."""
    found: dict[str, Counter] = {}
    for description in descriptions:
        gpus = sorted({f"{d['name']}, driver {d['driver_version']}" for d in description["devices"] if d.get("driver_version")
                       and d["backend"] == "cuda"})
        values = {"commit": description["git"], "program": description.get("origin", {}).get("program", "unknown")[:12],
                  "number of processors": description.get("hardware_threads"),
                  "architecture": description.get("cuda", "none"), **({"GPU": "; ".join(gpus)} if gpus else {})}
        for name, value in values.items():
            found.setdefault(name, Counter())[value] += 1
    return found


def _flaws_of_claims(runs: list[pathlib.Path], words: set[str], program: pathlib.Path, must_decide: bool) -> list[str]:
    """Also finds every run that its seal or its rows contradict, since the program reads them all."""
    arguments = [text for run in runs for text in ("--run", str(run))]
    told = subprocess.run([str(program), "claims", *sorted(words), "--json", "--fail-on", "never", *arguments],
                          capture_output=True, text=True)
    if told.returncode != 0:
        return [f"the program refuses it: {told.stderr.strip().splitlines()[-1] if told.stderr.strip() else told.returncode}"]
    if not must_decide:
        return []
    variants = _variants_of(program)
    return [f"{word}/{claim['id']} is not decided: {claim['reason']}"
            for word, paper in json.loads(told.stdout)["papers"].items() for claim in paper["claims"]
            if claim["verdict"] == "undecided" and _is_avoidable(claim["reason"], word, variants)]


def _variants_of(program: pathlib.Path) -> list[str]:
    told = subprocess.run([str(program), "list", "--json"], check=True, capture_output=True, text=True)
    return [variant["id"] for variant in json.loads(told.stdout)["variants"]]


def _is_avoidable(reason: str, word: str, variants: list[str]) -> bool:
    """Whether another recording could decide the claim: not if it needs a variant that this program lacks."""
    return (any(part in reason for part in AVOIDABLE)
            and all(fnmatch.filter(variants, f"{word}/{name}") for name in VARIANT_WITHOUT_ROW.findall(reason)))


def flaws_of(device: Device, folder: pathlib.Path, program: pathlib.Path) -> list[str]:
    """Of the recording in this folder, which has one folder for each piece."""
    flaws = [f"{piece.name}: {flaw}" for piece in device.pieces for flaw in flaws_of_run(folder / piece.name)]
    names = {piece.name for piece in device.pieces}
    runs = runs_in(folder)
    flaws += [f"{run.name}: is no piece of {device.name}" for run in runs if run.name not in names]
    for name, values in _common([description_of(run) for run in runs]).items():
        if len(values) > 1:
            flaws.append(f"the pieces differ in their {name}: " + ", ".join(f"{v} ({n})" for v, n in values.most_common()))
    if runs:
        words = set().union(*(piece.words() for piece in device.pieces))
        flaws += _flaws_of_claims(runs, words, program, device.decides_claims)
    return flaws


def flaws_of_size(folder: pathlib.Path) -> list[str]:
    if (size := size_of(folder)) <= MOST_BYTES:
        return []
    largest = sorted(folder.iterdir(), key=size_of, reverse=True)[:3]
    parts = ", ".join(f"{one.name} {size_of(one)}" for one in largest)
    return [f"has {size} bytes, more than {MOST_BYTES}; most of them in {parts}"]


def require_none(flaws: list[str], folder: pathlib.Path) -> None:
    if flaws:
        raise Refusal(f"{folder}: {len(flaws)} flaws; --check lists them, the first: {flaws[0]}")
