#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints what scripts/slower found as one comment in Markdown: verdicts with intervals, and which functions need more
instructions.

usage: comment.py DIR
"""

from __future__ import annotations

import json
import math
import pathlib
import sys
from collections import Counter

MARK = "<!-- reprise: slower or not -->"
MOST_LINES = 60
ORDER = ("FAILED", "SLOWER", "GREW", "UNDECIDED", "NOT JUDGED", "FASTER", "SHRANK", "SAME")
WIDTH = 41  # of a plot in characters


def read(path: pathlib.Path) -> dict | None:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def cell(text: str) -> str:
    """Text from a program, which must not end the cell or begin a tag."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def name_of(case: dict) -> str:
    words = (case[key] for key in ("experiment", "variant", "device", "precision", "size", "parameter"))
    return " ".join(word for word in words if word)


def verdicts(cases: list[dict]) -> str:
    counted = Counter(case["verdict"] for case in cases)
    return ", ".join(f"{counted[verdict]} {verdict}" for verdict in ORDER if counted[verdict]) or "none"


def percent(logarithm: float | None) -> str:
    return "?" if logarithm is None else f"{100 * math.expm1(logarithm):+.2f}"


def plot(ratio: list[float | None], reach: float) -> str:
    value, low, high = (reach * end if x is None else x for x, end in zip(ratio, (0, -1, 1), strict=True))
    places = [round((min(max(x / reach, -1), 1) + 1) / 2 * (WIDTH - 1)) for x in (low, high, 0, value)]
    line = ["-" if places[0] <= i <= places[1] else " " for i in range(WIDTH)]
    line[places[2]], line[places[3]] = "|", "o"
    return "".join(line).replace("|", "¦")


def folded(lines: list[str], head: list[str], title: str) -> list[str]:
    if not lines:
        return []
    left = len(lines) - MOST_LINES
    more = [f"\n{left} more are in the artifact."] if left > 0 else []
    return [f"<details><summary>{title}</summary>", "", *head, *lines[:MOST_LINES], *more, "", "</details>", ""]


def duel_part(duel: dict | None) -> list[str]:
    if duel is None:
        return ["The duel ended before it compared anything.", ""]
    cases = sorted(duel["cases"], key=lambda case: ORDER.index(case["verdict"]))
    known = [abs(x) for case in cases for x in case.get("log_ratio", []) if x is not None]
    reach = max([0.02, *known])
    head = [f"| case | verdict | time of this change, % | {-100 * reach:.0f} % to {100 * reach:.0f} % | remark |",
            "| --- | --- | --- | --- | --- |"]
    lines = {}
    for case in cases:
        ratio = case.get("log_ratio")
        interval = "" if ratio is None else f"{percent(ratio[0])} [{percent(ratio[1])}, {percent(ratio[2])}]"
        drawn = "" if ratio is None else f"`{plot(ratio, reach)}`"
        lines.setdefault(case["verdict"] == "SAME", []).append(
            f"| {cell(name_of(case))} | {case['verdict']} | {interval} | {drawn} | {cell(case['remark'])} |")
    mean = duel["log_mean"]
    shown = [*head, *lines.get(False, [])[:MOST_LINES], ""] if lines.get(False) else []
    return [f"**Time: {verdicts(cases)}.** Geometric mean {percent(mean[0])} % [{percent(mean[1])}, {percent(mean[2])}]. "
            f"Differences below {100 * math.expm1(duel['margin']):.3g} % do not matter.", "", *shown,
            *folded(lines.get(True, []), head, "cases that are the SAME")]


def count_part(gate: dict | None) -> list[str]:
    if gate is None:
        return ["Instructions were not compared.", ""]
    cases = sorted(gate["cases"], key=lambda case: ORDER.index(case["verdict"]))
    lines = [f"**Instructions: {verdicts(cases)}.**", "", *(f"- not judged: {cell(text)}" for text in gate["differences"])]
    grown = [case for case in cases if case["verdict"] == "GREW"]
    changed = [case for case in cases if case["verdict"] not in ("SAME", "NOT JUDGED") or (case["reason"])]
    if changed:
        lines += ["", "| case | verdict | instructions before | now | growth, % | remark |",
                  "| --- | --- | --- | --- | --- | --- |"]
        for case in changed[:MOST_LINES]:
            growth = f"{100 * (case['after'] / case['before'] - 1):+.3f}" if case["before"] else ""
            lines.append(f"| {cell(case['case'])} | {case['verdict']} | {case['before']} | {case['after']} | {growth} | "
                         f"{cell(case['reason'])} |")
    lines.append("")
    functions = [f"| {cell(case['case'])} | {f['after'] - f['before']:+} | {cell(f['name'])[:200]} |"
                 for case in grown for f in case["functions"]]
    lines += folded(functions, ["| case | instructions | function |", "| --- | --- | --- |"], "functions that grew")
    spills = [f"- {cell(k['kernel'])} spills {k['spilled'][1]} bytes, {k['spilled'][0]} before" for k in gate["kernels"]]
    return [*lines, *spills[:MOST_LINES], ""]


def comment(folder: pathlib.Path) -> str:
    duel, gate = read(folder / "duel/duel.json"), read(folder / "count/gate.json")
    return "\n".join([MARK, "### Slower or not", "", *duel_part(duel), *count_part(gate)]).rstrip() + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(comment(pathlib.Path(sys.argv[1])), end="")
