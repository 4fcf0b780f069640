#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs the Python package reprise_results from the tree, and reads recorded runs, published numbers and claims with it.

usage: results_package_test.py PROGRAM
Status 77 where pandas, matplotlib or pip is missing.
"""
from __future__ import annotations

import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

if any(importlib.util.find_spec(name) is None for name in ("pandas", "matplotlib", "pip", "setuptools")):
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = sys.argv.pop(1)
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="reprise_"))
RECORDED = ROOT / "reports" / "recorded" / "nvidia-h200"
shutil.copytree(ROOT / "scripts" / "python", FOLDER / "source")  # pip writes into the source
subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target",
                FOLDER / "site", FOLDER / "source"], check=True)
sys.path.insert(0, str(FOLDER / "site"))

import matplotlib  # noqa: E402

matplotlib.use("Agg")
import reprise_results as results  # noqa: E402


def tearDownModule() -> None:
    shutil.rmtree(FOLDER)


class Frames(unittest.TestCase):
    def test_the_package_is_the_installed_one_and_typed(self) -> None:
        package = pathlib.Path(results.__file__).parent
        self.assertTrue(package.is_relative_to(FOLDER))
        self.assertTrue((package / "py.typed").exists())

    def test_rows_have_parameters_and_sizes_as_columns(self) -> None:
        rows = results.read_runs(RECORDED / "jacobi", RECORDED / "tissue")
        self.assertEqual(set(rows.paper), {"harness", "jacobi", "tissue"})
        row = rows[(rows.experiment == "jacobi/table1") & (rows["size"] == "508x1024")].iloc[0]
        self.assertEqual((row.width, row.nodes, row.device_name), (508, 508 * 1024, "NVIDIA H200"))
        heun = rows[rows.parameter == "model=karma;method=heun;dt=0.01"]
        self.assertGreater(len(heun), 0)
        self.assertEqual(set(heun.parameter_method), {"heun"})
        self.assertEqual(set(heun.parameter_dt), {0.01})
        self.assertTrue(rows[rows.paper == "jacobi"].parameter_dt.isna().all())

    def test_runs_of_the_same_name_are_told_apart_by_their_folders(self) -> None:
        folders = [RECORDED / "tissue", RECORDED / "tissue-speed"]
        rows = results.read_runs(*folders)
        self.assertEqual(set(rows.run), {"tissue"})
        self.assertEqual(set(rows.folder), {str(folder) for folder in folders})
        self.assertEqual(len(results.choose(rows, folder=str(folders[1]))), len(results.read_runs(folders[1])))
        with self.assertRaisesRegex(ValueError, "name at least one"):
            results.read_runs()

    def test_rows_are_chosen_by_their_columns(self) -> None:
        rows = results.read_runs(RECORDED / "jacobi")
        chosen = results.choose(rows, experiment="jacobi/table1", metric=["time_1000_sweeps", "gflops"])
        expected = rows[(rows.experiment == "jacobi/table1") & rows.metric.isin(["time_1000_sweeps", "gflops"])]
        self.assertEqual(list(chosen.index), list(expected.index))
        with self.assertRaisesRegex(KeyError, "no column experimnt"):
            results.choose(rows, experimnt="jacobi/table1")

    def test_a_case_is_a_line_with_its_metrics_as_columns(self) -> None:
        rows = results.read_runs(RECORDED / "jacobi")
        cases = results.cases(rows, "time_1000_sweeps", "energy_1000_sweeps")
        one = results.choose(cases, experiment="jacobi/table1", variant="jacobi/cuda_simple", size="508x1024", device="cuda:0")
        self.assertEqual(len(one), 1)
        for metric in ("time_1000_sweeps", "energy_1000_sweeps"):
            row = results.choose(rows, experiment="jacobi/table1", variant="jacobi/cuda_simple", size="508x1024", metric=metric)
            self.assertEqual(one.iloc[0][metric], results.choose(row, device="cuda:0").iloc[0].value)

    def test_a_case_without_a_right_answer_is_no_line(self) -> None:
        rows = results.read_runs(RECORDED / "angiogenesis")
        skipped = results.choose(rows, status="skipped", metric="time_solve", experiment="angiogenesis/fig2")
        self.assertGreater(len(skipped), 0)
        key = ["experiment", "variant", "device", "precision", "size", "parameter"]
        timed = set(results.cases(rows, "time_solve")[key].itertuples(index=False, name=None))
        self.assertGreater(len(timed), 0)
        self.assertFalse(timed & set(skipped[key].itertuples(index=False, name=None)))

    def test_published_numbers_have_the_same_columns(self) -> None:
        published = results.read_published(ROOT / "reference" / "published")
        self.assertEqual(set(published.status), {"published"})
        cell = published[(published.experiment == "jacobi/table1") & (published.device == "OP 8600GT") & (published.width == 508)]
        self.assertEqual(cell.iloc[0].value, 8.658)
        with self.assertRaisesRegex(FileNotFoundError, "reference/published"):
            results.read_published(ROOT / "docs")

    def test_claims_come_with_their_verdicts(self) -> None:
        claims = results.read_claims(RECORDED / "jacobi", program=PROGRAM)
        texture = claims[claims.id == "texture_is_best"].iloc[0]
        self.assertEqual((texture.paper, texture.headline), ("jacobi", 1))
        self.assertNotEqual(texture.verdict, "undecided")

    def test_a_plot_has_a_curve_for_each_variant(self) -> None:
        rows = results.read_runs(RECORDED / "jacobi")
        rows = rows[(rows.experiment == "jacobi/table1") & (rows.device == "cuda:0")]
        with self.assertRaisesRegex(ValueError, "choose one"):
            results.plot(rows, x="width")
        in_one_line = results.plot(rows, x="width", experiment="jacobi/table1", metric="time_1000_sweeps")
        times = rows[rows.metric == "time_1000_sweeps"]
        axes = results.plot(times, x="width")
        self.assertEqual(len(axes.lines), times[times.status == "ok"].variant.nunique())
        self.assertGreater(len(axes.lines), 1)
        self.assertEqual([list(line.get_ydata()) for line in in_one_line.lines], [list(line.get_ydata()) for line in axes.lines])
        published = results.read_published(ROOT / "reference" / "published")
        printed = published[(published.experiment == "jacobi/table1") & (published.metric == "time_1000_sweeps")]
        self.assertGreater(len(results.plot(printed, x="width", by=["variant", "device"]).lines), 1)


if __name__ == "__main__":
    unittest.main()
