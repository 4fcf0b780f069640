# SPDX-License-Identifier: MIT
"""Opens the files of runs, which may be packed."""
from __future__ import annotations

import csv
import json
import lzma
import pathlib
import re
from typing import Any, TextIO

from recording.errors import Refusal


def open_stored(file: pathlib.Path) -> TextIO:
    """The file as text, from FILE.xz if only that is there."""
    packed = file.with_name(file.name + ".xz")
    if packed.exists() and not file.exists():
        return lzma.open(packed, "rt", encoding="utf-8", newline="")
    return file.open(encoding="utf-8", newline="")


def lines_of(file: pathlib.Path) -> list[dict[str, str]]:
    with open_stored(file) as lines:
        return list(csv.DictReader(lines))


LEFT_OUT = re.compile(r"(?:^|; )(\d+) of (\d+) samples left out: ")


def is_disturbed(row: dict[str, str]) -> bool:
    """As the program reads the row: also if more than three fifths of its samples were left out."""
    return row["status"] == "disturbed" or any(5 * int(some) > 3 * int(of) for some, of in LEFT_OUT.findall(row["reason"]))


def stored_files(folder: pathlib.Path, name: str) -> list[pathlib.Path]:
    """All files of this name below the folder, packed or not, by the name that they have unpacked."""
    return sorted({found.with_name(name) for found in folder.rglob(name + "*") if found.name in (name, name + ".xz")})


def runs_in(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(file.parent for file in folder.glob("*/run.json"))


def description_of(run: pathlib.Path) -> dict[str, Any]:
    """run.json; empty if there is none."""
    try:
        return json.loads((run / "run.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        raise Refusal(f"{run / 'run.json'}: is no JSON; restore the file, or remove the folder") from None


def is_finished(run: pathlib.Path) -> bool:
    return "finished" in description_of(run)
