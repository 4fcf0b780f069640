#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws faults at random, and checks that `reprise verify` or `reprise run` finds them or that survivors.toml says why they
cannot.

usage: generated_test.py BUILD [--count N] [--seed N] [--word WORD]...

Each fault is a program of its own. A fault in a file that the reference reads too (problem.hpp and what it includes) changes
the reference as well; then only the paper's own numbers in the reference can tell. A fault that does not compile, or that gives
the same code, is replaced by the next one. A crash or a run without end counts as found. What verify lets pass must fail in a
smoke run, in another variant that has the same line, or when verify runs with checks of every index and of undefined
behaviour, as the tests of the sanitize build do, or of an OpenCL kernel's memory, as the tests with Oclgrind do. What is left
must fail the paper's own tests.
"""

import argparse
import concurrent.futures
import dataclasses
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

import draw
import oclgrind
from mutants import HERE, ROOT, Build, Parts, plan_of_one

WORDS = ("angiogenesis", "atrium", "curvature", "jacobi", "tissue")
RUNS = {"angiogenesis": "angiogenesis/table2", "atrium": "atrium/cpu_gpu", "curvature": "curvature/table3",
        "jacobi": "jacobi/table3", "tissue": "tissue/order"}
LONGEST = 90  # seconds of a verify or run: a fault may make an endless loop
LONGEST_TESTS = 600
MOST_VARIANTS = 4  # that are tried with a fault in a shared file
OPTIMIZED = ("-w", "-O1")
CHECKED = ("-w", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-D_GLIBCXX_ASSERTIONS")


@dataclasses.dataclass(frozen=True)
class Verdict:
    site: draw.Site
    variant: str
    finder: str  # what found the fault, or empty


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
        self.survivors = known_survivors()
        self.folder = build.folder / "mutation/generated" / word
        variants = [f"{word}/{path.stem}" for path in sorted((ROOT / "solvers" / word).iterdir())
                    if path.suffix in (".cpp", ".cu") and path.stem != "problem"]
        self.sources = {variant: source for variant in variants if (source := build.source_of(variant))}
        self.includes = {variant: includes_of(build, source) for variant, source in self.sources.items()}
        shared = [f"{ROOT}/solvers/{word}/problem.cpp"]
        shared += [str(path) for folder in ("reference", "verification", "benchmarks")
                   for path in sorted((ROOT / folder / word).glob("*.cpp"))]
        self.shared = {source: includes_of(build, source) for source in shared if source in build.commands}
        self.read_by_reference = set().union(*(files for source, files in self.shared.items() if "/reference/" in source))

    def variants_of(self, site: draw.Site) -> list[str]:
        """The variants that the site is a part of, those on processors first."""
        own = [variant for variant, files in self.includes.items()
               if site.file in files or re.sub(r"\.(cl|frag|comp)$", "", site.file) == variant]
        if not own and site.file == f"{self.word}/problem.cpp":
            own = list(self.sources)
        own.sort(key=lambda name: ("/emulated/" in self.sources[name], "serial" not in name, "multi" in name, name))
        return own[:MOST_VARIANTS]

    def parts_of(self, site: draw.Site, variant: str) -> Parts:
        """A shared problem is changed in all that reads it, and other variants would still have the old one."""
        problem = f"{self.word}/problem.cpp"
        if site.file not in self.read_by_reference and site.file != problem:
            return Parts(variant)
        own = [source for source, files in self.shared.items() if site.file in files or source == f"{ROOT}/solvers/{site.file}"]
        others = [source for other, source in self.sources.items() if other != variant]
        others += [source for source in self.build.commands if "/benchmarks/scale/" in source]
        return Parts(variant, tuple(own), tuple(others))

    def program(self, site: draw.Site, variant: str, flags: tuple[str, ...], kind: str) -> pathlib.Path | None:
        """The program with this fault; None if the fault does not compile."""
        text = draw.changed((ROOT / "solvers" / site.file).read_text(), site)
        folder = self.folder / site.name() / kind
        mutant, drop, add = plan_of_one(self.build, folder, self.parts_of(site, variant), site.file, text, flags)
        link = ["-fsanitize=address,undefined"] if flags == CHECKED else []
        try:
            return mutant.link("faulty_reprise", drop, [*add, *link])
        except (RuntimeError, subprocess.CalledProcessError):
            return None

    def is_same_code(self, site: draw.Site, variant: str) -> bool:
        """Whether the compiler makes the same objects of the honest text."""
        honest = self.folder / site.name() / "honest"
        text = (ROOT / "solvers" / site.file).read_text()
        mutant, _, objects = plan_of_one(self.build, honest, self.parts_of(site, variant), site.file, text, OPTIMIZED)
        mutant.compile_all()
        return all(pathlib.Path(one).read_bytes() == (self.folder / site.name() / "faulty" / pathlib.Path(one).name).read_bytes()
                   for one in objects)

    def judged(self, site: draw.Site) -> Verdict | None:
        """None for a site that is no fault."""
        try:
            variants = self.variants_of(site)
            for variant in variants:
                program = self.program(site, variant, OPTIMIZED, "faulty")
                if program is None:
                    return None
                verify = [str(program), "verify", f"{self.word}/*"]
                if finder := ended_badly("verify", verify) or ended_in_run(program, self.word):
                    return Verdict(site, variant, finder)
                if variant == variants[0] and self.is_same_code(site, variant):
                    return None
            if not variants:
                return None
            is_known = (site.file, *lines_of(site)) in self.survivors
            return Verdict(site, variants[0], "" if is_known else self.found_by_tests(site, variants[0]))
        finally:
            shutil.rmtree(self.folder / site.name(), ignore_errors=True)

    def found_by_tests(self, site: draw.Site, variant: str) -> str:
        """What tests find that neither `verify` nor `run` does."""
        checked = self.program(site, variant, CHECKED, "checked")
        finder = ended_badly("sanitizer", [str(checked), "verify", f"{self.word}/*"])
        if not finder and site.file.endswith(".cl"):
            finder = oclgrind.complaint_about(self.program(site, variant, OPTIMIZED, "faulty"), variant)
        return finder or self.ended_in_tests(site, variant)

    def ended_in_tests(self, site: draw.Site, variant: str) -> str:
        """The paper's own tests, and that of declared work, with all variants, of which this one has the fault. Its other parts
        stay as they are, for the tests compare with them."""
        text = draw.changed((ROOT / "solvers" / site.file).read_text(), site)
        folder = self.folder / site.name() / "tests"
        mutant, drop, add = plan_of_one(self.build, folder, Parts(variant), site.file, text, OPTIMIZED)
        program = mutant.link("faulty_tests", drop[:1], add[:1], "reprise_tests")
        files = sorted(path.stem for path in (HERE.parent / self.word).glob("*_test.cpp"))
        tests = ",".join(f"[#{name}]" for name in [*files, "declared_work_test"])
        finder = ended_badly("tests", [str(program), "-#", tests], LONGEST_TESTS)
        return "" if finder == "tests: no end" else finder  # they are long, and verify has come to its end


def ended_badly(name: str, command: list[str], longest: int = LONGEST) -> str:
    """How a command found the fault; empty if all was well."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=longest)
    except subprocess.TimeoutExpired:
        return f"{name}: no end"
    if result.returncode < 0 or result.returncode > 125:
        return f"{name}: signal {abs(result.returncode)}"
    if result.returncode == 0:
        return ""
    wrong = re.search(r"(?:wrong|failed): (?:.*?: )?([a-z]\w*)", result.stdout)
    return f"{name}: {wrong[1] if wrong else f'status {result.returncode}'}"


