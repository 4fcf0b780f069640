#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks OpenCL variants on devices with small work-groups and in every shape, which PoCL can be told to have.

usage: opencl_groups_test.py REPRISE
"""

import os
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
SHAPED = ("atrium/opencl_*", "tissue/opencl_vectors", "curvature/opencl_fused", "angiogenesis/opencl_*",
          "jacobi/opencl_local")  # choose lanes or groups for the device
FIXED = ("tissue/opencl_fused", "curvature/opencl_merson")  # have groups of a fixed size
SIZES = ("--size", "20x9")


def verify(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, "verify", "--device", "opencl:*", *arguments], capture_output=True, text=True,
                          timeout=500, env={**os.environ, **environment})


class Groups(unittest.TestCase):
    def setUp(self) -> None:
        listed = subprocess.run([PROGRAM, "doctor"], capture_output=True, text=True, timeout=100).stdout
        if "pocl" not in listed.lower() and "Portable Computing Language" not in listed:
            self.skipTest("no PoCL, whose groups can be limited")

    def test_variants_with_a_shape_need_no_number_of_items_or_lanes(self) -> None:
        for most, shape in (("1", "1x256"), ("64", "16x256")):
            result = verify(*SHAPED, POCL_MAX_WORK_GROUP_SIZE=most, REPRISE_OPENCL_SHAPE=shape)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertRegex(result.stdout, r"opencl:\d+ +ok ")

    def test_a_launch_may_make_several_steps(self) -> None:
        for shape in ("4x64x2", "1x32x5"):
            result = verify("atrium/opencl_fused", "curvature/opencl_fused", REPRISE_OPENCL_SHAPE=shape)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_groups_that_are_too_small_are_a_reason(self) -> None:
        for variant in FIXED:
            result = verify(variant, *SIZES, POCL_MAX_WORK_GROUP_SIZE="1")
            self.assertEqual(result.returncode, 5, result.stdout + result.stderr)
            self.assertTrue(re.search(r"needs groups of \d+ work-items: the device runs this kernel in groups of at most 1",
                                      result.stdout), result.stdout)

    def test_a_wrong_shape_is_one_line(self) -> None:
        for text in ("3x64", "4", "4x0", "4x64x0", "4x64x2x", "fast"):
            result = verify(*SHAPED, REPRISE_OPENCL_SHAPE=text)
            self.assertIn(f"REPRISE_OPENCL_SHAPE={text} is no shape", result.stdout + result.stderr)
            self.assertNotEqual(result.returncode, 0)


if __name__ == "__main__":
    unittest.main()
