#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`reprise duel`: verdicts on sides that are made up and known, on the program itself, and what it says of sides that it
cannot use.

usage: duel_test.py REPRISE
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

# A side that speaks the protocol, with one case whose repeat takes SECONDS, and that fails where FAULT says.
SIDE = '''#!{python}
import json, os, random, sys, time
seconds, fault, repeats, device = {seconds}, {fault!r}, {repeats}, {device!r}
if sys.argv[1:] != ["duel-side"]: sys.exit(1)
if fault == "closed": os.close(1); sys.stdin.read()
while fault == "endless": sys.stdout.write("x" * 65536)
def say(what): print(json.dumps(what), flush=True)
say({{"duel": 1, "version": "made up", "git": "", "compiler": "", "flags": ""}})
case = {{"experiment": "jacobi/table3", "variant": "jacobi/openmp", "device": "cpu", "precision": {precision!r}, "size": "64x64",
        "parameter": "", "metric": "time_1000_sweeps", "device_name": device, "repeats": repeats, "units": 4096.,
        "on_host": True, "unavailable": ""}}
runs = 0
for line in sys.stdin:
    asked = json.loads(line)
    if asked["do"] == "cases" and fault == "odd error": say({{"error": 5}})
    elif asked["do"] == "cases": say({{"cases": [{{}}] if fault == "cases that are none" else [case]}})
    elif asked["do"] == "run":
        runs += 1
        if fault == "dies" and runs > 4: os.abort()
        if fault == "babbles" and runs > 4: print("what?", flush=True); continue
        took = "nan" if fault == "no time" else seconds * asked["repeats"] * asked["calls"] * random.uniform(.99, 1.01)
        queued = took * random.uniform(0, 50) if fault == "queues" else 0
        say({{"seconds": took if fault == "no time" else took + queued, "queued": queued}})
    elif asked["do"] == fault: say({{"error": "wrong answer: max_relative_error 1"}})
    else: say({{}})
'''


