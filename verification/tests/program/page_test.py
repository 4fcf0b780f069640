#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report's page in a browser without network: loads whole, draws every figure, sorts every table, leads nowhere dead, and
can be read in narrow and wide windows and in both colour schemes.

usage: page_test.py --program PROGRAM --tests TESTS [--screenshots DIR]   makes a small run and its report, and one with fields
       page_test.py REPORT_DIR [--screenshots DIR]

Exit status 77 where there is no chromium or no axe-core.
"""

import argparse
import csv
import functools
import html
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

import simulated_node
from browser import Browser, is_there

SHARED_COLUMNS = ["variant", "device", "precision", "size", "parameter"]
SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
LARGEST_REPORT_PAGE = 1_500_000  # bytes
LARGEST_PAGE = 600_000  # characters, for eight surfaces and eight maps

PROBE = (pathlib.Path(__file__).parent / "page_probe.js").read_text(encoding="utf-8")
MOST_SCREENS = 12  # of 1400 by 900 pixels
WINDOWS = [(width, height, dark) for width, height in ((1400, 900), (390, 844)) for dark in (False, True)]
FOR_AXE = [(1400, 900, False), (390, 844, True)]  # axe-core is slow; these two have both widths and both schemes


class Links(html.parser.HTMLParser):
    """Collects what the document loads and what it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.ids: set[str] = set()
        self.doubled: set[str] = set()  # ids that more than one element has

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = {key: value or "" for key, value in attributes}
        if "id" in named:
            (self.doubled if named["id"] in self.ids else self.ids).add(named["id"])
        if "src" in named or (tag == "link" and "href" in named):
            self.loads.append(named.get("src") or named["href"])
        if tag == "a" and "href" in named:
            self.leads.append(named["href"])


@functools.lru_cache(maxsize=64)
def links_of(page: pathlib.Path) -> Links:
    found = Links()
    found.feed(page.read_text(encoding="utf-8"))
    return found


def check_links(page: pathlib.Path) -> list[str]:
    found = links_of(page)
    problems = [f"the page loads {url}" for url in found.loads if not url.startswith("data:")]
    problems += [f"several elements have the id {name}" for name in sorted(found.doubled)]
    for url in found.leads:
        target, _, fragment = url.partition("#")
        if target and not re.match(r"[a-z]+:", target) and not (page.parent / urllib.parse.unquote(target)).exists():
            problems.append(f"the link {url} leads to no file")
        place = (page.parent / target).resolve() if target.endswith(".html") and not target.startswith("rows/") else None
        ids = links_of(place).ids if place and place.is_file() else found.ids
        if fragment and (place or not target) and fragment not in ids:
            problems.append(f"the link {url} leads to no place on the page")
    return problems


def problems_seen(seen: dict, figures: int | None) -> list[str]:
    problems = [f"figure {i + 1} is {width:.0f} by {height:.0f}" for i, (width, height) in enumerate(seen["figures"])
                if width < 200 or height < 100]
    if figures is not None and len(seen["figures"]) != figures:
        problems.append(f"{len(seen['figures'])} figures are on the page, {figures} were drawn")
    problems += [f"table {i + 1} did not sort" for i, state in enumerate(seen["tables"])
                 if state not in ("ascending", "descending")]
    problems += [f"{what} has a contrast of {contrast} with what is behind it" for what, contrast in seen["faint"].items()]
    problems += [f"an axis cuts marks off in {what}" for what in seen["clipped"]]
    problems += [f"labels collide in {what}" for what in seen["colliding"]]
    for count, what in (("skipped", "headings skip a level"), ("unnamed", "pictures, tables or regions have no name"),
                        ("unreachable", "scrolling regions cannot be reached by keyboard"),
                        ("cut", "printed tables are cut in a wide window"),
                        ("sideways", "tables of claims scroll sideways"),
                        ("doubled", "printed numbers have none or several measured ones beside them")):
        if seen[count]:
            problems.append(f"{seen[count]} {what}")
    return problems


