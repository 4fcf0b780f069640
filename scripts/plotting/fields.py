# SPDX-License-Identifier: MIT
"""Draws fields of the report: one line of panels for each variant on a device, as surfaces or as colour maps.

Panels with thousands of facets become pictures inside the drawing; axes and text stay vector graphics in the
page's colours.
"""
from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy
from matplotlib import colormaps, ticker
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from plotting.figures import GREY, HUES, PAPER, WIDTH_INCHES, axis_number
from plotting.words import in_words, number

WIDE_INCHES = 10.6
LABEL_INCHES, NAME_INCHES, AXIS_INCHES, BAR_INCHES, GAP_INCHES = 0.32, 0.24, 0.42, 0.75, 0.12
WIDEST_PANEL_INCHES = 4.2
SMALL = 7.0
LIGHT = numpy.array([-0.35, -0.55, 0.76])
MOST_NODES = 49  # of a surface in one direction
BOX_HEIGHT = 0.7  # of a surface's box, relative to its width
SURFACE_HEIGHT = 0.8  # of a panel, relative to its width
PROFILE_HEIGHT = 0.75
# Cuts off the ends of the colour map, which would vanish against a dark or a light page.
SURFACE_COLOURS = ListedColormap(colormaps["viridis"](numpy.linspace(0.2, 0.92, 256)))
MAP_COLOURS = colormaps["viridis"]


def panels(fields: dict) -> Iterator[dict]:
    return (panel for line in fields["lines"] for panel in line["panels"] if panel)


def is_drawable(fields: dict) -> bool:
    return any(True for _ in panels(fields))


def has_profiles(fields: dict) -> bool:
    """Whether the fields have one dimension."""
    return all(panel["ny"] == 1 for panel in panels(fields))


def is_wide(fields: dict) -> bool:
    return len(fields["names"]) > 2


def range_of(shown: list[dict]) -> Normalize:
    """The range of values of all panels, never empty."""
    low = min(float(panel["values"].min()) for panel in shown)
    high = max(float(panel["values"].max()) for panel in shown)
    room = 0.5 * max(1e-12, abs(low)) if low == high else 0.0
    return Normalize(low - room, high + room)


def lit(panel: dict, norm: Normalize) -> numpy.ndarray:
    """Colours by height, darker on slopes that face away from the light. Slopes are those of the drawn box, so units do
    not matter."""
    height = BOX_HEIGHT * (panel["values"] - norm.vmin) / (norm.vmax - norm.vmin)
    depth = (panel["y1"] - panel["y0"]) / (panel["x1"] - panel["x0"])
    dy, dx = numpy.gradient(height, depth / (panel["ny"] - 1), 1 / (panel["nx"] - 1))
    towards = (LIGHT[2] - LIGHT[0] * dx - LIGHT[1] * dy) / numpy.sqrt(1 + dx * dx + dy * dy)
    colours = SURFACE_COLOURS(norm(panel["values"]))
    colours[..., :3] *= (0.55 + 0.45 * numpy.clip(towards, 0, 1) / LIGHT[2]).clip(0, 1.1)[..., None]
    return colours.clip(0, 1)


def project_once(surface: Poly3DCollection) -> None:
    """Sorts thousands of facets by depth for the first file only: the view of the others is the same."""
    surface.do_3d_projection = cache(surface.do_3d_projection)


def some_of(count: int) -> numpy.ndarray:
    """The indices of evenly spaced nodes with both ends: more facets than that are smaller than a few pixels."""
    return numpy.unique(numpy.linspace(0, count - 1, min(count, MOST_NODES)).round().astype(int))


