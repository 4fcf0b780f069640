#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`reprise count`: the same numbers each time, planted work is found and named, and what it says of builds, files and machines
that it cannot use.

usage: count_test.py BUILD
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "verification/tests/mutation"))
from mutants import Build, Parts, program_of_one  # noqa: E402

HAS_VALGRIND = shutil.which("valgrind") is not None

# A program that speaks the protocol, with one case, and that fails where FAULT says.
SIDE = '''#!{python}
import json, os, sys
fault, changed = {fault!r}, {changed!r}
if sys.argv[1:] != ["count-side"]: sys.exit(1)
if fault == "silent": sys.stdin.read()
def say(what): print(json.dumps(what), flush=True)
say({{"count": 1, "version": "made up", "git": "", "compiler": "", "flags": "", "build_type": "", "cuda": "", "c_library": "",
      "no_requests": "made up, so Callgrind cannot count it"}} if fault != "babbles" else "what?")
case = {{"experiment": "jacobi/table3", "variant": "jacobi/openmp", "device": "cpu", "precision": "single", "size": "64x64",
        "parameter": "", "metric": "time_1000_sweeps", "device_name": "made up", "repeats": 1000, "units": 4096.,
        "on_host": True, "unavailable": "", "seconds": 0., "has_own_work": True}} | changed
for line in sys.stdin:
    asked = json.loads(line)["do"]
    if asked == "cases" and fault == "no cases": say({{"cases": 5}})
    elif asked == fault == "count": os.abort()
    elif asked == fault: say({{"error": "wrong answer: max_relative_error 1"}})
    elif asked == "cases": say({{"cases": [case]}})
    elif asked == "kernels": say({{"kernels": []}})
    elif asked == "count": say({{"processor": {{"missing": "made up"}}, "level": "made up"}})
    else: say({{}})
'''


def count(*arguments: object, path: str | None = None) -> subprocess.CompletedProcess:
    environment = os.environ | ({"PATH": path} if path is not None else {})
    return subprocess.run([PROGRAM, "count", *map(str, arguments)], capture_output=True, text=True, timeout=500,
                          env=environment)


