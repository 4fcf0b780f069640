# SPDX-License-Identifier: MIT
"""Numbers and Markdown as the page shows them."""
from __future__ import annotations

import math
import re
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape


def number(value: Any) -> str:
    """Four significant digits, a power of ten where that is shorter; anything but a number stays as it is."""
    if value is None or value == "" or isinstance(value, float) and not math.isfinite(value):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and abs(value) < 10**9:
        return f"{value:,}".replace(",", "\u202f") if abs(value) > 9999 else str(value)
    if not isinstance(value, (int, float)):
        return str(value)
    exponent = math.floor(math.log10(abs(value))) if value else 0
    if -5 < exponent < 6:
        text = f"{value:.{max(0, 3 - exponent)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, power = f"{value:.3e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    raised = "10" + str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return raised if mantissa == "1" else f"{mantissa} × {raised}"


def value_of(text: Any) -> float | None:
    try:
        found = float(text)
        return found if math.isfinite(found) else None
    except (TypeError, ValueError):
        return None


def inline_markdown(text: str) -> str:
    out = []
    for part in re.split(r"(`[^`]+`)", text):
        if len(part) > 2 and part.startswith("`"):
            out.append(f"<code>{escape(part[1:-1])}</code>")
        else:
            strong = re.sub(r"\*\*(\S(?:.*?\S)?)\*\*", r"<strong>\1</strong>", str(escape(part)))
            out.append(re.sub(r"(?<![\w*])\*(\S(?:[^*]*\S)?)\*(?![\w*])", r"<em>\1</em>", strong))
    return "".join(out)


def markdown_table(lines: list[str]) -> str:
    rows = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines
            if not re.fullmatch(r"[|:\-\s]+", line)]
    head, *body = [[inline_markdown(cell) for cell in row] for row in rows] or [[]]
    return ('<div class="wide" tabindex="0" role="region" aria-label="Table of assumptions"><table><thead><tr>'
            + "".join(f'<th scope="col">{cell}</th>' for cell in head) + "</tr></thead><tbody>"
            + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in body)
            + "</tbody></table></div>")


def markdown(text: str) -> Markup:
    """Headings (from h4 on), paragraphs, lists, tables, `code`, *em*, **strong**. All else is text."""
    kinds = (("blank", r"\s*$"), ("heading", r"#+ "), ("table", r"\s*\|"), ("ul", r"[-*+] "), ("ol", r"\d+[.)] "))
    lines: list[tuple[str, str]] = []
    for line in text.splitlines():
        kind = next((name for name, pattern in kinds if re.match(pattern, line)), "p")
        if kind == "p" and lines and lines[-1][0] in ("ul", "ol") and line.startswith(" "):
            lines[-1] = (lines[-1][0], f"{lines[-1][1]} {line.strip()}")
        else:
            lines.append((kind, line))
    out, level = [], 3
    top = min((len(line.split(" ")[0]) for kind, line in lines if kind == "heading"), default=1)
    for kind, group in groupby(lines, key=lambda entry: entry[0]):
        block = [line for _, line in group]
        if kind == "heading":
            for line in block:
                marks, title = line.split(" ", 1)
                level = min(len(marks) - top + 4, level + 1, 6)
                out.append(f"<h{level}>{inline_markdown(title.strip())}</h{level}>")
        elif kind == "table":
            out.append(markdown_table(block))
        elif kind in ("ul", "ol"):
            entries = (inline_markdown(line.split(" ", 1)[1]) for line in block)
            out.append(f"<{kind}>" + "".join(f"<li>{entry}</li>" for entry in entries) + f"</{kind}>")
        elif kind == "p":
            out.append(f"<p>{inline_markdown(' '.join(line.strip() for line in block))}</p>")
    return Markup("\n".join(out))
