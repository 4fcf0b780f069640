# SPDX-License-Identifier: MIT
"""The journal of a recording: its kind of machine, then a line for each thing that happened to a piece."""
from __future__ import annotations

import json
import os
import pathlib
import threading
from typing import Any

from recording.errors import Refusal
from recording.machine import Kind

NAME = "journal.jsonl"
EVENTS = ("begun", "finished", "interrupted", "failed")


class Journal:
    def __init__(self, folder: pathlib.Path) -> None:
        self.file = folder / NAME
        self.device = ""
        self.kind: Kind | None = None
        self.events: list[dict[str, Any]] = []
        self._lock = threading.Lock()  # pieces may run side by side
        if self.file.exists():
            self._read()

    def _read(self) -> None:
        text = self.file.read_text(encoding="utf-8", errors="replace")
        whole = text[:text.rfind("\n") + 1]  # a kill can leave a part of the last line
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
            if lines:
                self.device, self.kind = lines[0]["device"], Kind(**lines[0]["kind"])
            for number, line in enumerate(lines[1:], 2):
                if line["event"] not in EVENTS or not all(key in line for key in ("piece", "boards", "host", "seconds")):
                    raise ValueError(f"line {number} is no event of a piece")
        except (ValueError, KeyError, TypeError) as flaw:
            raise Refusal(f"{self.file}: is no journal of scripts/record ({' '.join(str(flaw).split())}): restore it, or "
                          "choose another --keep") from None
        self.events = lines[1:]
        if whole != text:
            self.file.write_text(whole, encoding="utf-8")

    def begin(self, device: str, kind: Kind) -> None:
        if self.kind is None:
            self.device, self.kind = device, kind
            self._append({"device": device, "kind": kind._asdict()})

    def add(self, event: str, piece: str, place: dict[str, object], seconds: float = 0, **more: object) -> None:
        line = {"event": event, "piece": piece, **place, "seconds": round(seconds, 1), **more}
        with self._lock:
            self.events.append(line)
            self._append(line)

    def _append(self, line: dict[str, Any]) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as out:
            print(json.dumps(line), file=out, flush=True)
            os.fsync(out.fileno())

    def last(self, piece: str) -> dict[str, Any] | None:
        return next((event for event in reversed(self.events) if event["piece"] == piece), None)

    def seconds_since_start(self, piece: str) -> float:
        """For how long an unfinished piece ran since it last started from the beginning."""
        seconds = 0.
        for event in reversed([event for event in self.events if event["piece"] == piece]):
            if event["event"] == "finished":
                break
            seconds += event["seconds"]
            if event["event"] == "begun" and not event.get("is_resumed", False):
                break
        return seconds

    def seconds_of(self, piece: str) -> float:
        """What a finished piece took in all, its interruptions included; 0 if it is not finished."""
        own = [event for event in self.events if event["piece"] == piece]
        if not own or own[-1]["event"] != "finished":
            return 0
        return sum(event["seconds"] for event in own)