def check_window(tab: Browser, page: pathlib.Path, window: tuple[int, int, bool], figures: int | None, axe: str) -> list[str]:
    """Loads the page in a window of this size and scheme. Pages of cases have no number of figures, and any length."""
    tab.open(page, *window)
    problems = [f"script error: {error}" for error in tab.script_errors()]
    problems += [f"the page asks for {name}" for name in tab.requests()]
    tab.run(PROBE)
    size = tab.run("probe.size()")
    if figures is not None and window[0] > 1000 and size["screens"] > MOST_SCREENS:
        problems.append(f"the page has {size['screens']:.1f} screens, more than {MOST_SCREENS}")
    seen = tab.run("probe.seen()")
    problems += problems_seen(seen, figures)
    tab.run("probe.open()")
    wider = max(size["wider"], tab.run("probe.size()")["wider"])
    if wider > 0:
        problems.append(f"the page is {wider} pixels wider than its window")
    if axe and window in FOR_AXE:
        tab.run(axe)
        problems += [f"axe-core: {violation}" for violation in tab.run("probe.accessibility()")]
    return problems


def check_without_scripts(tab: Browser, page: pathlib.Path) -> list[str]:
    """Whether the page says the same where scripts do not run."""
    told = []
    for scripts in (True, False):
        tab.open(page, scripts=scripts)
        tab.run(PROBE)
        told.append(tab.run("[document.body.innerText.length, probe.size().wider]"))
    (with_scripts, _), (without, wider) = told
    problems = []
    if without <= 0.95 * with_scripts:
        problems.append(f"without scripts the page shows {without} characters, with them {with_scripts}")
    if wider > 0:
        problems.append(f"without scripts the page is {wider} pixels wider than its window")
    return problems


def check_in_browser(tab: Browser, page: pathlib.Path, figures: int | None, axe: str) -> list[str]:
    problems = check_without_scripts(tab, page)
    for window in WINDOWS:
        name = f"{window[0]} pixels wide, {'dark' if window[2] else 'light'}"
        problems += [f"{name}: {problem}" for problem in check_window(tab, page, window, figures, axe)]
    return problems


def check_that_faults_are_found(tab: Browser, folder: pathlib.Path, axe: str) -> list[str]:
    """Whether the checks find faults that are planted into a page."""
    faults = {
        "axe-core: image-alt (critical)": "<img src='data:,'>", "axe-core: label (critical)": "<input>",
        "axe-core: color-contrast (serious)": "<span style='color: #999'>faint</span>",
        "pixels wider than its window": "<pre style='width: 300vw'>wide</pre>",
        "screens, more than 12": "<div style='height: 1300vh'></div>",
        "an axis cuts marks off in planted": """<figure><svg role="img" viewBox="0 0 300 200" width="300"><title>planted</title>
            <clipPath id="c"><rect x="10" y="10" width="200" height="100"/></clipPath><defs><circle id="m" r="4"/></defs>
            <g clip-path="url(#c)"><use href="#m" x="11" y="50"/></g></svg></figure>""",
        "printed tables are cut": "<div class='wide' aria-label='a' tabindex='0' style='overflow: auto; width: 9rem'>"
                                  "<table class='as-printed' style='width: 90rem'><tr><td>1</td></tr></table></div>",
        "labels collide in planted": """<figure><svg role="img" viewBox="0 0 300 200" width="300"><title>planted</title>
            <text x="20" y="20">first</text><text x="25" y="21">second</text></svg></figure>"""}
    page = folder / "planted.html"
    page.write_text("<!DOCTYPE html><html lang='en'><head><title>planted</title></head><body><main><h1>planted</h1>"
                    f"{''.join(faults.values())}</main></body></html>", encoding="utf-8")
    found = check_window(tab, page, WINDOWS[0], 2, axe)
    return [f"the planted fault is not found: {fault}" for fault in faults
            if (axe or not fault.startswith("axe")) and not any(fault in problem for problem in found)]


