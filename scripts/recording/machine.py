# SPDX-License-Identifier: MIT
"""What all pieces of a recording have in common, and what tells its machines apart."""
from __future__ import annotations

import hashlib
import os
import pathlib
import platform
import subprocess
from typing import NamedTuple

from recording.errors import Refusal
from recording.pieces import Device


class Kind(NamedTuple):
    """Equal on every machine that takes part in a recording."""
    gpus: str  # "4 x NVIDIA H200"; empty: none
    driver: str
    processor: str  # only where there is no GPU
    cores: int
    program: str  # SHA-256


class Machine(NamedTuple):
    kind: Kind
    boards: list[str]  # UUIDs of its GPUs
    host: str
    processors: list[int]
    gpu: int | None = None  # the only one that is used, by the number that nvidia-smi gives it

    def is_share(self) -> bool:
        return self.gpu is not None

    def shares(self, gpus: int, cores: int) -> list[Machine]:
        """One-GPU machines with equal parts of the processors, if one GPU is wanted and there are several; else this machine.

        Whoever hides GPUs from CUDA wants no other ones used.
        """
        if gpus != 1 or len(self.boards) < 2 or " + " in self.kind.gpus or "CUDA_VISIBLE_DEVICES" in os.environ:
            return [self]
        part = cores or max(1, len(self.processors) // len(self.boards))
        count = min(len(self.boards), len(self.processors) // part)
        if count == 0:
            raise Refusal(f"each GPU needs {part} processors, and this machine has {len(self.processors)}")
        kind = self.kind._replace(gpus=f"1 x {self.kind.gpus.split(' x ')[1]}", cores=part)
        return [Machine(kind, [self.boards[n]], self.host, self.processors[n * part:(n + 1) * part], n) for n in range(count)]

    def prefix(self) -> list[str]:
        """Begins a command that must use this share only."""
        if not self.is_share():
            return []
        # EGL does not obey CUDA's variables: each program's context for OpenGL would be on the first GPU, beside another's work.
        return ["env", "CUDA_DEVICE_ORDER=PCI_BUS_ID", f"CUDA_VISIBLE_DEVICES={self.gpu}",
                "__EGL_VENDOR_LIBRARY_FILENAMES=/dev/null", "taskset", "--cpu-list", ",".join(map(str, self.processors))]

    def place(self) -> dict[str, object]:
        """Where a piece ran. An unfinished one is continued only in the same place."""
        return {"boards": self.boards, "host": self.host}

    def is_place_of(self, event: dict[str, object]) -> bool:
        """Whether an event of the journal happened here."""
        return all(event[key] == value for key, value in self.place().items())


WORDS = {"gpus": "GPU", "driver": "driver", "processor": "processor", "cores": "number of cores", "program": "program"}


def _gpus() -> list[list[str]]:
    """Name, driver and UUID of each GPU; none without NVIDIA's driver."""
    try:
        told = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,uuid", "--format=csv,noheader"],
                              capture_output=True, text=True)
    except OSError:
        return []
    lines = [[part.strip() for part in line.split(",")] for line in told.stdout.splitlines() if told.returncode == 0]
    return [line for line in lines if len(line) == 3]


def _processor() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def look_at(program: pathlib.Path) -> Machine:
    if not program.is_file():
        raise Refusal(f"{program} is missing: build the preset release, or name the program with --program")
    gpus = _gpus()
    names = sorted({name for name, _, _ in gpus})
    kind = Kind(" + ".join(f"{sum(name == gpu[0] for gpu in gpus)} x {name}" for name in names),
                " ".join(sorted({driver for _, driver, _ in gpus})), "" if gpus else _processor(),
                len(os.sched_getaffinity(0)), hashlib.sha256(program.read_bytes()).hexdigest())
    return Machine(kind, [uuid for _, _, uuid in gpus], platform.node(), sorted(os.sched_getaffinity(0)))


def require_device(machine: Machine, device: Device) -> None:
    """Raises Refusal unless the machine is one of those whose numbers stand below the device's name."""
    wanted = f"{device.gpus} x {device.gpu}" if device.gpus else ""
    if machine.kind.gpus != wanted:
        raise Refusal(f"{device.name} is recorded on {device.machine}: this machine has {machine.kind.gpus or 'no GPU'}")
    if device.cores and machine.kind.cores != device.cores:
        raise Refusal(f"{device.name} is recorded on {device.machine}: this machine has {machine.kind.cores} cores")


def require_same_kind(begun: Kind, now: Kind, journal: pathlib.Path) -> None:
    for field, then in begun._asdict().items():
        own = getattr(now, field)
        if then != own:
            short = (str(value)[:12] if field == "program" else value or "none" for value in (then, own))
            raise Refusal("{} was begun with another {}: {} then, {} now; go on with the same, or choose another --keep".format(
                journal, WORDS[field], *short))
