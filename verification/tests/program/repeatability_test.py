#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/repeatability.md and its pictures are what the recordings in the tree make.

usage: repeatability_test.py REPRISE
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/repeatability.md"
PROGRAM = sys.argv.pop(1)
HOW_TO_MEND = "run scripts/record DEVICE --compare reports/recorded/DEVICE reports/repeated/DEVICE for each device"
REPEATED = sorted(path.name for path in (ROOT / "reports/repeated").iterdir())


class Repeatability(unittest.TestCase):
    def test_the_page_is_made_from_the_recordings(self) -> None:
        self.assertTrue(REPEATED)
        with tempfile.TemporaryDirectory(prefix="reprise_") as folder:
            made = pathlib.Path(folder) / PAGE.name
            for device in REPEATED:
                recordings = [ROOT / "reports/recorded" / device, ROOT / "reports/repeated" / device]
                subprocess.run([ROOT / "scripts/record", device, "--compare", *recordings, "--out", made, "--program", PROGRAM],
                               check=True, stdout=subprocess.DEVNULL)
                picture = f"{PAGE.stem}-{device}.svg"
                self.assertEqual((PAGE.parent / picture).read_text(), (made.parent / picture).read_text(), HOW_TO_MEND)
            self.assertEqual(PAGE.read_text(), made.read_text(), HOW_TO_MEND)


if __name__ == "__main__":
    unittest.main()
