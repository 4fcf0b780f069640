# SPDX-License-Identifier: MIT
"""Runs of Reprise, the papers' published numbers and the verdicts as tidy data frames.

    import reprise_results as results
    rows = results.read_runs("runs/mine", "runs/other")
    results.plot(rows[rows.experiment == "jacobi/table1"], x="width", by=["variant", "device"])
"""
from __future__ import annotations

from .drawing import plot
from .frames import read_claims, read_published, read_runs

__all__ = ["plot", "read_claims", "read_published", "read_runs"]
