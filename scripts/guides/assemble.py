# SPDX-License-Identifier: MIT
"""Puts the sources of the site together. No text is kept twice: pages are guides of the tree, or include their sections."""
from __future__ import annotations

import os
import pathlib
import re
import shlex
import shutil
import subprocess

from recording.run_files import stored_files

from . import markdown, metrics, pictures

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = ROOT / "docs" / "site"


class Flaw(Exception):
    """A guide that is wrong, in one line."""


def pages() -> dict[str, str]:
    """The page of each guide, by its path in the tree."""
    guides = {f"docs/{path.name}": path.name for path in sorted((ROOT / "docs").glob("*.md"))}
    return guides | {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
                     "reference/published/assumptions.md": "assumptions.md", "scripts/python/README.md": "python.md"}


class Program:
    """The built program, for its help and output."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path

    def output(self, *arguments: str) -> str:
        return told_by([str(self.path), *arguments])

    def commands(self) -> list[str]:
        listed = self.output("--help").split("Subcommands:")[1].split("Examples:")[0]
        return re.findall(r"^  ([a-z]+)\b", listed, re.MULTILINE)


def told_by(command: list[str]) -> str:
    told = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, stdin=subprocess.DEVNULL,
                          env=os.environ | {"NO_COLOR": "1"})
    if told.returncode != 0:
        raise Flaw(f"{shlex.join(command)} ended with status {told.returncode}: {told.stderr.strip()}")
    return told.stdout


def shortened(text: str, most_lines: int) -> str:
    lines = text.rstrip().splitlines()
    return "\n".join(lines if len(lines) <= most_lines else [*lines[:most_lines], "..."])


def with_links(text: str, source: str, page: str) -> str:
    """Links and names of guides become links to their pages, and pictures lie beside the pages; links to other files become their
    names."""
    known = pages()

    def link_to(path: str, anchor: str = "") -> str:
        return os.path.relpath(known[path], os.path.dirname(page) or ".") + anchor

    def replaced(link: re.Match[str]) -> str:
        target, mark, anchor = link[2].partition("#")
        if re.match(r"[a-z]+:", link[2]) or not target:
            return link[0]
        path = os.path.normpath(os.path.join(os.path.dirname(source), target))
        if path in known:
            return f"[{link[1]}]({link_to(path, mark + anchor)})"
        if not (ROOT / path).exists():
            raise Flaw(f"{source} links to {target}, which does not exist")
        return f"{link[1]} (`{path}`)"

    def picture(link: re.Match[str]) -> str:
        path = os.path.normpath(os.path.join(os.path.dirname(source), link[2]))
        if not (ROOT / path).is_file():
            raise Flaw(f"{source} shows {link[2]}, which does not exist")
        return f"![{link[1]}]({os.path.relpath(path.removeprefix('docs/'), os.path.dirname(page) or '.')})"

    def changed(line: str) -> str:
        line = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", picture, line)
        line = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", replaced, line)
        return re.sub(r"(?<!\[)`([\w/.]+\.md)`",
                      lambda name: f"[{name[0]}]({link_to(name[1])})" if name[1] in known else name[0], line)

    return markdown.outside_code(text, changed)


def guide(source: str, page: str) -> str:
    text = (ROOT / source).read_text(encoding="utf-8")
    return markdown.with_fences(with_links(text, source, page), "mermaid", pictures.flowchart)


def own_page(page: str, program: Program) -> str:
    """A page of the site, with the sections and outputs that it includes."""

    def section(found: re.Match[str]) -> str:
        try:
            return markdown.section(guide(found[1], page), found[2])
        except KeyError:
            raise Flaw(f"docs/site/{page} includes {found[1]}#{found[2]}, which does not exist") from None

    def output(found: re.Match[str]) -> str:
        told = program.output(*shlex.split(found[1])[1:])
        return markdown.code_block(f"$ {found[1]}\n{shortened(told, int(found[2]))}")

    text = (OWN / page).read_text(encoding="utf-8")
    text = re.sub(r"^<!-- section (\S+) (\S+) -->$", section, text, flags=re.MULTILINE)
    return re.sub(r"^<!-- output (.+) \| (\d+) -->$", output, text, flags=re.MULTILINE)


def commands_page(program: Program) -> str:
    text = "# Commands\n\nThe help of each command, as the program prints it.\n\n" + markdown.code_block(program.output("--help"))
    for command in program.commands():
        told = program.output(command, "--help")
        text += f"\n## reprise {command}\n\n{markdown.code_block(told)}"
        parts = told.split("Subcommands:")[1].split("Examples:")[0] if "Subcommands:" in told else ""
        for part in re.findall(r"^  ([a-z]+)\b", parts, re.MULTILINE):
            text += f"\n### reprise {command} {part}\n\n{markdown.code_block(program.output(command, part, '--help'))}"
    return text


def scripts_page() -> str:
    scripts = [path for path in sorted((ROOT / "scripts").rglob("*")) if path.is_file() and os.access(path, os.X_OK)]
    text = "# Scripts\n\nThe help of each script.\n"
    for script in scripts:
        name = script.relative_to(ROOT).as_posix()
        text += f"\n## {name}\n\n{markdown.code_block(told_by([str(script), '--help']))}"
    return text


def metrics_page() -> str:
    text, lacking = metrics.page((ROOT / "docs" / "measuring.md").read_text(encoding="utf-8"),
                                 stored_files(ROOT / "reports" / "recorded", "rows.csv"),
                                 sorted((ROOT / "reference" / "published").glob("*.csv")))
    if lacking:
        raise Flaw(f"docs/measuring.md has no meaning of {', '.join(lacking)}")
    return text


def site(target: pathlib.Path, program: Program, figures: pathlib.Path) -> None:
    """Writes all sources below `target`. Raises Flaw."""
    target.mkdir(parents=True, exist_ok=True)
    texts = {page: guide(source, page) for source, page in pages().items()}
    texts |= {page: own_page(page, program) for page in (path.relative_to(OWN).as_posix() for path in OWN.rglob("*.md"))}
    texts |= {"commands.md": commands_page(program), "scripts.md": scripts_page(), "metrics.md": metrics_page()}
    for picture in [*(ROOT / "docs").glob("*.png"), *(ROOT / "docs").glob("*.svg")]:
        shutil.copy(picture, target / picture.name)
    for page, text in texts.items():
        (target / page).parent.mkdir(parents=True, exist_ok=True)
        (target / page).write_text(text, encoding="utf-8")
        for name in re.findall(r"\]\((?:\.\./)?(figures/[\w.]+)\)", text):
            (target / "figures").mkdir(exist_ok=True)
            if not (figures.parent / name).exists():
                raise Flaw(f"docs/site/{page} shows {name}, which the report does not have")
            shutil.copy(figures.parent / name, target / name)
