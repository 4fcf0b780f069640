#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows `reprise run` on pseudo-terminals of two widths, without colours, in a pipe and as events.

usage: terminal_test.py PROGRAM
"""
from __future__ import annotations

import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = sys.argv.pop(1)
ESCAPE = re.compile(r"\x1b\[(\d*)([A-Za-z])")
COLOUR = re.compile(r"\x1b\[\d*m")
RUN = ["run", "jacobi/table3", "jacobi/table4", "--preset", "smoke", "--size", "32x32", "--device", "cpu"]


def output_of(pipe: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(pipe, 1 << 16)
        except OSError:  # the other side of a pseudo-terminal is closed
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts).decode()


def on_terminal(arguments: list[str], width: int, height: int = 24, **environment: str) -> tuple[int, str]:
    """Runs the program on a terminal of this size. Returns its status and all bytes that it wrote."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with subprocess.Popen([PROGRAM, *arguments], stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL,
                          env=variables | {"TERM": "xterm"} | environment) as process:
        os.close(theirs)
        written = output_of(ours)
    os.close(ours)
    return process.returncode, written


class Screen:
    """Enough of a terminal to follow lines that are drawn and erased. `widest` is the widest line that was erased."""

    def __init__(self, written: str) -> None:
        self.lines = [""]
        self.at = 0
        self.widest = 0
        place = 0
        for found in ESCAPE.finditer(written):
            self.write(written[place:found.start()])
            self.obey(found[2], int(found[1] or 1))
            place = found.end()
        self.write(written[place:])

    def write(self, text: str) -> None:
        for letter in text.replace("\r", ""):
            if letter != "\n":
                self.lines[self.at] += letter
                continue
            self.at += 1
            if self.at == len(self.lines):
                self.lines.append("")

    def obey(self, command: str, count: int) -> None:
        if command == "F":
            self.at = max(0, self.at - count)
        elif command == "J":
            self.widest = max([self.widest, *map(len, self.lines[self.at:])])
            del self.lines[self.at:]
            self.lines.append("")


class Terminal(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="reprise_")
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "run"

    def arguments(self, *more: str) -> list[str]:
        return [*RUN, "--out", str(self.out), *more]

    def test_lines_fit_and_only_results_stay(self) -> None:
        for width in (50, 120):
            with self.subTest(width=width), tempfile.TemporaryDirectory(prefix="reprise_") as name:
                status, written = on_terminal([*RUN, "--out", f"{name}/run"], width)
                self.assertEqual(status, 0, written)
                screen = Screen(written)
                self.assertLess(screen.widest, width)
                self.assertGreater(screen.widest, 40)
                self.assertIn("#", written)
                sums = re.findall(r"(?m)^all .*(?=\r)", written)
                self.assertTrue(sums)
                for line in sums:
                    self.assertRegex(line, r"eta (\d+:\d\d|\?)$")
                self.assertRegex(written, r"now: jacobi/table3 ")
                shown = "\n".join(screen.lines)
                self.assertNotIn("eta", shown)
                self.assertNotIn("now:", shown)
                self.assertRegex(shown, r"(?m)^jacobi/table3: \d+ cases")
                self.assertRegex(shown, r"(?m)^jacobi/table4: 1 case$")
                self.assertRegex(shown, r"\d+ cases measured")

    def test_reasons_of_skipped_cases_stay_and_fit(self) -> None:
        _, written = on_terminal(self.arguments(), 60)
        shown = Screen(written).lines
        self.assertRegex("\n".join(shown), r"(?m)^jacobi/table3 opencl_\w+@32x32: skipped")
        folder = next(line for line in shown if "rows in" in line or str(self.out) in line)
        for line in shown:
            if line != folder:
                self.assertLessEqual(len(line), 60, line)

    def test_a_planned_experiment_has_one_line(self) -> None:
        arguments = ["run", "jacobi/table*", "--budget", "10s", "--device", "cpu", "--out", str(self.out)]
        _, written = on_terminal(arguments, 80, height=50)
        ends = re.findall(r"(?m)^(jacobi/\w+): \d+ cases?", "\n".join(Screen(written).lines))
        self.assertTrue(ends)
        self.assertEqual(len(ends), len(set(ends)), ends)

    def test_results_have_median_spread_and_share_of_a_roof(self) -> None:
        _, written = on_terminal(self.arguments(), 140)
        self.assertRegex(written, r"  cpu_\w+@32x32 cpu  [\d.]+ [mu]?s  spread [\d.]+ %")

    def test_a_low_window_is_not_left(self) -> None:
        status, written = on_terminal(self.arguments(), 80, height=3)
        self.assertEqual(status, 0)
        ups = [int(count or 1) for count, command in ESCAPE.findall(written) if command == "F"]
        self.assertTrue(ups)
        self.assertLessEqual(max(ups), 2)

    def test_no_color_is_respected(self) -> None:
        _, coloured = on_terminal(self.arguments(), 80)
        self.assertRegex(coloured, COLOUR)
        self.out = self.out.parent / "again"
        _, plain = on_terminal(self.arguments(), 80, NO_COLOR="1")
        self.assertNotRegex(plain, COLOUR)
        self.assertIn("#", plain)

    def test_a_terminal_without_a_cursor_and_a_pipe_have_lines(self) -> None:
        _, dumb = on_terminal(self.arguments(), 80, TERM="dumb")
        self.out = self.out.parent / "again"
        piped = subprocess.run([PROGRAM, *self.arguments()], check=True, capture_output=True, text=True).stdout
        for written in (dumb, piped):
            self.assertNotIn("\x1b", written)
            self.assertRegex(written, r"(?m)^\[ *\d+/\d+\] eta \d+ s  jacobi/table3 ")

    def test_events_fit_their_schema(self) -> None:
        done = subprocess.run([PROGRAM, *self.arguments("--json")], check=True, capture_output=True, text=True)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        schema = json.loads((ROOT / "benchmarks/harness/events.schema.json").read_text(encoding="utf-8"))
        validator = jsonschema.Draft202012Validator(schema)
        for event in events:
            validator.validate(event)
        self.assertEqual((events[0]["event"], events[-1]["event"]), ("begin", "end"))
        cases = [event for event in events if event["event"] == "case"]
        self.assertEqual({case["experiment"] for case in cases}, {"jacobi/table3", "jacobi/table4"})
        measured = [case for case in cases if case["status"] in ("ok", "disturbed")]
        self.assertTrue(measured)
        steps = [event for event in events if event["event"] in ("case", "step") and event["done"] > 0]
        self.assertGreater(len(steps), len(cases))  # roofs are steps too
        self.assertEqual(cases[-1]["total"], events[0]["steps"])
        self.assertEqual(events[-1]["measured"], len(measured))
        self.assertEqual(cases[-1]["done"], cases[-1]["total"])
        with self.assertRaises(jsonschema.ValidationError):
            validator.validate(cases[0] | {"status": "maybe"})

    def test_events_and_a_dry_run_exclude_each_other(self) -> None:
        done = subprocess.run([PROGRAM, *self.arguments("--json", "--dry-run")], check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("excludes", done.stderr)


if __name__ == "__main__":
    unittest.main()