def draw_surface(ax: Axes, panel: dict, norm: Normalize, quantity: str) -> None:
    columns, rows = some_of(panel["nx"]), some_of(panel["ny"])
    shown = numpy.ix_(rows, columns)
    x, y = numpy.meshgrid(numpy.linspace(panel["x0"], panel["x1"], panel["nx"])[columns],
                          numpy.linspace(panel["y0"], panel["y1"], panel["ny"])[rows])
    surface = ax.plot_surface(x, y, panel["values"][shown], rstride=1, cstride=1, color=PAPER, shade=False, linewidth=0,
                              antialiased=False, rasterized=True)
    # plot_surface itself would look at each facet's colour many times.
    surface.set_facecolor(lit(panel, norm)[shown][:-1, :-1].reshape(-1, 4))
    project_once(surface)
    ax.set_zlim(norm.vmin, norm.vmax)
    ax.set_box_aspect((1, (panel["y1"] - panel["y0"]) / (panel["x1"] - panel["x0"]), BOX_HEIGHT), zoom=0.86)
    ax.view_init(elev=28, azim=-60)
    for axis, name in ((ax.xaxis, "x"), (ax.yaxis, "y"), (ax.zaxis, quantity)):
        axis.pane.set_visible(False)
        axis.set_major_locator(ticker.MaxNLocator(3))
        axis.set_major_formatter(axis_number)
        axis.set_label_text(name, fontsize=SMALL)
        axis.labelpad = -5
    ax.tick_params(labelsize=SMALL - 0.5, pad=-3)
    ax.tick_params(axis="z", pad=-1)
    ax.zaxis.labelpad = -6


def draw_map(ax: Axes, panel: dict, norm: Normalize) -> None:
    # A pixel is centred on its node, so the picture extends half a step beyond the grid on every side.
    dx = 0.5 * (panel["x1"] - panel["x0"]) / (panel["nx"] - 1)
    dy = 0.5 * (panel["y1"] - panel["y0"]) / (panel["ny"] - 1)
    ax.imshow(panel["values"], norm=norm, cmap=MAP_COLOURS, origin="lower", interpolation="none",
              extent=(panel["x0"] - dx, panel["x1"] + dx, panel["y0"] - dy, panel["y1"] + dy))
    for axis, name in ((ax.xaxis, "x"), (ax.yaxis, "y")):
        axis.set_major_locator(ticker.MaxNLocator(3))
        axis.set_major_formatter(axis_number)
        axis.set_label_text(name, fontsize=SMALL)
    ax.tick_params(labelsize=SMALL - 0.5, length=2, pad=2)


def draw_profile(ax: Axes, panel: dict, quantity: str) -> None:
    ax.plot(numpy.linspace(panel["x0"], panel["x1"], panel["nx"]), panel["values"][0], color=HUES[0][0])
    for axis, name in ((ax.xaxis, "x"), (ax.yaxis, quantity)):
        axis.set_major_locator(ticker.MaxNLocator(4))
        axis.set_major_formatter(axis_number)
        axis.set_label_text(name, fontsize=SMALL)
    ax.grid(axis="y")
    ax.tick_params(labelsize=SMALL - 0.5, length=2, pad=2)


def axes_at(drawing: Figure, left: float, bottom: float, wide: float, high: float, **options: Any) -> Axes:
    """Axes at a place in inches."""
    width, height = drawing.get_size_inches()
    return drawing.add_axes((left / width, bottom / height, wide / width, high / height), **options)


def text_at(drawing: Figure, left: float, bottom: float, text: str, **style: Any) -> None:
    width, height = drawing.get_size_inches()
    drawing.text(left / width, bottom / height, text, **style)


def panel_inches(fields: dict, side: float) -> float:
    """A panel's height: maps have the aspect ratio of their fields, but are never taller than wide."""
    if fields["drawing"] == "surface":
        return SURFACE_HEIGHT * side
    if has_profiles(fields):
        return PROFILE_HEIGHT * side
    depth = max((panel["y1"] - panel["y0"]) / (panel["x1"] - panel["x0"]) for panel in panels(fields))
    return AXIS_INCHES + max(0.6, min(1.0, depth) * (side - AXIS_INCHES - GAP_INCHES))


