#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that `reprise verify` finds every planted fault of one paper, and prints by which metric.

usage: faults_test.py BUILD WORD [--sample N]

The faults are those of tests/WORD/faults.toml, or N of them, and all named "nothing", which change nothing and must
pass. A program is made of them with the compile commands of the build (mutants.py).
"""

import argparse
import fnmatch
import os
import pathlib
import random
import re
import subprocess
import sys
import tomllib

from mutants import HERE, Build, Change, Moved, faulty_program, program_with, read_changes, read_problem_changes

# Variants that only some machines have a device for. CUDA by itself is emulated elsewhere, its libraries are not.
DEVICES = ("opencl", "opengl", "cusolver", "cusparse", "hybrid", "magma")
# A single rank has no border. Containers run this as root with fewer processors than ranks,
# which Open MPI must be told.
RANKS = ("mpirun", "--oversubscribe", "-n", "3")
RANKED = ("mpi_*", "*_multi_fault_*")
# In this shape OpenCL kernels have vectors, groups of several items and launches of several steps, with their margins.
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "REPRISE_OPENCL_SHAPE": "4x16x5"}


def complaint_of(line: str) -> str | None:
    """The metric of a wrong answer in a line of details, or the message of a failure without its numbers."""
    wrong = re.match(r" {4}wrong: .*?: ([a-z]\w*) ", line)
    failed = re.match(r" {4}failed: .*?: (.*)", line)
    return wrong[1] if wrong else re.sub(r"\d[\dx]*", "N", failed[1]) if failed else None


def verdicts(command: list[str]) -> dict[str, tuple[str, list[str]]]:
    """The verdict on each variant, and the complaints about it in order of appearance."""
    result = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    found: dict[str, tuple[str, list[str]]] = {}
    for line in result.stdout.splitlines():
        if verdict := re.match(r"(\w+/\w+) .*?\b(ok|wrong|skipped)\b *(.*)", line):
            found[verdict[1]] = (f"{verdict[2]} {verdict[3]}", [])
        elif found and (complaint := complaint_of(line)):
            complaints = found[next(reversed(found))][1]
            if complaint not in complaints:
                complaints.append(complaint)
    if not found:
        sys.exit(f"{command} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return found


def chosen(changes: list[Change], sample: int | None) -> list[Change]:
    """All changes, or a sample that is the same in every run, with all that change nothing."""
    real = [change for change in changes if change.name != "nothing"]
    if sample is None or sample >= len(real):
        return changes
    kept = random.Random(20261122).sample(real, sample)
    return [change for change in changes if change.name == "nothing" or change in kept]


def all_verdicts(program: str, word: str, sizes: list[str], faults: dict[str, str]) -> dict[str, tuple[str, list[str]]]:
    """Runs the emulator at its own sizes, which are small; on other devices those would take minutes."""
    verify = [program, "verify", word + "/*"]
    options = [option for size in sizes for option in ("--size", size)]
    found = verdicts([*verify, "--device", "[!e]*", *options])
    # A program that crashed has no verdict on what came after: a missing device in the emulator's run must not hide that.
    for fault, verdict in verdicts([*verify, "--device", "emulated"]).items():
        has_device = not verdict[0].startswith("skipped")
        if has_device if fault not in found else found[fault][0].startswith("skipped"):
            found[fault] = verdict
    ranked = [fault for fault in faults if any(fnmatch.fnmatch(fault.split("/")[1], name) for name in RANKED)]
    if ranked:
        found |= verdicts([*RANKS, program, "verify", *ranked])
    return found


def missed_in_problem(build: Build, table: pathlib.Path, sample: int | None) -> list[str]:
    """Plants the faults in what all variants share, one program each, and prints what found them. Returns those missed."""
    word = table.parent.name
    sources = dict(read_problem_changes(table))
    missed = []
    for change in chosen(list(sources), sample):
        program = program_with(build, change, sources[change])
        found = list(verdicts([str(program), "verify", f"{word}/cpu_*", "--device", "cpu"]).values())
        verdict, complaints = next((one for one in found if one[0].startswith("wrong")), found[0])
        if not verdict.startswith("wrong"):
            missed.append(f"{change.name}: {verdict}")
        print(f"| {change.name.replace('_', ' ')} | {change.file} | {', '.join(complaints) or verdict} |")
    return missed


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("word")
    parser.add_argument("--sample", type=int)
    given = parser.parse_args()
    table = HERE.parent / given.word / "faults.toml"
    try:
        changes = chosen(read_changes(table), given.sample)
        build = Build(given.build)
        program, faults = faulty_program(build, given.word, changes)
    except Moved as moved:
        sys.exit(str(moved))
    sizes = tomllib.loads(table.read_text())["sizes"]
    found = all_verdicts(str(program), given.word, sizes, faults)
    missed = []
    print("| fault | where | caught by |\n| --- | --- | --- |")
    for fault, file in faults.items():
        verdict, complaints = found.get(fault, ("missing", []))
        stem, _, name = fault.rpartition("_fault_")
        # A missing device gives a reason in this line; a variant that leaves out all its problems does not.
        is_without_device = re.match(r"skipped \S", verdict) and stem.split("/")[1].startswith(DEVICES)
        if not is_without_device and not verdict.startswith("ok" if name == "nothing" else "wrong"):
            missed.append(f"{fault}: {verdict}")
        print(f"| {name.replace('_', ' ')} | {file} | {', '.join(complaints) or verdict} |")
    missed += missed_in_problem(build, table, given.sample)
    planted = sum(not fault.endswith("_fault_nothing") for fault in faults)
    print(f"\n{planted} faults planted, {len(missed)} verdicts are not what they should be", *missed, sep="\n")
    if missed or not planted:
        sys.exit(1)


if __name__ == "__main__":
    main()
