# SPDX-License-Identifier: MIT
"""Draws a figure of the report: measured series as solid lines, published ones as dashed lines.

Colours distinguish variants and markers distinguish devices, so that a legend of v + d entries explains v * d series.
If a figure names what its colours mean, markers distinguish both variants and devices.
"""
from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import ticker
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from plotting.words import in_words, number

# Files contain the colours of the light scheme. On the page each is replaced by a CSS variable, so that one drawing
# suits both colour schemes. Hues after Okabe and Ito, with a contrast of 3:1 against either background.
INK, GREY, RULE, PAPER = "#1c1e21", "#646a73", "#d9dce1", "#fffffe"
HUES = [("#0067a8", "#5aaee8"), ("#c75a00", "#f2914a"), ("#00805f", "#35b894"), ("#8a4f9e", "#c490d8"),
        ("#8f6a00", "#e0bb3c"), ("#12879f", "#7fd4ea"), ("#b8345f", "#ee7fa3"), ("#3d4450", "#c8cdd6"),
        ("#5b7f00", "#a9cf4a"), ("#d0006f", "#ff7ac2"), ("#6d5bd0", "#a99bf5"), ("#7a4a2b", "#c99a78")]
PAGE_COLOURS = {INK: "currentColor", GREY: "var(--quiet)", RULE: "var(--rule)", PAPER: "var(--paper)",
                **{light: f"var(--hue-{i})" for i, (light, _) in enumerate(HUES)}}
MARKERS = "osD^vPX*<>phd8H"
DASHES = (0, (4, 2.5))
WIDTH_INCHES = 5.8
INCHES_A_LETTER = 0.075

matplotlib.rcParams.update({
    "svg.hashsalt": "reprise", "svg.fonttype": "none", "pdf.fonttype": 42, "text.parse_math": False,
    "font.sans-serif": ["DejaVu Sans"], "font.size": 9.5, "axes.titlesize": 9.5, "legend.fontsize": 9, "legend.frameon": False,
    "text.color": INK,
    "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "axes.edgecolor": INK, "axes.linewidth": 0.7,
    "axes.spines.top": False, "axes.spines.right": False, "figure.facecolor": PAPER, "savefig.facecolor": PAPER,
    "axes.facecolor": PAPER, "grid.color": RULE, "grid.linewidth": 0.6, "axes.axisbelow": True,
    "lines.linewidth": 1.6, "lines.markersize": 4.5})


def colours_tell_variants(figure: dict) -> bool:
    series = figure["series"]
    distinct = {(s["variant"], s["device"], s["source"], figure.get("own_scales") and s["panel"]) for s in series}
    return len({s["variant"] for s in series}) > 1 and len(distinct) == len(series)


def names_colours(figure: dict) -> bool:
    return any(series.get("colour") for series in figure["series"])


def hue_keys(figure: dict) -> list[str]:
    """The meaning of each series' colour: the figure's own key, its variant, or its label; empty for published series
    and roofs, which share one colour."""
    if names_colours(figure):
        return [series["colour"] for series in figure["series"]]
    if colours_tell_variants(figure):
        return [series["variant"] for series in figure["series"]]
    return ["" if series["source"] == "published" else series["label"] for series in figure["series"]]


def paper_colours(figures: Iterable[dict]) -> dict[str, str]:
    """Assigns each key one colour in all figures of a paper. Keys that meet in a figure share one only if there are too few."""
    met: dict[str, set[str]] = {}
    for figure in figures:
        keys = dict.fromkeys(hue_keys(figure))
        for key in keys:
            met.setdefault(key, set()).update(keys)
    colours = {"": GREY}
    for key, others in met.items():
        near = [colours[other] for other in others if other in colours]
        everywhere = list(colours.values())
        rarest = min((light for light, _ in HUES), key=lambda hue: (near.count(hue), everywhere.count(hue)))
        colours.setdefault(key, rarest)
    return colours


def is_drawable(figure: dict) -> bool:
    return any(math.isfinite(y) for series in figure["series"] for y in series["y"])


