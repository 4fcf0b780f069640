#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the final states that `reprise run --fields` records for each paper, as a user with NumPy does.

usage: fields_test.py PROGRAM
"""
from __future__ import annotations

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

PROGRAM = sys.argv.pop(1)
CASE = ("experiment", "variant", "device", "precision", "size", "parameter")
SMOKE = ["--preset", "smoke", "--device", "cpu", "--fields"]


class Fields(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="reprise_")
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "run"

    def run_cases(self, *arguments: str) -> None:
        subprocess.run([PROGRAM, "run", *arguments, *SMOKE, "--out", self.out], check=True, capture_output=True)

    def arrays(self) -> list[tuple[dict[str, str], list[list[float]], numpy.ndarray]]:
        """The head and the values of each field's CSV, and the array beside it."""
        found = []
        for file in sorted((self.out / "fields").glob("*.csv")):
            head, description, *lines = csv.reader(file.read_text(encoding="utf-8").splitlines())
            array = numpy.load(self.out / "arrays" / f"{file.stem}.npy", allow_pickle=False)
            found.append((dict(zip(head, description, strict=True)), [[float(v) for v in line] for line in lines], array))
        self.assertTrue(found)
        return found

    def number(self, metric: str, head: dict[str, str]) -> float:
        """The row of this metric in the field's case."""
        with open(self.out / "rows.csv", encoding="utf-8", newline="") as file:
            found = [float(row["value"]) for row in csv.DictReader(file)
                     if row["metric"] == metric and all(row[key] == head[key] for key in CASE)]
        self.assertEqual(len(found), 1, metric)
        return found[0]

    def test_jacobi_has_its_iterate_with_norm_and_residual(self) -> None:
        self.run_cases("jacobi/table4", "--size", "40x24")
        for head, values, array in self.arrays():
            self.assertEqual((head["name"], array.shape), ("x", (24, 40)))
            numpy.testing.assert_allclose(array, values, rtol=1e-4)
            self.assertAlmostEqual(float(numpy.linalg.norm(array)) / self.number("iterate_norm", head), 1, places=12)
            self.assertTrue(0 < self.number("iterate_residual", head) < 1)

    def test_angiogenesis_has_profiles_with_masses(self) -> None:
        self.run_cases("angiogenesis/table5", "--size", "50", "--variant", "eigen_lu")
        for head, values, array in self.arrays():
            self.assertIn(head["name"], "CPIF")
            self.assertEqual(array.shape, (50,))
            numpy.testing.assert_allclose([array], values, rtol=1e-4, atol=1e-12)
            mass = self.number(f"mass_{head['name'].lower()}", head)
            self.assertAlmostEqual(float((array[1:] + array[:-1]).sum() / 98), mass, places=9)

    def test_atrium_has_voltages_on_the_sphere(self) -> None:
        self.run_cases("atrium/table4", "--variant", "openmp", "--precision", "single")
        for head, values, array in self.arrays():
            self.assertEqual(array.shape, (int(head["size"]), 4))
            radii = numpy.linalg.norm(array[:, :3], axis=1)
            self.assertAlmostEqual(float(radii.min() / radii.max()), 1, places=9)
            self.assertAlmostEqual(float(array[:, 3].max()), self.number("v_max", head), places=9)
            self.assertAlmostEqual(float(array[:, 3].min()), self.number("v_min", head), places=9)
            # The map has the voltage of some cell at each point.
            self.assertTrue(all(abs(array[:, 3] - value).min() < 1e-3 for line in values for value in line))

    def test_curvature_and_tissue_have_grids(self) -> None:
        for word, cases in {"curvature": ["curvature/table6", "--variant", "openmp", "--size", "16x16"],
                            "tissue": ["tissue/fig5", "--variant", "openmp*", "--size", "24x24"]}.items():
            with self.subTest(word):
                self.out = self.out.parent / word
                self.run_cases(*cases)
                for head, values, array in self.arrays():
                    self.assertEqual(array.shape, (int(head["ny"]), int(head["nx"])))
                    numpy.testing.assert_allclose(array, values, rtol=1e-4, atol=1e-12)

    def test_arrays_are_sealed_and_the_page_draws_one(self) -> None:
        self.run_cases("jacobi/table4", "--size", "40x24")
        files = json.loads((self.out / "seal.json").read_text(encoding="utf-8"))["files"]
        self.assertTrue(any(name.startswith("arrays/") for name in files))
        subprocess.run([PROGRAM, "report", self.out], check=True, capture_output=True)
        page = (self.out / "report/jacobi.html").read_text(encoding="utf-8")
        self.assertTrue('id="jacobi_final_state"' in page, "the page draws no final state")
        self.assertTrue((self.out / "report/figures/jacobi_final_state.svg").is_file())
        array = next((self.out / "arrays").iterdir())
        array.write_bytes(array.read_bytes()[:-1] + b"\x07")
        refused = subprocess.run([PROGRAM, "report", self.out], check=False, capture_output=True, text=True)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("SHA-256", refused.stderr)

    def test_a_grid_that_has_no_picture_keeps_its_answer(self) -> None:
        self.run_cases("jacobi/table3", "--size", "1x1")
        self.assertFalse([field for field in self.out.glob("fields/*.csv") if "jacobi" in field.name])

    def test_without_the_option_nothing_is_recorded(self) -> None:
        subprocess.run([PROGRAM, "run", "jacobi/table4", "--size", "40x24", *SMOKE[:-1], "--out", self.out], check=True,
                       capture_output=True)
        self.assertFalse((self.out / "fields").exists())
        self.assertFalse((self.out / "arrays").exists())


if __name__ == "__main__":
    unittest.main()
