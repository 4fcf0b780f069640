# SPDX-License-Identifier: MIT
"""Verifies OpenCL variants in Oclgrind, which checks every access of a kernel and finds data races."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess

# Small problems, with several work-groups: the simulator needs some microseconds for each instruction. The atrium
# takes no sizes; it makes its spheres small on a simulator by itself.
SIZES = {"angiogenesis": "20", "curvature": "33x9", "jacobi": "40x9", "tissue": "20x9"}
# Vectors of cells, of which the last is not whole, in several groups, and several steps a launch, so that margins become stale. A
# search for the fastest shape would take minutes.
SHAPE = "8x2x5"
COMPLAINT = re.compile(r"^(?:.*data race|Invalid|Work-group divergence|.*not aligned).*", re.MULTILINE)


def complaint_about(program: pathlib.Path, variants: str) -> str:
    """The first complaint about these variants of a paper, as "jacobi/opencl_*"; empty if there is none."""
    word = variants.split("/")[0]
    sizes = ["--size", SIZES[word]] if word in SIZES else []
    result = subprocess.run(
        ["oclgrind", "--data-races", program, "verify", variants, "--device", "opencl:*", *sizes],
        capture_output=True, text=True, timeout=300, env={**os.environ, "REPRISE_OPENCL_SHAPE": SHAPE})
    if found := COMPLAINT.search(result.stdout + result.stderr):
        return found[0].strip()
    return "" if result.returncode == 0 else f"status {result.returncode}: {result.stdout[-300:]}"
