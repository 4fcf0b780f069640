#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests several ranks under mpirun: they reach each other, and a failure on one is reported once and ends all.

usage: ranks_test.py REPRISE RANKS_PROBE
"""

import csv
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROBE = sys.argv.pop(2)
PROGRAM = sys.argv.pop(1)
# Containers run tests as root with fewer processors than ranks, which Open MPI must be told.
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMP_NUM_THREADS": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
MPIRUN = ["mpirun", "--oversubscribe"]


def mpirun(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([*MPIRUN, *arguments], capture_output=True, text=True, env=ENVIRONMENT, timeout=300)


def complaints(result: subprocess.CompletedProcess) -> list[str]:
    """The program's own lines; mpirun adds a paragraph if a rank fails."""
    return [line for line in result.stderr.splitlines() if line.startswith("reprise: ")]


class Ranks(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="reprise_")))

    def test_ranks_reach_each_other_and_give_the_answer_of_one_process_or_gpu(self) -> None:
        """Uses the emulation if there are no GPUs."""
        for task, said in (("works", "done on {}"), ("same_answer", "the same"), ("same_answer_of_gpus", "the same"),
                           ("same_answer_on_chips", "the same")):
            for ranks in ("1", "2", "3"):
                with self.subTest(task=task, ranks=ranks):
                    result = mpirun("-n", ranks, PROBE, task)
                    self.assertEqual((result.returncode, result.stdout), (0, said.format(ranks) + "\n"), result.stderr)

    def test_ranks_that_share_processors_have_as_many_threads_together_as_there_are(self) -> None:
        free = {name: value for name, value in ENVIRONMENT.items() if name != "OMP_NUM_THREADS"}
        processors = len(os.sched_getaffinity(0))
        for ranks in (2, processors + 1):
            result = subprocess.run([*MPIRUN, "-n", str(ranks), "--bind-to", "none", PROBE, "counts_threads"],
                                    capture_output=True, text=True, env=free, timeout=300)
            expected = ranks * max(1, processors // ranks)
            self.assertEqual(result.stdout, f"{expected} threads\ndone on {ranks}\n", result.stderr)

    def test_without_mpirun_there_is_one_rank(self) -> None:
        result = subprocess.run([PROBE, "works"], capture_output=True, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stdout), (0, "done on 1\n"), result.stderr)

    def test_the_first_rank_hears_a_reason_and_goes_on(self) -> None:
        result = mpirun("-n", "3", PROBE, "fails_apart")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "heard: rank 2: nothing left of it\ndone on 3\n")

    def test_a_rank_that_fails_among_others_that_wait_ends_all_with_its_reason(self) -> None:
        result = mpirun("-n", "3", PROBE, "fails_together")
        self.assertEqual(result.returncode, 1)
        self.assertNotIn("done", result.stdout)
        self.assertEqual(len(complaints(result)), 1, result.stderr)
        self.assertRegex(complaints(result)[0], r"^reprise: rank 2: a pipe broke .*: all ranks stop$")

    def test_a_rank_that_dies_ends_all(self) -> None:
        result = mpirun("-n", "3", PROBE, "dies")
        self.assertNotEqual(result.returncode, 0)
        self.assertNotIn("done", result.stdout)
        self.assertIn("signal 9", result.stderr)

    def test_more_ranks_than_were_started_or_than_cells_are_refused(self) -> None:
        for ranks, task, said in (("2", "too_many", "3 ranks wanted, 2 were started: mpirun -n 3 reprise ..."),
                                  ("13", "too_small", "13 ranks for 12 cells: start fewer ranks")):
            result = mpirun("-n", ranks, PROBE, task)
            self.assertEqual((result.returncode, complaints(result)), (1, ["reprise: " + said]))

    def test_variants_are_verified_on_several_ranks(self) -> None:
        for ranks in ("2", "3"):
            with self.subTest(ranks=ranks):
                result = mpirun("-n", ranks, PROGRAM, "verify", "*multi*", "*/mpi_*")
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                for variant in ("atrium/mpi_cpu", "atrium/cuda_multi", "atrium/cuda_tuned_multi", "curvature/cuda_multi"):
                    self.assertRegex(result.stdout, variant + r" +\S+ +ok +\d+ problems")

    def test_another_build_is_refused(self) -> None:
        other = self.folder / "reprise"
        shutil.copy(PROGRAM, other)
        with open(other, "ab") as program:
            program.write(b"another")
        result = mpirun("-n", "1", PROGRAM, "list", ":", "-n", "1", str(other), "list")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(complaints(result), ["reprise: rank 1 runs another build of reprise than rank 0: "
                                              "start the same program on every rank"])

    def test_commands_speak_once(self) -> None:
        for command in (["list", "jacobi/*"], ["doctor"]):
            alone = subprocess.run([PROGRAM, *command], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
            self.assertEqual(mpirun("-n", "2", PROGRAM, *command).stdout, alone.stdout)
        refused = mpirun("-n", "2", PROGRAM, "run", "no/such")
        self.assertEqual(refused.returncode, 1)
        self.assertEqual(len(complaints(refused)), 1, refused.stderr)

    def test_finished_rows_stay_where_a_rank_dies(self) -> None:
        run = self.folder / "run"
        rows = run / "rows.csv"
        with subprocess.Popen([*MPIRUN, "-n", "2", PROGRAM, "run", "jacobi/*", "--preset", "smoke", "--device", "cpu",
                               "--out", str(run)], env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as launcher:
            deadline = time.monotonic() + 60
            while len(rows.read_text().splitlines() if rows.exists() else []) < 3:
                self.assertLess(time.monotonic(), deadline)
                self.assertIsNone(launcher.poll())
                time.sleep(.01)
            os.kill(rank_of(launcher.pid, 1), signal.SIGKILL)
            self.assertNotEqual(launcher.wait(60), 0)
        with rows.open(newline="") as table:
            kept = list(csv.DictReader(table))
        self.assertGreaterEqual(len(kept), 2)
        self.assertTrue(all(row["status"] in ("ok", "skipped") for row in kept), kept)


def rank_of(launcher: int, rank: int) -> int:
    """The id of the process that the launcher started as this rank."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            own = (process / "environ").read_bytes().split(b"\0")
        except (OSError, IndexError):
            continue
        if parent == launcher and f"OMPI_COMM_WORLD_RANK={rank}".encode() in own:
            return int(process.name)
    raise LookupError(f"no rank {rank} below {launcher}")


if __name__ == "__main__":
    unittest.main()
