# SPDX-License-Identifier: MIT
"""Makes a finished run look as if another node had made it: with the times of one real run, scaled by a factor, and one
or two per cent of noise. Nodes simulated on one machine slow each other down, so their own times are meaningless."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import pathlib
import random
import shutil

CASE = ("experiment", "variant", "device", "precision", "size", "parameter", "metric")


def read(file: pathlib.Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text())))


def case_of(line: dict[str, str]) -> tuple[str, ...]:
    return tuple(line[key] for key in CASE)


def written(lines: list[dict[str, str]], header: str) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, header.strip().split(","), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def times_of(recorded: list[dict[str, str]], factor: float, noise: random.Random) -> dict[tuple[str, ...], list[float]]:
    """Samples by case, around the recorded median, so that a single disturbance of the recording does not matter."""
    found: dict[tuple[str, ...], list[float]] = {}
    for line in recorded:
        found.setdefault(case_of(line), []).append(float(line["value"]))
    times = {}
    for case, values in found.items():
        level = sorted(values)[len(values) // 2] * factor * math.exp(noise.gauss(0, 0.01))
        times[case] = [level * math.exp(noise.gauss(0, 0.005)) for _ in range(max(10, len(values)))]
    return times


def quantile(ordered: list[float], share: float) -> float:
    """As reports/store/statistics.cpp computes it."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def summarise(row: dict[str, str], values: list[float]) -> None:
    """Gives a row the median, the quartiles and the number of these samples."""
    ordered = sorted(values)
    for column, share in (("value", 0.5), ("q1", 0.25), ("q3", 0.75)):
        row[column] = repr(quantile(ordered, share))
    row["samples"] = str(len(values))


def reseal(run: pathlib.Path, **changes: str) -> None:
    """Changes a run's description and makes the seal that fits to it."""
    description = json.loads((run / "run.json").read_text()) | changes
    text = json.dumps(description, indent=1)
    (run / "run.json").write_text(text)
    own = {"bytes": len(text.encode()), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    seal = {"schema": description["schema"], "files": description["files"] | {"run.json": own}}
    (run / "seal.json").write_text(json.dumps(seal, indent=1, sort_keys=True) + "\n")


def replay(run: pathlib.Path, recorded: pathlib.Path, factor: float, seed: str) -> None:
    """Gives the run the recorded times, scaled by the factor. Answers and everything else stay the run's own."""
    times = times_of(read(recorded / "samples.csv"), factor, random.Random(seed))
    # A row that one experiment took from another has the other's numbers.
    shared = {case[1:]: values for case, values in times.items()}
    rows, samples = read(run / "rows.csv"), []
    for row in rows:
        values = times.get(case_of(row))
        if values is None and row["unit"] == "s" and int(row["samples"]) > 1 and case_of(row)[1:] in shared:
            summarise(row, shared[case_of(row)[1:]])
        if values is None or row["status"] not in ("ok", "disturbed"):
            continue
        summarise(row, values)
        samples += [{**row, "index": str(i), "value": repr(value)} for i, value in enumerate(values)]
    description = json.loads((run / "run.json").read_text())
    for name, lines in (("rows.csv", rows), ("samples.csv", samples)):
        header = (run / name).read_text().splitlines()[0]
        fields = header.split(",")
        text = written([{key: line[key] for key in fields} for line in lines], header)
        (run / name).write_text(text)
        description["files"][name] = {"bytes": len(text.encode()), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    (run / "run.json").write_text(json.dumps(description, indent=1))
    if "finished" in description:
        reseal(run)


def simulate(recorded: pathlib.Path, run: pathlib.Path, node: str, factor: float = 1) -> None:
    """Makes the recorded run as this node would have made it."""
    shutil.copytree(recorded, run)
    description = json.loads((run / "run.json").read_text()) | {"node": node, "name": node}
    (run / "run.json").write_text(json.dumps(description, indent=1))
    replay(run, recorded, factor, node)
