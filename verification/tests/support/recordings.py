# SPDX-License-Identifier: MIT
"""scripts/record as tests call it: in a folder of its own, with scripts in place of the program and of nvidia-smi."""
from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts/record"
LOADER = importlib.machinery.SourceFileLoader("record", str(SCRIPT))
record = importlib.util.module_from_spec(importlib.util.spec_from_loader("record", LOADER))
LOADER.exec_module(record)
from recording import repeatability  # noqa: E402, F401

PIECES = """
[gpu]
machine = "one GPU"
gpu = "NVIDIA H200"
gpus = 1
decides_claims = true

[[gpu.piece]]
name = "first"
run = "jacobi/fast --preset paper"
seconds = 5

[[gpu.piece]]
name = "second"
run = "jacobi/slow --parameter 'a b'"
seconds = 60
threads = 4
"""


class RecordingTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="reprise_")))
        self.keep, self.program, self.recorded = (self.folder / name for name in ("keep", "reprise", "recorded"))
        shutil.copy(ROOT / "verification/tests/support/recorded_by.py", self.program)
        (self.folder / "pieces.toml").write_text(PIECES)
        self.become("NVIDIA H200, 580.1, GPU-1")

    def become(self, *gpus: str) -> None:
        """The GPUs that nvidia-smi tells of."""
        tool = self.folder / "bin/nvidia-smi"
        tool.parent.mkdir(exist_ok=True)
        tool.write_text("#!/bin/sh\n" + "".join(f"echo '{gpu}'\n" for gpu in gpus))
        tool.chmod(0o755)

    def feel(self, **mood: object) -> None:
        (self.folder / "mood.json").write_text(json.dumps(mood))

    def command(self, *arguments: object) -> list[str]:
        return [sys.executable, str(SCRIPT), "gpu", "--pieces", str(self.folder / "pieces.toml"), "--program", str(self.program),
                "--keep", str(self.keep), "--recorded", str(self.recorded), *map(str, arguments)]

    def environment(self) -> dict[str, str]:
        return dict(os.environ, PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")

    def record(self, *arguments: object, status: int = 0) -> str:
        """What the script says. It is called within this process, which is faster than starting it."""
        out, err = io.StringIO(), io.StringIO()
        with (contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), self.assertRaises(SystemExit) as end,
              mock.patch.object(sys, "argv", self.command(*arguments)[1:]), mock.patch.dict(os.environ, self.environment())):
            record.main()
        self.assertEqual(end.exception.code, status, out.getvalue() + err.getvalue())
        if status == 1 and err.getvalue():
            self.assertRegex(err.getvalue(), r"\Ascripts/record: [^\n]+\n\Z")
        return out.getvalue() + err.getvalue()

    def journal(self) -> list[dict]:
        return [json.loads(line) for line in (self.keep / "journal.jsonl").read_text().splitlines()]

    def events(self, piece: str) -> list[str]:
        return [line["event"] for line in self.journal()[1:] if line["piece"] == piece]

    def make_whole(self, keep: pathlib.Path) -> None:
        """A finished recording, without waiting for the slow piece."""
        for name in ("first", "second"):
            subprocess.run([self.program, "run", "--out", keep / name, "jacobi/fast"], check=True)
