#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that `reprise run` fails for each fault that shows only in the timed work: late, in the last step, at large sizes.

usage: late_faults_test.py BUILD WORD [--sample N]

The faults are those of tests/WORD/late_faults.toml, in groups with the arguments of their run. Each is a program of its own.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

from faults_test import chosen
from mutants import HERE, Build, Moved, Parts, change_of, program_of_one


def verdict(program: pathlib.Path, arguments: list[str], device: str) -> str:
    """The first reason of a failed row; "right" where nothing failed."""
    with tempfile.TemporaryDirectory(prefix="reprise_") as folder:
        result = subprocess.run([program, "run", *arguments, "--device", device, "--out", f"{folder}/run"], capture_output=True,
                                text=True, timeout=600)
    failed = re.search(r"failed, (?:wrong answer )?(.*?)(?: \(limit| \(\w+\.cpp|$)", result.stdout, re.MULTILINE)
    if result.returncode == 2:
        return failed[1] if failed else "failed"
    return "right" if result.returncode == 0 else f"status {result.returncode}: {result.stderr.strip()}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("word")
    parser.add_argument("--sample", type=int)
    given = parser.parse_args()
    build = Build(given.build)
    table = HERE.parent / given.word / "late_faults.toml"
    groups = tomllib.loads(table.read_text())["groups"]
    planted = [(group["run"], group.get("device", "cpu"), change_of(table, fault))
               for group in groups for fault in group["faults"]]
    kept = chosen([change for _, _, change in planted], given.sample)
    planted = [one for one in planted if one[2] in kept]
    missed = 0
    print("| fault | run | caught by |\n| --- | --- | --- |")
    for arguments, device, change in planted:
        folder = build.folder / "mutation/late" / given.word / change.name
        try:
            program = program_of_one(build, folder, Parts(change.variant), change.file, change.text())
        except Moved as moved:
            sys.exit(str(moved))
        found = verdict(program, arguments, device)
        is_right = (found == "right") == (change.name == "nothing")
        missed += not is_right
        print(f"| {change.name.replace('_', ' ')} | {' '.join(arguments)} | {found} |", flush=True)
    print(f"\n{len(planted)} faults, {missed} verdicts are not what they should be")
    if missed or not planted:
        sys.exit(1)


if __name__ == "__main__":
    main()
