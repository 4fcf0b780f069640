# SPDX-License-Identifier: MIT
"""Reads fleet.json, and draws how far the timings of each node are from those of its type."""
from __future__ import annotations

import json
import math
from pathlib import Path

from matplotlib import ticker
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plotting.figures import GREY, HUES, INK, RULE, WIDTH_INCHES
from plotting.report import BadReport, expect, field, objects
from plotting.words import number

MOST_NODES = 40
COLOURS = {"SLOWER": HUES[1][0], "FASTER": HUES[2][0], "UNDECIDED": GREY, "SAME": HUES[0][0]}


def check_node(node: dict, where: str) -> None:
    for key in ("name", "type"):
        field(node, key, str, where)
    for key in ("wrong", "interruptions"):
        objects(node, key, where)
    for i, state in enumerate(field(node, "states", list, where)):
        expect(state, str, f"{where}.states[{i}]")
    for i, speed in enumerate(objects(node, "speeds", where)):
        place = f"{where}.speeds[{i}]"
        for key in ("device", "verdict"):
            field(speed, key, str, place)
        numbers = [("middle", speed.get("middle"))]
        for j, timing in enumerate(objects(speed, "timings", place)):
            numbers += [(f"timings[{j}].{key}", timing.get(key)) for key in ("percent", "floor", "usual", "here")]
            if timing.get("verdict") not in COLOURS:
                raise BadReport(f"{place}.timings[{j}].verdict should be one of {', '.join(COLOURS)}")
        for name, value in numbers:
            if not isinstance(value, (int, float)) or not math.isfinite(value):
                raise BadReport(f"{place}.{name} should be a number")


def read_fleet(path: Path) -> dict:
    try:
        fleet = expect(json.loads(path.read_text(encoding="utf-8")), dict, "the whole")
    except ValueError as error:
        raise BadReport(f"is not JSON: {error}; make it again with `reprise collect`") from None
    if fleet.get("schema") != 1:
        raise BadReport(f"has schema {json.dumps(fleet.get('schema'))} where this program reads 1; "
                        "make it again with this version of `reprise collect`")
    for i, node in enumerate(objects(fleet, "nodes", "")):
        check_node(node, f"nodes[{i}]")
    for key in ("types", "tables"):
        objects(fleet, key, "")
    for i, table in enumerate(fleet["tables"]):
        width = len(field(table, "header", list, f"tables[{i}]"))
        if any(len(expect(line, list, f"tables[{i}].lines")) != width for line in field(table, "lines", list, f"tables[{i}]")):
            raise BadReport(f"tables[{i}] has a line that is not as wide as its header")
    field(fleet, "never_begun", list, "")
    return fleet


def groups(fleet: dict) -> dict[tuple[str, str], list[tuple[str, dict]]]:
    """Nodes with their timings, by type and device; the slowest first."""
    found: dict[tuple[str, str], list[tuple[str, dict]]] = {}
    for node in fleet["nodes"]:
        for speed in node["speeds"]:
            found.setdefault((node["type"], speed["device"]), []).append((node["name"], speed))
    for entries in found.values():
        entries.sort(key=lambda entry: -entry[1]["middle"])
    return found


def shown(entries: list[tuple[str, dict]]) -> list[tuple[str, dict]]:
    """Of a large fleet the nodes that differ most, in the same order."""
    kept = sorted(entries, key=lambda entry: -abs(entry[1]["middle"]))[:MOST_NODES]
    return [entry for entry in entries if entry in kept]


def draw(entries: list[tuple[str, dict]]) -> Figure:
    entries = shown(entries)
    timings = [timing for _, speed in entries for timing in speed["timings"]]
    floors = sorted(timing["floor"] for timing in timings)
    floor = floors[len(floors) // 2]
    drawing = Figure(figsize=(WIDTH_INCHES, 0.9 + 0.24 * max(3, len(entries))))
    drawing.set_layout_engine("constrained")
    ax = drawing.add_subplot()
    ax.axvspan(100 * (1 / (1 + floor / 100) - 1), floor, color=RULE, alpha=0.6, linewidth=0)
    ax.axvline(0, color=GREY, linewidth=0.8)
    for place, (_, speed) in enumerate(entries):
        for timing in speed["timings"]:
            ax.plot([timing["percent"]], [place], marker="o", markersize=4, alpha=0.7, color=COLOURS[timing["verdict"]])
        ax.plot([speed["middle"]], [place], marker="|", markersize=12, markeredgewidth=2, color=INK)
    ax.set_yticks(range(len(entries)), [name for name, _ in entries])
    ax.set_ylim(len(entries) - 0.5, -0.5)
    if max(abs(timing["percent"]) for timing in timings) > 5 * floor:
        ax.set_xscale("symlog", linthresh=2 * floor)
    ax.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{number(float(value))} %"))
    ax.set_xlabel("longer than on the usual node of the type")
    ax.grid(axis="y")
    marks = [Line2D([], [], linestyle="", marker="o", color=colour, label=verdict.lower())
             for verdict, colour in COLOURS.items() if any(timing["verdict"] == verdict for timing in timings)]
    marks.append(Line2D([], [], linestyle="", marker="|", markersize=10, markeredgewidth=2, color=INK, label="median"))
    ax.legend(handles=marks, loc="lower left", bbox_to_anchor=(0, 1), ncol=len(marks), handletextpad=0.2, columnspacing=1.2)
    return drawing


def description(entries: list[tuple[str, dict]]) -> str:
    """For those who cannot see it."""
    parts = [f"{name}: {speed['verdict'].lower()}, {number(speed['middle'])} % at the median of {len(speed['timings'])} timings"
             for name, speed in shown(entries)]
    return f"Points: how much longer each timing is than on the usual node. {'; '.join(parts)}."
