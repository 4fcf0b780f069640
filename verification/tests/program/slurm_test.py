#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests a fleet of six nodes under a real Slurm: scripts/cluster/slurm_array runs on each, `reprise collect`
reads the runs.

usage: slurm_test.py PROGRAM SABOTAGED_PROGRAM REFRAME

The test starts its own controller and one daemon per node, all on this machine's loopback, with their files in a
temporary folder. One node is killed in the middle and comes back, one is 20 % slower, one answers wrongly. The runs,
the kill and the wrong answer are real. Six nodes on one machine slow each other down, so the reported times are those
of one real run (simulated_node.py), a fifth longer on the slow node. Exit status 77 if Slurm is not installed.
"""

import csv
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from bounded import bound_memory
from reframe_runs import run_reframe, why_missing

PROGRAM, SABOTAGED = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
REFRAME = os.path.abspath(sys.argv[3])
HERE = pathlib.Path(__file__).resolve().parent
ARRAY = HERE.parents[2] / "scripts/cluster/slurm_array"
NODES = [f"node{i}" for i in range(1, 7)]
DIES, SLOW, WRONG = "node4", "node5", "node6"
EXPERIMENT = "curvature/table3"
os.environ["OMP_NUM_THREADS"] = "1"  # on a busy machine, threads that wait for each other take minutes
PATIENCE = 120  # seconds, for steps that take about ten on a quiet machine

WRAPPER = """#!{python}
import os, pathlib, subprocess, sys
sys.path.insert(0, {here!r})
import simulated_node
node = os.environ.get("REPRISE_NODE", "")
status = subprocess.call([{sabotaged!r} if node == {wrong!r} else {program!r}, *sys.argv[1:]])
if status == 0 and sys.argv[1] == "run":
    run = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
    simulated_node.replay(run, pathlib.Path({recorded!r}), 1.2 if node == {slow!r} else 1, node)
