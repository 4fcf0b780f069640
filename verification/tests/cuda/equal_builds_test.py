#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A CUDA source that is compiled twice, as the build does it, gives the same object to the byte.

usage: equal_builds_test.py BUILD
"""
from __future__ import annotations

import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

SOURCE = "solvers/jacobi/cuda_simple.cu"


def compiled(command: list[str], where: pathlib.Path, target: str, folder: str) -> bytes:
    made = where / "made.o"
    subprocess.run([part.replace(target, str(made)) for part in command], cwd=folder, check=True)
    return made.read_bytes()


def main() -> None:
    build = pathlib.Path(sys.argv[1])
    entries = json.loads((build / "compile_commands.json").read_text())
    entry = next(one for one in entries if one["file"].endswith(SOURCE))
    command = shlex.split(entry["command"])
    if not any(part.startswith("--frandom-seed") for part in command):
        print("this nvcc takes no seed")
        sys.exit(77)
    if pathlib.Path(command[0]).name == "ccache":
        del command[0]
    target = command[command.index("-o") + 1]
    with tempfile.TemporaryDirectory(prefix="reprise_") as folder:
        first, second = (compiled(command, pathlib.Path(folder), target, entry["directory"]) for _ in range(2))
    if first != second:
        sys.exit(f"two objects of {SOURCE} differ")


if __name__ == "__main__":
    main()
