# SPDX-License-Identifier: MIT
"""The reference of metrics: what the recorded runs and the papers have of each, and what docs/measuring.md says that it means."""
from __future__ import annotations

import fnmatch
import pathlib
import re
from collections import defaultdict
from typing import NamedTuple

from recording.run_files import lines_of

EVERY = "every paper"


class Meaning(NamedTuple):
    pattern: str  # a name, or a glob over names
    text: str


class Use(NamedTuple):
    units: set[str]
    experiments: set[str]


def meanings(guide: str) -> dict[str, list[Meaning]]:
    """By paper, and for all papers, the rows of the tables of metrics."""
    found: dict[str, list[Meaning]] = defaultdict(list)
    for of, body in re.findall(r"^## Metrics of (`\w+`|every paper)\n(.*?)(?=^## |\Z)", guide, re.MULTILINE | re.DOTALL):
        for names, text in re.findall(r"^\| (`[^|]*`) \|[^|]*\| (.*) \|$", body, re.MULTILINE):
            found[of.strip("`")] += [Meaning(name, text) for name in re.findall(r"`([\w*-]+)`", names)]
    return found


def uses(files: list[pathlib.Path]) -> dict[tuple[str, str], Use]:
    """By paper and metric, from rows of runs and of print."""
    found: dict[tuple[str, str], Use] = defaultdict(lambda: Use(set(), set()))
    for file in files:
        for row in lines_of(file):
            if row["status"] != "skipped":
                word, experiment = row["experiment"].split("/")
                use = found[word, row["metric"]]
                use.units.add(row["unit"])
                use.experiments.add(experiment)
    return found


def meaning_of(word: str, metric: str, known: dict[str, list[Meaning]]) -> str | None:
    """The paper's own meaning comes first, and a name before a glob."""
    for of in (word, EVERY):
        fitting = [each for each in known[of] if fnmatch.fnmatchcase(metric, each.pattern)]
        if fitting:
            return min(fitting, key=lambda each: "*" in each.pattern).text
    return None


def page(guide: str, measured: list[pathlib.Path], printed: list[pathlib.Path]) -> tuple[str, list[str]]:
    """The page, and the metrics of runs that have no meaning."""
    known, in_runs, in_print = meanings(guide), uses(measured), uses(printed)
    lines = ["# Metrics", "", "Every metric of the recorded runs, and what the papers print of it. "
             "[How a number is measured](measuring.md) explains the method.", ""]
    lacking = []
    for word in sorted({word for word, _ in in_runs}):
        lines += [f"## `{word}`", "", "| metric | unit | experiments | in print | meaning |", "| --- | --- | --- | --- | --- |"]
        for metric in sorted(metric for of, metric in in_runs if of == word):
            use, meaning = in_runs[word, metric], meaning_of(word, metric, known)
            if meaning is None:
                lacking.append(f"{word}/{metric}")
            units = ", ".join(sorted(filter(None, use.units)))
            print_of = ", ".join(sorted(in_print[word, metric].experiments)) if (word, metric) in in_print else ""
            meaning = (meaning or "").replace("](#", "](measuring.md#")
            lines.append(f"| `{metric}` | {units} | {', '.join(sorted(use.experiments))} | {print_of} | {meaning} |")
        lines.append("")
    return "\n".join(lines), lacking
