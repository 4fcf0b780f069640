# SPDX-License-Identifier: MIT
"""Runs the pieces that are left, one after the other, until the time is up."""
from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import time

from recording.checks import flaws_of_run
from recording.errors import Refusal
from recording.journal import Journal
from recording.machine import Machine, require_device, require_same_kind
from recording.pieces import Device, Piece
from recording.run_files import is_finished

WRONG_ANSWER = 2  # exit status of `reprise run` whose run is complete nevertheless
PATIENCE = 60  # seconds that the program has to end after a signal


class Session:
    def __init__(self, device: Device, machine: Machine, program: pathlib.Path, keep: pathlib.Path, minutes: float) -> None:
        self.device, self.machine, self.program, self.keep = device, machine, program, keep
        self.end = time.monotonic() + 60 * minutes
        self.journal = Journal(keep)
        if self.journal.kind is not None:
            if self.journal.device != device.name:
                raise Refusal(f"{self.journal.file} is that of {self.journal.device}: choose another --keep")
            require_same_kind(self.journal.kind, machine.kind, self.journal.file)
        require_device(machine, device)
        self.journal.begin(device.name, machine.kind)

    def record(self, pieces: list[Piece]) -> bool:
        """Whether all pieces are finished now."""
        for piece in pieces:
            if is_finished(self.keep / piece.name):
                continue
            left = self.end - time.monotonic()
            if piece.seconds > left:
                print(f"{piece.name}: takes about {piece.seconds:g} s, and {max(left, 0):.0f} s are left: call again")
                return False
            if not self._run(piece):
                return False
        return True

    def _command(self, piece: Piece) -> list[str]:
        run = self.keep / piece.name
        # mpirun would bind rank 0 to one processor, on which the references of large problems take minutes.
        ranks = ["mpirun", "-n", str(piece.ranks), "--bind-to", "none"] if piece.ranks > 1 else []
        if os.geteuid() == 0 and ranks:
            ranks.append("--allow-run-as-root")
        begun = self.journal.last(piece.name)
        if run.exists() and (begun is None or any(begun[key] != value for key, value in self.machine.place().items())):
            # Its roofs are those of another board, which its other cases would be set against.
            print(f"{piece.name}: was begun on another board or host and starts again")
            shutil.rmtree(run)
        elif run.exists() and not (run / "run.json").exists():
            shutil.rmtree(run)
        return [*ranks, str(self.program), "run", "--out", str(run), *(["--resume"] if run.exists() else piece.run)]

    def _run(self, piece: Piece) -> bool:
        command = self._command(piece)
        environment = dict(os.environ, **({"OMP_NUM_THREADS": str(piece.threads)} if piece.threads else {}))
        self.journal.add("begun", piece.name, self.machine.place())
        print(f"{piece.name}: {' '.join(command)}", flush=True)
        begin = time.monotonic()
        with (self.keep / f"{piece.name}.log").open("a", encoding="utf-8") as log:
            # In a session of its own, so that a signal from the terminal reaches it once, from here.
            child = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
            status, is_stopped = self._wait(child)
        seconds = time.monotonic() - begin
        event = self._event(piece, status, is_stopped)
        self.journal.add(event, piece.name, self.machine.place(), seconds)
        print(f"{piece.name}: {event} after {seconds:.0f} s", flush=True)
        if event == "failed":
            raise Refusal(f"{piece.name}: the program ended with {status}: {self._last_line(piece)}")
        if is_stopped == "signal":
            raise KeyboardInterrupt
        if event == "finished" and (flaws := flaws_of_run(self.keep / piece.name)):
            raise Refusal(f"{piece.name}: {flaws[0]}: no recording is made of it")
        return event == "finished"

    def _wait(self, child: subprocess.Popen) -> tuple[int, str]:
        """The exit status, and why the program was stopped: "time", "signal", or empty."""
        try:
            return child.wait(timeout=max(self.end - time.monotonic(), 1)), ""
        except subprocess.TimeoutExpired:
            reason = "time"
        except KeyboardInterrupt:
            reason = "signal"
        child.send_signal(signal.SIGINT)
        try:
            return child.wait(timeout=PATIENCE), reason
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            child.kill()
            return child.wait(), reason

    def _event(self, piece: Piece, status: int, is_stopped: str) -> str:
        if status in (0, WRONG_ANSWER) and is_finished(self.keep / piece.name):
            return "finished"
        return "interrupted" if is_stopped else "failed"

    def _last_line(self, piece: Piece) -> str:
        lines = (self.keep / f"{piece.name}.log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"