sys.exit(status)
"""

CONFIGURATION = """
ClusterName=reprise
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
KillWait=1
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=30
PartitionName=few Nodes=node[1-2] State=UP MaxTime=30
"""


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def wait_until(is_so, what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {PATIENCE} s")
        time.sleep(0.2)


def cgroup_plugin() -> str:
    """The plugin that keeps slurmd from creating cgroups, which it may not do in a container. From version 23.02 none
    is needed ("disabled"); older versions get a plugin that does nothing before its first use, which never comes."""
    version = subprocess.run(["slurmd", "-V"], capture_output=True, text=True, check=True).stdout
    major, minor = re.search(r"(\d+)\.(\d+)", version).groups()
    return "disabled" if (int(major), int(minor)) >= (23, 2) else "cgroup/v1"


class Cluster:
    """A controller, and a daemon for each node."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.daemons: dict[str, subprocess.Popen] = {}
        ports = free_ports(1 + len(NODES))
        host = socket.gethostname().split(".")[0]
        nodes = "\n".join(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 State=UNKNOWN"
                          for name, port in zip(NODES, ports[1:], strict=True))
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        (folder / "state").mkdir()
        (folder / "slurm.conf").write_text(CONFIGURATION.format(host=host, ports=ports, user=user, folder=folder, nodes=nodes))
        (folder / "cgroup.conf").write_text(f"CgroupPlugin={cgroup_plugin()}\n")
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        self.environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf")}

    def start_daemon(self, name: str, *command: str) -> None:
        with open(self.folder / f"{name}.log", "ab") as log:
            self.daemons[name] = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log,
                                                  stdin=subprocess.DEVNULL)

    def start(self) -> None:
        self.start_daemon("munged", "munged", "--foreground", "--force", f"--key-file={self.folder}/munge.key",
                          f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munged.pid",
                          f"--log-file={self.folder}/munged.txt", f"--seed-file={self.folder}/munged.seed")
        wait_until((self.folder / "munge.socket").exists, "munged makes its socket")
        self.start_daemon("slurmctld", "slurmctld", "-D", "-c")
        wait_until(lambda: self.try_slurm("scontrol", "ping"), "slurmctld answers")
        for name in NODES:
            self.start_node(name)
        wait_until(lambda: self.idle_nodes() == NODES, "all nodes are idle")

    def start_node(self, name: str) -> None:
        (self.folder / f"spool.{name}").mkdir(exist_ok=True)
        self.start_daemon(name, "slurmd", "-D", "-N", name)

    def stop(self) -> None:
        self.try_slurm("scancel", "--full", "--user", str(os.getuid()))
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def run(self, *command: object, **more: str) -> subprocess.CompletedProcess:
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=PATIENCE,
                              env=self.environment | more)

    def try_slurm(self, *command: str) -> bool:
        return self.run(*command).returncode == 0

    def slurm(self, *command: str) -> str:
        result = self.run(*command)
        if result.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {result.stderr.strip()}")
        return result.stdout

    def idle_nodes(self) -> list[str]:
        return sorted(set(self.slurm("sinfo", "--Node", "--noheader", "--states=idle", "--responding", "--format=%N").split()))

    def jobs(self) -> dict[str, str]:
        """The state of every task that has not ended."""
        lines = self.slurm("squeue", "--noheader", "--array", "--format=%i %T").splitlines()
        return dict(line.split() for line in lines)

    def processes_on(self, name: str) -> list[pathlib.Path]:
        """The processes that the node's jobs started, each after the slurmstepd that started it."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                environment = (process / "environ").read_bytes().split(b"\0")
                parent = pathlib.Path("/proc") / (process / "stat").read_text().rsplit(")", 1)[1].split()[1]
                if {f"SLURM_CONF={self.folder}/slurm.conf".encode(), f"SLURMD_NODENAME={name}".encode()} <= set(environment):
                    is_step = (parent / "comm").read_text().startswith("slurmstepd")
                    found = [parent, *found, process] if is_step else [*found, process]
            except OSError:
                continue  # has ended meanwhile, or belongs to another user
        return found

    def kill_node(self, name: str) -> None:
        """Simulates a power failure: nothing on the node can notify the controller, which notices after a while."""
        daemon = self.daemons.pop(name)
        daemon.kill()
        daemon.wait()
        for process in self.processes_on(name):
            os.kill(int(process.name), signal.SIGKILL)
        self.slurm("scontrol", "update", f"NodeName={name}", "State=DOWN", "Reason=died")

    def logs(self) -> str:
        return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-1500:]}" for log in sorted(self.folder.glob("*.log")))


class Fleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="reprise_slurm_", ignore_cleanup_errors=True)
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.cluster = Cluster(cls.folder)
        cls.addClassCleanup(cls.cluster.stop)
        try:
            cls.cluster.start()
        except TimeoutError:
            print(cls.cluster.logs(), file=sys.stderr)
            raise

    def run(self, result: unittest.TestResult | None = None) -> None:
        before = len(result.errors) + len(result.failures)
        super().run(result)
        if len(result.errors) + len(result.failures) > before:
            print(self.cluster.run("squeue", "--array").stdout, self.cluster.logs(), file=sys.stderr)

    def submit(self, out: pathlib.Path, program: object = PROGRAM, partition: str = "all",
               **more: str) -> subprocess.CompletedProcess:
        variables = {"REPRISE": str(program), "REPRISE_OUT": str(out), "REPRISE_EXPERIMENTS": EXPERIMENT,
                     "REPRISE_PRESET": "smoke", "REPRISE_DEVICE": "cpu"} | more
        return self.cluster.run(ARRAY, "--time=10", f"--partition={partition}", **variables)

    def collected(self, runs: pathlib.Path) -> tuple[int, str, dict[str, str]]:
        result = subprocess.run([PROGRAM, "collect", runs, "--out", self.folder / "report"], capture_output=True, text=True)
        with open(self.folder / "report" / "nodes.csv", newline="") as lines:
            states = {line["node"]: line["states"] for line in csv.DictReader(lines)}
        return result.returncode, result.stdout, states

    def simulated_program(self) -> pathlib.Path:
        recorded = self.folder / "recorded"
        made = subprocess.run([PROGRAM, "run", EXPERIMENT, "--preset", "smoke", "--device", "cpu", "--out", recorded],
                              capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        wrapper = self.folder / "reprise"
        wrapper.write_text(WRAPPER.format(
            python=sys.executable, here=str(HERE.parent / "support"), program=PROGRAM, sabotaged=SABOTAGED,
            recorded=str(recorded), wrong=WRONG, slow=SLOW))
        wrapper.chmod(0o755)
        return wrapper

    def test_slow_wrong_and_dead_nodes_are_named_and_the_dead_one_resumes(self) -> None:
        out = self.folder / "fleet"
        submitted = self.submit(out, self.simulated_program())
        self.assertEqual(submitted.returncode, 0, submitted.stderr)
        rows = out / DIES / "rows.csv"
        wait_until(lambda: rows.exists() and "time_solve" in rows.read_text(), f"{DIES} has rows of a case")
        self.cluster.kill_node(DIES)
        dead_rows = rows.read_text()
        wait_until(lambda: list(self.cluster.jobs().values()) == ["PENDING"], "all tasks but the dead one end")

        status, said, states = self.collected(out)
        self.assertEqual(status, 2, said)
        self.assertIn("incomplete", states[DIES], said)
        self.assertIn(f"INCOMPLETE  {DIES}: the run ended after ", said)
        self.assertRegex(said, r"missing: [1-9]\d* of curvature/table3")
        self.assert_slow_and_wrong(said, states)

        self.cluster.start_node(DIES)
        wait_until(lambda: DIES in self.cluster.idle_nodes(), f"{DIES} is back")
        self.finish_requeued(out / DIES / "run.json")
        self.assertEqual(len(rows.read_text().splitlines()[0].split(",")), 15)
        self.assertGreater(len(rows.read_text().splitlines()), len(dead_rows.splitlines()))
        self.assertIn("(already there)", (out / "logs" / f"{NODES.index(DIES)}.txt").read_text())
        status, said, states = self.collected(out)
        self.assertEqual(status, 2, said)
        self.assertEqual(states[DIES], "good", said)
        self.assert_slow_and_wrong(said, states)

    def finish_requeued(self, description: pathlib.Path) -> None:
        """Slurm delays a requeued task for two minutes, because an order to end its first try may still be on its way
        to the node. Here it starts at once; if that order then ends the second try, there is a third."""
        task, = self.cluster.jobs()
        for _ in range(3):
            self.cluster.try_slurm("scontrol", "update", f"JobId={task}", "StartTime=now")
            wait_until(lambda: not self.cluster.jobs(), "the task that was requeued ends")
            if "finished" in json.loads(description.read_text()):
                return
            self.cluster.slurm("scontrol", "requeue", task)

    def assert_slow_and_wrong(self, said: str, states: dict[str, str]) -> None:
        self.assertEqual(sorted(states), NODES)
        self.assertEqual(states[SLOW], "slower", said)
        self.assertEqual(states[WRONG], "wrong", said)
        self.assertEqual({states[name] for name in NODES[:3]}, {"good"}, said)
        self.assertRegex(said, rf"SLOWER      {SLOW} on .*: [1-9] of [1-9] timings")
        self.assertIn(f"WRONG       {WRONG}: ", said)
        self.assertIn("cpu_serial", said)
        with open(self.folder / "report" / "medians.csv", newline="") as lines:
            self.assertNotIn(WRONG, {line["node"] for line in csv.DictReader(lines)})

    def test_an_experiment_each_runs_wherever_a_node_is_free(self) -> None:
        out = self.folder / "experiments"
        ids = [EXPERIMENT, "jacobi/table1"]  # the second has no CPU variant, as its rows report
        submitted = self.submit(out, REPRISE_PER="experiment", REPRISE_EXPERIMENTS=" ".join(ids))
        self.assertEqual(submitted.returncode, 0, submitted.stderr)
        wait_until(lambda: not self.cluster.jobs(), "the array ends")
        for name in ids:
            runs = list(out.glob(f"*/{name.replace('/', '_')}/run.json"))
            self.assertEqual(len(runs), 1, name)
            description = json.loads(runs[0].read_text())
            self.assertIn("finished", description)
            self.assertEqual(description["node"], runs[0].parts[-3])
            self.assertEqual(description["request"]["experiments"], [name])

    def test_reframe_runs_on_every_node_and_what_it_keeps_is_collected(self) -> None:
        if reason := why_missing(REFRAME):
            self.skipTest(reason)
        prefix = self.folder / "reframe"
        result = run_reframe(REFRAME, "settings_slurm.py", prefix, "--system=cluster:cpu", "--distribute=all", "-n",
                             f"reprise_{EXPERIMENT.replace('/', '_')}", "-t", "smoke", "-t", "^cpu$", "-r", REPRISE=PROGRAM,
                             SLURM_CONF=self.cluster.environment["SLURM_CONF"])
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        _, said, states = self.collected(prefix / "output")
        self.assertEqual(sorted(states), NODES, said)
        self.assertFalse({"wrong", "incomplete"} & set(" ".join(states.values()).split()), said)

    def test_every_node_of_the_partition_has_a_task_and_no_other_node(self) -> None:
        out = self.folder / "few"
        submitted = self.submit(out, partition="few", REPRISE_EXPERIMENTS="jacobi/table1")
        self.assertEqual(submitted.returncode, 0, submitted.stderr)
        wait_until(lambda: not self.cluster.jobs(), "the array ends")
        runs = {file.parent.name: json.loads(file.read_text())["node"] for file in out.glob("*/run.json")}
        self.assertEqual(runs, {"node1": "node1", "node2": "node2"})

    def test_what_cannot_be_submitted_is_one_line(self) -> None:
        taken = self.folder / "taken"
        taken.mkdir()
        (taken / "tasks").write_text("")
        fresh = self.folder / "fresh"
        for out, variables, words in ((fresh, {"REPRISE": "/none"}, "/none"), (taken, {}, "already"),
                                      (fresh, {"REPRISE_EXPERIMENTS": "none/*"}, "none/*"),
                                      (fresh, {"REPRISE_PER": "week"}, "week")):
            refused = self.submit(out, **variables)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(words, refused.stderr)
            self.assertFalse(fresh.exists())
        for more in ({"REPRISE_NODES": "abacus"}, {"partition": "none"}):
            refused = self.submit(fresh, **more)
            self.assertEqual(refused.returncode, 1, refused.stdout)
            self.assertFalse((fresh / "tasks").exists())
            self.assertEqual(self.cluster.jobs(), {})


def missing_programs() -> list[str]:
    os.environ["PATH"] += ":/usr/sbin:/sbin"  # folder of the daemons, not in an ordinary user's PATH
    return [name for name in ("munged", "slurmctld", "slurmd", "sbatch", "scontrol") if shutil.which(name) is None]


if __name__ == "__main__":
    if missing := missing_programs():
        print(f"skipped: no {', '.join(missing)} here: scripts/setup --tests installs slurm-wlm and munge")
        sys.exit(77)
    bound_memory()
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
