#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests devices, drivers, disks and clocks that misbehave: each costs only the affected rows, with one reason.

usage: misbehaviour_test.py PROGRAM PROGRAM_WITH_MADE_UP_GPUS PRELOADED_SYSTEM CRASHING_DRIVER FOLDER_OF_OUTDATED_DRIVER
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
import time
import unittest

PROGRAM, GPUS, SYSTEM, CRASHING_DRIVER, OUTDATED_DRIVER = sys.argv[1:6]
del sys.argv[1:6]

CASE = ("experiment", "variant", "device", "precision", "size", "parameter")
EXPERIMENTS = ("jacobi/table2", "jacobi/table3")
SIZES = {"jacobi": "16x16", "curvature": "20x9", "tissue": "20x9", "angiogenesis": "20"}  # of a short verification


def call(program: str, *arguments: object, **environment: object) -> subprocess.CompletedProcess:
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=200,
                          env={**os.environ, **{name: str(value) for name, value in environment.items()}})


def gpu_run(folder: pathlib.Path, *more: object, size: str = "16x16", **environment: object) -> subprocess.CompletedProcess:
    return call(GPUS, "run", *EXPERIMENTS, "--preset", "smoke", "--size", size, "--device", "cuda:*", "--out", folder,
                *more, **environment)


def resume(folder: pathlib.Path, **environment: object) -> subprocess.CompletedProcess:
    return call(GPUS, "run", "--resume", "--out", folder, **environment)


def rows_of(folder: pathlib.Path) -> list[dict[str, str]]:
    with open(folder / "rows.csv", newline="") as file:
        return list(csv.DictReader(file))


def cases_of(folder: pathlib.Path) -> list[dict[str, str]]:
    """The first row of each case for which a device was found: it has the time, or the reason for its absence."""
    first: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows_of(folder):
        if row["device"] and row["experiment"] != "harness/roofs":
            first.setdefault(tuple(row[column] for column in CASE), row)
    return list(first.values())


def names_of(rows: list[dict[str, str]]) -> list[tuple[str, ...]]:
    return sorted(tuple(row[column] for column in (*CASE, "metric", "status")) for row in rows)


class Misbehaviour(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="reprise_"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.run_folder = self.folder / "run"

    def assert_one_line(self, result: subprocess.CompletedProcess, *words: str) -> None:
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("reprise: "), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)


