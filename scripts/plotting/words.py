# SPDX-License-Identifier: MIT
"""Formats numbers and Markdown for the page."""
from __future__ import annotations

import math
import re
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor
from markupsafe import Markup, escape


def number(value: Any, digits: int = 4) -> str:
    """Four significant digits, as a power of ten if that is shorter; other values are unchanged. Fewer digits keep their
    last zeros: 4.00 says more than 4."""
    if value is None or value == "" or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and abs(value) < 10**9:
        return f"{value:,}".replace(",", "\u202f") if abs(value) > 9999 else str(value)
    if not isinstance(value, (int, float)):
        return str(value)
    exponent = math.floor(math.log10(abs(value))) if value else 0
    if -5 < exponent < 6:
        text = f"{value:.{max(0, digits - 1 - exponent)}f}"
        return text.rstrip("0").rstrip(".") if "." in text and digits == 4 else text
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if digits == 4 else mantissa
    raised = "10" + str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return raised if mantissa == "1" else f"{mantissa} × {raised}"


def brief(value: float) -> str:
    """Three significant digits, and powers of ten of very large and very small numbers."""
    return number(float(f"{value:.3g}"), digits=3)


# Names of methods, models and flows, as papers write them.
NAMES = {"bogacki_shampine": "Bogacki-Shampine", "euler": "Euler", "explicit_euler": "explicit Euler", "fehlberg": "Fehlberg",
         "heun": "Heun", "implicit_euler": "implicit Euler", "midpoint": "midpoint", "runge_kutta": "Runge-Kutta",
         "rush_larsen": "Rush-Larsen", "trapezoidal": "Trapezoidal-Euler", "exponential_midpoint": "exponential midpoint",
         "karma": "Karma", "fitzhugh_nagumo": "FitzHugh-Nagumo", "bueno_orovio": "Bueno-Orovio",
         "mean_curvature": "mean curvature", "willmore": "Willmore"}


def in_words(text: str) -> str:
    """A value of a parameter, or several, as people write it."""
    parts = re.split(r"([,;] ?)", text)
    return "".join(NAMES.get(part, part.replace("_", " ")) for part in parts)


def si(value: float, unit: str) -> str:
    """Three significant digits with the unit's prefix: 4280 GB/s is 4.28 TB/s."""
    prefixes = "kMGTPE"
    place = prefixes.find(unit[:1]) if len(unit) > 1 else -1
    while abs(value) >= 999.5 and 0 <= place < len(prefixes) - 1:
        value, place = value / 1000, place + 1
    return f"{brief(value)} {prefixes[place] + unit[1:] if place >= 0 else unit}"


PERCENT_FASTER = {"% faster": ("times as fast", "times as slow"), "% slower": ("times as slow", "times as fast")}


def as_said(number_and_unit: tuple[float | None, str]) -> tuple[float | None, str]:
    """A percentage by which something is faster or slower as a factor of at least one, as all other speeds are told."""
    value, unit = number_and_unit
    if value is None or unit not in PERCENT_FASTER or value <= -100:
        return number_and_unit
    factor, (same, opposite) = 1 + value / 100, PERCENT_FASTER[unit]
    return (factor, same) if factor >= 1 else (1 / factor, opposite)


def said(value: float | None, unit: str, told_unit: str) -> str:
    """A number beside another one that was told in `told_unit`, with its own unit if that is another one."""
    told, own = as_said((value, unit))
    if unit not in PERCENT_FASTER or told is None:
        return number(told)
    return brief(told) + ("" if own == told_unit else f" {own}")


def range_said(within: dict[str, float | None], unit: str) -> str:
    """The range of a bound, in the unit in which its numbers are told."""
    ends = [within["low"], within["high"]]
    if unit in PERCENT_FASTER:
        ends = [None if end is None else 1 + end / 100 for end in ends]
    low, high = [None if end is None else number(end) for end in ends]
    if low is None:
        return f"up to {high}"
    return f"{low} or more" if high is None else low if low == high else f"{low} to {high}"


def other_parts(parts: list[dict], verdict: str) -> str:
    """What a claim's other parts say, where their verdicts differ or they are far from the first one, which decides."""
    values = [part["value"] for part in parts if part.get("value") is not None]
    is_close = not values or min(values) <= 0 or max(values) < 2 * min(values)
    if len(values) < 2 or (is_close and verdict != "holds in part"):
        return ""
    return f"; one of {len(values)} numbers, {brief(min(values))} to {brief(max(values))}"


