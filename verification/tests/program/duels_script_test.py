#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/duels goes on where an earlier call was killed, and judges trials by what `reprise duel` promises."""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
LOADER = importlib.machinery.SourceFileLoader("duels", str(ROOT / "scripts/duels"))
duels = importlib.util.module_from_spec(importlib.util.spec_from_loader("duels", LOADER))
LOADER.exec_module(duels)


def trial(number: int, slower: int, verdict: str, ratio: float = 0.0, seconds: float = 7.5) -> dict[str, str]:
    return dict(zip(duels.COLUMNS, map(str, (slower, "cpu", "no", 1, number, verdict, ratio, seconds, 20, 1.5)), strict=True))


def keeps_promises(rows: list[dict[str, str]]) -> bool:
    with contextlib.redirect_stdout(io.StringIO()):
        return duels.summarize(rows)


class Duels(unittest.TestCase):
    def setUp(self) -> None:
        self.file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="reprise_"))) / "trials.csv"

    def test_a_torn_line_is_made_again(self) -> None:
        head = ",".join(duels.COLUMNS) + "\n"
        whole = head + "0,cpu,no,1,0,SAME,0.001,7.1,20,1.0\n"
        for torn in ("", "5,cpu,no,1,0,SLO", "5,cpu,no,1,0,SLOWER,0.05,7.1,20,1."):
            self.file.write_text(whole + torn)
            self.assertEqual([row["trial"] for row in duels.kept_trials(self.file)], ["0"])
            self.assertEqual(self.file.read_text(), whole)
        self.assertEqual(duels.kept_trials(self.file.with_name("none")), [])
        self.file.write_text(head[:5])
        self.assertEqual(duels.kept_trials(self.file), [])
        self.assertEqual(self.file.read_text(), "")

    def test_a_file_of_something_else_is_refused_and_kept(self) -> None:
        for text in ("slower,device\n0,cpu\n", ",".join(duels.COLUMNS) + "\n0,cpu\n", "a,b\n"):
            self.file.write_text(text)
            with self.assertRaisesRegex(SystemExit, "has no trials of this script"):
                duels.kept_trials(self.file)
            self.assertEqual(self.file.read_text(), text)

    def test_the_slow_program_of_a_gpu_has_the_work_in_what_runs_on_a_gpu(self) -> None:
        with mock.patch.object(duels, "program_of_one") as made:
            for device, subject in duels.SUBJECTS.items():
                duels.program(mock.Mock(folder=pathlib.Path("build")), subject, 1)
                parts = made.call_args.args[2]
                self.assertEqual(parts.is_timed, device == "cuda")  # the emulated source otherwise

    def test_promises_are_judged(self) -> None:
        same = [trial(i, 0, "SAME") for i in range(200)]
        found = [trial(i, 5, "SLOWER", 0.05) for i in range(100)]
        self.assertTrue(keeps_promises(same + found))
        self.assertTrue(keeps_promises([trial(i, 0, "SLOWER" if i < 2 else "SAME") for i in range(200)]))
        self.assertFalse(keeps_promises([trial(i, 0, "SLOWER" if i < 3 else "SAME") for i in range(200)]))
        self.assertFalse(keeps_promises([trial(i, 5, "UNDECIDED" if i < 6 else "SLOWER", 0.05) for i in range(100)]))
        self.assertFalse(keeps_promises([trial(i, 5, "FASTER" if i < 2 else "SLOWER", 0.05) for i in range(100)]))
        # Half of the least that is to be found, and not more than usual.
        self.assertEqual([duels.margin_for(slower) for slower in ([0], [0, 5, 2], [0, 1])], [1, 1, 0.5])
        # A side that is favoured, whichever program it has; and a trial that takes too long.
        self.assertFalse(keeps_promises([trial(i, 0, "SAME", 0.004 * (-1) ** i) for i in range(200)]))
        self.assertFalse(keeps_promises([*same, trial(200, 0, "SAME", 0, 9)]))


if __name__ == "__main__":
    unittest.main()
