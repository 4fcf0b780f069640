#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that no OpenCL kernel reads or writes outside its memory, or has a data race.

usage: oclgrind_test.py REPRISE WORD
"""

import pathlib
import shutil
import sys

from oclgrind import complaint_about

SKIPPED = 77


def main() -> None:
    if shutil.which("oclgrind") is None:
        print("there is no oclgrind: scripts/setup --tests installs it")
        sys.exit(SKIPPED)
    if complaint := complaint_about(pathlib.Path(sys.argv[1]), f"{sys.argv[2]}/opencl_*"):
        sys.exit(complaint)


if __name__ == "__main__":
    main()
