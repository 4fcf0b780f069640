#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that `reprise verify` takes every branch of one paper's right-hand sides, and prints those that it does not take.

usage: branches_test.py BUILD WORD

tests/WORD/branches.toml names the variants that run, the files whose branches count, and the branches that verify cannot take,
each with its reason. The variants are compiled without optimization and with counters; branches that only an exception takes do
not count.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tomllib

from mutants import HERE, ROOT, Build, Mutant

# Copies of an inlined function would count as branches of their own.
WITH_COUNTERS = ("-w", "-O0", "--coverage", "-fprofile-update=atomic", "-Dalways_inline=noinline")


def program_with_counters(build: Build, folder: pathlib.Path, variants: list[str]) -> pathlib.Path:
    """The program with these variants' objects compiled anew. Their inline functions are their own, so that none comes from an
    object without counters."""
    mutant = Mutant(build, folder, WITH_COUNTERS, is_isolated=True)
    sources = [build.source_of(variant) for variant in variants]
    objects = [mutant.compile_as(source, source, pathlib.Path(source).stem) for source in sources]
    return mutant.link("counting_reprise", [build.object_of(source) for source in sources], [*objects, "--coverage"])


def counted(folder: pathlib.Path, files: list[str]) -> list[dict]:
    """gcovr's report on the files."""
    report = folder / "branches.json"
    filters = [option for file in files for option in ("--filter", str(ROOT / file))]
    subprocess.run(["gcovr", "--root", ROOT, "--object-directory", folder, folder, "--exclude-throw-branches",
                    "--exclude-unreachable-branches", *filters, "--json", report], check=True)
    return json.loads(report.read_text())["files"]


def missed_branches(report: list[dict]) -> tuple[int, dict[tuple[str, str], int]]:
    """The number of branches, and how many of each (file, line of text) were never taken."""
    total, missed = 0, {}
    for file in report:
        text = (ROOT / file["file"]).read_text().splitlines()
        for line in file["lines"]:
            branches = line["branches"]
            total += len(branches)
            if never := sum(branch["count"] == 0 for branch in branches):
                missed[file["file"], text[line["line_number"] - 1].strip()] = never
    return total, missed


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("word")
    given = parser.parse_args()
    if not shutil.which("gcovr"):
        print("skipped: no gcovr")
        sys.exit(77)
    table = tomllib.loads((HERE.parent / given.word / "branches.toml").read_text())
    build = Build(given.build)
    folder = build.folder / "mutation/branches" / given.word
    shutil.rmtree(folder, ignore_errors=True)  # counters of an earlier run
    folder.mkdir(parents=True)
    variants = [f"{given.word}/{stem}" for stem in table["variants"]]
    program = program_with_counters(build, folder, variants)
    subprocess.run([program, "verify", *variants], check=True, stdout=subprocess.DEVNULL)
    total, missed = missed_branches(counted(folder, table["files"]))
    excluded = {(file, line): reason for file, line, reason in table["excluded"]}
    unexplained = [place for place in missed if place not in excluded]
    unused = [place for place in excluded if place not in missed]
    for (file, line), count in missed.items():
        print(f"{count} of {file}: {line}\n    {excluded.get((file, line), 'NOT TAKEN')}")
    print(f"{given.word}: {total} branches, {sum(missed.values())} not taken; {len(unexplained)} lines are not explained")
    for file, line in unused:
        print(f"branches.toml excludes a branch that is taken: {file}: {line}")
    if unexplained or unused or total == 0:
        sys.exit(1)


if __name__ == "__main__":
    main()