def device_label(series: dict) -> str:
    published = series["source"] == "published" and "published" not in series["device"]
    return series["device"] + (" (published)" if published else "")


def spread(values: Iterable[Any]) -> float:
    """Largest over smallest value, apart from zeros; 1 if there is no logarithm."""
    finite = [v for v in values if math.isfinite(v) and v != 0]
    return max(finite) / min(finite) if finite and min(finite) > 0 else 1.0


def wants_log(figure: dict) -> bool:
    """Logarithmic if requested and useful, or if the series are too far apart for a linear axis."""
    factor = spread(y for series in figure["series"] for y in series["y"])
    return factor > 3 if figure.get("log_y") else factor > 100


def axis_number(value: float, _: int) -> str:
    return number(float(f"{value:.6g}"))


def thinned_ticks(values: Iterable[float], log: bool, inches: float) -> list[float]:
    """The values whose labels fit on an axis of this length, those of the most decimal zeros and the ends first."""
    values = sorted(set(values))
    place = math.log10 if log else float
    low, length = place(values[0]), (place(values[-1]) - place(values[0])) or 1.0
    mantissas = {v: f"{v:e}".rstrip("0").split("e")[0].rstrip("0") for v in values}
    order = sorted(values, key=lambda v: (v not in (values[0], values[-1]), mantissas[v] != "1.", len(mantissas[v])))
    kept: list[tuple[float, float]] = []  # the middle and half the width of each label, in inches
    ticks = []
    for value in order:
        middle, half = (place(value) - low) / length * inches, INCHES_A_LETTER * len(axis_number(value, 0)) / 2 + 0.04
        if all(abs(middle - other) > half + other_half for other, other_half in kept):
            kept.append((middle, half))
            ticks.append(value)
    return sorted(ticks)


