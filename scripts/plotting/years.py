# SPDX-License-Identifier: MIT
"""Reads comparison.json, and draws the time of each paper's main case against the year of the board.

Two lines show what the boards' peak rates alone would make of the time on the oldest board.
"""
from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from plotting.figures import DASHES, GREY, HUES, PAPER, axis_number
from plotting.report import read_checked
from plotting.words import number

SCHEMA = Path(__file__).resolve().parents[2] / "reports/compare/comparison.schema.json"
PANEL_INCHES = (4.2, 2.9)
LEGEND_INCHES = 0.6
COLOURS = {"published": HUES[1][0], "measured": HUES[0][0]}


def read_comparison(path: Path) -> dict:
    return read_checked(path, SCHEMA)


def shown(comparison: dict) -> list[dict]:
    """The papers whose main case has a time."""
    return [paper for paper in comparison["papers"] if paper["points"]]


def growth(boards: list[dict], first: dict, last_year: int, rate: str) -> dict[int, float]:
    """By year, how many times as high the rate of the best board since the first point is as that of its own board."""
    least = next(board[rate] for board in boards if board["name"] == first["board"])
    if not least:
        return {}
    factors, best = {first["year"]: 1.0}, 1.0
    later = [board for board in boards if first["year"] < board["year"] <= last_year and board[rate]]
    for board in sorted(later, key=lambda board: board["year"]):
        best = max(best, board[rate] / least)
        factors[board["year"]] = best
    return factors | {last_year: best}


def draw_panel(ax: Axes, paper: dict, boards: list[dict]) -> None:
    points = sorted(paper["points"], key=lambda point: (point["year"], point["seconds"]))
    first, last_year = points[0], points[-1]["year"]
    for rate, line in (("bandwidth", "-"), (paper["precision"], DASHES)):
        factors = growth(boards, first, last_year, rate)
        ax.plot(list(factors), [first["seconds"] / factor for factor in factors.values()], color=GREY, linestyle=line,
                linewidth=1.0, zorder=1)
    for point in points:
        is_printed = point["source"] == "published"
        colour = COLOURS[point["source"]]
        ax.plot(point["year"], point["seconds"], marker="o", linestyle="", color=colour,
                markerfacecolor=PAPER if is_printed else colour)
        ax.annotate(point["board"], (point["year"], point["seconds"]), textcoords="offset points", xytext=(5, 4), fontsize=8)
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(axis_number)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    low, high = ax.get_xlim()
    ax.set_xlim(low, high + 0.12 * (high - low))  # room for the last board's name
    ax.set_title(f"{paper['word']}: {paper['title']}", loc="left", fontsize=8.5)
    ax.set_ylabel("time (s)")
    ax.grid(axis="y")


def draw(comparison: dict) -> Figure:
    papers = shown(comparison)
    columns = min(2, len(papers))
    rows = -(-len(papers) // columns)
    height = PANEL_INCHES[1] * rows + LEGEND_INCHES
    drawing = Figure(figsize=(PANEL_INCHES[0] * columns, height), layout="constrained")
    drawing.get_layout_engine().set(rect=(0, 0, 1, 1 - LEGEND_INCHES / height))
    for i, paper in enumerate(papers):
        draw_panel(drawing.add_subplot(rows, columns, i + 1), paper, comparison["boards"])
    marks = [Line2D([], [], linestyle="", marker="o", color=colour, markerfacecolor=PAPER if source == "published" else colour,
                    label=source) for source, colour in COLOURS.items()]
    marks += [Line2D([], [], color=GREY, linewidth=1.0, linestyle=line, label=label)
              for line, label in (("-", "if peak bandwidth alone decided"), (DASHES, "if peak arithmetic alone decided"))]
    drawing.legend(handles=marks, loc="upper left", ncols=2 * columns)
    return drawing


def description(comparison: dict) -> str:
    """Describes the drawing in text, for readers who cannot see it."""
    parts = []
    for paper in shown(comparison):
        times = "; ".join(f"{point['board']} of {point['year']}, {point['source']}: {number(point['seconds'])} s"
                          for point in paper["points"])
        parts.append(f"{paper['word']}, {paper['title']}: {times}.")
    return " ".join(parts)