class Gpus(Misbehaviour):
    def test_two_kinds_of_gpu_are_told_apart(self) -> None:
        result = gpu_run(self.run_folder, "--size", "160x160")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        cases = cases_of(self.run_folder)
        for device in ("cuda:0", "cuda:1"):
            self.assertTrue(any(row["device"] == device and row["status"] == "ok" for row in cases))
        too_large = [row for row in cases if re.search(r"device(?:'s)? memory", row["reason"])]
        self.assertTrue(too_large)
        for row in too_large:
            self.assertEqual((row["device"], row["size"]), ("cuda:1", "160x160"))
            self.assertRegex(row["reason"], r"does not fit: \d+ bytes of device memory asked for, \d+ of 1048576 free|"
                                            r"needs 1 MiB of the device's memory, which has 1 MiB: give a smaller --size")
        described = json.loads((self.run_folder / "run.json").read_text())
        self.assertEqual({device["id"]: device["name"] for device in described["devices"]},
                         {"cuda:0": "Large GPU", "cuda:1": "Small GPU"})

    def test_a_device_that_is_full_in_the_middle_costs_one_case(self) -> None:
        result = gpu_run(self.run_folder, MISBEHAVING_GPUS="0 cudaMalloc 12 cudaErrorMemoryAllocation")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        skipped = [row for row in cases_of(self.run_folder) if row["status"] != "ok"]
        self.assertEqual({row["variant"] for row in skipped if row["device"] == "cuda:0"}, {skipped[0]["variant"]})
        for row in skipped:
            self.assertEqual((row["status"], row["device"]), ("skipped", "cuda:0"))
            self.assertIn("does not fit", row["reason"])

    def test_a_lost_device_costs_its_own_cases_only(self) -> None:
        for fault in ("launch 60 cudaErrorLaunchTimeout", "cudaEventSynchronize 5 cudaErrorIllegalAddress"):
            code = fault.split()[-1]
            run = self.folder / code
            result = gpu_run(run, MISBEHAVING_GPUS=f"0 {fault} lasting")
            self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
            lost = [row for row in cases_of(run) if row["device"] == "cuda:0" and row["status"] != "ok"]
            self.assertEqual([row["status"] for row in lost], ["failed"] + ["skipped"] * (len(lost) - 1))
            self.assertGreater(len(lost), 3)
            self.assertIn(code, lost[0]["reason"])
            self.assertEqual(len({row["reason"] for row in lost[1:]}), 1)
            for words in ("cuda:0 was lost", code, "--device cuda:0"):
                self.assertIn(words, lost[1]["reason"])
            others = [row for row in cases_of(run) if row["device"] == "cuda:1"]
            self.assertEqual({row["status"] for row in others}, {"ok"})
            self.assertGreater(len(others), 3)
            rows = (run / "rows.csv").read_bytes()
            self.assertEqual(resume(run).returncode, 2)
            self.assertEqual((run / "rows.csv").read_bytes(), rows)

    def test_a_launch_that_times_out_costs_one_case_where_the_device_recovers(self) -> None:
        result = gpu_run(self.run_folder, MISBEHAVING_GPUS="1 launch 60 cudaErrorLaunchTimeout")
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        failed = [row for row in cases_of(self.run_folder) if row["status"] != "ok"]
        self.assertEqual([(row["status"], row["device"]) for row in failed], [("failed", "cuda:1")])
        self.assertIn("cudaErrorLaunchTimeout", failed[0]["reason"])

    def test_code_of_an_older_architecture_is_named_with_its_cure(self) -> None:
        words = ("runs older code than its own sm_90: compute_75", "build with -DCMAKE_CUDA_ARCHITECTURES=90")
        told = call(GPUS, "doctor", MISBEHAVING_CODE="0 75").stdout
        lines = [line for line in told.splitlines() if all(word in line for word in words)]
        self.assertEqual([line.split()[:2] for line in lines], [["warning", "cuda:0"]], told)
        self.assertNotIn("older code", call(GPUS, "doctor").stdout)
        result = gpu_run(self.run_folder, MISBEHAVING_CODE="0 75")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        times = [row for row in cases_of(self.run_folder) if row["status"] == "ok"]
        self.assertEqual({row["device"] for row in times}, {"cuda:0", "cuda:1"})
        for row in times:
            self.assertEqual(all(word in row["reason"] for word in words), row["device"] == "cuda:0", row)
        described = json.loads((self.run_folder / "run.json").read_text())["devices"]
        self.assertEqual({device["id"]: device["code"] for device in described},
                         {"cuda:0": "compute_75, compiled by the driver (JIT)", "cuda:1": "sm_90"})
        self.assertEqual({device["id"] for device in described if "code_remark" in device}, {"cuda:0"})

    def test_a_case_without_code_for_its_device_is_skipped_with_the_cure(self) -> None:
        result = gpu_run(self.run_folder, MISBEHAVING_GPUS="0 cudaFuncGetAttributes 1 cudaErrorNoKernelImageForDevice")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        skipped = [row for row in cases_of(self.run_folder) if row["status"] != "ok"]
        self.assertEqual({(row["status"], row["device"], row["variant"]) for row in skipped},
                         {("skipped", "cuda:0", skipped[0]["variant"])})
        for row in skipped:
            self.assertIn("cuda:0 has no code for its sm_90", row["reason"])
            self.assertIn("-DCMAKE_CUDA_ARCHITECTURES=90", row["reason"])

    def test_verify_tries_a_lost_device_no_more(self) -> None:
        result = call(GPUS, "verify", "jacobi/cuda_*", "--device", "cuda:*", "--size", "16x16",
                      MISBEHAVING_GPUS="1 cudaMalloc 30 cudaErrorLaunchFailure lasting")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout.count("cuda:1    wrong"), 1, result.stdout)
        self.assertGreater(result.stdout.count("skipped  cuda:1 was lost"), 2)
        self.assertEqual(result.stdout.count("cuda:0    wrong"), 0)


