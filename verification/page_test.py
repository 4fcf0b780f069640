#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report's page in a browser without network: loads whole, draws every figure, sorts every table, leads nowhere dead.

usage: page_test.py --program PROGRAM [--screenshots DIR]   makes a small run and its report
       page_test.py REPORT_DIR [--screenshots DIR]

Exit status 77 where there is no chromium.
"""

import argparse
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

# Runs in the page: sizes of all figures, and what the first column reads after its sort button was pressed.
PROBE = """<script>addEventListener('load', () => {
  const figures = [...document.querySelectorAll('figure svg')].map(s => s.getBoundingClientRect())
    .map(r => [r.width, r.height]);
  const tables = [...document.querySelectorAll('table')].filter(t => t.querySelector('thead button')).map(t => {
    const buttons = [...t.querySelectorAll('thead button')];
    buttons[buttons.length - 1].click();
    return buttons[buttons.length - 1].closest('th').getAttribute('aria-sort');
  });
  const out = document.createElement('pre');
  out.id = 'probe';
  out.textContent = JSON.stringify({figures, tables, errors: window.probeErrors});
  document.body.append(out);
});</script>"""
WATCH = "<script>window.probeErrors = []; addEventListener('error', e => probeErrors.push(String(e.message)));</script>"


class Links(html.parser.HTMLParser):
    """Collects what the document loads and where it leads."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = {key: value or "" for key, value in attributes}
        if "id" in named:
            self.ids.add(named["id"])
        if "src" in named or (tag == "link" and "href" in named):
            self.loads.append(named.get("src") or named["href"])
        if tag == "a" and "href" in named:
            self.leads.append(named["href"])


def chromium(*arguments: str) -> str:
    with tempfile.TemporaryDirectory(prefix="reprise_chromium_") as profile:
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                   "--host-resolver-rules=MAP * ~NOTFOUND", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=180, check=True).stdout


def check_links(page: pathlib.Path) -> list[str]:
    found = Links()
    found.feed(page.read_text(encoding="utf-8"))
    problems = [f"the page loads {url}" for url in found.loads if not url.startswith("data:")]
    for url in found.leads:
        target, _, fragment = url.partition("#")
        if target and not re.match(r"[a-z]+:", target) and not (page.parent / urllib.parse.unquote(target)).exists():
            problems.append(f"the link {url} leads to no file")
        if not target and fragment not in found.ids:
            problems.append(f"the link {url} leads to no place on the page")
    return problems


def check_in_browser(page: pathlib.Path, figures: int) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="reprise_") as folder:
        copy = pathlib.Path(folder) / "index.html"
        text = page.read_text(encoding="utf-8")
        copy.write_text(text.replace("<head>", "<head>" + WATCH, 1).replace("</body>", PROBE + "</body>", 1), encoding="utf-8")
        dom = chromium("--dump-dom", "--virtual-time-budget=5000", "--window-size=1280,1000", copy.as_uri())
    match = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)
    if not match:
        return ["the page's scripts did not run to their end"]
    seen = json.loads(html.unescape(match.group(1)))
    problems = [f"script error: {error}" for error in seen["errors"]]
    problems += [f"figure {i + 1} is {width:.0f} by {height:.0f}" for i, (width, height) in enumerate(seen["figures"])
                 if width < 200 or height < 100]
    if len(seen["figures"]) != figures:
        problems.append(f"{len(seen['figures'])} figures are on the page, {figures} were drawn")
    if not seen["tables"]:
        problems.append("no table can be sorted")
    problems += [f"table {i + 1} did not sort" for i, state in enumerate(seen["tables"])
                 if state not in ("ascending", "descending")]
    return problems


def screenshots(page: pathlib.Path, folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for width in (1280, 400):
        for name, scheme in (("light", 1), ("dark", 0)):
            chromium(f"--screenshot={folder / f'{width}_{name}.png'}", f"--window-size={width},2400",
                     f"--blink-settings=preferredColorScheme={scheme}", page.as_uri())


def small_report(program: str, folder: pathlib.Path) -> pathlib.Path:
    subprocess.run([program, "run", "jacobi/table1", "jacobi/table3", "jacobi/fig21", "--preset", "smoke", "--size", "64x48",
                    "--out", str(folder / "run")], check=True, capture_output=True)
    subprocess.run([program, "report", str(folder / "run"), "--out", str(folder / "report")], check=True,
                   capture_output=True)
    return folder / "report"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", nargs="?", type=pathlib.Path)
    parser.add_argument("--program")
    parser.add_argument("--screenshots", type=pathlib.Path)
    asked = parser.parse_args()
    if shutil.which("chromium") is None:
        print("no chromium: apt install chromium")
        return 77
    with tempfile.TemporaryDirectory(prefix="reprise_") as folder:
        report = asked.report or small_report(asked.program, pathlib.Path(folder))
        page = (report / "index.html").resolve()
        problems = check_links(page)
        problems += check_in_browser(page, len(list((report / "figures").glob("*.svg"))))
        if asked.screenshots:
            screenshots(page, asked.screenshots.resolve())
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
