#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the guides against the tree: paths, options and links exist, and the pictures show the includes."""

import itertools
import os
import pathlib
import re
import subprocess
import sys
import unittest
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
from guides import figures, first_screen, metrics  # noqa: E402
from recording.run_files import stored_files  # noqa: E402

GUIDES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
NOT_OF_THE_TREE = {"build", "runs"}
FOLDERS = ("solvers", "reference", "verification", "benchmarks", "reports")
SOURCES = {".hpp", ".cpp", ".cu", ".cl", ".frag", ".comp"}

Arrow = tuple[str, str]  # from one folder to another


def code_of(text: str) -> Iterator[str]:
    """The inline code and the lines of code blocks, without pictures."""
    fenced = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    for block in fenced.finditer(text):
        if block[1] != "mermaid":
            yield from block[2].splitlines()
    text = fenced.sub("", text)
    yield from re.findall(r"^ {4,}(.*)$", text, re.MULTILINE)
    yield from (code.replace("\n", " ") for code in re.findall(r"`([^`]+)`", text))


def without_comment(line: str) -> str:
    return re.sub(r"(^|\s)#\s.*", "", line)


def paths_of(text: str) -> set[str]:
    """The words in code that begin with the name of something at the root of the tree."""
    roots = {path.name for path in ROOT.iterdir()} - NOT_OF_THE_TREE
    words = [word.strip("'\",;:()").removeprefix("./") for code in code_of(text) for word in without_comment(code).split()]
    return {word for word in words if word.split("/")[0] in roots and not re.search(r"[$=]", word)}


def braces_expanded(path: str) -> list[str]:
    parts = [part[1:-1].split(",") if part.startswith("{") else [part] for part in re.split(r"(\{[^}]*\})", path)]
    return ["".join(choice) for choice in itertools.product(*parts)]


def exists(path: str) -> bool:
    """Placeholders such as <word> and WORD stand for any name."""
    pattern = re.sub(r"<\w+>|\bWORD\b", "*", path).rstrip("/")
    return all(any(ROOT.glob(choice)) for choice in braces_expanded(pattern))


def options_of_scripts(text: str) -> set[tuple[str, str]]:
    """Each script that a line of code calls, with each of the options that it gives."""
    found = set()
    for line in code_of(text):
        words = without_comment(line).split()
        if words and (ROOT / words[0]).is_file() and words[0].removeprefix("./").startswith("scripts/"):
            found |= {(words[0], word.split("=")[0]) for word in words[1:] if word.startswith("--")}
    return found


def knows(script: str, option: str) -> bool:
    return re.search(re.escape(option) + r"(?![\w-])", (ROOT / script).read_text()) is not None


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors_of(guide: pathlib.Path) -> set[str]:
    return {anchor_of(heading) for heading in re.findall(r"^#+ (.*)$", guide.read_text(), re.MULTILINE)}


