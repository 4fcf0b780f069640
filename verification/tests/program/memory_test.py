#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The smallest run stays small, whatever cache the machine reports.

usage: memory_test.py PROGRAM
"""

import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
MIB = 1 << 20
MOST_RESIDENT = 1024 * MIB
MOST_IN_ARRAYS = 256  # MiB
MOST_PASSES = 64


def run(folder: pathlib.Path, cache: str, device: str) -> tuple[int, int, str]:
    """The status, the peak of the resident bytes, and the standard error of the smallest run."""
    with open(folder / "errors", "w+") as errors:
        process = subprocess.Popen([PROGRAM, "run", "jacobi/table3", "--preset", "smoke", "--size", "32x32", "--device", device,
                                    "--out", folder / "run"], stdout=subprocess.DEVNULL, stderr=errors,
                                   env=os.environ | {"REPRISE_HOST_CACHE": cache})
        _, status, used = os.wait4(process.pid, 0)
        errors.seek(0)
        return os.waitstatus_to_exitcode(status), used.ru_maxrss * 1024, errors.read()


def rows_of(folder: pathlib.Path) -> list[dict[str, str]]:
    with open(folder / "run/rows.csv", newline="") as file:
        return list(csv.DictReader(file))


class Memory(unittest.TestCase):
    def check_devices(self, cache: str) -> list[dict[str, str]]:
        """Runs on every kind of device in the host's memory. Returns the rows of the processor."""
        of_cpu = []
        for device in ("cpu", "opencl:*", "opengl:*"):
            with self.subTest(device=device, cache=cache), tempfile.TemporaryDirectory(prefix="reprise_") as name:
                folder = pathlib.Path(name)
                status, resident, said = run(folder, cache, device)
                if status == 5:
                    continue  # there is no such device here
                self.assertEqual(status, 0, said)
                self.assertLess(resident, MOST_RESIDENT)
                rows = rows_of(folder)
                self.assert_small_roofs(rows)
                of_cpu += rows if device == "cpu" else []
        return of_cpu

    def assert_small_roofs(self, rows: list[dict[str, str]]) -> None:
        roofs = [row for row in rows if row["metric"] in ("copy_roof", "read_roof")]
        self.assertEqual({row["metric"] for row in roofs}, {"copy_roof", "read_roof"})
        for row in roofs:
            found = re.search(r"(\d+) MiB, (\d+) passes", row["reason"])
            self.assertIsNotNone(found, row["reason"])
            self.assertLessEqual(int(found[1]), MOST_IN_ARRAYS)
            self.assertLessEqual(int(found[2]), MOST_PASSES)

    def test_a_version_or_a_list_loads_no_library_of_linear_algebra(self) -> None:
        for command, most in (("--version", 50 * MIB), ("list", 150 * MIB)):
            process = subprocess.Popen([PROGRAM, command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            self.assertEqual(os.waitstatus_to_exitcode(status), 0)
            self.assertLess(used.ru_maxrss * 1024, most, command)

    def test_a_small_cache_has_roofs_and_cold_times(self) -> None:
        rows = self.check_devices("16M")
        for metric in ("copy_roof", "read_roof", "time_1_sweep_cold", "share_of_copy_roof"):
            # A sweep reads more than it writes, so that copying may be no roof of it.
            statuses = {row["status"] for row in rows if row["metric"] == metric and
                        not row["reason"].startswith("copying is no roof here")}
            self.assertEqual(statuses, {"ok"}, metric)

    def test_caches_beyond_the_arrays_leave_out_what_rests_on_the_memory_alone(self) -> None:
        for cache in ("480M", "4G"):
            rows = self.check_devices(cache)
            for metric, reason in (("copy_roof", "may be served by the cache"), ("read_roof", "may be served by the cache"),
                                   ("time_1_sweep_cold", "the caches were not flushed")):
                found = [row for row in rows if row["metric"] == metric]
                self.assertTrue(found)
                for row in found:
                    self.assertEqual((row["status"], row["value"]), ("skipped", ""))
                    self.assertIn(reason, row["reason"])
            times = [row["status"] for row in rows if row["metric"] == "time_1000_sweeps" and row["device"]]
            self.assertEqual(set(times), {"ok"})

    def test_a_cache_that_is_no_size_is_refused_in_one_line(self) -> None:
        with tempfile.TemporaryDirectory(prefix="reprise_") as name:
            status, _, said = run(pathlib.Path(name), "much", "cpu")
            self.assertEqual(status, 1)
            self.assertRegex(said, r"^reprise: REPRISE_HOST_CACHE: 'much' is no size .*\n$")
            self.assertFalse((pathlib.Path(name) / "run").exists())


if __name__ == "__main__":
    unittest.main()
