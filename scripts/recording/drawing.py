# SPDX-License-Identifier: MIT
"""Draws ratios of times as SVG: a line for each device, a dot for each case."""
from __future__ import annotations

import html
import math
from collections.abc import Iterable
from typing import Protocol

WIDTH, LEFT, RIGHT, LINE, TOP = 900, 300, 30, 44, 30
LEAST_SCALE, LARGEST_SCALE = math.log(1.25), math.log(2)  # on either side; ratios beyond the scale are drawn at its end
TICKS, TICKS_OF_LARGE_SCALES = (-20, -10, -5, 0, 5, 10, 20), (-50, -40, -30, -20, -10, 0, 10, 25, 50, 100)


class Shifted(Protocol):
    shift: float


def _place(shift: float, scale: float) -> float:
    bounded = min(max(shift, -scale), scale)
    return LEFT + (WIDTH - LEFT - RIGHT) * (bounded + scale) / (2 * scale)


def _dots(ratios: Iterable[Shifted], found: list, middle: float, scale: float) -> list[str]:
    dots = []
    for number, ratio in enumerate(ratios):
        y = middle + 12 * ((number * 0.618034) % 1 - 0.5) * 2  # spread evenly, so that dots hide few others
        style = 'fill="#c0392b" r="3"' if ratio in found else 'fill="#2c6fbb" fill-opacity=".4" r="2"'
        dots.append(f'<circle cx="{_place(ratio.shift, scale):.1f}" cy="{y:.1f}" {style}/>')
    return dots


def strips(lines: list[tuple[str, list, list]]) -> str:
    """Each line has a name, its ratios, and those of them that are drawn in red."""
    largest = max((abs(ratio.shift) for _, ratios, _ in lines for ratio in ratios), default=0)
    scale = min(max(largest, LEAST_SCALE), LARGEST_SCALE)
    height = TOP + LINE * len(lines) + 40
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>']
    ticks = TICKS if scale == LEAST_SCALE else TICKS_OF_LARGE_SCALES
    for tick in (tick for tick in ticks if abs(math.log1p(tick / 100)) <= scale):
        x = _place(math.log1p(tick / 100), scale)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{height - 40}" stroke="#ccc"/>'
                     f'<text x="{x:.1f}" y="{height - 22}" text-anchor="middle">{f"{tick:+d}" if tick else 0} %</text>')
    for number, (name, ratios, found) in enumerate(lines):
        middle = TOP + LINE * (number + 0.5)
        parts.append(f'<text x="{LEFT - 12}" y="{middle + 4:.1f}" text-anchor="end">{html.escape(name[:42])}</text>')
        parts += _dots(ratios, found, middle, scale)
    beyond = "; at the ends: beyond a factor of 2" if largest > scale else ""
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{height - 4}" text-anchor="middle">'
                 f"second time against first; red: found to differ{beyond}</text></svg>")
    return "\n".join(parts) + "\n"
