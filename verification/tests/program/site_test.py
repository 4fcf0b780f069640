#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the guides as a site and follows every link of its pages.

usage: site_test.py PYTHON PROGRAM
PYTHON is the one with the packages from PyPI. Status 77 where they are missing.
"""
from __future__ import annotations

import functools
import html.parser
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

import pypi_tools

pypi_tools.require(sys.argv[1], "mkdocs", "material")

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = sys.argv[2]
FOLDER = tempfile.TemporaryDirectory(prefix="reprise_site_test_")
SITE = pathlib.Path(FOLDER.name) / "site"
sys.path.insert(0, str(ROOT / "scripts"))
from guides import assemble, markdown, metrics, pictures  # noqa: E402


def tearDownModule() -> None:
    FOLDER.cleanup()


class Page(html.parser.HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        of = dict(attributes)
        self.anchors |= {of[name] for name in ("id", "name") if of.get(name)}
        if tag == "a" and of.get("href"):
            self.links.append(of["href"])
        if tag in ("img", "script") and of.get("src"):
            self.loaded.append(of["src"])
        if tag == "link" and of.get("rel") in ("stylesheet", "icon") and of.get("href"):
            self.loaded.append(of["href"])


@functools.cache
def page_at(path: pathlib.Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def leads_nowhere(page: pathlib.Path, link: str) -> bool:
    parts = urllib.parse.urlsplit(link)
    if parts.scheme in ("http", "https", "mailto"):
        return False
    target = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        return True
    return bool(parts.fragment) and target.suffix == ".html" and parts.fragment not in page_at(target).anchors


class TheSite(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        built = subprocess.run([ROOT / "scripts" / "site", "--program", PROGRAM, "--out", SITE], capture_output=True, text=True)
        assert built.returncode == 0, built.stdout + built.stderr
        cls.pages = sorted(path for path in SITE.rglob("*.html") if path.name != "404.html")

    def text_of(self, page: str) -> str:
        return (SITE / page).read_text(encoding="utf-8")

    def test_every_guide_has_a_page(self) -> None:
        built = {path.relative_to(SITE).as_posix() for path in self.pages}
        expected = {page.replace(".md", ".html") for page in assemble.pages().values()}
        self.assertLessEqual(expected, built)
        self.assertLessEqual({"tour.html", "commands.html", "metrics.html", "architecture.html", "journeys/gate.html"}, built)

    def test_every_link_leads_somewhere(self) -> None:
        followed = 0
        for path in self.pages:
            for link in page_at(path).links + page_at(path).loaded:
                self.assertFalse(leads_nowhere(path, link), f"{path.relative_to(SITE)} links to {link}")
                followed += 1
        self.assertGreater(followed, 500)

    def test_no_page_loads_anything_from_elsewhere(self) -> None:
        for path in self.pages:
            elsewhere = [source for source in page_at(path).loaded if urllib.parse.urlsplit(source).netloc]
            self.assertEqual(elsewhere, [], path.name)

    def test_the_tour_has_pictures_and_the_programs_own_words(self) -> None:
        tour = page_at(SITE / "tour.html")
        self.assertGreaterEqual(sum(source.endswith(".svg") for source in tour.loaded), 5)
        self.assertIn("plan for 3 min", self.text_of("tour.html"))

    def test_the_reference_has_every_command(self) -> None:
        listed = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
        reference = self.text_of("commands.html")
        for command in ("list", "doctor", "verify", "run", "report", "claims", "baseline", "compare", "duel", "collect",
                        "pack", "manual"):
            self.assertIn(f"  {command}", listed)
            self.assertIn(f'id="reprise-{command}"', reference)
        self.assertIn("--dry-run", reference)


class Errors(unittest.TestCase):
    """Each flaw is found."""

    def test_a_link_to_no_file_and_a_name_of_a_guide(self) -> None:
        with self.assertRaisesRegex(assemble.Flaw, "nothing.md, which does not exist"):
            assemble.with_links("[a](nothing.md)\n", "docs/report.md", "report.md")
        told = assemble.with_links("See `docs/report.md`.\n\n    cat docs/report.md\n", "README.md", "journeys/gate.md")
        self.assertEqual(told, "See [`docs/report.md`](../report.md).\n\n    cat docs/report.md\n")

    def test_a_section_that_is_gone(self) -> None:
        text = "# A\n\n## One\n\n1\n\n```\n# no heading\n```\n\n### Below\n\n2\n\n## Two\n"
        self.assertEqual(markdown.section(text, "one"), "1\n\n```\n# no heading\n```\n\n### Below\n\n2\n")
        with self.assertRaises(KeyError):
            markdown.section(text, "three")

    def test_a_metric_without_a_meaning(self) -> None:
        rows = pathlib.Path(FOLDER.name) / "rows.csv"
        rows.write_text("experiment,metric,unit,status\njacobi/table1,time_a,s,ok\njacobi/table1,new_metric,1,ok\n")
        guide = "## Metrics of every paper\n\n| metric | unit | meaning |\n| --- | --- | --- |\n| `time_*` | s | a time |\n"
        text, lacking = metrics.page(guide, [rows], [])
        self.assertEqual(lacking, ["jacobi/new_metric"])
        self.assertIn("| `time_a` | s | table1 |  | a time |", text)

    def test_a_broken_anchor_ends_the_build(self) -> None:
        source = pathlib.Path(FOLDER.name) / "source"
        source.mkdir()
        (source / "index.md").write_text("# A\n\n[b](#gone)\n")
        config = pathlib.Path(FOLDER.name) / "mkdocs.yml"
        own = (ROOT / "docs" / "site" / "mkdocs.yml").read_text(encoding="utf-8").split("nav:\n  - Start")[0]
        config.write_text(own.replace("!ENV REPRISE_SITE_SOURCE", str(source)))
        built = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", config, "--site-dir",
                                source.parent / "broken"], capture_output=True, text=True)
        self.assertNotEqual(built.returncode, 0)
        self.assertIn("#gone", built.stderr)

    def test_boxes_stand_below_those_that_point_at_them(self) -> None:
        chart = 'flowchart TD\n  a["x"]\n  b["y"]\n  c["z"]\n  a --> b & c\n  b -->|word| c\n'
        boxes, arrows = pictures.arrows_of(chart)
        self.assertEqual(arrows, [("a", "b"), ("a", "c"), ("b", "c")])
        self.assertEqual(pictures.rows_of(boxes, arrows), [["a"], ["b"], ["c"]])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
