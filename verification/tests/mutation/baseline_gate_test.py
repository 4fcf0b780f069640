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
EXPERIMENTS = ("curvature/table3", "tissue/order", "atrium/cpu_gpu", "jacobi/table4")


def run(program: str, *arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=500)


class BaselineGate(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="reprise_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def measured(self, program: str) -> tuple[int, pathlib.Path]:
        result = run(program, "run", *EXPERIMENTS, "--preset", "smoke", "--device", "cpu", "--out", self.folder / "run")
        return result.returncode, self.folder / "run"

    def checked(self, folder: pathlib.Path) -> subprocess.CompletedProcess:
        return run(PROGRAM, "baseline", "check", BASELINE, "--run", folder, "--junit", self.folder / "gate.xml")

    def regressions(self) -> set[str]:
        cases = xml.etree.ElementTree.parse(self.folder / "gate.xml").iter("testcase")
        return {case.get("name").split()[0] for case in cases if case.find("failure") is not None}

    def test_this_machine_holds_the_baseline(self) -> None:
        status, folder = self.measured(PROGRAM)
        self.assertEqual(status, 0)
        result = self.checked(folder)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(self.regressions(), set())
        held = int(result.stdout.splitlines()[-1].split()[0])
        self.assertGreater(held, 100, result.stdout)

    def test_a_changed_coefficient_weight_or_gate_is_a_regression(self) -> None:
        status, folder = self.measured(SABOTAGED)
        self.assertEqual(status, 2)
        result = self.checked(folder)
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertLessEqual({"curvature/cpu_serial", "tissue/openmp", "atrium/openmp"}, self.regressions(), result.stdout)
        self.assertFalse({"curvature/openmp", "atrium/openmp_aos", "jacobi/cpu_interleaved"} & self.regressions())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