# Names of metrics, as the papers print them.
METRICS = {"labs_error": "I_Abs_Error", "lrel_error": "I_Rel_Error, as described", "curve_relative": "I_Rel_Error, of voltages",
           "rrms": "RRMS"}


def metric(column: str) -> str:
    """The heading of a column of a metric, with its unit if it has one."""
    name, space, unit = column.partition(" ")
    return METRICS.get(name, name.replace("_", " ")) + space + unit.replace("_", " ")


def linked(text: str, word: str) -> Markup:
    """A text in which files that are no part of a report become links to the sections of the page that have their contents."""
    places = {r"(?:reference/published/)?assumptions\.md|the Assumptions": ("assumptions", "Assumptions"),
              r"(?:reports/claims/)?beyond/\w+\.csv": ("claims", "our own claims")}
    safe = str(escape(text))
    for pattern, (section, name) in places.items():
        safe = re.sub(pattern, f'<a href="#{word}-all-{section}">{name}</a>', safe)
    return Markup(safe)


MISSING = ": no row was measured"


def why(text: str, word: str, names: dict[str, str]) -> Markup:
    """The reason of a verdict. Many selectors without a row become one sentence, with the selectors to open."""
    parts = text.split("; ")
    missing = [part.removesuffix(MISSING) for part in parts if part.endswith(MISSING)]
    if len(missing) < 2:
        return linked(text, word)
    ids = dict.fromkeys(selector.split("@")[0] for selector in missing)
    experiments = dict.fromkeys(re.findall(r"experiment=([\w/]+)", " ".join(missing)))
    of = ", ".join(names.get(f"{word}/{name}", name) for name in ids)
    where = f" in {', '.join(experiments)}" if experiments else ""
    rest = "; ".join(part for part in parts if not part.endswith(MISSING))
    listed = Markup("").join(Markup("<li><code>{}</code></li>").format(selector) for selector in missing)
    return Markup("Not measured{}: {} numbers of {}. {}<details><summary>which</summary><ul>{}</ul></details>").format(
        where, len(missing), of, linked(rest, word), listed)


def count_word(count: int) -> str:
    """A small number of things at the beginning of a sentence."""
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
    return words[count] if count < len(words) else str(count)


def four_digits(value: float) -> str:
    """As number_text in reports/text/table.cpp: four significant digits, counts in full."""
    in_full = abs(value) < 1e9 and (value == round(value) or abs(value) >= 1e4)
    return f"{value:.0f}" if in_full else f"{value:.4g}"


def cell_text(cell: str | float | dict) -> str:
    """The text of a table's cell: a text, a name with the id of what it names, a number, or a number with a unit."""
    if isinstance(cell, dict) and "text" in cell:
        return cell["text"]
    if isinstance(cell, dict):
        return f"{four_digits(cell['value'])} {cell.get('unit', '')}".rstrip()
    return cell if isinstance(cell, str) else four_digits(cell)


def is_numeric(cells: list) -> bool:
    """Whether a column holds only numbers without units, sizes such as 163842, and empty cells."""
    texts = [cell_text(cell) if isinstance(cell, dict) else cell for cell in cells]
    return all(not isinstance(text, str) or text in ("", "–") or re.fullmatch(r"[\d.e+-]+", text) for text in texts)


class ForPage(Treeprocessor):
    """Makes headings h3 and below without skipped levels, and tables that scroll on narrow screens."""

    def run(self, root: Element) -> None:
        headings = [element for element in root if re.fullmatch("h[1-6]", element.tag)]
        top, level = min((int(heading.tag[1]) for heading in headings), default=1), 2
        for heading in headings:
            level = min(int(heading.tag[1]) - top + 3, level + 1, 6)
            heading.tag = f"h{level}"
        for i, element in enumerate(root):
            if element.tag == "table":
                for head in element.iter("th"):
                    head.set("scope", "col")
                root[i] = Element("div", {"class": "wide", "tabindex": "0", "role": "region",
                                          "aria-label": "Table of assumptions"})
                root[i].append(element)


def markdown(text: str) -> Markup:
    """Converts Markdown without links, images and HTML, which stay text."""
    parser = Markdown(extensions=["tables", "sane_lists"])
    parser.preprocessors.deregister("html_block")
    for name in ("html", "entity", "link", "reference", "short_reference", "image_link", "image_reference", "short_image_ref",
                 "autolink", "automail"):
        parser.inlinePatterns.deregister(name)
    parser.treeprocessors.register(ForPage(parser), "for_page", 5)
    return Markup(parser.convert(text))