def decades(low: float, high: float) -> list[float]:
    """1, 2 and 5 times the powers of ten in a range, or powers alone if they are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(powers) <= 3 else (1,)
    return [step * 10.0**power for power in powers for step in steps if low <= step * 10.0**power <= high]


def scale(axis: Axis, log: bool, values: list[float], most_ticks: int = 12) -> None:
    if log:
        (axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale)("log")
        steps = (1,) if spread(values) > 300 else (1, 2, 5)
        axis.set_major_locator(ticker.LogLocator(subs=steps, numticks=most_ticks))
        # Over many decades, minor ticks are unreadable. Each one takes drawing time, so there are two a decade.
        minor = ticker.LogLocator(subs=(2, 5), numticks=12)
        axis.set_minor_locator(minor if spread(values) < 1e4 else ticker.NullLocator())
        axis.set_minor_formatter(ticker.NullFormatter())
    axis.set_major_formatter(axis_number)


def style_of(series: dict, colour: str) -> dict[str, Any]:
    if series["source"] == "published":
        return {"color": colour, "linestyle": DASHES, "linewidth": 1.1, "markerfacecolor": PAPER}
    return {"color": colour, "linestyle": "-"}


def panel_of(series: dict) -> str:
    return series.get("panel") or device_label(series)


def names_panels(figure: dict) -> bool:
    return any(series.get("panel") for series in figure["series"])


def wants_panels(figure: dict) -> bool:
    """True if the figure names panels, or if devices are orders of magnitude apart, so that a common logarithmic axis
    would flatten their curves."""
    if names_panels(figure):
        return True
    by_device: dict[str, list[float]] = {}
    for series in figure["series"]:
        by_device.setdefault(device_label(series), []).extend(series["y"])
    return (figure.get("kind") != "bar" and 2 <= len(by_device) <= 9 and wants_log(figure)
            and all(1 < spread(values) < 5 for values in by_device.values()))


def draw_lines(ax: Axes, figure: dict, colours: list[str], markers: list[str], log: bool,
               axis_inches: float = WIDTH_INCHES - 0.9, shared: list[dict] | None = None) -> None:
    """Draws lines on one axis of this length. `shared` are the series of all panels that share its scales."""
    names = list(dict.fromkeys(x for series in shared or figure["series"] for x in series["x"]))
    named = any(isinstance(x, str) for x in names)
    for series, colour, marker in zip(figure["series"], colours, markers, strict=True):
        places = [names.index(x) for x in series["x"]] if named else series["x"]
        points = sorted(zip(places, series["y"], series["q1"], series["q3"], strict=True))
        if log:
            points = [point for point in points if point[1] > 0]
        if not points:
            continue
        x, y, q1, q3 = zip(*points, strict=True)
        is_bound = series["source"] == "roof"  # of the points of a scatter plot
        style = style_of(series, colour) | ({"linestyle": ""} if figure.get("kind") == "scatter" and not is_bound else {})
        ax.plot(x, y, marker="" if is_bound else marker, markevery=max(1, len(x) // 12), **style)
        if series["source"] != "published":
            ax.fill_between(x, q1, q3, color=colour, alpha=0.2, linewidth=0)
    ax.grid(axis="y")
    scale(ax.yaxis, log, [y for series in shared or figure["series"] for y in series["y"]])
    if not log and ax.get_ylim()[0] > 0:
        ax.set_ylim(0, 1.08 * ax.get_ylim()[1])  # room for the highest markers
    if named:
        ax.set_xticks(range(len(names)), [str(name) for name in names], rotation=0 if len(names) < 6 else 30)
        return
    if all(isinstance(x, int) for x in names):
        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    log_x = not figure.get("linear_x") and min(names) > 0 and spread(names) >= (3 if figure.get("log_x") else 16)
    scale(ax.xaxis, log_x, names)
    if log_x:
        candidates = names if len(names) <= 7 else decades(min(names), max(names))
        ax.set_xticks(thinned_ticks(candidates or names, True, axis_inches))
        if len(names) <= 7:
            ax.xaxis.set_minor_locator(ticker.NullLocator())


def draw_panels(drawing: Figure, figure: dict, colours: list[str], markers: list[str]) -> None:
    """Draws one panel for each device, or for each panel name that the figure gives. Panels share their scales; those of
    devices span the same factor, each from its own times, and those of different metrics have scales of their own."""
    panels = list(dict.fromkeys(panel_of(series) for series in figure["series"]))
    rows, columns = panel_grid(len(panels))
    named, own = names_panels(figure), figure.get("own_scales")
    share = named and not own
    all_axes = drawing.subplots(rows, columns, sharex=True, sharey=share, squeeze=False).flat
    factor = 1.25 * max(spread(y for s in figure["series"] if panel_of(s) == panel for y in s["y"]) for panel in panels)
    for place, (ax, panel) in enumerate(zip(all_axes, panels, strict=False)):
        chosen = [i for i, series in enumerate(figure["series"]) if panel_of(series) == panel]
        part = figure | {"series": [figure["series"][i] for i in chosen]}
        values = [y for series in (figure if share else part)["series"] for y in series["y"]]
        log = not named or wants_log(part if own else figure)
        draw_lines(ax, part, [colours[i] for i in chosen], [markers[i] for i in chosen], log,
                   axis_inches=WIDTH_INCHES / columns - 0.7, shared=figure["series"] if share else None)
        if not named:
            same_factor(ax, values, factor)
        ax.tick_params(labelbottom=True)
        ax.set_title(in_words(panel), loc="left", fontsize=8.5)
        ax.set_xlabel(figure.get("x_label") or "")
        if place % columns == 0:
            ax.set_ylabel(figure.get("y_label") or "")
    for ax in list(all_axes)[len(panels):]:
        ax.remove()


def same_factor(ax: Axes, values: list[float], factor: float) -> None:
    """Sets a logarithmic range of this factor around the middle of the values, so that panels show ratios alike."""
    finite = [v for v in values if math.isfinite(v)]
    middle, half = math.sqrt(min(finite) * max(finite)), math.sqrt(factor)
    ax.set_ylim(middle / half, middle * half)
    ax.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 1.5, 2, 3, 4, 5, 6, 8), numticks=12))
    ax.yaxis.set_minor_locator(ticker.NullLocator())


def panel_grid(panels: int) -> tuple[int, int]:
    columns = panels if panels <= 3 else 2 if panels == 4 else 3
    return math.ceil(panels / columns), columns


def draw_bars(ax: Axes, figure: dict, colours: list[str], markers: list[str], log: bool) -> None:
    """Draws bars from zero, or points on a logarithmic axis, which has no zero."""
    names = list(dict.fromkeys(x for series in figure["series"] for x in series["x"]))
    thickness = 0.78 / max(1, len(figure["series"]))
    for i, (series, colour, marker) in enumerate(zip(figure["series"], colours, markers, strict=True)):
        fill = PAPER if series["source"] == "published" else colour
        offset = (i - (len(figure["series"]) - 1) / 2) * thickness
        for x, y, q1, q3 in zip(series["x"], series["y"], series["q1"], series["q3"], strict=True):
            place = names.index(x) + offset
            if log:
                ax.plot([y], [place], color=colour, marker=marker, markersize=5.5, markerfacecolor=fill)
            else:
                ax.barh(place, y, thickness * 0.86, edgecolor=colour, facecolor=fill)
            if q3 > q1:
                ax.plot([q1, q3], [place, place], color=colour if log else INK, linewidth=1)
            if math.isfinite(y):
                ax.annotate(number(y), (max(y, q3), place), (5, 0), textcoords="offset points", va="center", fontsize=8)
    for edge in range(1, len(names)):
        ax.axhline(edge - 0.5, color=RULE, linewidth=0.6)
    ax.grid(axis="x")
    ax.set_yticks(range(len(names)), [str(name) for name in names])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.5, -0.5)
    scale(ax.xaxis, log, [y for series in figure["series"] for y in series["y"]])
    ax.margins(x=0.12)
    ax.set_xlabel(figure.get("y_label") or "")


def swatch(colour: str, label: str) -> Patch:
    return Patch(facecolor=colour, edgecolor="none", label=label)


def legend_blocks(figure: dict, keys: list[str], colours: list[str], markers: list[str]) -> list[list[Artist]]:
    """One entry per series if they are few; otherwise one block for colours and one for markers."""
    series, panels, log = figure["series"], wants_panels(figure), wants_log(figure)
    hues = [swatch(c, in_words(key)) for key, c in dict(zip(keys, colours, strict=True)).items()]
    if names_colours(figure):
        shapes = {marker_key(figure, s): Line2D([], [], color=INK, marker=m, label=marker_key(figure, s))
                  for s, m in zip(series, markers, strict=True)}
        return [hues, list(shapes.values())]
    if colours_tell_variants(figure) and panels:
        return [hues]
    if figure.get("kind") == "bar" and not log:
        return [[Patch(facecolor=PAPER if s["source"] == "published" else c, edgecolor=c, label=s["label"])
                 for s, c in zip(series, colours, strict=True)]]
    line_style = "" if figure.get("kind") == "bar" else None

    def line(of: dict, colour: str, marker: str, label: str) -> Line2D:
        style = style_of(of, colour) | ({"linestyle": line_style} if line_style is not None else {})
        return Line2D([], [], marker=marker, label=label, **style)

    if not colours_tell_variants(figure) or len(series) <= 4:
        return [[line(s, c, m, s["label"] or device_label(s)) for s, c, m in zip(series, colours, markers, strict=True)]]
    devices = {device_label(s): line(s, INK, m, device_label(s)) for s, m in zip(series, markers, strict=True)}
    return [hues, list(devices.values())]


def marker_key(figure: dict, series: dict) -> str:
    """The meaning of a series' marker."""
    if names_colours(figure) and series["variant"]:
        return f"{series['variant']}, {device_label(series)}"
    return device_label(series)


