# SPDX-License-Identifier: MIT
"""Draws rates below the roofs of their devices: one panel per device and precision, one colour per variant."""
from __future__ import annotations

import math
import textwrap

from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plotting.figures import GREY, INK, MARKERS, RULE, WIDTH_INCHES, axis_number, columns_of
from plotting.words import number

COLUMNS = 2
PANEL_INCHES = 2.15
BEYOND_RIDGE = 16.0  # a panel ends at this multiple of the ridge; points beyond are drawn at its edge


def split(figure: dict, panel: str) -> tuple[list[dict], dict]:
    """The panel's points and its roof."""
    here = [series for series in figure["series"] if series["panel"] == panel]
    return [series for series in here if series["source"] != "roof"], next(s for s in here if s["source"] == "roof")


def marks_of(names: list[str], colour_of: dict[str, str]) -> dict[str, str]:
    """A marker for each name, so that those with one colour differ. Arrows stand for points beyond the panel."""
    marks: dict[str, str] = {}
    for name in names:
        before = sum(colour_of[other] == colour_of[name] for other in marks)
        marks[name] = MARKERS[before % len(MARKERS)]
    return marks


def draw_panel(ax: Axes, figure: dict, panel: str, colour_of: dict[str, str], mark_of: dict[str, str]) -> None:
    points, roof = split(figure, panel)
    ridge, top = roof["x"][1], roof["y"][1]
    left, right = min(roof["x"][0], *(series["x"][0] for series in points)) / 1.6, ridge * BEYOND_RIDGE
    bandwidth = top / ridge
    ax.plot([left, ridge, right], [bandwidth * left, top, top], color=GREY, linewidth=1.2)
    for series in points:
        x, y = series["x"][0], series["y"][0]
        ax.plot(min(x, right / 1.25), y, marker=">" if x > right else mark_of[series["colour"]], markersize=6, linestyle="",
                color=colour_of[series["colour"]])
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(left, right)
    lowest = min([bandwidth * left, *(series["y"][0] for series in points)])
    ax.set_ylim(lowest / 2, top * 4)
    ax.annotate(f"{number(float(f'{top:.3g}'))} GFLOP/s", (right, top), (0, 3), textcoords="offset points", ha="right",
                fontsize=7.5, color=GREY)
    ax.annotate(f"{number(float(f'{bandwidth:.3g}'))} GB/s", (ridge, top), (-6, 3), textcoords="offset points", ha="right",
                fontsize=7.5, color=GREY)
    ax.grid(color=RULE, linewidth=0.6)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(ticker.LogLocator(numticks=7))
        axis.set_minor_locator(ticker.NullLocator())
        axis.set_major_formatter(axis_number)
    ax.tick_params(labelsize=8)
    ax.set_title(textwrap.fill(panel, 42), loc="left", fontsize=8.5, color=INK)


def draw(figure: dict, colour_of: dict[str, str]) -> Figure:
    panels = list(dict.fromkeys(series["panel"] for series in figure["series"]))
    rows = math.ceil(len(panels) / COLUMNS)
    variants = list(dict.fromkeys(series["colour"] for series in figure["series"] if series["source"] != "roof"))
    mark_of = marks_of(variants, colour_of)
    entries = [Line2D([], [], color=colour_of[name], marker=mark_of[name], markersize=6, linestyle="", label=name)
               for name in variants]
    legend_inches = 0.2 * math.ceil(len(entries) / columns_of(entries)) + 0.1
    height = PANEL_INCHES * rows + 0.25 + legend_inches
    drawing = Figure(figsize=(WIDTH_INCHES, height))
    drawing.set_layout_engine("constrained", rect=(0, legend_inches / height, 1, 1 - legend_inches / height))
    all_axes = list(drawing.subplots(rows, COLUMNS, squeeze=False).flat)
    for place, (ax, panel) in enumerate(zip(all_axes, panels, strict=False)):
        draw_panel(ax, figure, panel, colour_of, mark_of)
        if place % COLUMNS == 0:
            ax.set_ylabel(figure["y_label"], fontsize=8.5)
        if place + COLUMNS >= len(panels):
            ax.set_xlabel(figure["x_label"], fontsize=8.5)
    for ax in all_axes[len(panels):]:
        ax.remove()
    drawing.legend(handles=entries, loc="upper left", bbox_to_anchor=(0, legend_inches / height), ncol=columns_of(entries),
                   borderaxespad=0.2, handlelength=1.6, columnspacing=1.6, labelspacing=0.4)
    return drawing
