# SPDX-License-Identifier: MIT
"""Sections, code and links of a Markdown text."""
from __future__ import annotations

import re
from collections.abc import Callable

FENCE = re.compile(r"^```")


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def section(text: str, anchor: str) -> str:
    """The lines below a heading, up to the next one that is not below it. KeyError if there is none."""
    found, depth, is_code = [], 0, False
    for line in text.splitlines():
        is_code ^= bool(FENCE.match(line))
        heading = None if is_code else re.match(r"(#+) (.*)", line)
        if depth and heading and len(heading[1]) <= depth:
            return "\n".join(found).strip() + "\n"
        if depth:
            found.append(line)
        elif heading and anchor_of(heading[2]) == anchor:
            depth = len(heading[1])
    if not depth:
        raise KeyError(anchor)
    return "\n".join(found).strip() + "\n"


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Changes all lines but those of code blocks."""
    lines, is_code = [], False
    for line in text.splitlines():
        is_fence = bool(FENCE.match(line))
        is_code ^= is_fence
        lines.append(line if is_code or is_fence or line.startswith("    ") else change(line))
    return "\n".join(lines) + "\n"


def with_fences(text: str, language: str, change: Callable[[str], str]) -> str:
    """Replaces the code blocks of one language."""
    return re.sub(rf"^```{language}\n(.*?)^```$", lambda block: change(block[1]), text, flags=re.MULTILINE | re.DOTALL)


def code_block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```\n"
