#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every planted fault of one paper is found by `reprise verify`; says by what.

usage: faults_test.py FAULTY_PROGRAM FAULTS WORD

FAULTS has a line for each variant of FAULTY_PROGRAM: its id, WORD/STEM_fault_FAULT, and the file that was changed. The
fault "nothing" changes nothing and must pass.
"""

import fnmatch
import os
import re
import subprocess
import sys

SIZES = {
    "jacobi": ("37x23", "513x16"),
    "tissue": ("49x23",),
    "atrium": (),
    "curvature": ("21x14",),
    "angiogenesis": (),
}
DEVICES = ("opencl", "opengl")
# One rank has no border. Containers run this as root, on fewer processors than ranks: Open MPI wants to be told.
RANKS = ("mpirun", "--oversubscribe", "-n", "3")
RANKED = ("mpi_*", "*_multi_fault_*")
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def faults_of(path: str, word: str) -> dict[str, str]:
    with open(path) as lines:
        both = (line.split() for line in lines)
        return {fault: file for fault, file in both if fault.startswith(word + "/")}


def complaint_of(line: str) -> str | None:
    """What a line of details says of a wrong answer: the metric, or the message of a failure without its numbers."""
    wrong = re.match(r" {4}wrong: .*?: ([a-z]\w*) ", line)
    failed = re.match(r" {4}failed: .*?: (.*)", line)
    return wrong[1] if wrong else re.sub(r"\d[\dx]*", "N", failed[1]) if failed else None


def verdicts(command: list[str]) -> dict[str, tuple[str, list[str]]]:
    """The verdict on each variant, and what was complained about, in order."""
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


def all_verdicts(program: str, word: str, faults: dict[str, str]) -> dict[str, tuple[str, list[str]]]:
    """The emulator's at its own sizes, which are small; elsewhere those would take minutes."""
    verify = [program, "verify", word + "/*"]
    options = [option for size in SIZES[word] for option in ("--size", size)]
    found = verdicts([*verify, "--device", "[!e]*", *options])
    for fault, verdict in verdicts([*verify, "--device", "emulated"]).items():
        if fault not in found or found[fault][0].startswith("skipped"):
            found[fault] = verdict
    ranked = [fault for fault in faults if any(fnmatch.fnmatch(fault.split("/")[1], name) for name in RANKED)]
    if ranked:
        found |= verdicts([*RANKS, program, "verify", *ranked])
    return found


def main() -> None:
    program, path, word = sys.argv[1:4]
    faults = faults_of(path, word)
    found = all_verdicts(program, word, faults)
    missed = []
    print("| fault | where | caught by |\n| --- | --- | --- |")
    for fault, file in faults.items():
        verdict, complaints = found.get(fault, ("missing", []))
        stem, _, name = fault.rpartition("_fault_")
        # A variant that leaves out all problems gives no reason here, a missing device does.
        is_without_device = re.match(r"skipped \S", verdict) and stem.split("/")[1].startswith(DEVICES)
        if not is_without_device and not verdict.startswith("ok" if name == "nothing" else "wrong"):
            missed.append(f"{fault}: {verdict}")
        print(f"| {name.replace('_', ' ')} | {file} | {', '.join(complaints) or verdict} |")
    planted = sum(not fault.endswith("_fault_nothing") for fault in faults)
    print(f"\n{planted} faults planted, {len(missed)} verdicts are not what they should be", *missed, sep="\n")
    if missed or not planted:
        sys.exit(1)


if __name__ == "__main__":
    main()
