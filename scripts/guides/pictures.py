# SPDX-License-Identifier: MIT
"""Draws the guides' flowcharts, so that a page needs no script from elsewhere."""
from __future__ import annotations

import re

BOX, GAP = (190, 34), (24, 46)  # width and height in pixels


def arrows_of(chart: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The boxes with their texts, and the arrows, in their order."""
    boxes = dict(re.findall(r'(\w+)\["([^"]+)"\]', chart))
    drawn = re.findall(r"^\s*(\w+) -->(?:\|[^|]*\|)? (\w+(?: & \w+)*)$", chart, re.MULTILINE)
    return boxes, [(start, end) for start, ends in drawn for end in ends.split(" & ")]


def rows_of(boxes: dict[str, str], arrows: list[tuple[str, str]]) -> list[list[str]]:
    """Each box stands below all that point at it. The chart has no circles."""
    depth = dict.fromkeys(boxes, 0)
    for _ in boxes:
        for start, end in arrows:
            depth[end] = max(depth[end], depth[start] + 1)
    return [[box for box in boxes if depth[box] == row] for row in range(max(depth.values()) + 1)]


def flowchart(chart: str) -> str:
    """An SVG in the page's text, in the page's colour."""
    boxes, arrows = arrows_of(chart)
    rows = rows_of(boxes, arrows)
    step = (BOX[0] + GAP[0], BOX[1] + GAP[1])
    width = max(len(row) for row in rows) * step[0]
    place = {box: (width / 2 + (i - (len(row) - 1) / 2) * step[0], (r + .5) * step[1])
             for r, row in enumerate(rows) for i, box in enumerate(row)}
    parts = []
    for start, end in arrows:
        (x, y), (to_x, to_y) = place[start], place[end]
        parts.append(f'<line x1="{x}" y1="{y + BOX[1] / 2}" x2="{to_x}" y2="{to_y - BOX[1] / 2}" marker-end="url(#head)"/>')
    for box, (x, y) in place.items():
        parts.append(f'<rect x="{x - BOX[0] / 2}" y="{y - BOX[1] / 2}" width="{BOX[0]}" height="{BOX[1]}" rx="4"/>'
                     f'<text x="{x}" y="{y + 4}">{boxes[box]}</text>')
    told = "; ".join(f"{boxes[start]} includes {boxes[end]}" for start, end in arrows)
    return (f'<svg role="img" aria-label="{told}" viewBox="0 0 {width} {len(rows) * step[1]}" width="{width}" '
            'style="max-width:100%;height:auto" fill="none" stroke="currentColor" font-size="12" text-anchor="middle">'
            '<style>svg text{fill:currentColor;stroke:none}</style><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" '
            'markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="currentColor" stroke="none"/></marker>'
            + "".join(parts) + "</svg>\n")
