#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/under_load measures ten cases, goes on where an earlier call was killed, and judges what it measured.

usage: under_load_script_test.py REPRISE
"""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
LOADER = importlib.machinery.SourceFileLoader("under_load", str(ROOT / "scripts/under_load"))
under_load = importlib.util.module_from_spec(importlib.util.spec_from_loader("under_load", LOADER))
LOADER.exec_module(under_load)
PROGRAM = sys.argv.pop(1)


def entry(kind: str, seconds: float = 1.0, status: str = "ok", machine: str = "one") -> dict:
    return {"kind": kind, "machine": machine, "program": "p", "load": {}, "seconds": 9.0, "times": {"a case": [seconds, status]}}


def smoke(problem: str = "") -> dict:
    return {"kind": "smoke", "machine": "one", "program": "p", "load": {}, "seconds": 9.0, "problem": problem}


def keeps_promises(*later: dict) -> bool:
    with contextlib.redirect_stdout(io.StringIO()):
        return under_load.judge([entry("quiet") for _ in range(under_load.QUIET_REPEATS)] + list(later))


class UnderLoad(unittest.TestCase):
    def test_the_program_has_the_ten_cases(self) -> None:
        planned = 0
        for options in under_load.CASES:
            told = subprocess.run([PROGRAM, "run", *options, "--device", "cpu", "--budget", "none", "--dry-run"],
                                  capture_output=True, text=True)
            self.assertEqual(told.returncode, 0, told.stderr)
            planned += sum(map(int, re.findall(r"(\d+) cases", told.stdout)))
        self.assertEqual(planned, 10)

    def test_a_torn_line_is_measured_again(self) -> None:
        with tempfile.TemporaryDirectory(prefix="reprise_") as folder:
            keep = pathlib.Path(folder) / "load.jsonl"
            whole = json.dumps(entry("quiet")) + "\n"
            keep.write_text(whole + whole[:20])
            self.assertEqual(under_load.read_known(keep), [entry("quiet")])
            self.assertEqual(keep.read_text(), whole)
            for line in ("no", "[1]", '{"kind": "quiet"}'):
                keep.write_text(line + "\n")
                with self.assertRaisesRegex(SystemExit, "is no file of this script"):
                    under_load.read_known(keep)

    def test_each_promise_can_be_broken(self) -> None:
        self.assertTrue(keeps_promises(entry("loaded"), entry("loaded", 3.0, "disturbed"), smoke()))
        self.assertFalse(keeps_promises(entry("loaded", 1.3)))
        self.assertFalse(keeps_promises(entry("loaded", 0.7)))
        self.assertFalse(keeps_promises(*[entry("loaded", 1.0, "disturbed")] * 2, *[entry("loaded")] * 2))
        self.assertFalse(keeps_promises(entry("loaded"), smoke("run ended with 2")))
        self.assertFalse(keeps_promises(entry("quiet", 1.0, "disturbed"), entry("loaded")))

    def test_times_are_set_against_quiet_ones_of_their_own_machine(self) -> None:
        slow = [entry("quiet", 3.0, machine="two")] * under_load.QUIET_REPEATS
        self.assertTrue(keeps_promises(entry("loaded"), *slow, entry("loaded", 3.1, machine="two")))
        self.assertFalse(keeps_promises(entry("loaded", 3.1), *slow))

    def test_another_machine_measures_its_quiet_times_and_goes_on_with_the_rest(self) -> None:
        known = [entry("quiet", machine="two")] * under_load.QUIET_REPEATS + [entry("loaded", machine="two"), smoke()]
        left = under_load.steps_left(known, ("one here", "p"), repeats=3, smoke_runs=1)
        self.assertEqual([kind for kind, _ in left], ["quiet"] * under_load.QUIET_REPEATS + ["loaded"] * 2)
        self.assertEqual(under_load.steps_left(known, ("one here", "p"), repeats=1, smoke_runs=1), [])

    def test_what_cannot_be_judged_is_refused(self) -> None:
        with self.assertRaisesRegex(SystemExit, "has no quiet time on its machine"):
            keeps_promises(entry("loaded", machine="two"))
        with tempfile.TemporaryDirectory(prefix="reprise_") as folder:
            keep = pathlib.Path(folder) / "load.jsonl"
            keep.write_text('{"important": 1}')  # not a torn line of this script
            with self.assertRaisesRegex(SystemExit, "is no file of this script"):
                under_load.read_known(keep)
            torn = json.dumps(entry("quiet")) + '\n{"kind": "loa'
            keep.write_text(torn)
            self.assertEqual(len(under_load.read_known(keep, is_kept=False)), 1)
            self.assertEqual(keep.read_text(), torn)

    def test_a_marked_quiet_time_is_not_what_others_are_set_against(self) -> None:
        marked = [(3.0, "disturbed")] * 3
        self.assertEqual(under_load.quiet_median([*marked, (1.0, "ok")]), 1.0)
        self.assertTrue(math.isnan(under_load.quiet_median(marked)))


if __name__ == "__main__":
    unittest.main()
