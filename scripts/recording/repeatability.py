# SPDX-License-Identifier: MIT
"""Compares two recordings of a device case by case, at a false discovery rate, and writes docs/repeatability.md."""
from __future__ import annotations

import csv
import math
import pathlib
import re
import statistics
import subprocess
import tempfile
from typing import NamedTuple

from recording import drawing
from recording.errors import Refusal
from recording.pieces import Device
from recording.run_files import description_of, lines_of

RATE = 0.01  # of false discoveries among the cases found
Z_OF_INTERVAL = statistics.NormalDist().inv_cdf(0.995)  # `compare` gives intervals of 99 %
FEWEST_CASES = 20  # from which a device's spread can be told
HEAD = f"""# How far recordings agree

Two independent recordings of each device ([recording.md](recording.md)), compared case by case with `reprise compare`. A ratio is
the second time over the first. A case is left out if it was disturbed in one of the recordings ([measuring.md](measuring.md)).
A case is found to differ at a false discovery rate of {100 * RATE:g} % for each device: at most that share of the cases found is
expected to be noise. The noise is taken from all cases of the device, so that with fewer than {FEWEST_CASES} cases none is found.
Where samples were left out because something else ran beside them, the other samples may have met it too. The cause then says
how many were left out. Virtual machines of one host share its caches and its memory's bandwidth. No counter within one of them
shows this, so such a difference is "unexplained". Launches of small kernels take longer while the host is busy with something
else: a case that is bound by them depends on the host more than on the GPU.
"""
CASE = ("experiment", "variant", "precision", "size", "parameter", "metric")


class Ratio(NamedTuple):
    """A timed case of both recordings."""
    device: str
    case: str
    shift: float  # logarithm of the second time over the first
    error: float  # its standard error by the samples
    cause: str  # what may explain a difference

    def percent(self) -> float:
        return 100 * math.expm1(self.shift)


class Pair(NamedTuple):
    """What two recordings of a piece have of each device."""
    ratios: list[Ratio]
    disturbed: list[str]  # the device of each case that is left out
    too_few: list[str]
    wrong: list[str]  # answers of the second recording, in words


class Summary(NamedTuple):
    device: str
    ratios: list[Ratio]
    found: list[Ratio]
    disturbed: int
    too_few: int

    def spread(self, share: float) -> str:
        """How far off this share of the ratios are at most."""
        sizes = sorted(abs(ratio.percent()) for ratio in self.ratios)
        return f"{sizes[min(len(sizes) - 1, int(share * len(sizes)))]:.2g} %" if sizes else "–"


def discoveries(ratios: list[Ratio]) -> list[Ratio]:
    """Those that differ, by the procedure of Benjamini and Hochberg. What recordings of the same program differ by is taken from
    all ratios of the device, of which most must be those of noise."""
    if len(ratios) < FEWEST_CASES:
        return []
    spread = statistics.median(abs(ratio.shift) for ratio in ratios) / statistics.NormalDist().inv_cdf(0.75)
    normal = statistics.NormalDist()
    p = sorted((2 * normal.cdf(-abs(ratio.shift) / (math.hypot(spread, ratio.error) or 1e-12)), number)
               for number, ratio in enumerate(ratios))
    last = max((rank for rank, (value, _) in enumerate(p, 1) if value <= RATE * rank / len(p)), default=0)
    return [ratios[number] for _, number in p[:last]]


def _labels(description: dict) -> dict[str, str]:
    """The id of each device by the names that `compare` gives it."""
    ids = {}
    for device in description["devices"]:
        ids |= {device["name"]: device["id"], f"{device['name']} ({device['id']})": device["id"]}
    return ids


def _speeds(program: pathlib.Path, a: pathlib.Path, b: pathlib.Path) -> list[dict[str, str]]:
    with tempfile.TemporaryDirectory(prefix="reprise_") as temporary:
        out = pathlib.Path(temporary) / "compared"
        # A plan within a budget may take a case in another precision when it is made again.
        told = subprocess.run([str(program), "compare", str(a), str(b), "--vary", "precision", "--out", str(out)],
                              capture_output=True, text=True)
        if told.returncode != 0:
            raise Refusal(f"reprise compare {a} {b}: {' '.join(told.stderr.split())}")
        if not (out / "speed.csv").exists():
            return []
        with (out / "speed.csv").open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))


def _roofs(description: dict) -> dict[str, float]:
    return {roof["device"]: roof["value"] for roof in description.get("roofs", [])
            if roof["roof"] == "copy_roof" and roof["precision"] == "single"}


def _boards(description: dict) -> set[str]:
    return {device["uuid"] for device in description["devices"] if device.get("uuid")} or {description["host"]}


def _share_of_launches(rows: dict[tuple, dict[str, str]], key: tuple) -> str:
    """How much of a case's time its launches take at best; empty if something else binds it."""
    bound = rows.get((*key[:-1], "share_of_binding_roof"))
    return f"{float(bound['value']):.0f} %" if bound and bound["reason"].startswith("launches") else ""


