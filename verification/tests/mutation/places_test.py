#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that each planted fault still has its place: the text that it replaces occurs exactly once in its file. Builds
nothing, so that a change of the sources is not found only when all faults are built, at night.

usage: places_test.py
"""

from __future__ import annotations

import pathlib
import tomllib
import unittest

from mutants import HERE, Change, Moved, change_of, read_problem_changes


def tables() -> list[pathlib.Path]:
    """All tables of changes: of the papers, and of this folder."""
    return sorted([*HERE.parent.glob("*/faults.toml"), *HERE.parent.glob("*/late_faults.toml"),
                   HERE / "late_cuda_faults.toml", HERE / "sabotage.toml"])


def changes_in(table: pathlib.Path) -> list[Change]:
    content = tomllib.loads(table.read_text(encoding="utf-8"))
    entries = content.get("faults", []) + [fault for group in content.get("groups", []) for fault in group["faults"]]
    return [change_of(table, entry) for entry in entries] + [change for change, _ in read_problem_changes(table)]


class Places(unittest.TestCase):
    def test_each_fault_has_its_place(self) -> None:
        for table in tables():
            changes = changes_in(table)
            self.assertTrue(changes, table)
            for change in changes:
                with self.subTest(table=f"{table.parent.name}/{table.name}", fault=change.name):
                    self.assertNotEqual(change.text(), "")

    def test_a_fault_without_a_place_is_named(self) -> None:
        change = change_of(tables()[0], ["angiogenesis/eigen_lu.cpp", "gone", "no such text", "", "eigen_lu"])
        with self.assertRaisesRegex(Moved, "gone: .* 0 times, not once"):
            change.text()


if __name__ == "__main__":
    unittest.main()