def check_files(report: pathlib.Path) -> list[str]:
    """Checks tables in three languages, figures in three formats with data, cases that link back, and page sizes."""
    problems = []
    for folder, endings, first in (("tables", ("md", "csv", "tex"), "csv"), ("figures", ("svg", "png", "pdf", "csv"), "svg")):
        for file in (report / folder).glob(f"*.{first}"):
            problems += [f"{file.stem} has no .{ending}" for ending in endings if not file.with_suffix(f".{ending}").is_file()]
    for case in report.glob("rows/*/cases/*.html"):
        problems += check_links(case)
    problems += check_samples(report)
    problems += [f"{page.name} has more than {LARGEST_REPORT_PAGE} bytes" for page in report.glob("*.html")
                 if page.stat().st_size > LARGEST_REPORT_PAGE]
    return problems


def cases_in(file: pathlib.Path, numbered: bool) -> list[tuple[str, ...]]:
    """The cases of a file of rows or samples without their experiments; `numbered`: of rows, each case with a number once."""
    cases: dict[tuple[str, ...], None] = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for record in csv.DictReader(lines):
            if record["value"]:
                cases[tuple(record[column] for column in (["experiment"] if numbered else []) + SHARED_COLUMNS)] = None
    return [case[1:] if numbered else case for case in cases]


def check_numbers(report: pathlib.Path) -> list[str]:
    """The case to which a measured line of a table leads has a row with its number."""
    papers = json.loads((report / "report.json").read_text(encoding="utf-8"))["papers"]
    cells = [cell for paper in papers for item in paper["items"] if item["kind"] == "table" for line in item["lines"]
             for cell in line if isinstance(cell, dict) and "value" in cell and "page" in cell]
    shown: dict[str, dict[str, set[float]]] = {}
    problems = []
    for cell in cells:
        path, _, place = cell["page"].partition("#")
        if path not in shown:
            sections = re.findall(r'<section id="([^"]+)">(.*?)</section>', (report / path).read_text(encoding="utf-8"), re.S)
            shown[path] = {name: set(map(float, re.findall(r'<td class="n" title="([^"]+)">', text))) for name, text in sections}
        if not any(abs(value - cell["value"]) <= 1e-9 * abs(value) for value in shown[path].get(place, ())):
            problems.append(f"the link {cell['page']} leads to a case without the number {cell['value']}")
    return problems


def check_samples(report: pathlib.Path) -> list[str]:
    """Follows every link from a number to its case, which must show samples, or lead to them, if its run took some."""
    leads = dict.fromkeys(url for page in report.glob("*.html") for url in links_of(page).leads)
    shown, known, sampled, problems = {}, {}, {}, []
    for url in (url for url in leads if url.startswith("rows/") and "#" in url):
        path, _, place = url.partition("#")
        folder = (report / path).parent.parent
        if path not in shown:
            page = (report / path).read_text(encoding="utf-8") if (report / path).is_file() else ""
            shown[path] = dict(re.findall(r'<section id="([^"]+)">(.*?)</section>', page, re.S))
            known[folder] = known.get(folder) or cases_in(folder / "rows.csv", numbered=True)
            sampled[folder] = sampled.get(folder) or set(cases_in(folder / "samples.csv", numbered=False))
        if place not in shown[path]:
            problems.append(f"the link {url} leads to no case")
        elif " samples of " not in shown[path][place] and known[folder][int(place.split("-")[1]) - 1] in sampled[folder]:
            problems.append(f"the link {url} leads to a case without its samples")
    return problems