class Duel(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="reprise_")
        self.addCleanup(self.folder.cleanup)
        self.count = 0

    def side(self, seconds: float = 1e-3, fault: str = "", repeats: int = 1000, device: str = "made up",
             precision: str = "single") -> str:
        self.count += 1
        path = pathlib.Path(self.folder.name) / f"side{self.count}"
        path.write_text(SIDE.format(python=sys.executable, seconds=seconds, fault=fault, repeats=repeats, device=device,
                                    precision=precision))
        path.chmod(0o755)
        return str(path)

    def duel(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([PROGRAM, "duel", *arguments], capture_output=True, text=True)

    def judged(self, *arguments: str) -> tuple[int, dict]:
        result = self.duel(*arguments, "--json")
        self.assertTrue(result.stdout, result.stderr)
        return result.returncode, json.loads(result.stdout)["cases"][0]

    def test_slower_faster_and_same_programs_are_told_apart(self) -> None:
        for seconds, verdict, status in ((1.05e-3, "SLOWER", 3), (0.95e-3, "FASTER", 0), (1e-3, "SAME", 0)):
            with self.subTest(verdict):
                code, case = self.judged(self.side(), self.side(seconds))
                self.assertEqual((code, case["verdict"]), (status, verdict))

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two processors")
    def test_sides_that_run_together_are_told_apart(self) -> None:
        code, case = self.judged(self.side(), self.side(1.05e-3), "--mode", "together")
        self.assertEqual((code, case["verdict"]), (3, "SLOWER"))

    def test_a_side_that_waits_for_a_processor_is_not_slower(self) -> None:
        code, case = self.judged(self.side(), self.side(fault="queues"))
        self.assertEqual((code, case["verdict"]), (0, "SAME"))
        code, case = self.judged(self.side(fault="queues"), self.side(1.05e-3, fault="queues"))
        self.assertEqual((code, case["verdict"]), (3, "SLOWER"))

    def test_what_is_unclear_says_what_it_would_take(self) -> None:
        code, case = self.judged(self.side(), self.side(), "--margin", "0.01%", "--budget", "0.3s")
        self.assertEqual((code, case["verdict"]), (4, "UNDECIDED"))
        self.assertIn("--budget", case["remark"])

    def test_a_side_that_fails_ends_its_case(self) -> None:
        for fault, said in (("verify", "B: wrong answer"), ("judge", "B: wrong answer"), ("dies", "B died of signal 6"),
                            ("babbles", "B gave no answer but: what?"), ("load", "B: wrong answer"), ("no time", "B")):
            with self.subTest(fault):
                code, case = self.judged(self.side(), self.side(fault=fault))
                self.assertEqual((code, case["verdict"]), (2, "FAILED"))
                self.assertIn(said, case["remark"])

    def test_cases_that_are_other_work_are_left_out(self) -> None:
        for changed, said in (({"repeats": 500}, "A times 1000 repeats, B 500"), ({"device": "other"}, "B on other")):
            with self.subTest(said):
                result = self.duel(self.side(), self.side(**changed))
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertIn("share no case", result.stderr)
                self.assertIn(said, result.stderr)

    def test_precisions_that_differ_are_said(self) -> None:
        result = self.duel(self.side(), self.side(precision="double"))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("A has it in single, B in double precision", result.stderr)

    def test_hostile_sides_are_one_line(self) -> None:
        for fault, said in (("cases that are none", "offers cases that are none"), ("odd error", "5")):
            with self.subTest(fault):
                result = self.duel(self.side(fault=fault), self.side())
                self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
                self.assertIn(said, result.stderr)
        # What does not introduce itself may be an older program; its runs then fail.
        for fault, said in (("endless", "gave an answer without an end"), ("closed", "closed its output and goes on")):
            with self.subTest(fault):
                result = self.duel(self.side(fault=fault), self.side())
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(f"takes no part in duels ({said})", result.stderr)
                self.assertIn("FAILED", result.stdout)

    def test_results_that_cannot_be_written_are_said_before_the_duel(self) -> None:
        (pathlib.Path(self.folder.name) / "file").touch()
        result = self.duel(self.side(), self.side(), "--out", self.folder.name + "/file/x")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("file", result.stderr)

    @unittest.skipUnless(hasattr(os, "sched_setaffinity"), "needs Linux")
    def test_sides_that_run_together_need_two_processors(self) -> None:
        one = {min(os.sched_getaffinity(0))}
        result = subprocess.run([PROGRAM, "duel", self.side(), self.side(), "--mode", "together"], capture_output=True,
                                text=True, preexec_fn=lambda: os.sched_setaffinity(0, one))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("--mode turns", result.stderr)
        result = subprocess.run([PROGRAM, "duel", self.side(), self.side(1.05e-3)], capture_output=True, text=True,
                                preexec_fn=lambda: os.sched_setaffinity(0, one))
        self.assertEqual(result.returncode, 3, result.stderr)

    def test_bad_input_is_one_line(self) -> None:
        mine = str(PROGRAM)
        for arguments, said in ((["nothing", mine], "'nothing' is no program"), ([mine], "two sides"),
                                ([self.folder.name, mine], "has no bin/reprise"), ([mine, mine, "--margin", "x"], "--margin"),
                                ([mine, mine, "--threads", "9999"], "fewer --threads"),
                                ([mine, mine, "--variant", "none_such"], "no case"),
                                ([mine, mine, "--commit", "HEAD"], "--commit"),
                                (["/bin/true", "/bin/true"], "share no case")):
            with self.subTest(said):
                result = self.duel(*arguments)
                self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
                self.assertIn(said, result.stderr)

    def test_the_program_against_itself_is_not_slower(self) -> None:
        with tempfile.TemporaryDirectory(prefix="reprise_") as out:
            result = self.duel(str(PROGRAM), str(PROGRAM), "--only", "jacobi/table4", "--variant", "cpu_interleaved", "--size",
                               "64x64", "--device", "cpu", "--margin", "20%", "--out", out)
            self.assertIn(result.returncode, (0, 4), result.stdout + result.stderr)
            self.assertNotIn("SLOWER", result.stdout)
            self.assertIn("jacobi/table4", (pathlib.Path(out) / "duel.md").read_text())
            picture = xml.etree.ElementTree.parse(pathlib.Path(out) / "duel.svg")
            self.assertEqual(len(picture.findall(".//{http://www.w3.org/2000/svg}circle")), 1)
            self.assertGreater(len((pathlib.Path(out) / "pairs.csv").read_text().splitlines()), 5)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main()