class Drivers(Misbehaviour):
    def test_a_driver_older_than_the_toolkit_is_a_reason(self) -> None:
        told = call(PROGRAM, "doctor", LD_LIBRARY_PATH=OUTDATED_DRIVER)
        if "not built: " in told.stdout.split("\ncuda\n")[1].split("\nopencl\n")[0]:
            self.skipTest("CUDA was not built")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("the driver is for CUDA 11.4, the program for CUDA 1", told.stdout)
        told = call(PROGRAM, "list", "jacobi/cuda_simple", LD_LIBRARY_PATH=OUTDATED_DRIVER)
        self.assertIn("install a newer driver", told.stdout)

    def assert_opencl_is_missing(self, vendors: pathlib.Path, *words: str, **environment: str) -> None:
        """Checks that with these OpenCL drivers OpenCL's variants are skipped with a reason, and that others run."""
        told = call(PROGRAM, "verify", "jacobi/opencl_simple", "jacobi/openmp", "--size", "16x16",
                    OCL_ICD_VENDORS=vendors, OPENCL_VENDOR_PATH=vendors, **environment)
        if "not built: " in told.stdout:
            self.skipTest("OpenCL was not built")
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
        lines = {line.split()[0]: line for line in told.stdout.splitlines()}
        self.assertRegex(lines["jacobi/openmp"], r"cpu +ok")
        for word in ("skipped", *words):
            self.assertIn(word, lines["jacobi/opencl_simple"])

    def vendors(self, **libraries: str) -> pathlib.Path:
        folder = self.folder / "vendors"
        folder.mkdir()
        for name, library in libraries.items():
            (folder / f"{name}.icd").write_text(library + "\n")
        return folder

    def test_without_a_driver_of_opencl(self) -> None:
        self.assert_opencl_is_missing(self.vendors(), "no OpenCL platform: install")

    def test_a_driver_of_opencl_that_cannot_be_loaded_is_named(self) -> None:
        self.assert_opencl_is_missing(self.vendors(gone="libnot-there.so.1"), "gone.icd", "libnot-there.so.1: cannot open")

    def test_a_driver_of_opencl_without_a_platform_is_named(self) -> None:
        library = f"{OUTDATED_DRIVER}/libcuda.so.1"
        self.assert_opencl_is_missing(self.vendors(empty=library), "empty.icd", "gives no platform")

    def test_a_driver_of_opencl_that_ends_the_program_costs_its_backend_only(self) -> None:
        vendors = self.vendors(wild=CRASHING_DRIVER)
        for way in ("crash", "abort", "exit"):
            with self.subTest(way):
                self.assert_opencl_is_missing(vendors, "a driver of opencl crashed", ".icd", WILD_DRIVER=way)


