# SPDX-License-Identifier: MIT
"""Reads fleet.json, and draws how far each node's timings are from those of its type."""
from __future__ import annotations

from pathlib import Path

from matplotlib import ticker
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plotting.figures import GREY, HUES, INK, RULE, WIDTH_INCHES
from plotting.report import check_widths, read_checked
from plotting.words import number

SCHEMA = Path(__file__).resolve().parents[2] / "reports/fleet/fleet.schema.json"
MOST_NODES = 40
COLOURS = {"SLOWER": HUES[1][0], "FASTER": HUES[2][0], "UNDECIDED": GREY, "SAME": HUES[0][0]}


def read_fleet(path: Path) -> dict:
    fleet = read_checked(path, SCHEMA)
    for i, table in enumerate(fleet["tables"]):
        check_widths(table, f"$.tables[{i}]")
    return fleet


def groups(fleet: dict) -> dict[tuple[str, str], list[tuple[str, dict]]]:
    """Nodes with their timings, by type and device, slowest first."""
    by_type: dict[tuple[str, str], list[tuple[str, dict]]] = {}
    for node in fleet["nodes"]:
        for speed in node["speeds"]:
            by_type.setdefault((node["type"], speed["device"]), []).append((node["name"], speed))
    for entries in by_type.values():
        entries.sort(key=lambda entry: -entry[1]["middle"])
    return by_type


def shown(entries: list[tuple[str, dict]]) -> list[tuple[str, dict]]:
    """The nodes that differ most, in the same order; a large fleet has more nodes than fit."""
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
    """Describes the drawing in text, for readers who cannot see it."""
    parts = [f"{name}: {speed['verdict'].lower()}, {number(speed['middle'])} % at the median of {len(speed['timings'])} timings"
             for name, speed in shown(entries)]
    return f"Points: how much longer each timing is than on the usual node. {'; '.join(parts)}."
