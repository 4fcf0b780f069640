#!/usr/bin/env -S python3 -S -E
# SPDX-License-Identifier: MIT
"""Stands for `reprise` in tests of scripts/record. Its runs measure a case in each tenth of a second; the experiment
jacobi/slow has fifty, others have two. The file `mood.json` beside it says what it does otherwise."""
from __future__ import annotations

import csv
import itertools
import json
import lzma
import os
import pathlib
import signal
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
MOOD = json.loads((HERE / "mood.json").read_text()) if (HERE / "mood.json").exists() else {}
COLUMNS = ["experiment", "variant", "device", "precision", "size", "parameter", "metric", "value", "status", "reason"]
SPEEDS = ["verdict", "device", "experiment", "variant", "precision", "size", "parameter", "metric", "shift_percent",
          "low_percent", "high_percent", "reason"]


def value(arguments: list[str], option: str) -> str:
    return arguments[arguments.index(option) + 1]


def write(file: pathlib.Path, document: object) -> None:
    file.with_suffix(".tmp").write_text(json.dumps(document))
    file.with_suffix(".tmp").rename(file)


def run(arguments: list[str]) -> int:
    folder = pathlib.Path(value(arguments, "--out"))
    resumed = "--resume" in arguments
    description = json.loads((folder / "run.json").read_text()) if resumed else {
        "started": "2026-01-01T00:00:00Z", "git": MOOD.get("git", "0123456789ab"),
        "build_type": MOOD.get("build_type", "Release"), "cuda": "nvcc 13.0, architectures 90",
        "host": "here", "hardware_threads": 16, "request": {"experiments": arguments},
        "threads": os.environ.get("OMP_NUM_THREADS", ""), "binding": os.environ.get("OMP_PROC_BIND", ""),
        "gpu": os.environ.get("CUDA_VISIBLE_DEVICES", ""),
        "processors": sorted(os.sched_getaffinity(0)), "origin": {"program": "f00d"},
        "devices": [{"id": "cuda:0", "name": "NVIDIA H200", "backend": "cuda", "driver_version": "580", "uuid": "GPU-1"}]}
    if not resumed:
        folder.mkdir(parents=True)
        (folder / "rows.csv").write_text(",".join(COLUMNS) + "\n")
        write(folder / "run.json", description)
    done = len((folder / "rows.csv").read_text().splitlines()) - 1
    for number in range(done, 50 if "jacobi/slow" in description["request"]["experiments"] else 2):
        with (folder / "rows.csv").open("a") as rows:
            status = "disturbed" if number < MOOD.get("disturbed", 0) else "ok"
            print(f"jacobi/fast,jacobi/openmp,cuda:0,single,8x8,number={number},time_solve,{1 + number},{status},", file=rows)
        time.sleep(0.1 if "jacobi/slow" in description["request"]["experiments"] else 0)
    if MOOD.get("fails") == folder.name:
        print("reprise: no such luck", file=sys.stderr)
        return 1
    (folder / "seal.json").write_text("{}")
    write(folder / "run.json", description | {"finished": "2026-01-01T00:01:00Z"})
    return MOOD.get("status", 0)


def claims(arguments: list[str]) -> int:
    if MOOD.get("refuses"):
        print(f"reprise: {MOOD['refuses']}", file=sys.stderr)
        return 1
    print(json.dumps({"runs": [], "papers": {"jacobi": {"claims": MOOD.get("claims", [])}}}))
    return 0


def print_variants(_: list[str]) -> int:
    print(json.dumps({"variants": [{"id": "jacobi/openmp"}]}))
    return 0


def pack(arguments: list[str]) -> int:
    for rows in (pathlib.Path(folder) / "rows.csv" for folder in arguments):
        rows.with_name("rows.csv.xz").write_bytes(lzma.compress(rows.read_bytes() + b"x" * MOOD.get("bytes", 0)))
        if MOOD.get("large"):
            (rows.parent / "fields").write_bytes(bytes(MOOD["large"]))
        rows.unlink()
    return 0


def compare(arguments: list[str]) -> int:
    rows = []
    for folder in arguments[:2]:
        with open(pathlib.Path(folder) / "rows.csv", newline="") as lines:
            rows.append([row for row in csv.DictReader(lines) if row["metric"].startswith("time")])
    precisions = [{row["precision"] for row in of} for of in rows]
    if precisions[0] != precisions[1] and ("--vary", "precision") not in itertools.pairwise(arguments):
        print("reprise: the runs differ in precision", file=sys.stderr)
        return 1
    out = pathlib.Path(value(arguments, "--out"))
    out.mkdir()
    second = {(row["precision"], row["parameter"]): row for row in rows[1]}
    with (out / "speed.csv").open("w", newline="") as lines:
        writer = csv.DictWriter(lines, SPEEDS)
        writer.writeheader()
        for a in rows[0]:
            b = second.get((a["precision"], a["parameter"]))
            if b is None:
                continue
            shift = 100 * (float(b["value"]) / float(a["value"]) - 1)
            reasons = {"failed": "not the sum", "disturbed": "second run: disturbed: steal"}
            writer.writerow({**{key: a[key] for key in SPEEDS if key in a}, "device": "NVIDIA H200", "shift_percent": shift,
                             "low_percent": shift - 0.5, "high_percent": shift + 0.5,
                             "verdict": "WRONG" if b["status"] == "failed" else "UNDECIDED",
                             "reason": reasons.get(b["status"], "")})
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN if MOOD.get("is_deaf") else lambda *_: sys.exit(130))
    sys.exit({"run": run, "list": print_variants, "claims": claims, "pack": pack, "compare": compare}[sys.argv[1]](sys.argv[2:]))