def check_headlines(report: pathlib.Path) -> list[str]:
    """Each headline stands on the first page and on its paper's, with its verdict before it."""
    pages = {page.stem: html.unescape(page.read_text(encoding="utf-8")) for page in report.glob("*.html")}
    papers = json.loads((report / "report.json").read_text(encoding="utf-8"))["papers"]
    mark = r'(<strong class="main"[^>]*>Main( claim)?</strong> )?'
    return [f"{name}.html does not have the headline {claim['id']} behind its verdict"
            for paper in papers for claim in paper["claims"] if claim["headline"] for name in ("index", paper["word"])
            if not re.search(f">{claim['verdict']}</span> <span>{mark}<a href=\"({paper['word']}.html)?#claim-{claim['id']}\">"
                             + re.escape(claim["claim"]) + "</a></span>", pages[name])]


def check_title(report: pathlib.Path) -> list[str]:
    """Finds a processor that is named twice: once as OpenCL or OpenGL see it."""
    listed = [(device, run["processors"]) for run in json.loads((report / "report.json").read_text())["runs"]
              for device in run["devices"]]
    title = html.unescape(re.search(r"<title>(.*?)</title>", (report / "index.html").read_text(), re.DOTALL)[1])
    if not any(device.get("backend") == "cpu" for device, _ in listed):
        return []
    return [f"the title names {device['name']}" for device, processors in listed
            if device["id"] in processors and device.get("backend") != "cpu" and device["name"] in title]


def check_main_claims(report: pathlib.Path) -> list[str]:
    """The first headline of each paper is marked as its main claim, and no other one."""
    problems = []
    for paper in json.loads((report / "report.json").read_text(encoding="utf-8"))["papers"]:
        first = min((claim for claim in paper["claims"] if claim["headline"]), key=lambda claim: claim["headline"], default=None)
        page = (report / f"{paper['word']}.html").read_text(encoding="utf-8")
        marked = re.findall(r'<strong class="main"[^>]*>Main claim</strong> <a href="#claim-([^"]+)"', page)
        if marked != ([first["id"]] if first else []):
            problems.append(f"{paper['word']}.html marks {marked} as its main claim")
    return problems


def check_filters(report: pathlib.Path) -> list[str]:
    """Each button of a filter counts the claims of its class and verdict."""
    problems = []
    for paper in json.loads((report / "report.json").read_text(encoding="utf-8"))["papers"]:
        page = (report / f"{paper['word']}.html").read_text(encoding="utf-8")
        buttons = re.findall(r'<button type="button" data-class="(\w+)"(?: data-show="([^"]+)")?[^>]*>[^<]+<b>(\d+)</b>', page)
        claims = [(claim["class"], claim["verdict"]) for claim in paper["claims"]]
        if {name for name, _ in claims} != {name for name, _, _ in buttons}:
            problems.append(f"the filter of {paper['word']}.html lacks a class")
        for name, verdict, count in buttons:
            if int(count) != sum(own == name and (not verdict or verdict == found) for own, found in claims):
                problems.append(f"the filter of {paper['word']}.html counts {count} for {name} {verdict}")
    return problems


def check_meanings(report: pathlib.Path) -> list[str]:
    """The first page says in a line each what the verdicts and marks mean that the pages have."""
    text = (report / "index.html").read_text(encoding="utf-8")
    lines = re.findall(r"<dt>(.*?)</dt><dd>(.+?)</dd>", text[text.index('id="verdicts"'):], re.S)
    explained = " ".join(re.sub("<[^>]+>", " ", term) for term, _ in lines)
    papers = json.loads((report / "report.json").read_text(encoding="utf-8"))["papers"]
    wanted = {claim["verdict"] for paper in papers for claim in paper["claims"]} | set("✓✗≈?×÷†–")
    return [f"the first page does not explain {what}" for what in sorted(wanted) if what not in explained]


