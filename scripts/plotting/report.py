# SPDX-License-Identifier: MIT
"""Reads report.json and checks everything that the page and the figures rely on."""
from __future__ import annotations

import json
import math
from pathlib import Path
from typing import NoReturn

import numpy
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

SCHEMA = Path(__file__).resolve().parents[2] / "reports/page/report.schema.json"
LONGEST_MESSAGE = 200


class BadReport(Exception):
    """The report cannot be read; the message says in one line where it is wrong, and why."""


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def read_checked(path: Path, schema: Path) -> dict:
    """Reads a file that has to match a JSON Schema."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse_constant)
    except ValueError as error:
        raise BadReport(f"is not JSON: {error}") from None
    error = best_match(Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).iter_errors(document))
    if error:
        message = " ".join(error.message.split())
        shown = message if len(message) < LONGEST_MESSAGE else f"... {message[-LONGEST_MESSAGE:]}"
        raise BadReport(f"{error.json_path}: {shown}")
    return document


def check_widths(table: dict, where: str) -> None:
    for i, line in enumerate(table["lines"]):
        if len(line) != len(table["columns"]):
            raise BadReport(f"{where}.lines[{i}] has {len(line)} cells under {len(table['columns'])} columns")


def check_series(series: dict, where: str) -> None:
    """Checks the numbers of points, and makes missing numbers NaN."""
    for key in ("y", "q1", "q3"):
        if len(series[key]) != len(series["x"]):
            raise BadReport(f"{where}.{key} has {len(series[key])} values where x has {len(series['x'])}")
        series[key] = [math.nan if value is None else value for value in series[key]]


def check_panel(panel: dict, where: str) -> None:
    """Checks a field's grid and makes its values an array."""
    has_depth = panel["y0"] < panel["y1"] if panel["ny"] > 1 else panel["y0"] == panel["y1"]
    if not (panel["x0"] < panel["x1"] and has_depth):
        raise BadReport(f"{where} has no extent")
    lines = [line.split() for line in panel["values"]]
    if len(lines) != panel["ny"] or any(len(line) != panel["nx"] for line in lines):
        raise BadReport(f"{where}.values are not {panel['ny']} lines of {panel['nx']} values")
    try:
        panel["values"] = numpy.array(lines, dtype=float)
    except ValueError:
        raise BadReport(f"{where}.values holds something that is not a number") from None
    if not numpy.isfinite(panel["values"]).all():
        raise BadReport(f"{where}.values holds something that is not finite")


def check_item(item: dict, where: str) -> None:
    item["stem"] = item["id"].replace("/", "_")
    if item["kind"] == "table":
        check_widths(item, where)
    elif item["kind"] == "figure":
        for i, series in enumerate(item["figure"]["series"]):
            check_series(series, f"{where}.figure.series[{i}]")
    else:
        for i, line in enumerate(item["fields"]["lines"]):
            place, names = f"{where}.fields.lines[{i}]", item["fields"]["names"]
            if len(line["panels"]) != len(names):
                raise BadReport(f"{place} has {len(line['panels'])} panels for {len(names)} names")
            for j, panel in enumerate(line["panels"]):
                if panel:
                    check_panel(panel, f"{place}.panels[{j}]")


def read_report(path: Path) -> dict:
    report = read_checked(path, SCHEMA)
    for i, paper in enumerate(report["papers"]):
        for j, item in enumerate(paper["items"]):
            check_item(item, f"$.papers[{i}].items[{j}]")
    for i, device in enumerate(report.get("devices", [])):
        for j, item in enumerate(device["items"]):
            check_item(item, f"$.devices[{i}].items[{j}]")
    for i, limits in enumerate(report.get("limits", [])):
        check_widths(limits, f"$.limits[{i}]")
    stems = [item["stem"] for part in report["papers"] + report.get("devices", []) for item in part["items"]]
    if len(set(stems)) < len(stems):
        raise BadReport(f"has more than one item {next(s for s in stems if stems.count(s) > 1)}")
    return report
