# SPDX-License-Identifier: MIT
"""Runs of Reprise, the papers' published numbers and the verdicts as tidy data frames.

    import reprise_results as results
    rows = results.read_runs("runs/mine", "runs/other")
    results.plot(rows, x="width", by=["variant", "device"], experiment="jacobi/table1", metric="time_1000_sweeps")
"""
from __future__ import annotations

from .drawing import plot
from .frames import cases, choose, read_claims, read_published, read_runs

__all__ = ["cases", "choose", "plot", "read_claims", "read_published", "read_runs"]
