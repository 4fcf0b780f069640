# SPDX-License-Identifier: MIT
"""Writes a page for each experiment of a report's runs: its measured cases, their rows and their raw samples."""
from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator
from functools import cache
from operator import itemgetter
from pathlib import Path

from jinja2 import Template
from markupsafe import Markup, escape

from plotting.report import BadReport

CASE_COLUMNS = ("experiment", "variant", "device", "precision", "size", "parameter")
LONGEST_NAME = 100
MOST_POINTS = 500


def records(file: Path, columns: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The lines of a CSV file, each as its case and the given columns."""
    with file.open(encoding="utf-8", errors="replace", newline="") as lines:
        reader = csv.reader(lines)
        header = next(reader)
        case_of = itemgetter(*map(header.index, CASE_COLUMNS))
        values_of = itemgetter(*map(header.index, columns))
        for record in reader:
            yield case_of(record), values_of(record)


def cases_of(rows: Path, samples: Path) -> list[dict]:
    """The cases with a number, in the order of their first rows, as reports/page/case_links.cpp numbers them."""
    cases: dict[tuple[str, ...], dict] = {}
    columns = ("metric", "value", "unit", "q1", "q3", "samples", "status", "reason")
    for key, row in records(rows, columns):
        if row[1]:
            case = cases.get(key)
            if case is None:
                case = cases[key] = dict(zip(CASE_COLUMNS, key, strict=True), number=len(cases) + 1, rows=[], samples={})
            case["rows"].append(dict(zip(columns, row, strict=True)))
    for key, (metric, value) in records(samples, ("metric", "value")):
        if key in cases and value and math.isfinite(float(value)):
            cases[key]["samples"].setdefault(metric, []).append(value)
    listed = list(cases.values())
    lead_to_samples(listed)
    know_other_sizes(listed)
    lead_to_inputs(listed)
    return listed


def lead_to_samples(cases: list[dict]) -> None:
    """A case that repeats another experiment's numbers says which case has the samples of its time."""
    sampled: dict[tuple[str, ...], dict] = {}
    for case in cases:
        if case["samples"]:
            sampled.setdefault(tuple(case[column] for column in CASE_COLUMNS[1:]), case)
    for case in cases:
        holder = sampled.get(tuple(case[column] for column in CASE_COLUMNS[1:]))
        if holder and not case["samples"]:
            metric, values = min(holder["samples"].items())
            case["samples_in"] = {"experiment": holder["experiment"], "metric": metric, "count": len(values),
                                  "page": f"{page_name(holder['experiment'])}#case-{holder['number']}"}


def know_other_sizes(cases: list[dict]) -> None:
    """A case knows those that differ from it in nothing but the size: an order is computed from two of them."""
    sizes: dict[tuple[str, ...], dict[str, int]] = {}
    for case in cases:
        case["sizes"] = sizes.setdefault(tuple(case[column] for column in CASE_COLUMNS if column != "size"), {})
        case["sizes"][case["size"]] = case["number"]


def lead_to_inputs(cases: list[dict]) -> None:
    """A case without samples of its own was computed from some of its variant's cases that have them."""
    sampled: dict[tuple[str, ...], list[dict]] = {}
    for case in cases:
        beside = sampled.setdefault(tuple(case[column] for column in CASE_COLUMNS[:4]), [])
        if case["samples"]:
            beside.append(case)
        elif "samples_in" not in case:
            case["inputs"] = beside


SIZE = re.compile(r"\b(\d+x\d+)\b")


def with_links(note: str, case: dict) -> str:
    """A note in which the sizes of other cases lead to them."""
    if not SIZE.search(note):
        return escaped(note)
    others = {size: number for size, number in case["sizes"].items() if number != case["number"]}
    return "".join(f'<a href="#case-{others[part]}">{part}</a>' if part in others else escaped(part) for part in SIZE.split(note))


@cache
def escaped(text: str) -> str:
    return str(escape(text))


def quartiles(row: dict[str, str]) -> str:
    return f"{float(row['q1']):.6g} to {float(row['q3']):.6g}" if row["q1"] and row["q3"] else ""


def table_rows(case: dict) -> Markup:
    """The lines of a case's table. There are tens of thousands, for which a template's loop takes three times as long."""
    return Markup("\n".join(
        f'<tr><td class="n">{escaped(row["metric"].replace("_", " "))}</td>'
        f'<td class="n" title="{escaped(row["value"])}">{float(row["value"]):.6g}</td><td class="n">{escaped(row["unit"])}</td>'
        f'<td class="n">{quartiles(row)}</td><td>{escaped(row["samples"])}</td><td>{escaped(row["status"])}</td>'
        f'<td class="why">{with_links(row["reason"], case)}</td></tr>' for row in case["rows"]))


def points(values: list[str]) -> dict:
    """The path of a dot for each sample in the order of measurement, scaled from the smallest to the largest. Of very
    many samples it has evenly spaced ones."""
    numbers = [float(value) for value in values]
    low, high = min(numbers), max(numbers)
    shown = numbers[:: math.ceil(len(numbers) / MOST_POINTS)]
    step, scale = 100 / max(1, len(shown) - 1), (high - low) or 1
    path = "".join(f"M{i * step:.4g} {50 - 50 * (value - low) / scale:.4g}h0" for i, value in enumerate(shown))
    return {"low": f"{low:.6g}", "high": f"{high:.6g}", "path": path, "shown": len(shown)}


def page_name(experiment: str) -> str:
    """The page's file, named as safe_name in reports/store/files.cpp names files."""
    name = re.sub(rb"[^0-9A-Za-z.-]", b"_", experiment.encode()[:LONGEST_NAME]).decode() or "_"
    return re.sub(r"^\.", "_", name) + ".html"


def place_of(report: dict, experiment: str) -> dict[str, str]:
    """Where the report shows an experiment: its table or figure on its paper's page, or else that page."""
    paper = next((paper for paper in report["papers"] if paper["word"] == experiment.split("/")[0]), None)
    if paper is None:
        return {"page": "index.html", "name": "the report"}
    page = f"{paper['word']}.html"
    item = next((item for item in paper["items"] if item["id"] == experiment), None)
    printed = next((table for table in paper.get("printed", []) if table["id"] == experiment), None)
    if item is None and printed is None:
        return {"page": page, "name": "the paper's page"}
    stem = experiment.replace("/", "_") + ("" if item else "-printed")
    title = (printed or item)["title"] or experiment
    return {"page": f"{page}#{stem}", "name": title.removeprefix("Beyond the paper: ").split(":")[0]}


def write_case_pages(report: dict, titles: dict[str, str], folder: Path, template: Template) -> None:
    names = report.get("variants", {})
    for run in report["runs"]:
        rows = folder / run["rows_file"]
        pages = rows.parent / "cases"
        pages.mkdir(exist_ok=True)
        try:
            cases = cases_of(rows, folder / run["samples_file"])
        except (IndexError, StopIteration, TypeError, ValueError) as error:
            raise BadReport(f"{run['rows_file']} or its samples are damaged: {error}") from None
        by_page: dict[str, list[dict]] = {}
        for case in cases:
            by_page.setdefault(page_name(case["experiment"]), []).append(case)
        for name, shown in by_page.items():
            back = place_of(report, shown[0]["experiment"])
            text = template.render(run=run, cases=shown, points=points, table_rows=table_rows, names=names, titles=titles,
                                   back=back)
            (pages / name).write_text(text + "\n", encoding="utf-8")