def leads_somewhere(guide: pathlib.Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = guide.parent / name if name else guide
    return target.exists() and (not anchor or anchor in anchors_of(target))


def relative_links(text: str) -> list[str]:
    links = re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", text)
    return [link for link in links if not re.match(r"[a-z]+:", link)]


def pictures_of(text: str) -> list[tuple[list[str], set[Arrow]]]:
    """The folders of each mermaid picture, and its arrows between them."""
    pictures = []
    for block in re.findall(r"^```mermaid\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        folders = dict(re.findall(r'(\w+)\["([^"]+)"\]', block))
        drawn = re.findall(r"^\s*(\w+) -->(?:\|[^|]*\|)? (\w+(?: & \w+)*)$", block, re.MULTILINE)
        pictures.append((list(folders.values()),
                         {(folders[start], folders[end]) for start, ends in drawn for end in ends.split(" & ")}))
    return pictures


def folder_of(path: str, folders: list[str]) -> str | None:
    """The longest of the folders that hold the path, or the path itself; a name comes before WORD, which stands for any."""
    holding = [folder for folder in folders if re.match(folder.replace("WORD", r"\w+") + "(/|$)", path)]
    return max(holding, key=lambda folder: (folder.count("/"), "WORD" not in folder), default=None)


def included(folders: list[str]) -> set[Arrow]:
    """The includes between the folders. Tests may include everything, so theirs do not count."""
    arrows = set()
    for source in itertools.chain.from_iterable((ROOT / folder).rglob("*") for folder in FOLDERS):
        path = source.relative_to(ROOT).as_posix()
        if source.suffix not in SOURCES or path.startswith("verification/tests/"):
            continue
        for header in re.findall(r'^\s*#include "([^"]+)"', source.read_text(), re.MULTILINE):
            arrows.add((folder_of(path, folders), folder_of(header, folders)))
    return {(start, end) for start, end in arrows if start and end and start != end}


class Guides(unittest.TestCase):
    def test_the_recipes_in_the_guides_are_the_files(self) -> None:
        for guide, file in (("README.md", "ci/example.yml"), ("docs/comparing.md", "ci/slower/github.yml")):
            recipe = re.search(r"^```yaml\n(.*?)^```$", (ROOT / guide).read_text(), re.MULTILINE | re.DOTALL)
            example = (ROOT / file).read_text().splitlines(keepends=True)
            self.assertEqual(recipe[1], "".join(line for line in example if not line.startswith("#")))

    def test_each_metric_of_the_recorded_runs_has_a_meaning(self) -> None:
        guide = (ROOT / "docs/measuring.md").read_text()
        self.assertEqual(metrics.page(guide, stored_files(ROOT / "reports/recorded", "rows.csv"), [])[1], [])

    def test_measured_numbers_of_the_guides_are_those_of_the_recorded_runs(self) -> None:
        made = [guide for guide in GUIDES if figures.PLACE.search(guide.read_text())]
        self.assertTrue(made)
        for guide in made:
            with self.subTest(guide.name):
                text = guide.read_text()
                self.assertEqual(text, figures.made_again(text), "run python3 scripts/guides/figures.py")

    def test_no_guide_tells_a_time_of_a_recorded_run_that_is_not_made_from_its_rows(self) -> None:
        measured = re.compile(r"\d (?:ns|us|ms|GB/s|GFLOP/s)(?!\w)")
        for guide in figures.GUIDES:
            for paragraph in figures.without_figures(guide.read_text()).split("\n\n"):
                if "H200" in paragraph or "reports/recorded" in paragraph:
                    self.assertIsNone(measured.search(paragraph), f"{guide.name}: {paragraph}")

    def test_the_picture_in_the_readme_is_of_the_recorded_runs(self) -> None:
        self.assertIn("(docs/first_screen.png)", (ROOT / "README.md").read_text())
        self.assertIn(f"runs\0{first_screen.hash_of_runs()}".encode(), first_screen.PICTURE.read_bytes(),
                      "run build/python/bin/python scripts/guides/first_screen.py build/release/bin/reprise")

    def test_the_readme_counts_the_variants_of_each_paper(self) -> None:
        counts = re.findall(r"^\| `(\w+)` \| .* \| (\d+) \|$", (ROOT / "README.md").read_text(), re.MULTILINE)
        self.assertEqual(len(counts), 5)
        for word, count in counts:
            sources = [path for path in (ROOT / "solvers" / word).iterdir() if path.suffix in (".cpp", ".cu")]
            self.assertEqual(int(count), len(sources) - 1, word)  # the problem is no variant

    def test_the_assumptions_of_each_paper_name_the_spacing_of_its_grid(self) -> None:
        text = (ROOT / "reference/published/assumptions.md").read_text(encoding="utf-8")
        sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
        self.assertEqual(len(sections), 5)
        for paper, section in sections.items():
            self.assertRegex(section, r"(?m)^\| grid spacing dx \(h, space step", f"of {paper}")

    def test_every_path_exists(self) -> None:
        for guide in GUIDES:
            for path in sorted(paths_of(guide.read_text())):
                self.assertTrue(exists(path), f"{guide.relative_to(ROOT)} names {path}, which does not exist")

    def test_every_option_of_a_script_exists(self) -> None:
        for guide in GUIDES:
            for script, option in sorted(options_of_scripts(guide.read_text())):
                if script.endswith("slurm_array"):
                    continue  # its options are sbatch's
                self.assertTrue(knows(script, option), f"{guide.relative_to(ROOT)} calls {script} {option}, which does not exist")

    def test_every_relative_link_leads_somewhere(self) -> None:
        for guide in GUIDES:
            for link in relative_links(guide.read_text()):
                self.assertTrue(leads_somewhere(guide, link), f"{guide.relative_to(ROOT)} links to {link}")

    def test_every_guide_is_named_in_the_readme(self) -> None:
        readme = (ROOT / "README.md").read_text()
        for guide in GUIDES[1:]:
            self.assertTrue(f"`{guide.relative_to(ROOT)}`" in readme, f"README.md does not name {guide.relative_to(ROOT)}")

    def test_the_help_of_every_script_has_an_example(self) -> None:
        scripts = [path for path in (ROOT / "scripts").rglob("*") if path.is_file() and os.access(path, os.X_OK)]
        self.assertGreater(len(scripts), 10)
        for script in scripts:
            told = subprocess.run([script, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            self.assertEqual(told.returncode, 0, script)
            shown = re.split(r"^Examples?:", told.stdout, maxsplit=1, flags=re.MULTILINE)
            self.assertEqual(len(shown), 2, f"{script} --help has no example")
            self.assertIn(str(script.relative_to(ROOT)), shown[1])

    def test_the_pictures_show_the_includes(self) -> None:
        pictures = pictures_of((ROOT / "CONTRIBUTING.md").read_text())
        self.assertGreaterEqual(len(pictures), 2)
        for folders, drawn in pictures:
            for folder in folders:
                self.assertTrue(exists(folder), f"a picture in CONTRIBUTING.md shows {folder}")
            self.assertEqual(drawn, included(folders), "the arrows drawn in CONTRIBUTING.md, and the includes")


class Errors(unittest.TestCase):
    """Each check above finds its error."""

    def test_a_path_that_does_not_exist(self) -> None:
        text = "See `docs/report.md`, `solvers/<word>/problem.hpp`, `scripts/{test,nowhere}` and\n\n    ./scripts/gone --help\n"
        self.assertEqual({path for path in paths_of(text) if not exists(path)}, {"scripts/{test,nowhere}", "scripts/gone"})

    def test_an_option_that_does_not_exist(self) -> None:
        options = options_of_scripts("    ./scripts/test --quick   # all --of it\n    ./scripts/test --quic\n")
        self.assertEqual({option for script, option in options if knows(script, option)}, {"--quick"})
        self.assertEqual({option for script, option in options if not knows(script, option)}, {"--quic"})

    def test_a_link_that_leads_nowhere(self) -> None:
        links = relative_links("[a](README.md#licence) [b](README.md#nothing) [c](nothing.md) [d](https://example.org)")
        self.assertEqual([leads_somewhere(ROOT / "CONTRIBUTING.md", link) for link in links], [True, False, False])

    def test_an_arrow_that_is_missing_or_too_many(self) -> None:
        picture = '```mermaid\nflowchart TD\n  a["solvers/WORD"]\n  b["solvers/common"]\n  b --> a\n```\n'
        [(folders, drawn)] = pictures_of(picture)
        self.assertEqual((drawn, included(folders)),
                         ({("solvers/common", "solvers/WORD")}, {("solvers/WORD", "solvers/common")}))


if __name__ == "__main__":
    unittest.main()
