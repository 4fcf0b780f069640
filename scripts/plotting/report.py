# SPDX-License-Identifier: MIT
"""Reads report.json and checks all of it that the page and the figures rely on."""
from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any


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
    else:
        raise BadReport(f'{where}.kind should be "table" or "figure", not {json.dumps(item.get("kind"))}')


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
    objects(report, "runs", "")
    for i, paper in enumerate(objects(report, "papers", "")):
        where = f"papers[{i}]"
        if not re.fullmatch(r"\w+", field(paper, "word", str, where)):
            raise BadReport(f"{where}.word should be one word, not {json.dumps(paper['word'])}")
        field(paper, "assumptions", str, where)
        objects(paper, "claims", where)
        objects(paper, "not_run", where)
        for j, item in enumerate(objects(paper, "items", where)):
            check_item(item, f"{where}.items[{j}]")
    stems = [item["stem"] for paper in report["papers"] for item in paper["items"]]
    if len(set(stems)) < len(stems):
        raise BadReport(f"has more than one item {next(s for s in stems if stems.count(s) > 1)}")
    return report