class Count(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="reprise_")))
        self.sides = 0

    def side(self, fault: str = "", **changed: object) -> pathlib.Path:
        self.sides += 1
        path = self.folder / f"side{self.sides}"
        path.write_text(SIDE.format(python=sys.executable, fault=fault, changed=changed))
        path.chmod(0o755)
        return path

    def assert_refused(self, result: subprocess.CompletedProcess, said: str) -> None:
        self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
        lines = [line for line in result.stderr.splitlines() if "no instructions: made up" not in line]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertIn(said, lines[0])

    def test_a_program_that_fails_ends_its_case_or_is_no_build(self) -> None:
        for fault, said in (("verify", "wrong answer: max_relative_error 1"), ("judge", "wrong answer"),
                            ("load", "wrong answer"), ("count", "died of signal 6")):
            with self.subTest(fault):
                result = count(self.side(fault), "--json")
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(said, json.loads(result.stdout)["cases"][0]["foul"])
                gate = count(self.side(fault), "--against", self.side())
                self.assertEqual(gate.returncode, 2, gate.stderr)
                self.assertIn("FAILED", gate.stdout)
        for fault, said in (("babbles", "gave no answer but"), ("no cases", "offers cases that are none")):
            with self.subTest(fault):
                self.assert_refused(count(self.side(fault)), said)

    def test_an_older_build_is_said_and_not_judged(self) -> None:
        result = count(self.side(), "--against", "/bin/false")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("not judged: /bin/false cannot be counted: it ended with status 1", result.stdout)
        self.assert_refused(count("/bin/false"), "cannot be counted")

    def test_builds_that_share_no_case_say_what_differs(self) -> None:
        for changed, said in (({"precision": "double"}, "B has it in single, A in double"),
                              ({"units": 1.0}, "units of work"), ({"size": "32x32"}, "A has 32x32")):
            with self.subTest(said):
                result = count(self.side(), "--against", self.side(**changed))
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertIn("share no case", result.stderr)
                self.assertIn(said, result.stderr)

    def test_bad_input_is_one_line(self) -> None:
        hostile = self.folder / "hostile.json"
        for text in ('{', '{"counts": 1}', '{"counts": 7}', '{"counts": 1, "made": {}, "cases": 5}', "{" * 5000):
            hostile.write_text(text)
            self.assert_refused(count("--against", hostile), str(hostile))
        (self.folder / "file").touch()
        for arguments, said in ((["nothing"], "'nothing' is no program"), (["--margin", "x"], "--margin"),
                                (["--jobs", "-1"], "--jobs"), (["--variant", "none_such"], "no case"),
                                (["--variant", "openmp", "--only", "jacobi/table4", "--size", "1x"], "size"),
                                ([self.folder], "has no bin/reprise"), (["--out", self.folder / "file" / "x"], "file")):
            with self.subTest(said):
                self.assert_refused(count(*arguments), said)

    def test_without_valgrind_the_reason_is_said(self) -> None:
        (self.folder / "bin").mkdir()
        result = count("--variant", "cpu_serial", "--only", "curvature/*", path=str(self.folder / "bin"))
        self.assertIn(result.returncode, (0, 5), result.stderr)  # 0: the processor's own counters are there
        self.assertIn("no valgrind: apt install valgrind", result.stdout)
        gate = count(self.side(), "--against", self.side())
        self.assertEqual(gate.returncode, 4, gate.stdout)
        self.assertIn("NOT JUDGED", gate.stdout)

    def test_a_folder_for_temporary_files_is_needed(self) -> None:
        result = subprocess.run([PROGRAM, "count", "--variant", "openmp"], capture_output=True, text=True,
                                env=os.environ | {"TMPDIR": str(self.folder / "none")})
        self.assert_refused(result, "TMPDIR")

    @unittest.skipUnless(HAS_VALGRIND, "needs valgrind")
    def test_nothing_goes_on_after_a_kill(self) -> None:
        counting = subprocess.Popen([PROGRAM, "count", "--variant", "cuda_study", "--only", "angiogenesis/study"],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    env=os.environ | {"TMPDIR": str(self.folder)})
        own = f"--callgrind-out-file={self.folder}".encode()

        def is_counting() -> bool:
            return any(own in pathlib.Path(f"/proc/{process}/cmdline").read_bytes() for process in os.listdir("/proc")
                       if process.isdigit() and pathlib.Path(f"/proc/{process}/cmdline").exists())

        def wait_until(is_so: bool) -> None:
            until = time.monotonic() + 200
            while is_counting() != is_so:
                self.assertLess(time.monotonic(), until)
                time.sleep(0.1)

        wait_until(True)
        counting.kill()
        counting.wait()
        wait_until(False)

    @unittest.skipUnless(HAS_VALGRIND, "needs valgrind")
    def test_the_same_build_gives_the_same_numbers_ten_times(self) -> None:
        variants = ("openmp", "cpu_interleaved", "cuda_shared")
        chosen = (*(word for name in variants for word in ("--variant", name)), "--only", "jacobi/*", "--json")
        first = json.loads(count(*chosen).stdout)["cases"]
        self.assertEqual({case["device"] for case in first}, {"cpu", "emulated"})
        # OpenMP's library allocates for each parallel region.
        self.assertEqual([case["callgrind"]["allocations"] for case in first if case["variant"] != "jacobi/cuda_shared"], [0, 1])
        for case in first:
            self.assertGreater(case["callgrind"]["instructions"], 10000)
        for _ in range(9):
            again = json.loads(count(*chosen).stdout)["cases"]
            for case, other in zip(first, again, strict=True):
                self.assertEqual(case["callgrind"], other["callgrind"])
                self.assertEqual(case.get("traffic"), other.get("traffic"))

    @unittest.skipUnless(HAS_VALGRIND, "needs valgrind")
    def test_one_percent_more_instructions_is_found_and_named(self) -> None:
        """On a processor and in emulation, by a share of the nodes that is computed once more."""
        build = Build(BUILD)
        for variant, file, line, slower, function in PLANTED:
            with self.subTest(variant):
                text = (ROOT / "solvers" / file).read_text()
                self.assertEqual(text.count(line), 1)
                sides = [program_of_one(build, build.folder / f"mutation/count/{variant}_{name}", Parts(f"jacobi/{variant}"),
                                        file, changed)
                         for name, changed in (("plain", text), ("more", text.replace(line, slower)))]
                kept = self.folder / variant
                self.assertEqual(count(sides[0], "--only", "jacobi/*", "--out", kept).returncode, 0)
                same = count(sides[0], "--against", kept, "--only", "jacobi/*")
                self.assertEqual(same.returncode, 0, same.stdout)
                for against in (kept, kept / "counts.json", sides[0]):
                    gate = count(sides[1], "--against", against, "--only", "jacobi/*", "--out", self.folder / "gate")
                    self.assertEqual(gate.returncode, 3, gate.stdout + gate.stderr)
                    self.assertIn("GREW", gate.stdout)
                    self.assertIn(function, gate.stdout)
                written = json.loads((self.folder / "gate/gate.json").read_text())["cases"]
                grown = [case for case in written if case["verdict"] == "GREW"]
                self.assertEqual(len(grown), 1)  # the other variants of the program are as they were
                self.assertIn(variant, grown[0]["case"])
                most = grown[0]["functions"][0]
                self.assertIn(function, most["name"])
                self.assertTrue(0.005 < most["after"] / most["before"] - 1 < 0.02, most)
                self.assertIn("GREW", (self.folder / "gate/gate.md").read_text())

    @unittest.skipUnless(HAS_VALGRIND, "needs valgrind")
    def test_another_compiler_is_recognised_and_not_judged(self) -> None:
        chosen = ("--variant", "openmp", "--only", "jacobi/*")
        kept = self.folder / "counts.json"
        self.assertEqual(count(*chosen, "--out", self.folder).returncode, 0)
        document = json.loads(kept.read_text())
        document["made"]["compiler"] = "GNU 99.1"
        for case in document["cases"]:
            case["callgrind"]["instructions"] //= 2
        kept.write_text(json.dumps(document))
        result = count(*chosen, "--against", kept)
        self.assertEqual(result.returncode, 4, result.stdout)
        self.assertIn("not judged: another compiler: GNU 99.1 before", result.stdout)
        self.assertNotIn("GREW", result.stdout)


PLANTED = [
    ("cpu_interleaved", "jacobi/cpu_interleaved.cpp",
     "    for (std::size_t i = 0; i < n_; ++i) {\n      const float* const row",
     "    for (const std::size_t end : {n_, n_ / 100})\n    for (std::size_t i = 0; i < end; ++i) {\n"
     "      const float* const row",
     "sweep"),
    ("cuda_shared", "jacobi/cuda_shared.cu", "  next[i] = (1.0F - w)",
     "  volatile float planted = sum;\n  static_cast<void>(planted);\n  next[i] = (1.0F - w)", "sweep_shared"),
]

if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop()).resolve()
    PROGRAM = BUILD / "bin/reprise"
    unittest.main()
