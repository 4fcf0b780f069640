# SPDX-License-Identifier: MIT
"""The pieces of a recording, from pieces.toml: each is one `reprise run` of at most ten minutes."""
from __future__ import annotations

import fnmatch
import itertools
import pathlib
import re
import shlex
import tomllib
from typing import Any, NamedTuple

from recording.errors import Refusal

FILE = pathlib.Path(__file__).with_name("pieces.toml")
LONGEST = 600  # seconds


class Piece(NamedTuple):
    name: str
    run: list[str]  # what is typed after `reprise run`
    seconds: float
    threads: int  # of OpenMP; 0: all
    ranks: int  # 1: without mpirun
    uses_one_gpu: bool  # and processors only for checks: it may run beside others, each on a GPU of its own
    again: bool  # whether a second recording has it
    free_threads: bool  # OpenMP's threads are bound to no processor

    def environment(self) -> dict[str, str]:
        limit = {"OMP_NUM_THREADS": str(self.threads)} if self.threads else {}
        return limit | ({"OMP_PROC_BIND": "false"} if self.free_threads else {})

    def words(self) -> set[str]:
        """The papers of its experiments; `scale` is none."""
        return {text.split("/")[0] for text in self.experiments()} - {"scale"}

    def experiments(self) -> list[str]:
        """Their globs, which are typed before all options."""
        return list(itertools.takewhile(lambda text: not text.startswith("-"), self.run))


class Device(NamedTuple):
    name: str
    machine: str
    gpu: str  # the name that the driver gives it; empty: none
    gpus: int
    cores: int  # 0: any number
    decides_claims: bool  # whether claims must find their rows here
    pieces: list[Piece]

    def second(self) -> Device:
        """What a second recording has: enough to compare, and not to decide claims."""
        marked = [piece for piece in self.pieces if piece.again]
        return self._replace(pieces=marked or self.pieces, decides_claims=False)

    def chosen(self, pattern: str) -> list[Piece]:
        found = [piece for piece in self.pieces if fnmatch.fnmatchcase(piece.name, pattern)]
        if not found:
            raise Refusal(f"no piece of {self.name} is called '{pattern}': --list names them")
        return found


def read_devices(file: pathlib.Path = FILE) -> dict[str, Device]:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
        return {name: _device(name, entry) for name, entry in document.items()}
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as flaw:
        raise Refusal(f"{file}: is no list of pieces: {' '.join(str(flaw).split())}") from None


def _device(name: str, entry: dict[str, Any]) -> Device:
    pieces = [_piece(one) for one in entry["piece"]]
    names = [piece.name for piece in pieces]
    if len(set(names)) < len(names):
        raise ValueError(f"{name} has two pieces of one name")
    return Device(name, entry["machine"], entry.get("gpu", ""), entry.get("gpus", 0), entry.get("cores", 0),
                  entry.get("decides_claims", False), pieces)


def _piece(entry: dict[str, Any]) -> Piece:
    piece = Piece(entry["name"], shlex.split(entry["run"]), float(entry["seconds"]), entry.get("threads", 0),
                  entry.get("ranks", 1), entry.get("uses_one_gpu", False), entry.get("again", False),
                  entry.get("free_threads", False))
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", piece.name):
        raise ValueError(f"'{piece.name}' is no name of a folder in small letters")
    if not piece.experiments():
        raise ValueError(f"{piece.name} names no experiment before its options")
    if "--" in piece.run or "--out" in piece.run:
        raise ValueError(f"{piece.name} names a folder or flags of Google Benchmark, with which no run is continued")
    if not 0 < piece.seconds <= LONGEST:
        raise ValueError(f"{piece.name} takes {piece.seconds:g} s, and a piece takes at most {LONGEST}")
    return piece