def check_promises(report: pathlib.Path) -> list[str]:
    """The first page says in how many runs the rows show that answers were checked after they were timed."""
    runs = json.loads((report / "report.json").read_text(encoding="utf-8"))["runs"]
    after = 0
    for run in runs:
        with (report / run["rows_file"]).open(encoding="utf-8", newline="") as lines:
            after += any(row["metric"].startswith("timed_") and row["status"] == "ok" for row in csv.DictReader(lines))
    promise = ("checked before it was timed, and again afterwards" if after == len(runs) else
               f"checked before it was timed; in {after} of {len(runs)} runs again afterwards" if after else
               "checked before it was timed ·")
    text = (report / "index.html").read_text(encoding="utf-8")
    return [] if promise in text else [f"the first page does not say: {promise}"]


# By the name of a roof on the page of limits: its names in run.json, the metric that counts against it, and the factor of its
# unit; none for intervals in microseconds.
ROOFS = {"memory": (("copy_roof", "read_roof"), "bandwidth_compulsory", 1e9), "caches": ((), "bandwidth_compulsory", 1e9),
         "memory or caches": ((), "bandwidth_compulsory", 1e9), "multiply-adds": (("flops_roof",), "gflops", 1e9),
         "shared memory": (("shared_roof",), "counted_shared_bytes", 1e9),
         "functions": (("functions_roof",), "counted_functions", 1e9), "launches": (("launch_roof",), "counted_launches", None),
         "grid exchange": (("exchange_roof",), "counted_exchanges", None)}
UNITS = {"GB/s": 1e9, "TB/s": 1e12, "GFLOP/s": 1e9, "TFLOP/s": 1e12, "Gop/s": 1e9, "Top/s": 1e12}
ROUNDED = 0.01  # rows tell roofs with three digits


def rate_told(amount: str) -> float:
    """In units of one per second, of "4280.3 GB/s" or the interval "2.65 us"."""
    number, unit = amount.split()
    return 1e6 / float(number) if unit == "us" else float(number) * UNITS[unit]


def problems_of_limit(line: dict[str, str], rows: list[dict[str, str]], roofs: list[dict]) -> list[str]:
    """Whether a line of limits.csv follows from its case's rows and its run's roofs."""
    seconds, name = float(line["time (s)"]), line["roof that binds"].removesuffix(" (of two)")
    if line["share (%)"] == "–":
        told = line["roof that binds"].startswith(("none on this machine: ", "error: ", "not measured with this time"))
        return [] if told and line["least time (s)"] == "–" else ["has no share and does not say why"]
    share, least, rate = float(line["share (%)"]), float(line["least time (s)"]), rate_told(line["reached there"])
    problems = [] if 0 <= share <= 100 and abs(least - share / 100 * seconds) <= 1e-6 * least else ["has another share"]
    kinds, counting, factor = ROOFS[name]
    values = {row["metric"]: float(row["value"]) for row in rows if row["status"] == "ok"}
    count = values[counting] * seconds * 1e9 if counting in ("gflops", "bandwidth_compulsory") else values.get(counting)
    # At the roof a share is 100 %, although the clock says up to 3 % more.
    if count is not None and not (share == 100 and count / rate <= 1.03 * least) and abs(count / rate - least) > ROUNDED * least:
        problems.append(f"has a least time of {least}, where its count takes {count / rate}")
    known = [value * factor if factor else 1e6 / value for value in (roof["value"] for roof in roofs if roof["roof"] in kinds)]
    # Roofs that work seemed to exceed are measured again after run.json has them.
    if known and line["roof that binds"] == name and not any(abs(rate / one - 1) <= 0.1 for one in known):
        problems.append(f"has a roof of {rate}, where the run has {known}")
    return problems


