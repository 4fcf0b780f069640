#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that a library of the wrong kind costs its variants, with the reason, and not the build.

usage: libraries_test.py SOURCE_DIR
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCES = sys.argv.pop(1)
QUICKLY = ("-DREPRISE_PAPERS=angiogenesis", "-DREPRISE_CUDA=OFF", "-DBUILD_TESTING=OFF")


class Hypre(unittest.TestCase):
    def reason_for(self, header: str) -> str:
        """What the program would say of hypre_gmres; empty if it is built."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "HYPRE_config.h").write_text(header)
            library = pathlib.Path(folder, "libHYPRE.so")
            library.touch()
            build = pathlib.Path(folder, "build")
            subprocess.run(["cmake", "-S", SOURCES, "-B", build, *QUICKLY, f"-DHYPRE_INCLUDE_DIR={folder}",
                            f"-DHYPRE_LIBRARY={library}"], check=True, capture_output=True, timeout=300)
            lines = (build / "manifest.cpp").read_text().splitlines()
        line = next(line for line in lines if '"angiogenesis/hypre_gmres"' in line)
        reason = line.rsplit('"', 2)[1]
        if "no MPI" in reason:
            self.skipTest(reason)
        return reason

    def test_the_usual_kind_is_built(self) -> None:
        self.assertEqual(self.reason_for("/* #undef HYPRE_BIGINT */\n/* #undef HYPRE_MIXEDINT */\n"), "")

    def test_wide_indices_and_other_numbers_are_a_reason(self) -> None:
        for macro, words in (("BIGINT", "has 64-bit indices"), ("MIXEDINT", "has 64-bit indices"),
                             ("SINGLE", "is not in double precision"), ("COMPLEX", "is in complex numbers")):
            self.assertIn(words, self.reason_for(f"#define HYPRE_{macro} 1\n"))


if __name__ == "__main__":
    unittest.main()
