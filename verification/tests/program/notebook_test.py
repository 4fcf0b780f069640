#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Executes the notebook on the recorded runs, and computes its answer again from the files.

usage: notebook_test.py PYTHON
PYTHON is the one with the packages from PyPI. Status 77 where they are missing.
"""
from __future__ import annotations

import collections
import csv
import lzma
import os
import pathlib
import re
import sys
import unittest

import pypi_tools

pypi_tools.require(sys.argv[1], "nbclient", "ipykernel", "pandas", "matplotlib")

import nbclient  # noqa: E402
import nbformat  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "scripts" / "python"
NOTEBOOK = PACKAGE / "recorded_runs.ipynb"
RECORDED = ROOT / "reports" / "recorded" / "nvidia-h200"
BOARD_WATTS = 700


def execute(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Runs all cells where Jupyter would start them; raises nbclient's CellExecutionError."""
    os.environ["PYTHONPATH"] = str(PACKAGE)
    where = {"metadata": {"path": str(PACKAGE)}}
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=where).execute()
    return notebook


def outputs_of(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def printed_by(notebook: nbformat.NotebookNode) -> str:
    return "".join(output.text for output in outputs_of(notebook) if output.output_type == "stream" and output.name == "stdout")


def seconds_and_joules() -> dict[tuple[str, ...], dict[str, tuple[float, float]]]:
    """By problem and program, without pandas and without the package."""
    found: dict[tuple[str, ...], dict[str, tuple[float, float]]] = collections.defaultdict(dict)
    for file in sorted(folder / "rows.csv" for folder in RECORDED.iterdir()):
        cases: dict[tuple[str, ...], dict[str, float]] = collections.defaultdict(dict)
        packed = file.with_name("rows.csv.xz")
        with lzma.open(packed, "rt", newline="") if packed.exists() else file.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                if row["status"] == "ok":
                    key = tuple(row[name] for name in ("experiment", "variant", "device", "precision", "size", "parameter"))
                    cases[key].setdefault(row["metric"], float(row["value"]))
        for (_, variant, device, precision, size, parameter), numbers in cases.items():
            for metric, joules in numbers.items():
                seconds = numbers.get(metric.replace("energy_", "time_"))
                if metric.startswith("energy_") and seconds:
                    problem = (file.parent.name, precision, size, parameter, metric, variant.split("/")[0])
                    found[problem].setdefault(f"{variant} {device}", (seconds, joules))
    return found


class TheNotebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.committed = nbformat.read(NOTEBOOK, as_version=4)
        cls.executed = execute(nbformat.read(NOTEBOOK, as_version=4))

    def test_is_committed_without_outputs(self) -> None:
        nbformat.validate(self.committed)
        self.assertEqual(outputs_of(self.committed), [])
        self.assertEqual({cell.execution_count for cell in self.committed.cells if cell.cell_type == "code"}, {None})

    def test_draws_three_figures_and_the_powers(self) -> None:
        pictures = [output for output in outputs_of(self.executed) if "image/png" in output.get("data", {})]
        self.assertEqual(len(pictures), 4)

    def test_writes_no_warnings(self) -> None:
        complaints = [output.text for output in outputs_of(self.executed) if output.get("name") == "stderr"]
        self.assertEqual(complaints, [])

    def test_counts_the_problems_whose_fastest_program_takes_the_least_energy(self) -> None:
        problems = []
        for programs in seconds_and_joules().values():
            possible = [(*pair, name) for name, pair in programs.items() if pair[1] / pair[0] <= BOARD_WATTS]
            if len(possible) > 1:
                fastest = min(possible)
                thriftiest = min(possible, key=lambda each: each[1])
                problems.append(fastest == thriftiest)
        self.assertGreater(len(problems), 100)
        self.assertIn(f"in {sum(problems)} of {len(problems)} problems", printed_by(self.executed))

    def test_says_what_it_leaves_out(self) -> None:
        pairs = [pair for programs in seconds_and_joules().values() for pair in programs.values()]
        left_out = sum(joules / seconds > BOARD_WATTS for seconds, joules in pairs)
        self.assertGreater(left_out, 0)
        self.assertIn(f"left out: {left_out} of {len(pairs)} cases", printed_by(self.executed))

    def test_power_rises_with_the_share_of_the_copy_roof(self) -> None:
        told = re.search(r"copy roof: (-?[\d.]+)", printed_by(self.executed))
        self.assertGreater(float(told[1]), .5)


class Errors(unittest.TestCase):
    def test_a_cell_that_fails_ends_the_execution(self) -> None:
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"][:1]
        notebook.cells[0].source += "\nresults.plot(rows, x='nodes', metric='no_such_metric')"
        with self.assertRaisesRegex(nbclient.exceptions.CellExecutionError, "0 metrics"):
            execute(notebook)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
