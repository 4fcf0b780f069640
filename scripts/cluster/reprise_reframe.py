# SPDX-License-Identifier: MIT
"""Reprise's experiments as ReFrame tests: one for each experiment of `reprise list --json`, kind of device and preset.

    reframe -C scripts/cluster/settings_laptop.py -c scripts/cluster/reprise_reframe.py -t smoke -t cpu -r

A test passes if every answer was right and every case was measured to the end. Its performance values are the medians
of the timings. Its references, each with its observed noise, come from scripts/cluster/record_baseline. Tags select the
preset (smoke, quick, paper) and the kind of device (cpu, cuda, opencl, opengl). A site adds its own configuration,
whose partitions list their kinds of devices as features.

  REPRISE           the program; by default build/release/bin/reprise beside this file
  REPRISE_BASELINE  a folder with <system>_<partition>.csv; without it performance is reported but not judged
"""
import csv
import json
import os
import pathlib
import re
import subprocess

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_after, run_before, sanity_function, variable
from reframe.core.meta import make_test

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("REPRISE", str(HERE.parent.parent / "build/release/bin/reprise"))
PRESETS = ("smoke", "quick", "paper")
CASE = ("variant", "device", "precision", "size", "parameter")


def lines_of(file: pathlib.Path) -> list[dict]:
    with open(file, newline="") as lines:
        return list(csv.DictReader(lines))


def name_of(row: dict) -> str:
    """ReFrame's name of a row, reduced to letters, digits and a few signs, for the sake of ReFrame and the shell."""
    parts = [row["variant"].split("/")[-1], *(row[key] for key in (*CASE[1:], "metric"))]
    return re.sub(r"[^\w.=+-]+", "_", "_".join(part for part in parts if part))


def is_timing(row: dict) -> bool:
    return row["status"] == "ok" and row["unit"] == "s" and int(row["samples"]) > 0 and row["metric"].startswith("time_")


class RepriseExperiment(rfm.RunOnlyRegressionTest):
    """Runs an experiment on one kind of device, with exclusive use of the node."""

    experiment = variable(str)
    baseline = variable(str, value=os.environ.get("REPRISE_BASELINE", ""))
    valid_prog_environs = ["*"]
    sourcesdir = None
    executable = PROGRAM
    executable_opts = ['"$@"']
    keep_files = ["run"]
    num_tasks = 1
    exclusive_access = True

    @run_after("init")
    def choose(self) -> None:
        self.descr = f"{self.experiment} on {self.device}, {self.preset}"
        self.tags = {self.preset, self.device}
        self.valid_systems = [f"+{self.device}"]

    @run_before("run")
    def command(self) -> None:
        devices = "cpu" if self.device == "cpu" else f"{self.device}:*"
        self.prerun_cmds = [
            "export REPRISE_NODE=${REPRISE_NODE:-${SLURMD_NODENAME:-$(hostname)}}",
            # A job that the scheduler restarts resumes its run.
            "if [ -e run/run.json ]; then set -- run --resume --out run; else "
            f"set -- run '{self.experiment}' --preset {self.preset} --device '{devices}' --out run; fi"]

    def rows(self) -> list[dict]:
        return [row for row in lines_of(pathlib.Path(self.stagedir) / "run/rows.csv") if row["experiment"] == self.experiment]

    @sanity_function
    def every_answer_is_right(self):
        description = pathlib.Path(self.stagedir) / "run/run.json"
        if not description.is_file():
            return sn.assert_true(False, msg=f"no run began; see {self.stderr}")
        rows = self.rows()
        failed: dict[tuple, str] = {}
        for row in rows:
            if row["status"] == "failed":
                failed.setdefault(tuple(row[key] for key in CASE), row["reason"])
        wrong = [f"{' '.join(filter(None, case))}: {reason}" for case, reason in failed.items()]
        skipped = next((row["reason"] for row in rows if row["status"] == "skipped"), "nothing was asked for")
        return sn.all([
            sn.assert_true("finished" in json.loads(description.read_text()), msg="the run was interrupted"),
            sn.assert_false(wrong, msg="; ".join(wrong)),
            sn.assert_true(any(row["status"] == "ok" for row in rows), msg=f"nothing could run: {skipped}")])

    def references(self) -> dict[str, tuple]:
        file = pathlib.Path(self.baseline) / f"{self.current_partition.fullname.replace(':', '_')}.csv"
        if not self.baseline or not file.is_file():
            return {}
        return {name_of(line): (float(line["value"]), None, float(line["floor_percent"]) / 100, "s") for line in lines_of(file)
                if line["experiment"] == self.experiment and line["preset"] == self.preset}

    @run_before("performance")
    def timings(self) -> None:
        measured = {name_of(row): float(row["value"]) for row in self.rows() if is_timing(row)}
        self.perf_variables = {name: sn.make_performance_function(sn.defer(value), "s") for name, value in measured.items()}
        self.reference = {"*": {name: entry for name, entry in self.references().items() if name in measured}}


listing = subprocess.run([PROGRAM, "list", "--json"], capture_output=True, text=True, check=True).stdout
for listed in json.loads(listing)["experiments"]:
    if listed["backends"]:
        rfm.simple_test(make_test(
            "reprise_" + listed["id"].replace("/", "_"), (RepriseExperiment,),
            {"experiment": listed["id"], "device": parameter(listed["backends"]), "preset": parameter(PRESETS)},
            module=__name__))
