#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that scripts/soak finds a leaking program and one with wrong ETAs, and passes an honest one.

usage: soak_test.py SOAK PROGRAM
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(2)
SOAK = sys.argv.pop(1)

# Replaces repeated_runs: leaks this many KiB per run and reports them (or only reports them), takes this many seconds
# per run, and prints this ETA.
STAND_IN = """#!/usr/bin/env python3
import time
kept = []
while True:
    kept.append(bytearray(b"x" * 1024 * ({kib} if {is_true} else 0)))
    print("[ 1/2] eta {eta} s  one case: ok", flush=True)
    time.sleep({seconds})
    print("run ended:", {kib} * len(kept), "KiB in use", flush=True)
"""


def soak(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([SOAK, *arguments], capture_output=True, text=True, timeout=250)


class Soak(unittest.TestCase):
    def stand_in(self, kib: int, eta: int, seconds: float, is_true: bool = True) -> str:
        with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
            self.addCleanup(pathlib.Path(file.name).unlink)
            file.write(STAND_IN.format(kib=kib, eta=eta, seconds=seconds, is_true=is_true))
        pathlib.Path(file.name).chmod(0o755)
        return file.name

    def test_leaks_are_found_also_within_what_is_resident_and_nothing_else(self) -> None:
        for kib, is_true, seconds, status, said in (
                (400, True, "1.5", 1, r"resident: .* a run adds (3[5-9]|4[0-4])\d\.\d+ KiB"),
                (10, False, "1", 1, r"a run adds 10\.00 KiB, give or take 0\.00"),
                (0, True, "1.5", 0, "a run adds")):
            with self.subTest(kib=kib):
                result = soak("any", "--program", self.stand_in(kib, 0, 0.005, is_true), "--seconds", seconds)
                self.assertEqual(result.returncode, status, result.stdout + result.stderr)
                self.assertRegex(result.stdout, said)

    def test_an_eta_that_lies_is_found(self) -> None:
        told = [subprocess.Popen([SOAK, "any", "--program", self.stand_in(0, eta, 1.02), "--seconds", "1"],
                                 stdout=subprocess.PIPE, text=True) for eta in (1, 10)]
        for process, status in zip(told, (0, 1), strict=True):
            text = process.communicate(timeout=100)[0]
            self.assertEqual(process.returncode, status, text)
            self.assertRegex(text, r"\d+ ETAs: in the middle")

    def test_a_program_that_ends_is_no_success(self) -> None:
        result = soak("abacus", "--program", PROGRAM, "--seconds", "1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("abacus", result.stderr)

    def test_the_program_is_watched(self) -> None:
        # The ETA is not checked: runs of two seconds on a machine that runs other tests make it meaningless.
        result = soak("jacobi", "--program", PROGRAM, "--seconds", "1", "--size", "16x16", "--most", "1000", "--off", "1000")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("a run adds", result.stdout)


if __name__ == "__main__":
    unittest.main()
