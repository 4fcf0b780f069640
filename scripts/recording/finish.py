# SPDX-License-Identifier: MIT
"""Puts a recording into reports/recorded/, packed."""
from __future__ import annotations

import pathlib
import shutil
import subprocess

from recording.checks import flaws_of, flaws_of_size, require_none, size_of
from recording.errors import Refusal
from recording.pieces import Device

LEFT_OUT = shutil.ignore_patterns(".lock", "report", "*.tmp")


def finish(device: Device, keep: pathlib.Path, program: pathlib.Path, target: pathlib.Path) -> None:
    """Replaces what is recorded of the device. Raises Refusal, and then leaves it as it is."""
    require_none(flaws_of(device, keep, program), keep)
    new = target.with_name(f".{target.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    try:
        for piece in device.pieces:
            shutil.copytree(keep / piece.name, new / piece.name, ignore=LEFT_OUT)
        told = subprocess.run([str(program), "pack", *(str(new / piece.name) for piece in device.pieces)],
                              capture_output=True, text=True)
        if told.returncode != 0:
            raise Refusal(f"reprise pack: {' '.join(told.stderr.split())}")
        require_none(flaws_of_size(new), new)
    except BaseException:
        shutil.rmtree(new)
        raise
    shutil.rmtree(target, ignore_errors=True)
    new.rename(target)
    print(f"{target}: {len(device.pieces)} runs, {size_of(target)} bytes")