def columns_of(block: list[Artist]) -> int:
    longest = max(len(str(entry.get_label())) for entry in block)
    return max(1, min(3, len(block), int(WIDTH_INCHES / (0.5 + 0.075 * longest))))


def legend_points(block: list[Artist]) -> float:
    """The font size of a legend: smaller if the longest entry would not fit."""
    longest = max(len(str(entry.get_label())) for entry in block)
    return min(9.0, 9.0 * (WIDTH_INCHES - 0.5) / (0.075 * longest))


def plot_inches(figure: dict) -> float:
    if figure.get("kind") == "bar":
        return max(1.6, 0.6 + 0.2 * sum(len(series["x"]) for series in figure["series"]))
    if wants_panels(figure):
        rows = panel_grid(len({panel_of(series) for series in figure["series"]}))[0]
        return 0.5 + (2.6 if names_panels(figure) else 1.7) * rows
    return 3.3


def draw(figure: dict, colour_of: dict[str, str]) -> Figure:
    keys = hue_keys(figure)
    colours = [colour_of[key] for key in keys]
    meanings = list(dict.fromkeys(marker_key(figure, series) for series in figure["series"]))
    markers = [MARKERS[meanings.index(marker_key(figure, series)) % len(MARKERS)] for series in figure["series"]]
    blocks = legend_blocks(figure, keys, colours, markers)
    heights = [0.2 * math.ceil(len(block) / columns_of(block)) + 0.08 for block in blocks]
    total = plot_inches(figure) + sum(heights)

    drawing = Figure(figsize=(WIDTH_INCHES, total))
    drawing.set_layout_engine("constrained", rect=(0, sum(heights) / total, 1, plot_inches(figure) / total))
    if wants_panels(figure):
        draw_panels(drawing, figure, colours, markers)
    elif figure.get("kind") == "bar":
        draw_bars(drawing.add_subplot(), figure, colours, markers, wants_log(figure))
    else:
        ax = drawing.add_subplot()
        draw_lines(ax, figure, colours, markers, wants_log(figure))
        ax.set_xlabel(figure.get("x_label") or "")
        ax.set_title(figure.get("y_label") or "", loc="left")
    for i, block in enumerate(blocks):
        drawing.legend(handles=block, loc="upper left", bbox_to_anchor=(0, sum(heights[i:]) / total),
                       ncol=columns_of(block), fontsize=legend_points(block), borderaxespad=0.2, handlelength=2.4,
                       columnspacing=1.6, labelspacing=0.4)
    return drawing


