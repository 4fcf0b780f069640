#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that one new file is a new variant: without edits it is listed, checked, sabotaged, timed and reported.

usage: new_variant_test.py SOURCE_DIR
"""

import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDERS = ("cmake", "solvers", "reference", "verification", "benchmarks", "reports", "scripts")


def run(*command: object) -> str:
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{command} ended with {result.returncode}:\n{result.stdout[-3000:]}\n{result.stderr[-3000:]}")
    return result.stdout


def copy_tree(source: pathlib.Path, copy: pathlib.Path) -> None:
    for folder in FOLDERS:
        shutil.copytree(source / folder, copy / folder, ignore=shutil.ignore_patterns("recorded", "__pycache__"))
    shutil.copy(source / "CMakeLists.txt", copy)


def add_variant(copy: pathlib.Path) -> None:
    text = (copy / "solvers/jacobi/cpu_diagonals.cpp").read_text()
    (copy / "solvers/jacobi/cpu_fresh.cpp").write_text(text.replace("cpu_diagonals", "cpu_fresh"))


def main() -> None:
    source = pathlib.Path(sys.argv[1])
    # As deep in the tree as the build itself and with its options, so that a compiler cache knows most of the files.
    with tempfile.TemporaryDirectory(prefix="fresh_", dir=source / "build") as folder:
        copy = pathlib.Path(folder)
        copy_tree(source, copy)
        add_variant(copy)
        build = copy / "build/release"
        run("cmake", "-S", copy, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DREPRISE_PAPERS=jacobi")
        run("cmake", "--build", build, "-j", os.cpu_count(), "--target", "reprise", "sabotage_tests")
        program = build / "bin/reprise"

        listed = json.loads(run(program, "list", "--json", "jacobi/cpu_fresh"))
        assert listed["variants"][0]["status"] == "ready on cpu", listed
        assert "jacobi/cpu_fresh" in run(program, "verify", "cpu_fresh")
        assert "All tests passed" in run(build / "bin/sabotage_tests", "-c", "jacobi/cpu_fresh on cpu")

        run(program, "run", "jacobi/table3", "--preset", "smoke", "--size", "64x48", "--out", copy / "run")
        with open(copy / "run/rows.csv", newline="") as rows:
            timed = [row for row in csv.DictReader(rows) if row["variant"] == "jacobi/cpu_fresh"]
        assert any(row["metric"] == "time_1000_sweeps" and row["status"] == "ok" for row in timed), timed

        run(program, "report", copy / "run", "--out", copy / "report")
        assert "cpu_fresh" in (copy / "report/tables/jacobi_table3.csv").read_text()
    print("listed, verified, sabotaged, timed and reported")


if __name__ == "__main__":
    main()