def check_limits(report: pathlib.Path) -> list[str]:
    """Least times and shares on the page of limits follow from rows and roofs, and each paper's page leads to its section."""
    document = json.loads((report / "report.json").read_text(encoding="utf-8"))
    if not document.get("limits"):
        return []
    problems, rows = [], {run["rows_file"]: {} for run in document["runs"]}
    for file, by_case in rows.items():
        with (report / file).open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                by_case.setdefault(tuple(row[column] for column in ("experiment", *SHARED_COLUMNS)), []).append(row)
    with (report / "limits.csv").open(encoding="utf-8", newline="") as lines:
        found = list(csv.DictReader(lines))
    for line in found:
        if line["board"] == "not run here":
            continue
        variant, seconds = f"{line['paper']}/{line['variant']}", float(line["time (s)"])
        of_line = [(run, of_case) for run in document["runs"] for key, of_case in rows[run["rows_file"]].items()
                   if key[1] == variant and key[4] == line["size"]
                   and any(row["value"] and float(row["value"]) == seconds and row["status"] == "ok" for row in of_case)]
        told = [problems_of_limit(line, of_case, run.get("roofs", [])) for run, of_case in of_line]
        if all(told):  # of cases with the same time one has to fit
            problems.append(f"limits.csv: {variant} at {line['size']} {'; '.join(told[0]) if told else 'has no row'}")
    for paper in document["limits"]:
        if f'href="limits.html#{paper["word"]}"' not in (report / f"{paper['word']}.html").read_text(encoding="utf-8"):
            problems.append(f"{paper['word']}.html does not lead to the page of limits")
        if not paper["lines"] and not any(line["paper"] == paper["word"] and line["board"] == "not run here" for line in found):
            problems.append(f"limits.csv does not say that {paper['word']} was not run")
    return problems


def check_printed(report: pathlib.Path) -> list[str]:
    """Each printed number of a paper stands in a cell of its page, with a measured one or a letter that leads to a reason."""
    problems = []
    for paper in json.loads((report / "report.json").read_text(encoding="utf-8"))["papers"]:
        page = (report / f"{paper['word']}.html").read_text(encoding="utf-8")
        tables = re.findall(r'<table class="as-printed.*?</table>', page, re.S)
        cells = [cell for table in tables for cell in re.findall(r'<td class="number">(.*?)</td>', table, re.S) if "now" in cell]
        stated = sum(table["printed"] for table in paper.get("printed", []))
        whole = sum(bool(re.match(r'[^<–]+<span class="now[^>]*>(<i title="[^"]+">–<sup>\w+</sup>|(<a [^>]*>)?[^<])', cell))
                    for cell in cells)
        if not stated == len(cells) == whole:
            problems.append(f"{paper['word']}.html has {len(cells)} cells for {stated} printed numbers, {whole} of them whole")
    return problems


def screenshots(tab: Browser, page: pathlib.Path, folder: pathlib.Path) -> None:
    for width, height, dark in WINDOWS:
        tab.open(page, width, height, dark)
        for part, whole in (("first", False), ("whole", True)):
            tab.screenshot(folder / f"{page.stem}_{width}_{'dark' if dark else 'light'}_{part}.png", whole)


def axe_core() -> str:
    """The source of axe-core, which scripts/setup --tests installs; empty if it is not there."""
    found = sorted(SCRIPTS.parent.glob("build/python/lib/python3*/site-packages/axe_playwright_python/axe.min.js"))
    return found[-1].read_text(encoding="utf-8") if found else ""


def small_report(program: str, folder: pathlib.Path) -> pathlib.Path:
    ran = subprocess.run([program, "run", "jacobi/table1", "jacobi/table3", "jacobi/fig21", "--preset", "smoke",
                          "--size", "64x48", "--out", str(folder / "run")], capture_output=True)
    if ran.returncode not in (0, 2):  # a busy machine may make a row fail, which the page must show too
        ran.check_returncode()
    subprocess.run([program, "report", str(folder / "run"), "--out", str(folder / "report")], check=True,
                   capture_output=True)
    return folder / "report"


def small_fleet(program: str, folder: pathlib.Path) -> pathlib.Path:
    """A fleet of four nodes with the times of the small report's run, one of them slower."""
    for node, factor in (("a", 1), ("b", 1), ("c", 1), ("d<i>", 1.2)):
        simulated_node.simulate(folder / "run", folder / "nodes" / node, node, factor)
    subprocess.run([program, "collect", str(folder / "nodes"), "--out", str(folder / "fleet")], capture_output=True)
    return folder / "fleet"


