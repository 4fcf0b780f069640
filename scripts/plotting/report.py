# SPDX-License-Identifier: MIT
"""Reads report.json and checks all of it that the page and the figures rely on."""
from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy

MOST_NODES = 97


class BadReport(Exception):
    """The report cannot be read: one line, what is wrong and where."""


def expect(value: Any, kind: type, where: str) -> Any:
    names = {dict: "an object", list: "a list", str: "a string"}
    if not isinstance(value, kind):
        raise BadReport(f"{where} should be {names[kind]}, not {json.dumps(value)[:40]}")
    return value


def field(parent: dict, key: str, kind: type, where: str) -> Any:
    if parent.get(key) is None:
        parent[key] = kind()
    return expect(parent[key], kind, f"{where}.{key}" if where else key)


def objects(parent: dict, key: str, where: str) -> list[dict]:
    found = field(parent, key, list, where)
    return [expect(entry, dict, f"{where}.{key}[{i}]".lstrip(".")) for i, entry in enumerate(found)]


def check_series(series: dict, where: str) -> None:
    for key in ("label", "source", "device", "variant"):
        field(series, key, str, where)
    length = len(field(series, "x", list, where))
    for key in ("y", "q1", "q3"):
        values = field(series, key, list, where)
        if len(values) != length and (values or key == "y"):
            raise BadReport(f"{where}.{key} has {len(values)} values where x has {length}")
        if any(isinstance(v, bool) or not isinstance(v, (int, float, type(None))) for v in values):
            raise BadReport(f"{where}.{key} holds something that is not a number")
        series[key] = [math.nan if v is None else v for v in values]
    if any(isinstance(v, bool) or not isinstance(v, (int, float, str)) for v in series["x"]):
        raise BadReport(f"{where}.x holds something that is neither a number nor a name")


def check_panel(panel: dict, where: str) -> None:
    """Checks a field's grid and makes its values an array."""
    for key in ("nx", "ny"):
        if type(panel.get(key)) is not int or not 2 <= panel[key] <= MOST_NODES:
            raise BadReport(f"{where}.{key} should be a whole number from 2 to {MOST_NODES}")
    for key in ("x0", "x1", "y0", "y1"):
        if isinstance(panel.get(key), bool) or not isinstance(panel.get(key), (int, float)):
            raise BadReport(f"{where}.{key} should be a number")
    if not (panel["x0"] < panel["x1"] and panel["y0"] < panel["y1"]):
        raise BadReport(f"{where} has no extent")
    lines = [expect(line, str, f"{where}.values[{i}]").split() for i, line in enumerate(field(panel, "values", list, where))]
    if len(lines) != panel["ny"] or any(len(line) != panel["nx"] for line in lines):
        raise BadReport(f"{where}.values are not {panel['ny']} lines of {panel['nx']} values")
    try:
        panel["values"] = numpy.array([[float(value) for value in line] for line in lines])
    except ValueError:
        raise BadReport(f"{where}.values holds something that is not a number") from None
    if not numpy.isfinite(panel["values"]).all():
        raise BadReport(f"{where}.values holds something that is not finite")


def check_fields(fields: dict, where: str) -> None:
    if fields.get("drawing") not in ("surface", "colour map"):
        raise BadReport(f'{where}.drawing should be "surface" or "colour map", not {json.dumps(fields.get("drawing"))}')
    field(fields, "quantity", str, where)
    for key in ("names", "left_out"):
        for i, name in enumerate(field(fields, key, list, where)):
            expect(name, str, f"{where}.{key}[{i}]")
    for i, line in enumerate(objects(fields, "lines", where)):
        place = f"{where}.lines[{i}]"
        field(line, "label", str, place)
        panels = field(line, "panels", list, place)
        if len(panels) != len(fields["names"]):
            raise BadReport(f"{place} has {len(panels)} panels for {len(fields['names'])} names")
        for j, panel in enumerate(panels):
            if panel is not None:
                check_panel(expect(panel, dict, f"{place}.panels[{j}]"), f"{place}.panels[{j}]")


def check_item(item: dict, where: str) -> None:
    if not re.fullmatch(r"\w+/[\w.-]+", field(item, "id", str, where)):
        raise BadReport(f'{where}.id should look like "jacobi/table1", not {json.dumps(item["id"])}')
    item["stem"] = item["id"].replace("/", "_")
    if item.get("kind") == "table":
        width = len(field(item, "columns", list, where))
        for i, row in enumerate(objects(item, "rows", where)):
            if len(field(row, "cells", list, f"{where}.rows[{i}]")) != width:
                raise BadReport(f"{where}.rows[{i}] has {len(row['cells'])} cells under {width} columns")
    elif item.get("kind") == "figure":
        figure = field(item, "figure", dict, where)
        for i, series in enumerate(objects(figure, "series", f"{where}.figure")):
            check_series(series, f"{where}.figure.series[{i}]")
    elif item.get("kind") == "fields":
        check_fields(field(item, "fields", dict, where), f"{where}.fields")
    else:
        raise BadReport(f'{where}.kind should be "table", "figure" or "fields", not {json.dumps(item.get("kind"))}')


def read_report(path: Path) -> dict:
    try:
        report = expect(json.loads(path.read_text(encoding="utf-8")), dict, "the whole")
    except OSError as error:
        raise BadReport(f"cannot be read: {error.strerror}; make it with `reprise report`") from None
    except ValueError as error:
        raise BadReport(f"is not JSON: {error}; make it again with `reprise report`") from None
    if report.get("schema") != 1:
        raise BadReport(f"has schema {json.dumps(report.get('schema'))} where this program reads 1; "
                        "make it again with this version of `reprise report`")
    field(report, "summary", dict, "")
    field(report, "telling", list, "")
    for i, run in enumerate(objects(report, "runs", "")):
        field(run, "request", dict, f"runs[{i}]")
        field(run, "started", str, f"runs[{i}]")
        objects(run, "devices", f"runs[{i}]")
    for i, paper in enumerate(objects(report, "papers", "")):
        where = f"papers[{i}]"
        if not re.fullmatch(r"\w+", field(paper, "word", str, where)):
            raise BadReport(f"{where}.word should be one word, not {json.dumps(paper['word'])}")
        field(paper, "assumptions", str, where)
        objects(paper, "claims", where)
        objects(paper, "derived", where)
        objects(paper, "not_run", where)
        for j, item in enumerate(objects(paper, "items", where)):
            check_item(item, f"{where}.items[{j}]")
    stems = [item["stem"] for paper in report["papers"] for item in paper["items"]]
    if len(set(stems)) < len(stems):
        raise BadReport(f"has more than one item {next(s for s in stems if stems.count(s) > 1)}")
    return report
