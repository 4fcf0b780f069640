#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the parts of scripts/plot that need no drawing: Markdown, numbers, checks of report.json, and pages of cases."""

import csv
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

import numpy  # noqa: E402
from jinja2 import Environment, FileSystemLoader  # noqa: E402
from PIL import Image  # noqa: E402

from plotting import cases, figures, files, words  # noqa: E402
from plotting.report import BadReport, read_report  # noqa: E402

HEADER = "run,experiment,variant,device,precision,size,parameter,metric,"
RUN = {"name": "<h1>run", "started": "", "request": {}, "devices": [], "labels": {"cuda:0": "NVIDIA H200"},
       "rows_file": "rows/here/rows.csv", "samples_file": "rows/here/samples.csv"}


PAPERS = [{"word": "jacobi", "items": [{"id": "jacobi/t1", "title": "Table 1: times"}],
           "printed": [{"id": "jacobi/t1", "title": "Table 1"}, {"id": "jacobi/t2", "title": "Table 2"}]}]


class Waiting(unittest.TestCase):
    def test_nothing_is_drawn_of_a_report_that_is_never_written(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            (pathlib.Path(name) / "report.json").write_text("{}", encoding="utf-8")  # of an earlier report
            told = subprocess.run([ROOT / "scripts/plot", "--wait", name], input="", capture_output=True, text=True)
            self.assertEqual((told.returncode, told.stdout, told.stderr), (1, "", ""))
            self.assertEqual([path.name for path in pathlib.Path(name).iterdir()], ["report.json"])


class Words(unittest.TestCase):
    def test_html_and_links_in_markdown_are_text(self) -> None:
        text = words.markdown("a <script>x</script> &amp; <b>\n\n<div>\n\n- [x](javascript:a) <!-- c --> ![i](u)\n\n`<i>`")
        for part in ("&lt;script&gt;x&lt;/script&gt; &amp; &lt;b&gt;", "<p>&lt;div&gt;</p>",
                     "[x](javascript:a) &lt;!-- c --&gt; ![i](u)", "<code>&lt;i&gt;</code>"):
            self.assertIn(part, text)

    def test_the_citation_of_a_paper_is_on_its_page(self) -> None:
        citations = (ROOT / "CITATION.cff").read_text(encoding="utf-8").split("  - type: article")[1:]
        shown = {line["id"]: line["cited"] for line in
                 csv.DictReader((ROOT / "reports/layouts/papers.csv").read_text(encoding="utf-8").splitlines())}
        for citation in citations:
            word = re.search(r"in the program: (\w+)", citation).group(1)
            facts = re.findall(r"doi: (\S+)|value: \"(\S+)\"|family-names: ([^,]+),|journal: (.+)", citation)
            for fact in filter(None, (part for parts in facts for part in parts)):
                self.assertIn(fact, shown[word])

    def test_ratios_are_told_in_one_way(self) -> None:
        told, unit = words.as_said((-92.2, "% faster"))
        self.assertEqual((words.brief(told), unit), ("12.8", "times as slow"))
        self.assertEqual(words.as_said((21.0, "% faster")), (1.21, "times as fast"))
        self.assertEqual(words.as_said((10.0, "% slower")), (1.1, "times as slow"))
        self.assertEqual(words.said(21.0, "% faster", "times as fast"), "1.21")
        self.assertEqual(words.said(21.0, "% faster", "times as slow"), "1.21 times as fast")
        self.assertEqual(words.range_said({"low": 10.0, "high": None}, "% faster"), "1.1 or more")
        self.assertEqual(words.range_said({"low": 2.0, "high": 3.0}, "s"), "2 to 3")
        self.assertEqual(words.as_said((-1.0, "%")), (-1.0, "%"))
        self.assertEqual(words.as_said((None, "% faster")), (None, "% faster"))

    def test_the_file_of_assumptions_becomes_a_link_and_other_text_stays_text(self) -> None:
        self.assertEqual(words.linked("<b> (assumptions.md)", "atrium"),
                         '&lt;b&gt; (<a href="#atrium-all-assumptions">Assumptions</a>)')

    def test_many_selectors_without_a_row_are_one_sentence(self) -> None:
        missing = "; ".join(f"opencl_stages@{n}x{n}:time,experiment=tissue/e: no row was measured" for n in (8, 16))
        text = words.why(missing + "; see <i>", "tissue", {"tissue/opencl_stages": "One kernel & more"})
        told = "Not measured in tissue/e: 2 numbers of One kernel &amp; more. see &lt;i&gt;<details>"
        self.assertTrue(text.startswith(told))
        self.assertIn("<li><code>opencl_stages@8x8:time,experiment=tissue/e</code></li>", text)

    def test_a_claim_says_how_far_its_other_parts_are(self) -> None:
        self.assertEqual(words.other_parts([{"value": 3.38}, {"value": 83.3}], "holds"), "; one of 2 numbers, 3.38 to 83.3")
        self.assertEqual(words.other_parts([{"value": 3.0}, {"value": 4.0}], "holds"), "")
        self.assertEqual(words.other_parts([{"value": 0.9}, {"value": 1.1}], "holds in part"),
                         "; one of 2 numbers, 0.900 to 1.10")
        self.assertEqual(words.other_parts([{"value": None}, {"value": 4.0}, {"value": -1.0}], "no longer"), "")

    def test_headings_begin_at_h3_and_skip_no_level(self) -> None:
        self.assertEqual(words.markdown("## a\n\n#### b\n\n# c"), "<h3>a</h3>\n<h4>b</h4>\n<h3>c</h3>")

    def test_tables_scroll_and_name_their_columns(self) -> None:
        text = words.markdown("| a | b |\n| --- | --- |\n| \\|y\\| | *c* |")
        self.assertIn('class="wide"', text)
        self.assertIn('<th scope="col">a</th>', text)
        self.assertIn("<td>|y|</td>\n<td><em>c</em></td>", text)

    def test_brief_numbers_keep_three_significant_digits(self) -> None:
        for value, text in ((4.0, "4.00"), (0.00416714, "0.00417"), (12.8398, "12.8"), (999.9, "1000"), (3.0e-9, "3.00 × 10⁻⁹")):
            self.assertEqual(words.brief(value), text)
        self.assertEqual((words.count_word(5), words.count_word(12)), ("Five", "12"))

    def test_cells_are_written_as_in_the_other_formats(self) -> None:
        for cell, text in ((0.0123456, "0.01235"), (1e-7, "1e-07"), (123456.0, "123456"), (12345.67, "12346"),
                           (3e12, "3e+12"), ("–", "–"), ({"value": 1.5, "unit": "mV"}, "1.5 mV"), ({"value": 2.0}, "2")):
            self.assertEqual(words.cell_text(cell), text)
        self.assertTrue(words.is_numeric([1.5, "–", "", "163842", {"value": 2.0, "page": "x"}]))
        self.assertFalse(words.is_numeric([1.5, {"value": 2.0, "unit": "mV"}]))
        self.assertFalse(words.is_numeric(["8x8"]))


def a_series(**other: object) -> dict:
    return {"label": "a", "source": "measured", "device": "d", "variant": "v", "panel": "", "colour": "",
            "x": [1, 2], "y": [1.0, 2.0], "q1": [1.0, 2.0], "q3": [1.0, 2.0]} | other


class Figures(unittest.TestCase):
    def test_labels_of_ticks_never_collide(self) -> None:
        ticks = figures.thinned_ticks([25, 50, 100, 200, 400, 500, 512], True, 2.2)
        self.assertEqual((ticks[0], ticks[-1]), (25, 512))
        self.assertNotIn(500, ticks)
        self.assertEqual(figures.thinned_ticks([1, 10, 100], True, 5), [1, 10, 100])

    def test_keys_that_meet_in_a_figure_have_colours_of_their_own(self) -> None:
        names = [f"v{i}" for i in range(10)]
        alone = [{"series": [a_series(colour=name)]} for name in names]
        colours = figures.paper_colours([*alone, {"series": [a_series(colour=name) for name in names]}])
        self.assertEqual(len({colours[name] for name in names}), len(names))

    def test_formats_that_are_drawn_together_are_as_those_drawn_apart(self) -> None:
        figure = {"series": [a_series(x=[1, 2, 3], y=[1.0, 2.0, 4.0], q1=[0.9, 1.8, 3.0], q3=[1.1, 2.2, 5.0])]}
        drawing = figures.draw(figure, figures.paper_colours([figure]))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            together = files.save(drawing, folder, "one")
            apart = io.StringIO()
            drawing.savefig(apart, format="svg", metadata={"Date": None, "Creator": None})
            self.assertEqual(together, apart.getvalue())
            self.assertEqual((folder / "one.svg").read_text(encoding="utf-8"), together)
            self.assertTrue((folder / "one.pdf").read_bytes().rstrip().endswith(b"%%EOF"))
            png = io.BytesIO()
            drawing.savefig(png, format="png", dpi=files.PNG_DPI)
            shades = [numpy.asarray(Image.open(file).convert("L"), dtype=float) for file in (folder / "one.png", png)]
            self.assertEqual(shades[0].shape, shades[1].shape)
            self.assertLess(abs(shades[0] - shades[1]).mean(), 2)  # letters may lie half a pixel apart

    def test_the_highest_marker_lies_below_the_top(self) -> None:
        figure = {"series": [a_series(y=[9.0, 10.0])], "kind": "line"}
        drawing = figures.draw(figure, figures.paper_colours([figure]))
        low, high = drawing.axes[0].get_ylim()
        self.assertEqual(low, 0)
        self.assertGreater(high, 10.4)

    def test_panels_of_one_quantity_share_their_scales(self) -> None:
        series = [a_series(panel="p", x=[1, 2]), a_series(panel="q", x=[3, 4], y=[5.0, 6.0])]
        figure = {"series": series, "kind": "line"}
        panels = figures.draw(figure, figures.paper_colours([figure])).axes
        self.assertEqual(panels[0].get_ylim(), panels[1].get_ylim())
        self.assertEqual(panels[0].get_xlim(), panels[1].get_xlim())
        own = figures.draw(figure | {"own_scales": True}, figures.paper_colours([figure])).axes
        self.assertNotEqual(own[0].get_ylim(), own[1].get_ylim())


class Reports(unittest.TestCase):
    def refusal(self, change: dict) -> str:
        report = {"schema": 1, "runs": [], "summary": {}, "highlights": [], "papers": []} | change
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "report.json"
            file.write_text(json.dumps(report), encoding="utf-8")
            with self.assertRaises(BadReport) as raised:
                read_report(file)
        self.assertNotIn("\n", str(raised.exception))
        return str(raised.exception)

    def test_a_wrong_report_is_refused_with_place_and_reason(self) -> None:
        def with_paper(**change: object) -> dict:
            return {"papers": [{"word": "jacobi", "title": "", "assumptions": "", "claims": [], "derived": [], "not_run": [],
                                "items": []} | change]}

        table = {"id": "jacobi/t", "kind": "table", "title": "", "note": "", "columns": ["a", "b"], "lines": [["x", 1.5], ["y"]]}
        self.assertEqual(self.refusal({"schema": 9}), "$.schema: 1 was expected")
        self.assertIn("$.papers: 3 is not of type 'array'", self.refusal({"papers": 3}))
        self.assertIn("$.papers[0].word", self.refusal(with_paper(word="../x")))
        self.assertIn("$.papers[0].items[0].lines[1] has 1 cells under 2 columns", self.refusal(with_paper(items=[table])))
        self.assertIn("$.runs[0].rows_file", self.refusal({"runs": [RUN | {"rows_file": "rows/../../rows.csv"}]}))
        self.assertIn("$.runs[0].samples_file", self.refusal({"runs": [RUN | {"samples_file": "rows/../samples.csv"}]}))
        self.assertIn("more than one item", self.refusal(with_paper(items=[table | {"lines": []}] * 2)))
        self.assertIn("is not JSON", self.refusal({"summary": {"shown": float("nan")}}))


class Cases(unittest.TestCase):
    def pages(self, rows: list[str], samples: list[str]) -> list[str]:
        templates = Environment(loader=FileSystemLoader(ROOT / "reports/page/templates"), autoescape=True, trim_blocks=True,
                                lstrip_blocks=True)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "rows" / "here"
            folder.mkdir(parents=True)
            (folder / "rows.csv").write_text("\n".join([HEADER + "value,unit,q1,q3,samples,status,reason", *rows, ""]))
            (folder / "samples.csv").write_text("\n".join([HEADER + "index,value", *samples, ""]))
            cases.write_case_pages({"runs": [RUN], "papers": PAPERS}, {}, pathlib.Path(name), templates.get_template("case.html"))
            return [file.read_text() for file in sorted((folder / "cases").iterdir())]

    def test_rows_of_one_case_share_a_section_that_has_their_samples(self) -> None:
        case, other = "r,t1,cuda_2d,cuda:0,single,8x8,,", "r,t1,cuda_2d,cuda:0,single,9x9,,"
        pages = self.pages(["r,t1,skipped,,,,,,,,,,0,skipped,no GPU", case + "time,2.5,s,2,3,2,ok,",
                            case + "gflops,1,GFLOP/s,,,0,ok,", other + "time,3,s,,,0,ok,"],
                           [case + "time,0,2.25", case + "time,1,2.75"])
        self.assertEqual(len(pages), 1)
        first, second = pages[0].split('id="case-1"')[1].split('id="case-2"')
        for part in ("gflops", "NVIDIA H200", "2 samples of time", "2.25, 2.75", "2 to 3"):
            self.assertIn(part, first)
        self.assertNotIn("samples of", second)

    def test_each_experiment_has_a_page_and_cases_are_numbered_over_all(self) -> None:
        self.assertEqual([cases.page_name(name) for name in ("jacobi/table1", "../ü", ".x", "")],
                         ["jacobi_table1.html", "_.___.html", "_x.html", "_.html"])
        first, second = self.pages(["r,t1,v,cpu,single,8x8,,time,1,s,,,0,ok,", "r,t2,v,cpu,single,8x8,,time,1,s,,,0,ok,"], [])
        self.assertIn('id="case-1"', first)
        self.assertIn('id="case-2"', second)

    def test_a_case_leads_back_to_its_table_and_to_the_samples_that_another_experiment_took(self) -> None:
        case = ",v,cpu,single,8x8,,time,"
        first, second, third = self.pages(
            [f"r,jacobi/t{i}{case}1,s,,,1,ok," for i in (1, 2)] + [f"r,other/x{case}1,s,,,1,ok,"],
            [f"r,jacobi/t1{case}0,1"])
        self.assertIn('<a href="../../../jacobi.html#jacobi_t1">Back to Table 1</a>', first)
        self.assertLess(first.index("1 samples of time"), first.index("<table>"))
        self.assertIn('<a href="../../../jacobi.html#jacobi_t2-printed">Back to Table 2</a>', second)
        self.assertIn('The 1 samples of time are in <a href="jacobi_t1.html#case-1">jacobi/t1</a>', second)
        self.assertIn('<a href="../../../index.html">Back to the report</a>', third)

    def test_a_size_in_a_note_leads_to_the_case_of_that_size(self) -> None:
        def row(size: str, device: str, metric: str, note: str) -> str:
            return f"r,t1,v,{device},single,{size},,{metric},1,1,,,0,ok,{note}"
        page, = self.pages([row("16x16", "cpu", "error", ""), row("32x32", "cuda:0", "error", ""),
                            row("32x32", "cpu", "order", "of 32x32 against the grid 16x16 <8x8>")], [])
        self.assertIn('of 32x32 against the grid <a href="#case-1">16x16</a> &lt;8x8&gt;', page)
        self.assertIn("Case 3: ", page)

    def test_a_number_without_samples_leads_to_those_of_its_variant_that_have_some(self) -> None:
        sampled, other = "r,t1,v,cpu,single,8x8,,time,1,s,,,1,ok,", "r,t1,w,cpu,single,8x8,,time,1,s,,,1,ok,"
        page, = self.pages([sampled, other, "r,t1,v,cpu,single,,,exponent,2,1,,,0,ok,"],
                           ["r,t1,v,cpu,single,8x8,,time,0,1", "r,t1,w,cpu,single,8x8,,time,0,1"])
        self.assertIn('computed from cases of the same variant, among these: <a href="#case-1">8x8</a>.', page)

    def test_a_page_of_thousands_of_cases_takes_seconds(self) -> None:
        begin = time.process_time()
        self.pages([f"r,t1,v,cpu,single,{n},,exponent,2,1,,,0,ok,of {n}x{n}" for n in range(5000)], [])
        self.assertLess(time.process_time() - begin, 8)

    def test_of_very_many_samples_evenly_spaced_ones_are_drawn(self) -> None:
        strip = cases.points([str(i) for i in range(10 * cases.MOST_POINTS)])
        self.assertEqual(strip["shown"], cases.MOST_POINTS)
        self.assertEqual((strip["low"], strip["high"]), ("0", "4999"))

    def test_a_sample_that_is_no_number_is_refused(self) -> None:
        case = "r,t1,v,cuda:0,single,8x8,,time,"
        with self.assertRaises(BadReport):
            self.pages([case + "1,s,,,1,ok,"], [case + "0,fast"])

    def test_text_from_a_run_is_no_markup(self) -> None:
        case = 'r,t1,<script>alert(1)</script>,"""><b>",single,8x8,a=<i>&,<u>,'
        page, = self.pages([case + "1,<em>,,,2,ok,<img src=x>"], [case + "0,1", case + "1,2"])
        for markup in ("<script", "<b>", "<i>", "<u>", "<em>", "<img", "<h1>run"):
            self.assertNotIn(markup, page)
        self.assertIn("a=&lt;i&gt;&amp;", page)


if __name__ == "__main__":
    unittest.main()