def ended_in_run(program: pathlib.Path, word: str) -> str:
    """Status 5 is that of a run without a case, as of a variant that no experiment of the smoke preset has."""
    with tempfile.TemporaryDirectory() as folder:
        found = ended_badly("run", [str(program), "run", RUNS[word], "--preset", "smoke", "--out", f"{folder}/run"])
    return "" if found == "run: status 5" else found


def known_survivors() -> dict[tuple[str, str, str], str]:
    """(file, line of the source, what stands there instead) -> why no check can find it."""
    entries = tomllib.loads((HERE / "survivors.toml").read_text())["survivors"]
    return {(file, line.strip(), changed.strip()): reason for file, line, changed, reason in entries}


def lines_of(site: draw.Site) -> tuple[str, str]:
    text = (ROOT / "solvers" / site.file).read_text()
    return text.splitlines()[site.line - 1].strip(), draw.changed(text, site).splitlines()[site.line - 1].strip()


def drawn(family: Family, count: int, seed: int):
    """Yields the verdicts on that many faults."""
    solvers = ROOT / "solvers"
    sites = iter(draw.shuffled(solvers, draw.all_sites(solvers, family.word), seed))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        while count > 0 and (some := list(itertools.islice(sites, count))):
            for verdict in filter(None, pool.map(family.judged, some)):
                count -= 1
                yield verdict


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=150, help="faults in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--word", action="append", choices=WORDS)
    given = parser.parse_args()
    words = given.word or list(WORDS)
    build = Build(given.build)
    unexplained = found = 0
    print("| fault | variant | verdict |\n| --- | --- | --- |")
    for word in words:
        family = Family(build, word)
        for verdict in drawn(family, given.count // len(words), given.seed):
            before, after = lines_of(verdict.site)
            reason = verdict.finder
            if reason:
                found += 1
            elif why := family.survivors.get((verdict.site.file, before, after)):
                reason = f"no fault: {why}"
            else:
                unexplained += 1
                reason = "SURVIVED"
            place = f"{verdict.site.file}:{verdict.site.line}"
            print(f"| {place} `{before}` -> `{after}` | {verdict.variant} | {reason} |", flush=True)
    print(f"\n{found} found, {unexplained} survived that survivors.toml does not explain")
    if unexplained or not found:
        sys.exit(1)


if __name__ == "__main__":
    main()
