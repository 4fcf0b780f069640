#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the accuracy baseline that comes with the sources: this machine holds it, a changed coefficient breaks it.

usage: baseline_gate_test.py PROGRAM SABOTAGED_PROGRAM BASELINE
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM, SABOTAGED, BASELINE = sys.argv[1:4]
ROOT = pathlib.Path(__file__).resolve().parents[3]
GATE = str(ROOT / "scripts/gate")
EXPERIMENTS = ("curvature/table3", "tissue/order", "atrium/cpu_gpu", "jacobi/table4")


def run(program: str, *arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=500)


class BaselineGate(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="reprise_")))

    def checked(self, program: str, status: int, options: list[str]) -> str:
        """Measures with this program and checks its answers."""
        result = run(GATE, "--program", program, "--baseline", BASELINE, "--junit", self.folder / "gate.xml",
                     "--out", self.folder / "run", "--", *options)
        self.assertEqual(result.returncode, status, result.stdout)
        return result.stdout

    def regressions(self) -> set[str]:
        cases = xml.etree.ElementTree.parse(self.folder / "gate.xml").iter("testcase")
        return {case.get("name").split()[0] for case in cases if case.find("failure") is not None}

    def summary(self) -> str:
        """What the action shows beside a change."""
        return run(sys.executable, ROOT / "ci/summary.py", self.folder / "gate.xml").stdout

    def test_this_machine_holds_the_whole_baseline(self) -> None:
        said = self.checked(PROGRAM, 0, [])
        self.assertEqual(self.regressions(), set())
        held = int(said.splitlines()[-1].split()[0])
        self.assertGreater(held, 3000, said)
        self.assertRegex(self.summary(), r"^\*\*(\d+) of \1 checks hold")

    def test_a_changed_coefficient_weight_or_gate_is_a_regression(self) -> None:
        said = self.checked(SABOTAGED, 2, [*EXPERIMENTS, "--device", "cpu"])
        self.assertLessEqual({"curvature/cpu_serial", "tissue/openmp", "atrium/openmp"}, self.regressions(), said)
        self.assertIn("| tissue/openmp", self.summary())
        # Not atrium/openmp_aos: atrium/openmp makes the trajectories with which all are compared.
        self.assertFalse({"curvature/openmp", "jacobi/cpu_interleaved"} & self.regressions())

    def test_what_is_no_run_is_never_removed(self) -> None:
        (self.folder / "kept").touch()
        result = run(GATE, "--program", PROGRAM, "--baseline", BASELINE, "--out", self.folder)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("is not empty and no run: give another", result.stderr)
        self.assertTrue((self.folder / "kept").exists())

    def test_a_missing_baseline_is_said_before_anything_runs(self) -> None:
        result = run(GATE, "--program", PROGRAM, "--baseline", self.folder / "none.csv")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(result.stderr, "^scripts/gate: there is no baseline .*none.csv: ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
