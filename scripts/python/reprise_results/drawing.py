# SPDX-License-Identifier: MIT
"""Draws curves from a frame of rows."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from .frames import choose

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(rows: pd.DataFrame, x: str, y: str = "value", by: Sequence[str] = ("variant",), axes: Axes | None = None,
         **where: Any) -> Axes:
    """One curve for each combination of the columns `by`, on logarithmic axes, with quartiles as bars.

    Further arguments choose rows by their columns, as in `choose`. Only rows with a right answer are drawn. They must be of one
    metric.

        plot(rows, x="nodes", by=["variant", "device"], experiment="jacobi/fig21", metric="time_1000_sweeps")
    """
    import matplotlib.pyplot as plt  # only drawing needs it

    rows = choose(rows, **where)
    right = rows[rows["status"].isin(["ok", "published"]) & rows[x].notna() & rows[y].notna()]
    metrics = right["metric"].unique()
    if len(metrics) != 1:
        raise ValueError(f"the rows have {len(metrics)} metrics {sorted(metrics)}: choose one, e.g. metric='time_solve'")
    axes = axes if axes is not None else plt.subplots(layout="constrained")[1]
    columns = list(by) if len(by) > 1 else by[0]  # pandas gives one column's keys without a tuple
    for key, curve in right.groupby(columns, sort=True):
        ordered = curve.sort_values(x)
        label = " ".join(str(part) for part in (key if isinstance(key, tuple) else (key,)))
        (line,) = axes.plot(ordered[x], ordered[y], marker="o", label=label)
        if y == "value":
            axes.vlines(ordered[x], ordered["q1"].fillna(ordered[y]), ordered["q3"].fillna(ordered[y]), color=line.get_color())
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel=f"{metrics[0]} ({right['unit'].iloc[0]})")
    axes.legend()
    return axes
