#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws faults at random, and checks that `reprise verify` finds them or that survivors.toml says why it cannot.

usage: generated_test.py BUILD [--count N] [--seed N] [--word WORD]...

Each fault is a program of its own. A fault in a file that the reference reads too (problem.hpp and what it includes) changes
the reference as well; then only the paper's own numbers in the reference can tell. A fault that does not compile is replaced
by the next one. A crash or a run without end counts as found. What verify lets pass must fail in a smoke run.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

import draw
from mutants import HERE, ROOT, Build, program_of_one

WORDS = ("angiogenesis", "atrium", "curvature", "jacobi", "tissue")
RUNS = {"angiogenesis": "angiogenesis/table2", "atrium": "atrium/cpu_gpu", "curvature": "curvature/table3",
        "jacobi": "jacobi/table3", "tissue": "tissue/order"}
LONGEST = 120  # seconds of a verify or run: a fault may make an endless loop


@dataclasses.dataclass(frozen=True)
class Verdict:
    is_found: bool
    reason: str


def includes_of(build: Build, source: str) -> set[str]:
    """The files below solvers/ that a source of the build reads."""
    deps = subprocess.run(["ninja", "-C", build.folder, "-t", "deps", build.object_of(source)], capture_output=True, text=True)
    paths = (os.path.normpath(build.folder / line.strip()) for line in deps.stdout.splitlines()[1:])
    solvers = f"{ROOT}/solvers/"
    return {path.removeprefix(solvers) for path in paths if path.startswith(solvers)}


class Family:
    """One paper's sources in a build."""

    def __init__(self, build: Build, word: str) -> None:
        self.build = build
        self.word = word
        variants = [f"{word}/{path.stem}" for path in sorted((ROOT / "solvers" / word).iterdir())
                    if path.suffix in (".cpp", ".cu") and path.stem != "problem"]
        self.sources = {variant: source for variant in variants if (source := build.source_of(variant))}
        self.includes = {variant: includes_of(build, source) for variant, source in self.sources.items()}
        shared = [f"{ROOT}/solvers/{word}/problem.cpp"]
        shared += [str(path) for folder in ("reference", "verification", "benchmarks")
                   for path in sorted((ROOT / folder / word).glob("*.cpp"))]
        self.shared = [source for source in shared if source in build.commands]
        references = [source for source in self.shared if "/reference/" in source]
        self.read_by_reference = set().union(*(includes_of(build, source) for source in references))

    def variant_of(self, site: draw.Site) -> str | None:
        """A variant that the site is a part of: on processors if there is one."""
        own = [variant for variant, files in self.includes.items()
               if site.file in files or site.file.removesuffix(".cl").removesuffix(".frag") == variant]
        if not own and site.file == f"{self.word}/problem.cpp":
            own = list(self.sources)
        own.sort(key=lambda variant: ("/emulated/" in self.sources[variant], "serial" not in variant, "multi" in variant, variant))
        return own[0] if own else None

    def build_with(self, site: draw.Site, variant: str) -> pathlib.Path | None:
        """The program with this fault and this variant alone; None if the fault does not compile."""
        text = draw.changed((ROOT / "solvers" / site.file).read_text(), site)
        is_whole = site.file in self.read_by_reference or site.file == f"{self.word}/problem.cpp"
        others = self.shared if is_whole else []
        unwanted = [source for other, source in self.sources.items() if other != variant] if is_whole else []
        if is_whole:
            unwanted += [source for source in self.build.commands if "/benchmarks/scale/" in source]
        folder = self.build.folder / "mutation/generated" / self.word / site.name()
        try:
            return program_of_one(self.build, folder, variant, site.file, text, tuple(others), tuple(unwanted), ("-w", "-O1"))
        except (RuntimeError, subprocess.CalledProcessError):
            return None


def ended_badly(command: list[str]) -> str | None:
    """Why a command counts as having found the fault; None if all was well."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return "no end"
    if result.returncode < 0 or result.returncode > 125:
        return f"signal {abs(result.returncode)}"
    if result.returncode == 0:
        return None
    wrong = re.search(r"(?:wrong|failed): (?:.*?: )?([a-z]\w*)", result.stdout)
    return wrong[1] if wrong else f"status {result.returncode}"


def judged(program: pathlib.Path, word: str) -> Verdict:
    if reason := ended_badly([str(program), "verify", f"{word}/*"]):
        return Verdict(True, f"verify: {reason}")
    with tempfile.TemporaryDirectory() as folder:
        run = [str(program), "run", RUNS[word], "--preset", "smoke", "--out", f"{folder}/run"]
        reason = ended_badly(run)
    return Verdict(True, f"run: {reason}") if reason and reason != "status 5" else Verdict(False, "survived")


def known_survivors() -> dict[tuple[str, str, str], str]:
    """(file, line of the source, what stands there instead) -> why no check can find it."""
    entries = tomllib.loads((HERE / "survivors.toml").read_text())["survivors"]
    return {(file, line.strip(), changed.strip()): reason for file, line, changed, reason in entries}


def lines_of(site: draw.Site) -> tuple[str, str]:
    text = (ROOT / "solvers" / site.file).read_text()
    return text.splitlines()[site.line - 1].strip(), draw.changed(text, site).splitlines()[site.line - 1].strip()


def drawn(family: Family, count: int, seed: int):
    """Yields that many faults that compile, each with its variant and program."""
    for site in draw.shuffled(draw.all_sites(ROOT / "solvers", family.word), seed):
        if count == 0:
            return
        variant = family.variant_of(site)
        program = family.build_with(site, variant) if variant else None
        if program:
            count -= 1
            yield site, variant, program


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=150, help="faults in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--word", action="append", choices=WORDS)
    given = parser.parse_args()
    words = given.word or list(WORDS)
    survivors = known_survivors()
    build = Build(given.build)
    unexplained = found = 0
    print("| fault | variant | verdict |\n| --- | --- | --- |")
    for word in words:
        for site, variant, program in drawn(Family(build, word), given.count // len(words), given.seed):
            verdict = judged(program, word)
            program.unlink()
            before, after = lines_of(site)
            reason = verdict.reason
            if verdict.is_found:
                found += 1
            elif why := survivors.get((site.file, before, after)):
                reason = f"no fault: {why}"
            else:
                unexplained += 1
                reason = "SURVIVED"
            print(f"| {site.file}:{site.line} `{before}` -> `{after}` | {variant} | {reason} |", flush=True)
    print(f"\n{found} found, {unexplained} survived that survivors.toml does not explain")
    if unexplained or not found:
        sys.exit(1)


if __name__ == "__main__":
    main()
