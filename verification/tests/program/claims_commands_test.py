#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every command that the ledger names to decide a claim is one that the program takes.

usage: claims_commands_test.py REPRISE
"""

import csv
import re
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

CLAIMS = Path(__file__).resolve().parents[3] / "reports/claims"


def commands() -> list[list[str]]:
    found = set()
    for path in sorted(CLAIMS.rglob("*.csv")):
        with path.open() as rows:
            for row in csv.DictReader(rows):
                found |= set(re.findall(r"reprise (run [a-z][^;(]*)", row.get("decided_by") or ""))
    return [shlex.split(command) for command in sorted(found)]


class CommandsThatDecideClaims(unittest.TestCase):
    def test_each_of_them_can_be_planned(self) -> None:
        self.assertTrue(commands())
        for words in commands():
            with self.subTest(shlex.join(words)):
                end = words.index("--") if "--" in words else len(words)
                result = subprocess.run([PROGRAM, *words[:end], "--dry-run", *words[end:]], capture_output=True, text=True)
                self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()