def report_with_fields(tests: str, folder: pathlib.Path) -> pathlib.Path:
    """A generated report with surfaces and colour maps, and with names that break a page that does not escape them."""
    report = folder / "with_fields"
    subprocess.run([tests, "a made-up report with fields"], check=True, capture_output=True,
                   env=os.environ | {"REPRISE_MADE_UP_REPORT": str(report)})
    draw(report)
    return report


def draw(report: pathlib.Path) -> None:
    subprocess.run([SCRIPTS / "plot", report], check=True, capture_output=True)


def svg_on_page(page: str, stem: str) -> str:
    section = page[page.index(f'id="{stem}"'):]
    return section[section.index("<svg"):section.index("</svg>")]


def check_fields(report: pathlib.Path) -> list[str]:
    page = (report / "jacobi.html").read_text(encoding="utf-8")
    problems = []
    for stem, pictures in (("jacobi_fig1", 8), ("jacobi_fig2", 9)):  # one per panel, and the colour bar
        svg = svg_on_page(page, stem)
        if svg.count("data:image/png;base64,") != pictures:
            problems.append(f"{stem} has {svg.count('data:image/png;base64,')} pictures, not {pictures}")
        if "currentColor" not in svg or re.search("#1c1e21|#ffffff|white", svg):
            problems.append(f"{stem} has colours that one of the colour schemes hides")
        told = html.unescape(svg[svg.index("<desc"):svg.index("</desc>")])
        if '<b>&"t"=2</b> from -0.9999 to 1.5' not in told:
            problems.append(f"{stem} does not tell each panel's least and greatest value: {told}")
    line = re.search(r'd="M ([\d.]+) [\d.]+ \nL ([\d.]+) [\d.]+ \nL ([\d.]+) [\d.]+ \n"', svg_on_page(page, "jacobi_fig4"))
    left, middle, right = map(float, line.groups()) if line else (0, 0, 1)
    if abs(left + right - 2 * middle) > 0.01 * (right - left):
        problems.append("dt = 0.1, 0.2 and 0.4 are not equally far apart on a logarithmic axis")
    if "no field was recorded here (&lt;script&gt;no&lt;/script&gt; GPU here)" not in page:
        problems.append("the page does not say why there are no fields for jacobi_fig3")
    if "<script>no" in page or "cpu_<i>" in page or "<b>&" in page:
        problems.append("a name from a file is markup on the page")
    if len(page) > LARGEST_PAGE:
        problems.append(f"the page has {len(page)} bytes, more than {LARGEST_PAGE}")
    before = {path: path.read_bytes() for path in report.rglob("*") if path.is_file()}
    draw(report)
    problems += [f"{path.name} has other bytes when it is drawn again" for path, content in before.items()
                 if path.read_bytes() != content]
    return problems


def check_refusals(report: pathlib.Path) -> list[str]:
    """Checks that a report.json with a broken field is refused in one line."""
    file = report / "report.json"
    intact = file.read_text(encoding="utf-8")
    breakages = {"nx": 1, "ny": 98, "x0": "left", "x1": -9, "values": ["0 0"], "y1": None}
    problems = []
    for key, value in [*breakages.items(), ("values", ["x " * 96 + "1"] * 97), ("values", ["nan " * 97] * 97)]:
        document = json.loads(intact)
        next(i for i in document["papers"][0]["items"] if i["kind"] == "fields")["fields"]["lines"][0]["panels"][0][key] = value
        file.write_text(json.dumps(document), encoding="utf-8")
        told = subprocess.run([SCRIPTS / "plot", report], capture_output=True, text=True)
        if told.returncode != 1 or told.stderr.count("\n") != 1 or "panels[0]" not in told.stderr:
            problems.append(f"{key} = {str(value)[:20]} in a field is answered by {told.returncode}: {told.stderr[-200:]}")
    file.write_text(intact, encoding="utf-8")
    return problems