def draw_panel(drawing: Figure, fields: dict, panel: dict | None, norm: Normalize, left: float, bottom: float,
               side: float) -> None:
    if panel is None:
        text_at(drawing, left + side / 2, bottom + 0.4 * side, "not recorded", ha="center", fontsize=SMALL, color=GREY)
    elif fields["drawing"] == "surface":
        # A box seen from above fills only the middle of its axes, so the axes may extend beyond the panel.
        ax = axes_at(drawing, left - 0.04 * side, bottom - 0.05 * side, side, side, projection="3d")
        ax.patch.set_visible(False)
        draw_surface(ax, panel, norm, fields["quantity"])
    else:
        ax = axes_at(drawing, left + AXIS_INCHES, bottom + AXIS_INCHES, side - AXIS_INCHES - GAP_INCHES,
                     panel_inches(fields, side) - AXIS_INCHES)
        if panel["ny"] == 1:
            draw_profile(ax, panel, fields["quantity"])
        else:
            draw_map(ax, panel, norm)


def draw(fields: dict) -> Figure:
    surfaces, names, lines = fields["drawing"] == "surface", fields["names"], fields["lines"]
    width = WIDE_INCHES if is_wide(fields) else WIDTH_INCHES
    has_bar = not surfaces and not has_profiles(fields)
    side = min(WIDEST_PANEL_INCHES, (width - (BAR_INCHES if has_bar else 0)) / len(names))
    line_inches = LABEL_INCHES + NAME_INCHES + panel_inches(fields, side)
    drawing = Figure(figsize=(width, line_inches * len(lines)))
    norm_of_all = range_of(list(panels(fields)))
    for i, line in enumerate(lines):
        bottom = (len(lines) - i - 1) * line_inches
        top = bottom + line_inches
        recorded = [panel for panel in line["panels"] if panel]
        norm = range_of(recorded) if surfaces and recorded else norm_of_all
        text_at(drawing, 0.2, top - 0.08, line["label"], va="top", fontsize=9.5)
        for j, (name, panel) in enumerate(zip(names, line["panels"], strict=True)):
            text_at(drawing, (j + 0.5) * side, top - LABEL_INCHES, in_words(name), ha="center", va="top", fontsize=8.5,
                    color=GREY)
            draw_panel(drawing, fields, panel, norm, j * side, bottom, side)
    if has_bar:
        draw_bar(drawing, norm_of_all, fields["quantity"])
    return drawing


def draw_bar(drawing: Figure, norm: Normalize, quantity: str) -> None:
    """Draws one colour bar for all panels."""
    width, height = drawing.get_size_inches()
    tall = min(2.4, height - LABEL_INCHES - NAME_INCHES - GAP_INCHES)
    ax = axes_at(drawing, width - BAR_INCHES + 0.1, height - LABEL_INCHES - NAME_INCHES - tall, 0.14, tall)
    bar = drawing.colorbar(ScalarMappable(norm, MAP_COLOURS), cax=ax)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=SMALL, length=2)
    bar.ax.yaxis.set_major_locator(ticker.MaxNLocator(5))
    bar.ax.yaxis.set_major_formatter(axis_number)
    bar.ax.set_title(quantity, fontsize=SMALL + 0.5, loc="left")


def caption(fields: dict) -> str:
    """Remarks that the drawing itself cannot show."""
    parts = []
    if fields["drawing"] == "surface":
        parts.append("The panels of a line share their vertical range.")
    elif not has_profiles(fields):
        parts.append("All panels share one range of colours.")
    if fields["left_out"]:
        more = len(fields["left_out"])
        parts.append(f"Recorded too, and not drawn: {'; '.join(fields['left_out'][:6])}"
                     + (f"; and {more - 6} more." if more > 6 else "."))
    return " ".join(parts)


def description(fields: dict) -> str:
    """Describes the panels in text, for readers who cannot see them."""
    kind = "Surfaces" if fields["drawing"] == "surface" else "Profiles" if has_profiles(fields) else "Colour maps"
    parts = []
    for line in fields["lines"]:
        shown = [f"{name} from {number(float(panel['values'].min()))} to {number(float(panel['values'].max()))}"
                 for name, panel in zip(fields["names"], line["panels"], strict=True) if panel]
        parts.append(f"{line['label']}: {', '.join(shown)}")
    over = "x" if has_profiles(fields) else "x and y"
    return f"{kind} of {fields['quantity'] or 'a field'} over {over}. {'; '.join(parts)}."
