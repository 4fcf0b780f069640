# SPDX-License-Identifier: MIT
"""Runs the pieces that are left until the time is up, on a machine with several GPUs one on each of them."""
from __future__ import annotations

import collections
import concurrent.futures
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

from recording.checks import flaws_of_run
from recording.errors import Refusal
from recording.journal import Journal
from recording.machine import Machine, require_device, require_same_kind
from recording.pieces import Device, Piece
from recording.run_files import is_disturbed, is_finished, lines_of

WRONG_ANSWER = 2  # exit status of `reprise run` whose run is complete nevertheless
PATIENCE = 60  # seconds that the program has to end after a signal


class Session:
    def __init__(self, device: Device, machine: Machine, program: pathlib.Path, keep: pathlib.Path, minutes: float) -> None:
        self.device, self.program, self.keep = device, program, keep
        self.shares = machine.shares(device.gpus, device.cores)
        self.end = time.monotonic() + 60 * minutes
        self.is_over = threading.Event()  # by a signal or a refusal
        self.is_urgent = threading.Event()  # by a second signal
        self.waiting: list[Piece] = []
        self.told: set[str] = set()  # pieces that do not fit into the time
        self.lock = threading.Lock()  # of the two
        self.failures: list[str] = []
        self.journal = Journal(keep)
        kind = self.shares[0].kind
        if self.journal.kind is not None:
            if self.journal.device != device.name:
                raise Refusal(f"{self.journal.file} is that of {self.journal.device}: choose another --keep")
            require_same_kind(self.journal.kind, kind, self.journal.file)
        require_device(self.shares[0], device)
        self.journal.begin(device.name, kind)

    def record(self, pieces: list[Piece]) -> bool:
        """Whether all pieces are finished now."""
        self.waiting = [piece for piece in pieces if not is_finished(self.keep / piece.name) and self._has_place(piece)]
        workers: list[concurrent.futures.Future[None]] = []
        with concurrent.futures.ThreadPoolExecutor(len(self.shares)) as pool:
            try:
                workers += [pool.submit(self._work_on, share) for share in self.shares]
                concurrent.futures.wait(workers)
            except KeyboardInterrupt:
                self._end(workers)
                raise
        for worker in workers:
            worker.result()  # raises what it raised
        if self.failures:
            raise Refusal("; ".join(self.failures))
        return all(is_finished(self.keep / piece.name) for piece in pieces)

    def _end(self, workers: list[concurrent.futures.Future[None]]) -> None:
        """Waits until the programs have ended; another signal ends them at once."""
        self.is_over.set()
        while True:
            try:
                concurrent.futures.wait(workers)
                return
            except KeyboardInterrupt:
                self.is_urgent.set()

    def _has_place(self, piece: Piece) -> bool:
        if piece.uses_one_gpu or not self.shares[0].is_share():
            return True
        print(f"{piece.name}: needs a machine of its own, with one GPU", flush=True)
        return False

    def _work_on(self, share: Machine) -> None:
        try:
            while piece := self._next(share):
                self._run(piece, share)
        except BaseException:
            self.is_over.set()
            raise

    def _next(self, share: Machine) -> Piece | None:
        """The next piece for this share that fits into what is left of the time."""
        with self.lock:
            if self.is_over.is_set():
                return None
            left = self.end - time.monotonic()
            own = [piece for piece in self.waiting if not self._is_of_another(piece, share)]
            # What was begun goes on first, since another board could not. Of the others long ones, which fit only early.
            own.sort(key=lambda piece: (not self._is_under_way(piece, share), -piece.seconds))
            fitting = next((piece for piece in own if self._seconds_left(piece, share) <= left), None)
            if fitting is not None:
                self.waiting.remove(fitting)
            elif own and own[0].name not in self.told:
                first = own[0]
                self.told.add(first.name)
                print(f"{first.name}: takes about {self._seconds_left(first, share):.0f} s, and {max(left, 0):.0f} s are left: "
                      "call again", flush=True)
            return fitting

    def _goes_on(self, piece: Piece, share: Machine) -> bool:
        """Whether it was begun here and can be resumed."""
        begun = self.journal.last(piece.name)
        return begun is not None and share.is_place_of(begun) and (self.keep / piece.name / "run.json").exists()

    def _spent(self, piece: Piece, share: Machine) -> float:
        """Seconds for which a piece ran that goes on here; 0 if it starts from the beginning."""
        return self.journal.seconds_since_start(piece.name) if self._goes_on(piece, share) else 0

    def _is_under_way(self, piece: Piece, share: Machine) -> bool:
        """Whether it goes on with a prospect of coming to an end: one that hangs would keep all others from starting."""
        return (self._goes_on(piece, share) and self.journal.last(piece.name)["event"] != "failed"
                and self._spent(piece, share) < 2 * piece.seconds)

    def _seconds_left(self, piece: Piece, share: Machine) -> float:
        # An estimate that was too low says nothing of the rest.
        return max(piece.seconds - self._spent(piece, share), piece.seconds / 10)

    def _is_of_another(self, piece: Piece, share: Machine) -> bool:
        """Whether it was begun on the board of another share, which goes on with it."""
        begun = self.journal.last(piece.name)
        if begun is None or not (self.keep / piece.name).exists():
            return False
        return not share.is_place_of(begun) and any(other.is_place_of(begun) for other in self.shares)

    def _command(self, piece: Piece, share: Machine, is_resumed: bool) -> list[str]:
        run = self.keep / piece.name
        # mpirun would bind rank 0 to one processor, on which the references of large problems take minutes.
        ranks = ["mpirun", "-n", str(piece.ranks), "--bind-to", "none"] if piece.ranks > 1 else []
        if os.geteuid() == 0 and ranks:
            ranks.append("--allow-run-as-root")
        begun = self.journal.last(piece.name)
        if run.exists() and not is_resumed:
            if begun is None or not share.is_place_of(begun):
                # Its roofs are those of another board, which its other cases would be set against.
                print(f"{piece.name}: was begun on another board or host and starts again", flush=True)
            shutil.rmtree(run)
        # The run keeps its command, which tells nothing of the folders of this machine.
        return [*share.prefix(), *ranks, str(self.program.resolve()), "run", "--out", piece.name,
                *(["--resume"] if is_resumed else piece.run)]

    def _run(self, piece: Piece, share: Machine) -> None:
        is_resumed = self._goes_on(piece, share)
        command = self._command(piece, share, is_resumed)
        self.journal.add("begun", piece.name, share.place(), is_resumed=is_resumed)
        print(f"{piece.name}: {' '.join(command)}", flush=True)
        begin = time.monotonic()
        with (self.keep / f"{piece.name}.log").open("a", encoding="utf-8") as log:
            # In a session of its own, so that a signal from the terminal reaches it once, from here.
            child = subprocess.Popen(command, cwd=self.keep, env=os.environ | piece.environment(), stdout=log,
                                     stderr=subprocess.STDOUT, start_new_session=True)
            status, is_stopped = self._wait(child)
        seconds = time.monotonic() - begin
        event = self._event(piece, status, is_stopped)
        self.journal.add(event, piece.name, share.place(), seconds)
        print(f"{piece.name}: {event} after {seconds:.0f} s{self._disturbed(piece) if event == 'finished' else ''}", flush=True)
        if event == "failed":  # others need not
            self.failures.append(f"{piece.name}: the program ended with {status}: {self._last_line(piece)}")
        if event == "finished" and (flaws := flaws_of_run(self.keep / piece.name)):
            raise Refusal(f"{piece.name}: {flaws[0]}: no recording is made of it")

    def _wait(self, child: subprocess.Popen) -> tuple[int, bool]:
        """The exit status, and whether the program was stopped, by a signal or as the time was up."""
        while not self.is_over.is_set() and time.monotonic() < self.end:
            try:
                return child.wait(timeout=.5), False
            except subprocess.TimeoutExpired:
                pass
        child.send_signal(signal.SIGINT)
        latest = time.monotonic() + PATIENCE
        while not self.is_urgent.is_set() and time.monotonic() < latest:
            try:
                return child.wait(timeout=.5), True
            except subprocess.TimeoutExpired:
                pass
        child.kill()
        return child.wait(), True

    def _event(self, piece: Piece, status: int, is_stopped: bool) -> str:
        if status in (0, WRONG_ANSWER) and is_finished(self.keep / piece.name):
            return "finished"
        return "interrupted" if is_stopped else "failed"

    def _disturbed(self, piece: Piece) -> str:
        """What tells that the machine was not quiet enough: of each device with disturbed times how many they are."""
        times = collections.defaultdict(list)
        for row in lines_of(self.keep / piece.name / "rows.csv"):
            if row["metric"].startswith("time_") and row["status"] != "skipped":
                times[row["device"]].append(is_disturbed(row))
        told = [f"{sum(of)} of {len(of)} times on {device}" for device, of in sorted(times.items()) if any(of)]
        return f", disturbed: {', '.join(told)}" if told else ""

    def _last_line(self, piece: Piece) -> str:
        lines = (self.keep / f"{piece.name}.log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"