def check_fleet_refusals(fleet: pathlib.Path) -> list[str]:
    """Checks that a broken fleet.json is refused in one line, too."""
    file = fleet / "fleet.json"
    intact = file.read_text(encoding="utf-8")
    problems = []
    for path, value in ((("schema",), 9), (("nodes",), 3), (("nodes", 3, "speeds", 0, "middle"), "far"),
                        (("nodes", 3, "speeds", 0, "timings", 0, "percent"), None), (("tables", 0, "lines", 0), [])):
        document = place = json.loads(intact)
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        file.write_text(json.dumps(document), encoding="utf-8")
        told = subprocess.run([SCRIPTS / "plot", fleet], capture_output=True, text=True)
        if told.returncode != 1 or told.stderr.count("\n") != 1 or str(path[0]) not in told.stderr:
            problems.append(f"{path} = {value} in a fleet is answered by {told.returncode}: {told.stderr[-200:]}")
    file.write_text(intact, encoding="utf-8")
    return problems


def pages_of(report: pathlib.Path) -> dict[pathlib.Path, int | None]:
    """A report's pages with their numbers of figures. Of the pages of cases, which differ in numbers alone, one a run."""
    pages: dict[pathlib.Path, int | None] = {
        page: len(list((report / "figures").glob(f"{page.stem}_*.svg"))) for page in sorted(report.glob("*.html"))}
    for run in sorted(report.glob("rows/*/cases")):
        largest = max(run.glob("*.html"), key=lambda page: page.stat().st_size, default=None)
        pages |= {largest: None} if largest else {}
    return pages


def check_report(tab: Browser, report: pathlib.Path, axe: str, pictures: pathlib.Path | None) -> list[str]:
    problems = check_files(report) + check_title(report) + check_headlines(report) + check_main_claims(report)
    problems += check_filters(report) + check_printed(report) + check_numbers(report) + check_meanings(report)
    problems += check_promises(report) + check_limits(report)
    for page, figures in pages_of(report).items():
        found = (check_links(page) if page.parent == report else []) + check_in_browser(tab, page, figures, axe)
        problems += [f"{page.name}: {problem}" for problem in found]
        if pictures:
            screenshots(tab, page, pictures.resolve() / report.name)
    return problems


def check_made_reports(tab: Browser, asked: argparse.Namespace, folder: pathlib.Path, axe: str) -> list[str]:
    reports = [small_report(asked.program, folder)]
    fleet = small_fleet(asked.program, folder)
    problems = check_that_faults_are_found(tab, folder, axe) + check_links(fleet / "index.html")
    problems += check_in_browser(tab, fleet / "index.html", len(list((fleet / "figures").glob("*.svg"))), axe)
    problems += check_fleet_refusals(fleet)
    if asked.tests:
        made_up = report_with_fields(asked.tests, folder)
        problems += check_fields(made_up) + check_refusals(made_up)
        reports.append(made_up)
    for report in reports:
        problems += check_report(tab, report.resolve(), axe, asked.screenshots)
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", nargs="?", type=pathlib.Path)
    parser.add_argument("--program")
    parser.add_argument("--tests")
    parser.add_argument("--screenshots", type=pathlib.Path)
    asked = parser.parse_args()
    if not is_there():
        print("no chromium: apt install chromium")
        return 77
    axe = axe_core()
    with tempfile.TemporaryDirectory(prefix="reprise_") as folder, Browser() as tab:
        problems = (check_report(tab, asked.report.resolve(), axe, asked.screenshots) if asked.report
                    else check_made_reports(tab, asked, pathlib.Path(folder), axe))
    for problem in problems:
        print(problem)
    if not axe:
        print("no axe-core: scripts/setup --tests installs it")
    return 1 if problems else 0 if axe else 77


if __name__ == "__main__":
    sys.exit(main())
