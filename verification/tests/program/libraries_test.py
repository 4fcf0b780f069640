#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that a library of the wrong kind costs its variants, with the reason, and not the build.

usage: libraries_test.py SOURCE_DIR
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCES = sys.argv.pop(1)
QUICKLY = ("-DREPRISE_PAPERS=angiogenesis", "-DBUILD_TESTING=OFF")


def reason_against(variant: str, folder: str, *options: str) -> str:
    """What the program would say of a variant; empty if it is built."""
    build = pathlib.Path(folder, "build")
    subprocess.run(["cmake", "-S", SOURCES, "-B", build, *QUICKLY, *options], check=True, capture_output=True, timeout=300)
    lines = (build / "manifest.cpp").read_text().splitlines()
    line = next(line for line in lines if f'"angiogenesis/{variant}"' in line)
    return line.rsplit('"', 2)[1]


class Hypre(unittest.TestCase):
    def reason_for(self, header: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "HYPRE_config.h").write_text(header)
            library = pathlib.Path(folder, "libHYPRE.so")
            library.touch()
            reason = reason_against("hypre_gmres", folder, "-DREPRISE_CUDA=OFF", f"-DHYPRE_INCLUDE_DIR={folder}",
                                    f"-DHYPRE_LIBRARY={library}")
        if "no MPI" in reason:
            self.skipTest(reason)
        return reason

    def test_the_usual_kind_is_built(self) -> None:
        self.assertEqual(self.reason_for("/* #undef HYPRE_BIGINT */\n/* #undef HYPRE_MIXEDINT */\n"), "")

    def test_wide_indices_and_other_numbers_are_a_reason(self) -> None:
        for macro, words in (("BIGINT", "has 64-bit indices"), ("MIXEDINT", "has 64-bit indices"),
                             ("SINGLE", "is not in double precision"), ("COMPLEX", "is in complex numbers")):
            self.assertIn(words, self.reason_for(f"#define HYPRE_{macro} 1\n"))


class Magma(unittest.TestCase):
    def reason_for(self, config: str | None, needed: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "include").mkdir()
            pathlib.Path(folder, "lib").mkdir()
            pathlib.Path(folder, "include", "magma_v2.h").touch()
            if config is not None:
                pathlib.Path(folder, "include", "magma_config.h").write_text(config)
            pathlib.Path(folder, "lib", "libmagma.so").write_bytes(b"\x7fELF\0" + needed.encode() + b"\0libm.so.6\0")
            reason = reason_against("magma_lu", folder, "-DREPRISE_CUDA=AUTO", "-DCMAKE_CUDA_ARCHITECTURES=90",
                                    f"-DMAGMA_ROOT={folder}")
        if "nvcc" in reason:
            self.skipTest(reason)
        return reason

    def test_one_for_another_cuda_is_a_reason(self) -> None:
        reason = self.reason_for("#define MAGMA_HAVE_CUDA\n", "libcublas.so.7")
        self.assertRegex(reason, r"libmagma\.so was built for CUDA 7 and this program for CUDA \d+: build MAGMA with the same")

    def test_one_for_other_gpus_or_too_old_is_a_reason(self) -> None:
        for config in ("#undef MAGMA_HAVE_CUDA\n#define MAGMA_HAVE_HIP\n", None):
            self.assertIn("was not built for CUDA, or is older than 2.6", self.reason_for(config, "libcublas.so.7"))

    def test_one_for_this_cuda_is_built(self) -> None:
        ours = re.search(r"this program for CUDA (\d+)", self.reason_for("#define MAGMA_HAVE_CUDA\n", "libcublas.so.7"))
        assert ours is not None
        self.assertEqual(self.reason_for("#define MAGMA_HAVE_CUDA\n", f"libcublas.so.{ours[1]}"), "")


if __name__ == "__main__":
    unittest.main()