class OpenCl(Misbehaviour):
    def run_with(self, fault: str) -> list[dict[str, str]]:
        result = call(PROGRAM, "run", "tissue/fig3", "--preset", "smoke", "--size", "16x16", "--device", "opencl:0",
                      "--out", self.run_folder, LD_PRELOAD=SYSTEM, MISBEHAVING_CL=fault)
        self.said = result.stdout
        cases = [row for row in cases_of(self.run_folder) if "takes about" not in row["reason"]]
        if not cases:
            self.skipTest("no OpenCL device")
        return cases

    def test_a_device_that_is_full_in_the_middle_costs_one_case(self) -> None:
        cases = self.run_with("clCreateBuffer 7 -4")  # the first six buffers are for roofs
        self.assertEqual(sorted(row["status"] for row in cases), ["ok"] * (len(cases) - 1) + ["skipped"])
        self.assertIn("does not fit: clCreateBuffer: CL_MEM_OBJECT_ALLOCATION_FAILURE",
                      next(row for row in cases if row["status"] == "skipped")["reason"])

    def test_a_device_that_is_full_while_a_roof_is_measured_costs_no_case(self) -> None:
        cases = self.run_with("clCreateBuffer 3 -4")
        self.assertEqual({row["status"] for row in cases}, {"ok"})
        self.assertRegex(self.said, "harness/roofs opencl:0: .*read does not fit: clCreateBuffer")

    def test_a_lost_device_is_not_tried_again(self) -> None:
        cases = self.run_with("clEnqueueNDRangeKernel 1500 -5 lasting")
        statuses = [row["status"] for row in cases]
        first = statuses.index("failed")
        self.assertEqual(statuses, ["ok"] * first + ["failed"] + ["skipped"] * (len(cases) - first - 1))
        self.assertIn("opencl:0 was lost", cases[-1]["reason"])

    def verify_on(self, device: str, *variants: str, size: str | None = "16x16") -> dict[str, str]:
        """The line of each OpenCL variant on a device that says this of itself, with what is left out."""
        sizes = ("--size", size) if size else ()
        result = call(PROGRAM, "verify", *variants, "--device", "opencl:0", *sizes, LD_PRELOAD=SYSTEM,
                      MISBEHAVING_DEVICE=device, REPRISE_OPENCL_SHAPE="4x64")
        self.assertIn(result.returncode, (0, 5), result.stdout + result.stderr)
        lines = re.findall(r"^(\w+/\w+ .*(?:\n    left out: .*)*)", result.stdout, re.MULTILINE)
        if any("no OpenCL" in line or "not built" in line for line in lines):
            self.skipTest("no OpenCL device")
        return {line.split()[0]: line for line in lines}

    def test_without_double_precision_only_double_precision_is_left_out(self) -> None:
        with_atrium = {f"{word}/opencl_*": size for word, size in SIZES.items()} | {"atrium/opencl_fused": None}
        for variants, size in with_atrium.items():
            for variant, line in self.verify_on("fp64=0", variants, size=size).items():
                has_single = variant.split("/")[0] != "angiogenesis"
                self.assertRegex(line, r"opencl:0 +ok " if has_single else r"opencl:0 +skipped", line)
                if variant != "jacobi/opencl_local" and variant != "jacobi/opencl_simple":
                    self.assertIn("no cl_khr_fp64 on opencl:0", line)

    def test_small_groups_are_used_or_a_reason(self) -> None:
        for most in (1, 64):
            for word, size in SIZES.items():
                for line in self.verify_on(f"group={most}", f"{word}/opencl_*", size=size).values():
                    self.assertRegex(line, r"opencl:0 +(ok |skipped[\s\S]*runs this kernel in groups of at most \d+)", line)

    def test_little_constant_memory_is_enough_or_a_reason(self) -> None:
        reason = r"left out: .*needs \d+ bytes of constant memory, the device has 32"
        for word, size in SIZES.items():
            for variant, line in self.verify_on("constant=32", f"{word}/opencl_*", size=size).items():
                self.assertRegex(line, r"opencl:0 +ok ")
                self.assertEqual(re.search(reason, line) is not None, variant == "tissue/opencl_fused", line)
        for line in self.verify_on("constant=65536", "tissue/opencl_fused", size=SIZES["tissue"]).values():
            self.assertNotIn("constant memory", line)

    def test_more_memory_than_the_host_has_is_not_believed(self) -> None:
        for told in (2**50, 0):
            said = call(PROGRAM, "doctor", LD_PRELOAD=SYSTEM, MISBEHAVING_DEVICE=f"memory={told}").stdout
            if "pocl" not in said.lower() and "Portable Computing Language" not in said:
                self.skipTest("no OpenCL device in the host's memory")
            told_of = re.search(r"^  opencl:0 .*\n .*; (\d+) GiB", said, re.MULTILINE)
            assert told_of is not None
            present = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            self.assertEqual(int(told_of[1]), round(present / 2**30))

    def test_less_memory_than_a_case_needs_is_a_reason(self) -> None:
        lines = self.verify_on(f"memory={2**10}", "jacobi/opencl_simple", size="40x40")
        self.assertRegex(lines["jacobi/opencl_simple"], r"skipped[\s\S]*does not fit: \d+ KiB of buffers, the device has 1 KiB")