def svg_for_page(svg: str, stem: str) -> str:
    """The SVG text for the page: without metadata, with unique ids, and with the page's colours."""
    body = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg"):], flags=re.DOTALL)
    body = re.sub(r' transform="rotate\(-?0 [^"]*"', "", body)
    body = re.sub(r' (?:d|x|y)="[^"]*"', lambda path: re.sub(r"(\.\d\d)\d+", r"\1", path.group()), body)
    # Nothing refers to groups and pictures, and equal pictures have equal ids.
    body = re.sub(r'(<(?:g|image)\b[^>]*?) id="[^"]*"', r"\1", body)
    body = re.sub(r'(\bid="|url\(#|xlink:href="#)', rf"\g<1>{stem}-", body)
    return re.sub("|".join(PAGE_COLOURS), lambda match: PAGE_COLOURS[match.group()], body)


def description(figure: dict) -> str:
    """Describes a figure in text, for readers who cannot see it."""
    kind = {"bar": "Bars", "roofline": "Points under roofs", "scatter": "Points"}.get(figure.get("kind"), "Lines")
    axes = f"{kind}: {figure.get('y_label') or 'value'} against {figure.get('x_label') or 'variant'}."
    parts = []
    for series in figure["series"]:
        finite = [y for y in series["y"] if math.isfinite(y)]
        if finite and series["source"] != "roof":
            label = series["label"] or f"{series['variant']}, {device_label(series)}"
            parts.append(f"{label}: {number(min(finite))} to {number(max(finite))}")
    return f"{axes} {'; '.join(parts)}."