def _cause(shift: float, device: str, rows: list[dict[str, str]], launches: list[str], a: dict, b: dict) -> str:
    slower, row = ("second", rows[1]) if shift > 0 else ("first", rows[0])
    told = [part.strip() for part in row["reason"].split(";") if "clock" in part or "throttle" in part or "left out" in part]
    if told:
        return f"the {slower} recording says: {'; '.join(told)}"
    if all(launches):
        return f"launches bind it, which the host issues: {launches[0]} of the time at best, then {launches[1]}"
    roofs = _roofs(a).get(device), _roofs(b).get(device)
    if all(roofs) and abs(lost := math.log(roofs[0] / roofs[1])) >= abs(shift) / 2 and lost * shift > 0:
        return f"the copy roof of the second recording is {100 * math.expm1(-lost):+.1f} %"
    return "another board" if _boards(a) != _boards(b) else "unexplained"


def _case(line: dict[str, str]) -> str:
    return " ".join(filter(None, (line[column] for column in CASE)))


def _pair(program: pathlib.Path, a: pathlib.Path, b: pathlib.Path) -> Pair:
    descriptions = description_of(a), description_of(b)
    ids = _labels(descriptions[0])
    rows = [{(row["device"], *(row[key] for key in CASE)): row for row in lines_of(run / "rows.csv")} for run in (a, b)]
    pair = Pair([], [], [], [])
    for line in _speeds(program, a, b):
        if line["verdict"] == "WRONG":
            pair.wrong.append(f"`{_case(line)}` on {line['device']}: {line['reason']}")
            continue
        device = ids.get(line["device"], line["device"])
        key = (device, *(line[column] for column in CASE))
        both = [of.get(key) for of in rows]
        if None in both:
            continue
        if line["reason"].startswith(("first run: disturbed", "second run: disturbed")):
            pair.disturbed.append(line["device"])
        elif "each run needs" in line["reason"] or not line["shift_percent"]:
            pair.too_few.append(line["device"])
        else:
            shift, low, high = (math.log1p(float(line[f"{name}_percent"]) / 100) for name in ("shift", "low", "high"))
            cause = _cause(shift, device, both, [_share_of_launches(of, key) for of in rows], *descriptions)
            pair.ratios.append(Ratio(line["device"], _case(line), shift, (high - low) / 2 / Z_OF_INTERVAL, cause))
    return pair


def summaries(pairs: list[Pair]) -> list[Summary]:
    devices = {device for pair in pairs for device in (*(ratio.device for ratio in pair.ratios), *pair.disturbed, *pair.too_few)}
    result = []
    for device in sorted(devices):
        own = [ratio for pair in pairs for ratio in pair.ratios if ratio.device == device]
        result.append(Summary(device, own, discoveries(own), sum(pair.disturbed.count(device) for pair in pairs),
                              sum(pair.too_few.count(device) for pair in pairs)))
    return result


def _table(heads: list[str], lines: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [heads, ["---"] * len(heads), *lines])


def section(device: Device, found: list[Summary], wrong: list[str], commit: str, picture: str) -> str:
    counts = [[one.device, str(len(one.ratios)), one.spread(.5), one.spread(.9), str(len(one.found)),
               str(one.disturbed), str(one.too_few)] for one in found]
    cases = [[f"`{ratio.case}`", one.device, f"{ratio.percent():+.1f} %", ratio.cause] for one in found for ratio in one.found]
    parts = [f"Two recordings by commit {commit} on {device.machine}. `scripts/record {device.name} --compare A B` writes this.",
             f"![The ratios of times of two recordings of {device.name}]({picture})",
             _table(["device", "cases", "half of them within", "nine tenths within", "found to differ", "left out as disturbed",
                     "left out: fewer than five samples"], counts)]
    if cases:
        parts.append(_table(["found to differ", "device", "second against first", "cause"], cases))
    if wrong:
        parts.append("\n".join(["Wrong answers of the second recording:\n", *(f"- {line}" for line in wrong)]))
    return "\n\n".join(parts)


def page(before: str, device: str, own: str) -> str:
    """The page with this section in place of the device's earlier one; those of other devices stay."""
    sections = {name: text.strip() for name, text in re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", before, re.MULTILINE | re.DOTALL)}
    sections[device] = own
    return HEAD + "".join(f"\n## {name}\n\n{text}\n" for name, text in sorted(sections.items()))


def compare(device: Device, a: pathlib.Path, b: pathlib.Path, program: pathlib.Path, out: pathlib.Path) -> int:
    names = [piece.name for piece in device.pieces if all((run / piece.name / "run.json").exists() for run in (a, b))]
    if not names:
        raise Refusal(f"{a} and {b} have no piece of {device.name} in common: name the folders of two recordings")
    commits = {description_of(run / name).get("git", "unknown") for run in (a, b) for name in names}
    if len(commits) > 1:
        raise Refusal(f"the recordings are of several commits ({', '.join(sorted(commits))}): a change is no noise")
    pairs = [_pair(program, a / name, b / name) for name in names]
    found = summaries(pairs)
    if not found:
        raise Refusal(f"{a} and {b} have no timed case in common")
    wrong = [line for pair in pairs for line in pair.wrong]
    picture = out.with_name(f"{out.stem}-{device.name}.svg")
    picture.write_text(drawing.strips([(one.device, one.ratios, one.found) for one in found]), encoding="utf-8")
    before = out.read_text(encoding="utf-8") if out.exists() else ""
    own = section(device, found, wrong, commits.pop(), picture.name)
    out.write_text(page(before, device.name, own), encoding="utf-8")
    print(f"{out}: {sum(len(one.ratios) for one in found)} cases of {len(names)} pieces, "
          f"{sum(len(one.found) for one in found)} found to differ, {len(wrong)} wrong")
    return 0