class System(Misbehaviour):
    def assert_whole(self, undisturbed: pathlib.Path) -> None:
        self.assertEqual(names_of(rows_of(self.run_folder)), names_of(rows_of(undisturbed)))

    def test_a_disk_that_fills_up_costs_nothing_that_is_finished(self) -> None:
        undisturbed = self.folder / "undisturbed"
        self.assertEqual(gpu_run(undisturbed).returncode, 0)
        finished: list[tuple[str, ...]] = []
        for room in (0, 100, 3000, 9000, 20000):
            arguments = {"LD_PRELOAD": SYSTEM, "MISBEHAVING_FOLDER": self.run_folder, "MISBEHAVING_ROOM": room}
            has_begun = (self.run_folder / "run.json").exists()
            result = resume(self.run_folder, **arguments) if has_begun else gpu_run(self.run_folder, **arguments)
            self.assert_one_line(result, "No space left on device", str(self.run_folder))
            before = finished
            finished = names_of(rows_of(self.run_folder)) if (self.run_folder / "run.json").exists() else []
            self.assertEqual([name for name in before if name not in finished], [])
        self.assertTrue(finished)
        self.assertEqual(resume(self.run_folder).returncode, 0)
        self.assert_whole(undisturbed)

    def test_a_folder_that_may_only_be_read_is_one_line_and_left_alone(self) -> None:
        for code, words in (("EROFS", "Read-only file system"), ("EACCES", "Permission denied")):
            arguments = {"LD_PRELOAD": SYSTEM, "MISBEHAVING_FOLDER": self.folder, "MISBEHAVING_OPEN": code}
            self.assert_one_line(gpu_run(self.run_folder, **arguments), words)
            self.assertFalse(self.run_folder.exists())
        self.assertEqual(gpu_run(self.run_folder).returncode, 0)
        files = {file: file.read_bytes() for file in self.run_folder.rglob("*") if file.is_file()}
        self.assert_one_line(resume(self.run_folder, **arguments), "choose a folder that you may write to")
        told = call(GPUS, "report", self.run_folder, "--out", self.folder / "report", **arguments)
        self.assertEqual(told.returncode, 1)
        self.assertIn("cannot be made: Permission denied; choose another folder", told.stderr.splitlines()[-1])
        self.assertEqual({file: file.read_bytes() for file in self.run_folder.rglob("*") if file.is_file()}, files)

    def test_a_clock_that_jumps_changes_no_duration(self) -> None:
        begin = time.monotonic()
        result = gpu_run(self.run_folder, LD_PRELOAD=SYSTEM, MISBEHAVING_CLOCK=3600)
        passed = time.monotonic() - begin
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        etas = [int(eta) for eta in re.findall(r"eta (-?\d+) s", result.stdout)]
        self.assertTrue(etas)
        for eta in etas:
            self.assertTrue(0 <= eta <= 10 * passed + 60, result.stdout)
        durations = [float(row["value"]) for row in rows_of(self.run_folder) if row["unit"] == "s" and row["status"] == "ok"]
        self.assertGreater(len(durations), 10)
        for duration in durations:
            self.assertTrue(0 < duration < 100 * passed, duration)

    def test_a_second_run_in_a_folder_is_refused_and_the_first_unharmed(self) -> None:
        first = subprocess.Popen([GPUS, "run", "jacobi/*", "--preset", "smoke", "--device", "cuda:*", "--size", "16x16",
                                  "--size", "48x48", "--out", str(self.run_folder)], stdout=subprocess.PIPE, text=True)
        while first.poll() is None and not (self.run_folder / "run.json").exists():
            time.sleep(0.01)
        second = [resume(self.run_folder), gpu_run(self.run_folder)]
        self.assertIsNone(first.poll(), "the first run ended too soon to be disturbed")
        self.assert_one_line(second[0], "another process is writing to this run")
        self.assert_one_line(second[1], "run")
        self.assertEqual((first.communicate(timeout=200), first.returncode)[1], 0)
        rows = (self.run_folder / "rows.csv").read_bytes()
        self.assertEqual(resume(self.run_folder).returncode, 0)
        self.assertEqual((self.run_folder / "rows.csv").read_bytes(), rows)

    def test_output_that_cannot_be_written_is_an_error(self) -> None:
        self.assertEqual(gpu_run(self.run_folder).returncode, 0)
        for command in (("list", "--json"), ("doctor",), ("claims", "--fail-on", "never"),
                        ("compare", "nvidia-h200", "paper:GTX280"), ("report", str(self.run_folder)), ("--help",)):
            with open("/dev/full", "w") as full:
                result = subprocess.run([GPUS, *command], stdout=full, stderr=subprocess.PIPE, text=True, timeout=200)
            self.assertEqual(result.returncode, 1, (command, result.stderr))
            self.assertIn("reprise: the output could not be written", result.stderr)


if __name__ == "__main__":
    unittest.main()
