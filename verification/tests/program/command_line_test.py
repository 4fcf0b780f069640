#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the program as a user meets it: exact help, one-line errors, exit statuses, and no lost data.

usage: command_line_test.py PROGRAM
"""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable

import simulated_node

PROGRAM = sys.argv.pop(1)


def reprise(*arguments: str, cwd: str | None = None) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=cwd, timeout=300)


def small_run(folder: pathlib.Path, *more: str) -> subprocess.CompletedProcess:
    return reprise("run", "jacobi/table4", "--preset", "smoke", "--size", "37x23", "--device", "cpu",
                   "--out", str(folder), *more)


class CommandLine(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="reprise_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def assert_refused(self, result: subprocess.CompletedProcess, *words: str) -> None:
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("reprise: "), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_help_names_every_option_of_every_command(self) -> None:
        options = {"list": ["--json"], "doctor": [], "verify": ["--device", "--size"],
                   "run": ["--preset", "--device", "--size", "--set", "--variant", "--precision", "--parameter",
                           "--parameters", "--budget", "--plan", "--dry-run", "--fields", "--json", "--out", "--resume"],
                   "report": ["--against", "--out"],
                   "claims": ["--run", "--fail-on", "--json", "--why"], "baseline": ["save", "check"],
                   "compare": ["--only", "--vary", "--full", "--out", "--noise", "--floor", "--fail-on"],
                   "collect": ["--vary", "--noise", "--out", "status 2"], "pack": ["--undo"], "manual": ["FORMAT"]}
        whole = reprise("--help-all").stdout
        for command, names in options.items():
            text = reprise(command, "--help")
            self.assertEqual(text.returncode, 0)
            for name in names:
                self.assertIn(name, text.stdout)
            self.assertIn("Examples:\n  ", text.stdout)
            self.assertIn(f"reprise {command}", text.stdout.split("Examples:")[1])
            self.assertIn(command, whole)
            wide = [line for line in text.stdout.splitlines() if len(line) > 80]
            self.assertEqual(wide, [], "a terminal would break these lines within words")

    def test_help_fits_80_columns_says_how_long_presets_take_and_shows_each_part(self) -> None:
        listed = reprise("--help").stdout.split("Subcommands:")[1].split("Examples:")[0]
        commands = re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE)
        self.assertGreater(len(commands), 9)
        for words in ([], *([command] for command in commands), ["baseline", "save"], ["baseline", "check"]):
            text = reprise(*words, "--help").stdout
            layout, examples = text.split("Examples:\n")
            self.assertIn("  " + " ".join(["reprise", *words]), examples)
            # A line of an example is copied, so it stays whole.
            lines = layout.splitlines() + [line for line in examples.splitlines() if not line.startswith("  reprise ")]
            self.assertEqual([line for line in lines if len(line) > 80], [], words)
        run = " ".join(reprise("run", "--help").stdout.split())
        self.assertIn("smoke (two minutes), quick (three minutes, or the time of --budget) or paper", run)
        self.assertIn("hours to days", run)

    def test_the_manual_and_the_completions_name_every_option(self) -> None:
        options = set(re.findall(r"--[a-z-]{2,}", reprise("--help-all").stdout)) - {"--help", "--help-all", "--benchmark"}
        for shell in ("bash", "zsh"):
            self.assertLessEqual(options, set(re.findall(r"--[a-z-]+", reprise("manual", shell).stdout)))
        fish = {"--" + name for name in re.findall(r" -l ([a-z-]+)", reprise("manual", "fish").stdout)}
        self.assertLessEqual(options, fish)
        man = reprise("manual", "man").stdout
        self.assertLessEqual(options, set(re.findall(r"--[a-z-]+", man.replace("\\-", "-"))))
        self.assert_refused(reprise("manual", "perl"), "perl")

    def test_bash_completes_commands_options_and_values(self) -> None:
        def completed(*words: str) -> list[str]:
            script = ('source <("$0" manual bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _reprise; '
                      'printf "%s\\n" "${COMPREPLY[@]}"')
            return subprocess.run(["bash", "-c", script, PROGRAM, "reprise", *words], capture_output=True, text=True,
                                  check=True).stdout.split()
        self.assertEqual(completed("ba"), ["baseline"])
        self.assertEqual(completed("run", "--preset", "q"), ["quick"])
        self.assertEqual(completed("run", "--bud"), ["--budget"])
        self.assertIn("jacobi/table4", completed("run", "jacobi/"))
        self.assertEqual(completed("baseline", "sa"), ["save"])

    def test_list_gives_every_variant_a_state(self) -> None:
        listed = json.loads(reprise("list", "--json").stdout)
        self.assertGreaterEqual(len(listed["variants"]), 13)
        for variant in listed["variants"]:
            self.assertTrue(variant["status"])
        self.assertIn("jacobi/openmp", reprise("list", "jacobi/*").stdout)
        experiments = {entry["id"]: entry for entry in listed["experiments"]}
        self.assertEqual(experiments["jacobi/table4"]["backends"], ["cpu"])
        self.assertGreater(experiments["jacobi/table4"]["seconds"], 0)
        self.assertIn(experiments["jacobi/table4"]["title"], reprise("list", "jacobi/*").stdout)

    def test_doctor_names_every_backend(self) -> None:
        text = reprise("doctor").stdout
        for name in ("cpu", "cuda", "opencl", "opengl"):
            self.assertIn(name, text)

    def test_openmp_has_all_processors_also_where_its_threads_are_bound(self) -> None:
        usual = {key: value for key, value in os.environ.items() if not key.startswith("OMP_")}
        doctor = [subprocess.run([PROGRAM, "doctor"], capture_output=True, text=True, env=usual | more, check=True).stdout
                  for more in ({}, {"OMP_PROC_BIND": "true"}, {"OMP_PLACES": "cores"})]
        threads = [re.findall(r"OpenMP, (\d+) threads", text) for text in doctor]
        self.assertEqual(threads, 3 * [[str(len(os.sched_getaffinity(0)))]])

    def test_a_dry_run_prints_the_plan_and_measures_nothing(self) -> None:
        out = self.folder / "run"
        planned = reprise("run", "angiogenesis/*", "--device", "cpu", "--budget", "30s", "--dry-run", "--out", str(out))
        self.assertEqual(planned.returncode, 0, planned.stderr)
        self.assertTrue(planned.stdout.startswith("plan for 30 s: "), planned.stdout)
        self.assertIn("headline angiogenesis/coupling_destroys_sparsity", planned.stdout.split("leaves out")[0])
        self.assertIn("headline angiogenesis/faster_than_cusolver", planned.stdout.split("leaves out")[1])
        self.assertFalse(out.exists())
        self.assertTrue(reprise("run", "--dry-run").stdout.startswith("plan for 3 min: "))
        for everything in (["--budget", "none"], ["*"], ["jacobi/table4"], ["--precision", "double"]):
            lines = reprise("run", "--dry-run", *everything).stdout.splitlines()
            self.assertTrue(lines[-1].startswith("in all about "), lines)

    def test_a_plan_is_kept_and_measured_again(self) -> None:
        first, again = self.folder / "first", self.folder / "again"
        # On a busy machine, or with sanitizers, a short budget may be over before a time is measured.
        for budget in (6, 12, 24, 48):
            small = reprise("run", "angiogenesis/table2", "--device", "cpu", "--budget", f"{budget}s", "--out", str(first))
            if self.measured(first):
                break
            shutil.rmtree(first)
        self.assertEqual(small.returncode, 0, small.stderr)
        plan = json.loads((first / "run.json").read_text())["plan"]
        self.assertEqual(plan["budget_seconds"], budget)
        self.assertGreater(len(plan["cases"]), 0)
        left_out = self.cases(first, lambda row: "left out of a plan for" in row["reason"])
        self.assertTrue(left_out)
        self.assertEqual(reprise("run", "--plan", str(first), "--out", str(again)).returncode, 0)
        self.assertEqual(self.measured(first) - self.cases(again, lambda _: True), set())
        self.assertEqual(self.measured(again) & left_out, set())
        self.assertEqual(json.loads((again / "run.json").read_text())["plan"], plan)

    def cases(self, folder: pathlib.Path, chosen: Callable[[dict[str, str]], bool]) -> set[tuple[str, str, str]]:
        with (folder / "rows.csv").open() as file:
            return {(row["variant"], row["size"], row["parameter"]) for row in csv.DictReader(file) if chosen(row)}

    def measured(self, folder: pathlib.Path) -> set[tuple[str, str, str]]:
        return self.cases(folder, lambda row: row["status"] == "ok" and row["unit"] == "s")

    def test_an_empty_or_unprintable_name_is_refused(self) -> None:
        self.assert_refused(reprise("compare", "nvidia-h200", "paper:GTX280", "--out", ""), "--out", "is empty")
        self.assert_refused(reprise("compare", "", "nvidia-h200"), "is empty")
        self.assert_refused(reprise("run", "jacobi/table4", "--out", "q\x1b[31m"), "--out", "control character")

    def test_a_budget_that_cannot_be_is_refused(self) -> None:
        self.assert_refused(reprise("run", "--budget", "soon"), "'soon'", "5m")
        self.assert_refused(reprise("run", "--budget", "5m", "--preset", "smoke"), "fixed list", "--preset quick")
        self.assertEqual(small_run(self.folder / "unplanned").returncode, 0)
        self.assert_refused(reprise("run", "--plan", str(self.folder / "unplanned")), "holds no plan")
        self.assert_refused(reprise("run", "--plan", str(self.folder / "none")), "none")

    def test_usage_errors_are_one_line(self) -> None:
        self.assert_refused(reprise(), "--help")
        self.assert_refused(reprise("fly"), "'fly'", "--help")
        self.assertNotIn("did you mean", reprise("fly").stderr)
        self.assert_refused(reprise("rnu"), "did you mean 'run'?")
        self.assert_refused(reprise("colect"), "did you mean 'collect'?")
        self.assert_refused(reprise("run", "jacobi/tabel4"), "did you mean 'jacobi/table4'?")
        self.assert_refused(reprise("verify", "opnemp"), "did you mean 'openmp'?")
        self.assert_refused(reprise("run", "--speed", "9"))
        self.assert_refused(reprise("run", "--preset", "huge"), "huge", "quick")
        self.assert_refused(reprise("run", "nothing/*"), "nothing/*", "reprise list")
        self.assert_refused(reprise("verify", "nothing"), "nothing")
        self.assert_refused(reprise("list", "nothing"), "nothing")
        self.assert_refused(reprise("run", "--resume"), "--out")
        self.assert_refused(reprise("run", "--resume", "--out", "x", "--preset", "quick"))
        self.assert_refused(reprise("report"), "RUN")
        self.assert_refused(reprise("list", "--", "--benchmark_filter=x"), "--")

    def test_a_baseline_is_saved_and_held(self) -> None:
        run, baseline = str(self.folder / "run"), str(self.folder / "baseline.csv")
        self.assertEqual(small_run(pathlib.Path(run)).returncode, 0)
        simulated_node.reseal(pathlib.Path(run), git="0123456789ab-dirty")
        self.assert_refused(reprise("baseline", "save", baseline, "--run", run), "changed sources")
        simulated_node.reseal(pathlib.Path(run), git="0123456789ab")
        self.assertEqual(reprise("baseline", "save", baseline, "--run", run).returncode, 0)
        self.assertEqual(reprise("baseline", "check", baseline, "--run", run).returncode, 0)
        with open(baseline, newline="") as lines:
            entries = list(csv.DictReader(lines))
        self.assertTrue(any(entry["metric"] == "max_relative_error" for entry in entries))
        self.assertFalse(any(entry["unit"] in ("s", "GB/s") for entry in entries))
        changed = pathlib.Path(baseline).read_text().replace("jacobi/cpu_interleaved", "jacobi/cpu_gone")
        pathlib.Path(baseline).write_text(changed)
        self.assert_refused(reprise("baseline", "check", baseline, "--run", run), "preset")

    def test_baselines_that_cannot_be_are_one_line(self) -> None:
        run = str(self.folder / "run")
        self.assert_refused(reprise("baseline"))
        self.assert_refused(reprise("baseline", "check", "none.csv"), "--run")
        self.assert_refused(reprise("baseline", "save", "x.csv", "--run", run), "not a folder")
        self.assertEqual(small_run(pathlib.Path(run)).returncode, 0)
        simulated_node.reseal(pathlib.Path(run), git="0123456789ab")
        self.assert_refused(reprise("baseline", "check", "none.csv", "--run", run), "none.csv")
        self.assert_refused(reprise("baseline", "save", str(self.folder), "--run", run), "is a folder")
        self.assert_refused(reprise("baseline", "save", str(self.folder / "no" / "x.csv"), "--run", run), "x.csv")

    def test_two_runs_are_compared(self) -> None:
        a, b, out = (str(self.folder / name) for name in ("a", "b", "out"))
        self.assertEqual(small_run(pathlib.Path(a)).returncode, 0)
        self.assertEqual(small_run(pathlib.Path(b)).returncode, 0)
        result = reprise("compare", a, b, "--out", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Speed of", result.stdout)
        self.assertIn("UNDECIDED", result.stdout)
        self.assertIn("default floor", result.stdout)
        for name in ("roofs", "jacobi_table4"):
            self.assertTrue((pathlib.Path(out) / (name + ".md")).read_text())
            self.assertTrue((pathlib.Path(out) / (name + ".csv")).read_text())
        self.assertIn(reprise("compare", a, b, "--fail-on", "any").returncode, (0, 3, 4))
        self.assert_refused(reprise("compare", a, b, "--floor", str(self.folder / "noise.csv")), "too few")
        shutil.copytree(a, self.folder / "copy")
        self.assert_refused(reprise("compare", a, str(self.folder / "copy")), "same run")

    def test_runs_of_nodes_are_collected(self) -> None:
        for node in ("n1", "n2"):
            made = subprocess.run([PROGRAM, "run", "jacobi/table4", "--preset", "smoke", "--size", "37x23", "--device", "cpu",
                                   "--out", str(self.folder / "runs" / node)], env=os.environ | {"REPRISE_NODE": node},
                                  capture_output=True, timeout=300)
            self.assertEqual(made.returncode, 0)
        result = reprise("collect", str(self.folder / "runs"), "--out", str(self.folder / "fleet"))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("2 nodes in 2 runs", result.stdout)
        self.assertIn("3 are needed", result.stdout)
        for name in ("nodes.csv", "timings.csv", "medians.csv", "fleet.json", "index.html", "types/jacobi_table4.md"):
            self.assertTrue((self.folder / "fleet" / name).read_text(), name)
        with open(self.folder / "fleet" / "nodes.csv", newline="") as lines:
            self.assertEqual([line["node"] for line in csv.DictReader(lines)], ["n1", "n2"])

    def test_packed_runs_are_read_and_unpacked(self) -> None:
        run = self.folder / "run"
        small_run(run)
        claims = ("claims", "jacobi", "--run", str(run), "--json")
        files = {path.name: path.read_bytes() for path in run.iterdir()}
        before = reprise(*claims).stdout
        packed = reprise("pack", str(run))
        self.assertEqual(packed.returncode, 0, packed.stderr)
        self.assertRegex(packed.stdout, r": \d+ bytes became \d+\n")
        self.assertFalse((run / "rows.csv").exists() or (run / "samples.csv").exists())
        self.assertEqual(reprise(*claims).stdout, before)
        self.assertIn("rows in", reprise("run", "--resume", "--out", str(run)).stdout)
        report = reprise("report", str(run), "--out", str(self.folder / "report"))
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertEqual(len(list((self.folder / "report").rglob("rows.csv"))), 1)
        self.assertEqual(reprise("pack", "--undo", str(run)).returncode, 0)
        self.assertEqual({path.name: path.read_bytes() for path in run.iterdir()}, files)
        self.assert_refused(reprise("pack", str(self.folder)), "not a run")
        self.assert_refused(reprise("pack", str(self.folder / "none")), "not a folder")

    def test_fleets_that_cannot_be_are_one_line(self) -> None:
        self.assert_refused(reprise("collect"), "DIR")
        self.assert_refused(reprise("collect", str(self.folder / "none")), "not a folder")
        self.assert_refused(reprise("collect", str(self.folder)), "contains a run")
        small_run(self.folder / "run")
        self.assert_refused(reprise("collect", str(self.folder / "run"), str(self.folder)), "same run")
        self.assert_refused(reprise("collect", str(self.folder / "run"), "--vary", "weather"), "weather")
        self.assert_refused(reprise("collect", str(self.folder / "run"), "--noise", "none.csv"), "none.csv")

    def test_comparisons_that_cannot_be_are_one_line(self) -> None:
        self.assert_refused(reprise("compare"), "NAMES")
        self.assert_refused(reprise("compare", "nvidia-h200"), "two or more")
        self.assert_refused(reprise("compare", "nvidia-h200", "nvidia-h200"), "same run")
        self.assert_refused(reprise("compare", "nvidia-h200", "abacus"), "abacus", "nvidia-h200")
        self.assert_refused(reprise("compare", "nvidia-h200", "paper:abacus"), "abacus", "GTX 280")
        self.assert_refused(reprise("compare", "nvidia-h200", "paper:GTX280", "--vary", "weather"), "weather", "preset")
        self.assert_refused(reprise("compare", "nvidia-h200", "paper:GTX280", "--fail-on", "any"), "two runs")
        self.assert_refused(reprise("compare", "nvidia-h200", "paper:GTX280", "--fail-on", "rain"), "slower")
        self.assert_refused(reprise("compare", "nvidia-h200", "paper:GTX280", "--only", "none"), "none")
        self.assert_refused(reprise("compare", "paper:GTX680", "paper:GTX280"), "in common")

    def test_settings_that_cannot_be_are_one_line(self) -> None:
        for setting, word in (("eps", "eps=1e-6"), ("eps=small", "eps=small"), ("=1", "=1"), ("eps=0", "eps is"),
                              ("eps=-1e-6", "eps is"), ("eps=nan", "eps is"), ("eps=inf", "eps is"),
                              ("speed=9", "speed")):
            self.assert_refused(reprise("run", "curvature/table3", "--preset", "smoke", "--set", setting,
                                        "--out", str(self.folder / "run")), word)
            self.assertFalse((self.folder / "run").exists())
        self.assert_refused(reprise("run", "jacobi/table4", "--set", "eps=1"), "no setting")
        self.assert_refused(reprise("run", "curvature/table3", "--set", "eps=1e-6", "--set", "eps=1e-7"), "twice")

    def test_a_setting_is_in_its_rows_and_survives_a_resume(self) -> None:
        run = self.folder / "run"
        result = reprise("run", "curvature/table3", "--preset", "smoke", "--size", "16x16", "--device", "cpu",
                         "--set", "eps=1e-6", "--out", str(run))
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = (run / "rows.csv").read_text()
        self.assertIn("flow=mean_curvature;eps=1e-06", rows)
        self.assertEqual(reprise("run", "--resume", "--out", str(run)).returncode, 0)
        self.assertEqual((run / "rows.csv").read_text(), rows)

    def test_a_file_of_parameters_is_in_its_rows(self) -> None:
        usual = {"d_c": .001, "d_p": .005, "d_i": .005, "k1": .1, "k2": .1, "k3": .1, "k4": .1, "k5": .05, "k6": .05,
                 "a1": .1, "a2": .1, "a3": .2, "a4": 1, "eps": .45}

        def written(**changed: object) -> str:
            file = self.folder / "own.txt"
            values = {**usual, **changed}
            file.write_text("".join(f"{name} = {value}\n" for name, value in values.items() if value is not None))
            return str(file)

        def run(*arguments: str) -> subprocess.CompletedProcess:
            return reprise("run", "angiogenesis/table6", "--preset", "smoke", "--size", "5", "--device", "cpu",
                           *arguments, "--out", str(self.folder / "run"))

        self.assert_refused(run("--parameters", str(self.folder / "none.txt")), "none.txt")
        self.assert_refused(run("--parameters", written(k3=None)), "k3")
        self.assert_refused(run("--parameters", written(speed=1)), "speed")
        self.assert_refused(run("--parameters", written(k1="fast")), "fast")
        self.assert_refused(run("--parameters", written(d_c=-1)), "d_c")
        self.assert_refused(run("--parameters", written(), "--set", "k1=.2"), "k1", "once")
        self.assert_refused(run("--set", "dt=0"), "dt")
        self.assert_refused(run("--set", "dt=nan"), "dt")
        self.assert_refused(reprise("run", "jacobi/table4", "--parameters", written()), "jacobi")
        self.assert_refused(reprise("run", "angiogenesis/order", "--set", "dt=.1"), "order")
        self.assertFalse((self.folder / "run").exists())
        self.assertEqual(run("--parameters", written(k1=.25), "--set", "dt=.01").returncode, 0)
        self.assertIn("factor=every_solve;dt=0.01;k1=0.25", (self.folder / "run" / "rows.csv").read_text())
        again = reprise("run", "--resume", "--out", str(self.folder / "run"))
        self.assertIn("the run is finished", again.stdout)

    def test_an_atrium_that_cannot_be_is_one_line_before_anything_runs(self) -> None:
        def run(experiment: str, *settings: str) -> subprocess.CompletedProcess:
            flags = [word for setting in settings for word in ("--set", setting)]
            return reprise("run", f"atrium/{experiment}", "--preset", "smoke", "--device", "cpu", *flags,
                           "--out", str(self.folder / "run"))

        for experiment, setting, *words in (
                ("table4", "subdivisions=12", "GiB", "give fewer"), ("table4", "subdivisions=2.5", "2.5", "whole"),
                ("table4", "subdivisions=nan", "whole"), ("table4", "dt=0", "the step dt is 0:"),
                ("table4", "dt=nan", "dt"), ("table4", "dt=1e-9", "GiB", "give longer ones"),
                ("table4", "t_end=2", "a stimulus from 1 to 3 ms", "within 2 ms"), ("table4", "t_end=0", "end time"),
                ("table4", "acetylcholine=-1", "acetylcholine"), ("table4", "at=1", "tables 4 and 5", "no at"),
                ("table1", "dt=.1", "tables 1 to 3", "no dt"), ("table1", "at=0", "the absolute tolerance is 0:"),
                ("table1", "rt=-1", "the relative tolerance is -1:"), ("fig1", "rt=0", "fig1"),
                ("stability", "dt=.1", "stability"), ("order", "dt=.1", "order")):
            self.assert_refused(run(experiment, setting), *words)
            self.assertFalse((self.folder / "run").exists())

    def test_runs_of_an_atrium_that_fail_say_why_and_when(self) -> None:
        for experiment, settings, words in (
                ("table4", ("dt=.2", "t_end=5"), ("unstable: cell", "at t = 2 ms", "limit of stability")),
                ("table3", ("at=1e-13", "t_end=4"), ("stagnated at t = ", "cannot be met"))):
            run = self.folder / experiment
            flags = [word for setting in settings for word in ("--set", setting)]
            result = reprise("run", f"atrium/{experiment}", "--preset", "smoke", "--device", "cpu",
                             "--set", "subdivisions=1", *flags, "--out", str(run))
            self.assertEqual(result.returncode, 2, result.stderr)
            with open(run / "rows.csv", newline="") as file:
                failed = [row for row in csv.DictReader(file) if row["status"] == "failed"]
            self.assertTrue(failed)
            for row in failed:
                self.assertIn(";t_end=", row["parameter"])
                self.assertEqual(row["value"], "")
                for word in words:
                    self.assertIn(word, row["reason"])

    def test_runs_that_do_not_go_together_are_one_line(self) -> None:
        run, copy, other = self.folder / "run", self.folder / "copy", self.folder / "other"
        small_run(run)
        shutil.copytree(run, copy)
        for command in (("report", str(run), str(copy), "--out", str(self.folder / "report")),
                        ("report", str(run), str(run), "--out", str(self.folder / "report")),
                        ("claims", "--run", str(run), "--run", str(copy))):
            self.assert_refused(reprise(*command), "same rows", str(run))
        self.assertFalse((self.folder / "report").exists())
        reprise("run", "jacobi/table4", "--preset", "quick", "--size", "8x8", "--device", "cpu", "--out", str(other))
        for one in (run, other):
            simulated_node.reseal(one, git="0123456789ab")
        told = reprise("claims", "--run", str(run), "--run", str(other), "--fail-on", "never")
        self.assertEqual(told.returncode, 0)
        remarks = told.stderr.splitlines()
        self.assertEqual(len(remarks), 2, told.stderr)
        self.assertIn("different presets: quick (other), smoke (run)", remarks[0])
        self.assertIn("no run has a number for: angiogenesis, atrium, curvature, tissue", remarks[1])
        rows = (run / "rows.csv").read_text()
        (run / "rows.csv").write_text(rows.replace(",ok,", ",ok, "))
        self.assert_refused(reprise("claims", "--run", str(run)), "rows.csv")
        (run / "rows.csv").write_text(rows)
        description = (run / "run.json").read_text()
        (run / "run.json").write_text(description.replace('"schema": 2', '"schema": 3'))
        self.assert_refused(reprise("claims", "--run", str(run), "--run", str(other)), "schema")

    def test_claims_have_verdicts_and_what_they_rest_on(self) -> None:
        printed = reprise("claims", "jacobi/texture_is_best", "--fail-on", "never")
        self.assertEqual(printed.returncode, 0, printed.stderr)
        for text in ("jacobi/texture_is_best (conclusion)", "Table 3", "the paper has 0.828", "rests on",
                     "table3 cuda_texture@1024x1024", "jacobi: conclusions: 1: 1 holds in part", "all: "):
            self.assertIn(text, printed.stdout)
        explained = reprise("claims", "jacobi", "--why", "texture_is_best", "--fail-on", "never").stdout
        for text in ("sentence", "rows", "arithmetic", "bound", "reason"):
            self.assertIn(f"\n                {text}", explained)
        self.assert_refused(reprise("claims", "jacobi/nothing"), "jacobi/nothing")
        self.assert_refused(reprise("claims", "jacobi", "--why", "nothing"), "nothing")
        self.assert_refused(reprise("claims", "--fail-on", "doubt"), "doubt", "undecided")
        self.assert_refused(reprise("claims", "--run", str(self.folder / "nowhere")), "nowhere")

    def test_claims_fail_on_the_verdicts_asked_for(self) -> None:
        run = self.folder / "run"
        small_run(run)  # of a size that no claim uses
        papers = json.loads(reprise("claims", "--json").stdout)["papers"]
        claims = [(word, claim) for word, paper in papers.items() for claim in paper["claims"]]
        for verdict, statuses in (("differs", (2, 0, 2, 0)), ("no longer", (2, 0, 2, 0)), ("undecided", (0, 4, 4, 0)),
                                  ("reproduced", (0, 0, 0, 0)), ("misprint", (0, 0, 0, 0))):
            word, chosen = next((word, claim) for word, claim in claims if claim["verdict"] == verdict)
            for concern, status in zip(("refuted", "undecided", "any", "never"), statuses, strict=True):
                told = reprise("claims", f"{word}/{chosen['id']}", "--fail-on", concern)
                self.assertEqual(told.returncode, status, (verdict, concern, told.stdout))
        told = reprise("claims", "jacobi/texture_is_best", "--run", str(run), "--fail-on", "undecided")
        self.assertEqual(told.returncode, 4)
        self.assertIn("no row was measured", told.stdout)

    def test_sizes_that_cannot_be_are_one_line(self) -> None:
        for size in ("0x5", "-1x4", "5", "axb", "1e9x1", "100000x100000", "99999999999999x1"):
            self.assert_refused(reprise("verify", f"--size={size}"), size)

    def test_a_size_of_another_form_than_a_family_takes_is_refused_before_there_is_a_folder(self) -> None:
        run = self.folder / "run"
        for size, experiments, words in (
                ("9x7", ("angiogenesis/*",), ("angiogenesis", "for example 400")),
                ("400", ("jacobi/*",), ("jacobi", "WIDTHxHEIGHT")),
                ("64x64", ("atrium/table1",), ("atrium", "subdivisions")),
                ("64x64", ("scale/*",), ("scale", "subdivisions")),
                ("64x64", ("jacobi/table1", "angiogenesis/table2"), ("angiogenesis", "for example 400")),
                ("400", ("jacobi/table1", "angiogenesis/table2"), ("jacobi", "WIDTHxHEIGHT"))):
            self.assert_refused(reprise("run", *experiments, "--preset", "smoke", "--size", size, "--out", str(run)),
                                size, *words)
            self.assertFalse(run.exists())

    def test_a_name_that_no_device_has_is_refused_with_those_that_are_there(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for command in (["verify", "jacobi/openmp"], ["run", "jacobi/table4", "--out", f"{folder}/run"]):
                self.assert_refused(reprise(*command, "--device", "gpu0"), "this machine has", "cpu")
            self.assertFalse(pathlib.Path(folder, "run").exists())

    def test_a_device_that_is_not_there_is_not_an_error_of_usage(self) -> None:
        result = reprise("verify", "jacobi/openmp", "--device", "cuda:9")
        self.assertEqual(result.returncode, 5)
        self.assertIn("no cpu device matches", result.stdout)

    def test_without_an_opencl_platform_its_variants_are_skipped_with_the_reason(self) -> None:
        empty = self.folder / "vendors"
        empty.mkdir()
        result = subprocess.run([PROGRAM, "verify", "jacobi/opencl_simple"], capture_output=True, text=True,
                                env={"OCL_ICD_VENDORS": str(empty), "OPENCL_VENDOR_PATH": str(empty),
                                     "ASAN_OPTIONS": "detect_leaks=0"})
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("skipped", result.stdout)

    def test_without_an_egl_device_its_variants_are_skipped_with_the_reason(self) -> None:
        nothing = self.folder / "no_vendor.json"
        nothing.write_text('{"file_format_version": "1.0.0", "ICD": {"library_path": "libnone.so"}}')
        result = subprocess.run([PROGRAM, "verify", "jacobi/opengl_rgba"], capture_output=True, text=True,
                                env={"__EGL_VENDOR_LIBRARY_FILENAMES": str(nothing),
                                     "ASAN_OPTIONS": "detect_leaks=0"})
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("skipped", result.stdout)

    def test_without_compute_shaders_their_variant_is_skipped_with_the_reason(self) -> None:
        if "llvmpipe" not in reprise("doctor").stdout:
            self.skipTest("only Mesa can be told to offer an older OpenGL")
        result = subprocess.run([PROGRAM, "verify", "jacobi/opengl_compute"], capture_output=True, text=True,
                                env={**os.environ, "MESA_GL_VERSION_OVERRIDE": "3.3"})
        self.assertEqual(result.returncode, 5, result.stdout + result.stderr)
        self.assertIn("needs compute shaders, which OpenGL has from 4.3 on: this device has OpenGL 3.3", result.stdout)

    def test_a_run_writes_rows_and_refuses_to_overwrite_them(self) -> None:
        run = self.folder / "run"
        made = small_run(run)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        with open(run / "rows.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertTrue(any(row["metric"] == "time_1000_sweeps" and row["status"] == "ok" for row in rows))
        before = (run / "rows.csv").read_bytes()
        self.assert_refused(small_run(run), "not empty")
        self.assertEqual((run / "rows.csv").read_bytes(), before)
        resumed = reprise("run", "--resume", "--out", str(run))
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertEqual((run / "rows.csv").read_bytes(), before)

    def test_a_folder_that_cannot_be_written_is_one_line(self) -> None:
        file = self.folder / "file"
        file.write_text("here first")
        self.assert_refused(small_run(file))
        self.assert_refused(small_run(file / "below"))
        self.assertEqual(file.read_text(), "here first")
        self.assert_refused(small_run(pathlib.Path("/proc/reprise")))

    def test_flags_behind_two_dashes_are_google_benchmarks(self) -> None:
        out = self.folder / "out.json"
        result = small_run(self.folder / "run", "--", f"--benchmark_out={out}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(json.loads(out.read_text())["benchmarks"])
        self.assert_refused(small_run(self.folder / "other", "--", "--benchmark_nonsense"), "--benchmark_nonsense")
        self.assertFalse((self.folder / "other").exists())

    def test_damaged_runs_are_refused_and_left_alone(self) -> None:
        run = self.folder / "run"
        small_run(run)
        rows = (run / "rows.csv").read_text()
        description = (run / "run.json").read_text()
        damages = {
            "rows.csv": [rows[: len(rows) // 2], rows.replace("37x23", "37x24", 1), rows.replace("variant,", "", 1)],
            "run.json": [description.replace('"schema": 2', '"schema": 99'), description[:40], "[]", ""],
        }
        for name, contents in damages.items():
            whole = (run / name).read_text()
            for content in contents:
                (run / name).write_text(content)
                self.assert_refused(reprise("report", str(run), "--out", str(self.folder / "report")), name)
                self.assert_refused(reprise("run", "--resume", "--out", str(run)), name)
                self.assertEqual((run / name).read_text(), content)
            (run / name).write_text(whole)
        (run / "run.json").unlink()
        self.assert_refused(reprise("report", str(run)), "run.json")
        self.assert_refused(reprise("report", str(self.folder / "nowhere")), "nowhere")


if __name__ == "__main__":
    unittest.main()
