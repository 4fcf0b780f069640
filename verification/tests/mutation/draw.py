# SPDX-License-Identifier: MIT
"""Draws faults at random from the constants, operators, comparisons and indices of the solvers.

A fault replaces one token of one line. Comments, texts, preprocessor lines and lines that no answer depends on (counts of work,
registration, messages) have no sites. A seed gives the same faults in all lines that stay as they are.
"""

from __future__ import annotations

import dataclasses
import hashlib
import pathlib
import re
from collections.abc import Iterator

SHARED = ("base", "cuda", "opencl", "opengl")
SUFFIXES = (".hpp", ".cpp", ".cu", ".cl", ".frag", ".comp")
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*"}
# A number that is neither part of a name nor of another number.
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*|\.\d+|\d+)(e[-+]?\d+)?([fFuUlL]*)(?![\w.])")
COMPARISON = re.compile(r"(?<= )(<=|>=|==|!=|<|>)(?= )")
OPERATOR = re.compile(r"(?<=[\w)\]] )([-+*/])(?= [\w(.])")
INDEX = re.compile(r"\[(\w+)\]")
# Lines without an answer: registration, counts of work, messages, sizes of launches and of memory.
NO_ANSWER = re.compile(
    r"#|static_assert|REPRISE_VARIANT|REPRISE_MEMBER|throw |unavailable\(|fmt::|bytes_|flops|per_unit|\.summary|\.place|"
    r"\.repeats|"
    r"template|using |namespace|for \(int again|launch|resident|grid\(\)|block_threads|unroll|omp |simd|worth_|most_kept")

# The larger, the smaller or a clipped number: where both sides are equal, either comparison takes the same.
SELECTION = re.compile(r"(?<![\w.])(?P<left>[\w.]+) (?P<compared>[<>]) (?P<right>[\w.]+) \? (?:(?P=left)|(?P=right)) : "
                       r"(?:[^?:;]+ \? [^?:;]+ : )?(?:(?P=left)|(?P=right))(?![\w.(\[])")
# An array that is larger than needed changes no answer.
ARRAY = re.compile(r"\s*(?:__shared__ |const )?[\w:<>]+ \w+(?:\[[^]]+\])+(?:, \w+(?:\[[^]]+\])+)*(?:\{[^}]*\})?;")


@dataclasses.dataclass(frozen=True)
class Site:
    file: str  # below solvers/
    line: int  # from 1
    column: int
    kind: str  # constant, comparison, operator or index
    original: str
    replacement: str

    def name(self) -> str:
        return f"{self.kind}_{pathlib.PurePath(self.file).name.replace('.', '_')}_{self.line}_{self.column}"


def without_comments_and_texts(line: str) -> str:
    """The line with blanks in place of texts and of what follows //."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', lambda text: '"' + " " * (len(text[0]) - 2) + '"', line)
    return re.sub(r"//.*", lambda comment: " " * len(comment[0]), line)


def changed_number(whole: str, exponent: str | None, suffix: str) -> str:
    """A per cent more; of a whole number, one more."""
    if exponent is None and "." not in whole:
        return f"{int(whole) + 1}{suffix}"
    return f"({whole}{exponent or ''}{suffix} * 1.01{suffix})"


def overlapping(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """All matches, also those that begin within another."""
    found = pattern.search(text)
    while found:
        yield found
        found = pattern.search(text, found.start() + 1)


def sites_in(file: str, text: str) -> list[Site]:
    sites = []
    is_comment = False
    for number, line in enumerate(text.splitlines(), 1):
        code = without_comments_and_texts(line)
        if is_comment or "/*" in code:
            is_comment = "*/" not in code
            continue
        if NO_ANSWER.search(line) or ARRAY.match(code):
            continue
        selections = {found.start("compared") for found in overlapping(SELECTION, code)}
        sites += [Site(file, number, found.start(), "constant", found[0], changed_number(found[1], found[2], found[3]))
                  for found in NUMBER.finditer(code)]
        sites += [Site(file, number, found.start(), "comparison", found[0], COMPARISONS[found[0]])
                  for found in COMPARISON.finditer(code) if found.start() not in selections]
        sites += [Site(file, number, found.start(), "operator", found[0], OPERATORS[found[0]])
                  for found in OPERATOR.finditer(code)]
        sites += [Site(file, number, found.start(), "index", found[0], f"[{found[1]} + 1]")
                  for found in INDEX.finditer(code) if not found[1].isdigit()]
    return sites


def all_sites(solvers: pathlib.Path, word: str) -> list[Site]:
    """The sites of a paper's sources and of the headers that all papers share. A family's program tells which of these it
    has."""
    shared = [path for folder in SHARED for path in (solvers / "common" / folder).glob("*.hpp")]
    sites = []
    for path in sorted((solvers / word).iterdir()) + sorted(shared):
        if path.suffix in SUFFIXES:
            sites += sites_in(str(path.relative_to(solvers)), path.read_text())
    return sites


def changed(text: str, site: Site) -> str:
    lines = text.splitlines(keepends=True)
    line = lines[site.line - 1]
    lines[site.line - 1] = line[: site.column] + site.replacement + line[site.column + len(site.original):]
    return "".join(lines)


def shuffled(solvers: pathlib.Path, sites: list[Site], seed: int) -> list[Site]:
    """All sites in random order, the kinds in turn, so that a beginning of the list has as many of each. A site's place depends
    on its own line only, so that other changes of the sources leave the order as it is."""
    lines = {file: (solvers / file).read_text().splitlines() for file in {site.file for site in sites}}

    def place(site: Site) -> bytes:
        text = lines[site.file][site.line - 1].strip()
        return hashlib.sha256(repr((seed, site.file, text, site.kind, site.column)).encode()).digest()

    random_order = sorted(sites, key=place)
    kinds = ("constant", "operator", "comparison", "index")
    by_kind = {kind: [site for site in random_order if site.kind == kind] for kind in kinds}
    turns = max(map(len, by_kind.values()))
    return [kind_sites[n] for n in range(turns) for kind_sites in by_kind.values() if n < len(kind_sites)]
