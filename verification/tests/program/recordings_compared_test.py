#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/record --compare finds what differs between two recordings, and its cause.

usage: recordings_compared_test.py
"""
from __future__ import annotations

import pathlib
import random
import shutil
import unittest

from recordings import RecordingTest, repeatability


class Compared(RecordingTest):
    def write_rows(self, run: pathlib.Path, values: list[float], statuses: dict[int, str], reasons: dict[int, str]) -> None:
        lines = [f"jacobi/fast,jacobi/openmp,cuda:0,single,8x8,number={i},time_solve,{value},{statuses.get(i, 'ok')},"
                 f"{reasons.get(i, '')}\n" for i, value in enumerate(values)]
        head = "experiment,variant,device,precision,size,parameter,metric,value,status,reason\n"
        (run / "rows.csv").write_text(head + "".join(lines))

    def test_two_recordings_are_compared_and_what_differs_is_listed_with_its_cause(self) -> None:
        a, b, page = self.folder / "a", self.folder / "b", self.folder / "repeatability.md"
        for keep in (a, b):
            self.make_whole(keep)
            shutil.rmtree(keep / "second")
        noise = [0.01 * ((i * 0.618034) % 1 - 0.5) for i in range(60)]
        values = [1 + noise[i] for i in range(60)]
        values[7], values[9], values[11], values[13] = 1.3, 1.4, 0.8, 2.5
        self.write_rows(a / "first", [1.0] * 60, {}, {7: "1 of 9 samples left out", 11: "2 of 9 samples left out"})
        self.write_rows(b / "first", values, {9: "disturbed", 20: "failed"}, {7: "clock moved from 1980 to 1500 MHz"})
        self.assertIn("58 cases of 1 pieces, 3 found to differ, 1 wrong", self.record("--compare", a, b, "--out", page))
        text = page.read_text()
        self.assertRegex(text, r"\| NVIDIA H200 \| 58 \| 0\.\d+ % \| 0\.\d+ % \| 3 \| 1 \| 0 \|")
        self.assertIn("+30.0 % | the second recording says: clock moved from 1980 to 1500 MHz |", text)
        self.assertIn("number=11 time_solve` | NVIDIA H200 | -20.0 % | the first recording says: 2 of 9 samples left out |", text)
        self.assertIn("- `jacobi/fast jacobi/openmp single 8x8 number=20 time_solve` on NVIDIA H200: not the sum", text)
        self.assertNotIn("number=9 ", text)
        self.assertIn("number=13 time_solve` | NVIDIA H200 | +150.0 % | unexplained |", text)
        drawing = (self.folder / "repeatability-gpu.svg").read_text()
        self.assertEqual(drawing.count("<circle"), 58)
        self.assertIn("at the ends: beyond a factor of 2", drawing)

    def test_a_difference_of_a_case_that_launches_bind_is_the_host_s(self) -> None:
        a, b, page = self.folder / "a", self.folder / "b", self.folder / "page.md"
        slow = {5: 1.4, 6: 1.4}
        for keep, times in ((a, {}), (b, slow)):
            self.make_whole(keep)
            shutil.rmtree(keep / "second")
            self.write_rows(keep / "first", [times.get(i, 1 + 0.001 * (i % 7) * bool(times)) for i in range(30)], {}, {})
            with (keep / "first/rows.csv").open("a") as rows:
                for number, (share, bound) in {5: (85, "launches; 3.7 us each"), 6: (85, "memory 90 %")}.items():
                    rows.write(f"jacobi/fast,jacobi/openmp,cuda:0,single,8x8,number={number},share_of_binding_roof,{share},ok,{bound}\n")
        self.record("--compare", a, b, "--out", page)
        text = page.read_text()
        cause = "launches bind it, which the host issues: 85 % of the time at best, then 85 %"
        self.assertIn(f"number=5 time_solve` | NVIDIA H200 | +40.0 % | {cause} |", text)
        self.assertIn("number=6 time_solve` | NVIDIA H200 | +40.0 % | unexplained |", text)

    def test_a_case_that_only_one_recording_has_in_a_precision_is_left_out(self) -> None:
        a, b, page = self.folder / "a", self.folder / "b", self.folder / "page.md"
        for keep in (a, b):
            self.make_whole(keep)
            shutil.rmtree(keep / "second")
            self.write_rows(keep / "first", [1.0] * 30, {}, {})
        with (a / "first/rows.csv").open("a") as rows:
            rows.write("jacobi/fast,jacobi/openmp,cuda:0,double,8x8,number=3,time_solve,2,ok,\n")
        self.assertIn("30 cases of 1 pieces, 0 found to differ, 0 wrong", self.record("--compare", a, b, "--out", page))

    def test_the_page_of_recordings_has_a_section_for_each_device(self) -> None:
        first = repeatability.page("", "b", "about b")
        both = repeatability.page(first, "a", "about a")
        self.assertIn("\n## a\n\nabout a\n\n## b\n\nabout b\n", both)
        again = repeatability.page(both, "b", "anew")
        self.assertIn("\n## a\n\nabout a\n\n## b\n\nanew\n", again)
        self.assertTrue(again.startswith("# How far recordings agree\n"))
        self.assertNotIn("about b", again)

    def test_recordings_that_cannot_be_compared_are_refused(self) -> None:
        a, b, page = self.folder / "a", self.folder / "b", self.folder / "page.md"
        self.assertIn("have no piece of gpu in common", self.record("--compare", a, b, "--out", page, status=1))
        self.make_whole(a)
        self.feel(git="ba9876543210")
        self.make_whole(b)
        self.assertIn("are of several commits", self.record("--compare", a, b, "--out", page, status=1))
        self.assertFalse(page.exists())


class Discoveries(unittest.TestCase):
    def ratios(self, shifts: list[float]) -> list[repeatability.Ratio]:
        return [repeatability.Ratio("d", str(i), shift, 0.001, "") for i, shift in enumerate(shifts)]

    def test_noise_is_found_to_differ_in_few_recordings_and_shifts_in_most(self) -> None:
        luck = random.Random(1)
        false = sum(bool(repeatability.discoveries(self.ratios([luck.gauss(0, .01) for _ in range(300)]))) for _ in range(200))
        self.assertLessEqual(false, 8)  # 1 % of 200, and chance
        found = repeatability.discoveries(self.ratios([luck.gauss(0, .01) for _ in range(300)] + [.08] * 10))
        self.assertGreaterEqual(sum(ratio.shift == .08 for ratio in found), 10)
        self.assertLessEqual(len(found), 12)

    def test_few_or_equal_cases_are_no_evidence(self) -> None:
        self.assertEqual(repeatability.discoveries(self.ratios([0.5] * 19)), [])
        self.assertEqual(repeatability.discoveries(self.ratios([0.0] * 40)), [])


if __name__ == "__main__":
    unittest.main()
