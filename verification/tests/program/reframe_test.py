#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests scripts/cluster/reprise_reframe.py under ReFrame's local scheduler: right answers pass, wrong ones fail and are
named, and timings are compared with a recorded baseline.

usage: reframe_test.py PROGRAM SABOTAGED_PROGRAM REFRAME

The timings are one real run's times with one per cent of noise (simulated_node.py), unchanged or a fifth longer,
because this machine's own times may vary by more. Exit status 77 if there is neither ReFrame nor a network.
"""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import simulated_node
from bounded import bound_memory
from reframe_runs import CLUSTER, run_reframe, why_missing

PROGRAM, SABOTAGED = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
REFRAME = os.path.abspath(sys.argv[3])
TEST = "reprise_curvature_table3"
os.environ["OMP_NUM_THREADS"] = "1"  # on a busy machine, threads that wait for each other take minutes

WRAPPER = """#!{python}
import pathlib, subprocess, sys
sys.path.insert(0, {here!r})
import simulated_node
status = subprocess.call([{program!r}, *sys.argv[1:]])
if status == 0 and sys.argv[1] == "run":
    run = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
    simulated_node.replay(run, pathlib.Path({recorded!r}), {factor}, "now")
sys.exit(status)
"""


class UnderReFrame(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="reprise_reframe_")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.passed = cls.reframe("passed", "-r")

    @classmethod
    def reframe(cls, name: str, *arguments: str, program: str = PROGRAM, **variables: str) -> subprocess.CompletedProcess:
        return run_reframe(REFRAME, "settings_laptop.py", cls.folder / name, "-n", TEST, "-t", "smoke", "-t", "^cpu$",
                           *arguments, REPRISE=program, **variables)

    def the_run(self) -> pathlib.Path:
        found = list((self.folder / "passed/output").rglob("run.json"))
        self.assertEqual(len(found), 1, self.passed.stdout)
        return found[0].parent

    def program_with_times(self, factor: float) -> str:
        wrapper = self.folder / f"reprise_{factor}"
        wrapper.write_text(WRAPPER.format(python=sys.executable, here=str(pathlib.Path(simulated_node.__file__).resolve().parent),
                                          program=PROGRAM, recorded=str(self.the_run()), factor=factor))
        wrapper.chmod(0o755)
        return str(wrapper)

    def record(self, *arguments: object) -> subprocess.CompletedProcess:
        return subprocess.run([CLUSTER / "record_baseline", *map(str, arguments)], capture_output=True, text=True,
                              env=os.environ | {"REPRISE": PROGRAM})

    def test_right_answers_pass_and_every_timing_is_told(self) -> None:
        self.assertEqual(self.passed.returncode, 0, self.passed.stdout)
        told = set(re.findall(r"^P: (\S+): ", self.passed.stdout, re.M))
        with open(self.the_run() / "samples.csv", newline="") as lines:
            timed = {(line["variant"].split("/")[1], line["size"]) for line in csv.DictReader(lines)}
        self.assertEqual(len(timed), 4)
        for variant, size in timed:
            self.assertIn(f"{variant}_cpu_double_{size}_flow=mean_curvature_time_solve", told)
        self.assertTrue(json.loads((self.the_run() / "run.json").read_text())["node"])

    def test_a_wrong_answer_fails_and_is_named(self) -> None:
        failed = self.reframe("wrong", "-r", program=SABOTAGED)
        self.assertEqual(failed.returncode, 1, failed.stdout)
        self.assertRegex(failed.stdout, "sanity error: curvature/cpu_serial cpu double 16x16 .*: wrong answer before timing")
        self.assertNotRegex(failed.stdout, "sanity error:.* curvature/openmp")

    def test_timings_are_held_against_a_recorded_baseline(self) -> None:
        for i in range(10):
            simulated_node.simulate(self.the_run(), self.folder / "recorded" / str(i), f"run{i}")
        baseline = self.folder / "baseline/laptop_default.csv"
        recorded = self.record(self.folder / "recorded", "--out", baseline)
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        with open(baseline, newline="") as lines:
            references = list(csv.DictReader(lines))
        self.assertEqual(len(references), 4)
        for reference in references:
            self.assertLess(float(reference["floor_percent"]), 15)  # for 1 % noise, ten runs and four timings

        where = {"REPRISE_BASELINE": str(baseline.parent)}
        same = self.reframe("same", "-r", program=self.program_with_times(1), **where)
        self.assertEqual(same.returncode, 0, same.stdout)
        self.assertRegex(same.stdout, r"time_solve: \S+ s \(r:")
        slow = self.reframe("slow", "-r", program=self.program_with_times(1.2), **where)
        self.assertEqual(slow.returncode, 1, slow.stdout)
        self.assertRegex(slow.stdout, r"(?s)Reason: performance error:.*cpu_serial\S*16x16\S*time_solve")

    def test_what_no_baseline_can_be_made_of_is_one_line(self) -> None:
        empty = self.folder / "empty"
        empty.mkdir()
        few = self.folder / "few"
        simulated_node.simulate(self.the_run(), few / "0", "only")
        dead = self.folder / "dead"
        simulated_node.simulate(self.the_run(), dead / "0", "dead")
        description = json.loads((dead / "0/run.json").read_text())
        del description["finished"]
        (dead / "0/run.json").write_text(json.dumps(description))
        for folder, words in ((empty, "no run"), (few, "two or more"), (dead, "--resume")):
            refused = self.record(folder, "--out", self.folder / "none.csv")
            self.assertEqual(refused.returncode, 1)
            self.assertEqual(len(refused.stderr.splitlines()), 1, refused.stderr)
            self.assertIn(words, refused.stderr)

    def test_every_experiment_has_a_test_for_each_kind_of_device_and_preset(self) -> None:
        listed = json.loads(subprocess.run([PROGRAM, "list", "--json"], capture_output=True, text=True, check=True).stdout)
        on_laptop = sum(len({"cpu", "opencl"} & set(entry["backends"])) for entry in listed["experiments"])
        counted = run_reframe(REFRAME, "settings_laptop.py", self.folder / "listed", "-l", REPRISE=PROGRAM)
        self.assertRegex(counted.stdout, rf"Found {3 * on_laptop} check\(s\)")


if __name__ == "__main__":
    if reason := why_missing(REFRAME):
        print(f"skipped: {reason}")
        sys.exit(77)
    bound_memory()
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
