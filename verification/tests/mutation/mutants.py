# SPDX-License-Identifier: MIT
"""Builds programs from changed copies of the sources, with the compile and link commands of a finished build.

A change replaces one text in one file below solvers/. The changed file is written to a folder that precedes the sources in
the include path, so that every include finds the copy. No file of the sources or of the build is touched.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import difflib
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
KERNEL_TEXTS = (".cl", ".frag", ".comp")


class Moved(Exception):
    """The text to be replaced does not occur exactly once in its file."""


@dataclasses.dataclass(frozen=True)
class Change:
    name: str
    file: str  # below solvers/
    original: str
    replacement: str
    variant: str  # "jacobi/openmp": the variant that is compiled with the change

    def text(self) -> str:
        text = (ROOT / "solvers" / self.file).read_text()
        if text.count(self.original) != 1:
            raise Moved(f"{self.name}: solvers/{self.file} holds this {text.count(self.original)} times, not once: "
                        f"{self.original!r}\n{self.nearest(text)}")
        return text.replace(self.original, self.replacement)

    def nearest(self, text: str) -> str:
        wanted = self.original.strip().splitlines()[0].strip()
        lines = text.splitlines()
        near = difflib.get_close_matches(wanted, [line.strip() for line in lines], n=1, cutoff=0)
        number = next((i for i, line in enumerate(lines, 1) if near and line.strip() == near[0]), 0)
        return f"the nearest line is {self.file}:{number}: {near[0] if near else ''}"


def change_of(table: pathlib.Path, entry: list[str]) -> Change:
    """An entry of a table of faults. A file without a folder belongs to the family that the table's folder names."""
    file, name, original, replacement, *stem = entry
    path = pathlib.PurePath(file if "/" in file else f"{table.parent.name}/{file}")
    variant = str(path.with_name(stem[0]) if stem else path.with_suffix(""))
    return Change(name, str(path), original, replacement, variant)


def read_changes(table: pathlib.Path) -> list[Change]:
    """The changes in a .toml file, in order."""
    return [change_of(table, entry) for entry in tomllib.loads(table.read_text())["faults"]]


class Build:
    """A finished build, whose compile and link commands are reused."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder.resolve()
        entries = json.loads((self.folder / "compile_commands.json").read_text())
        self.commands = {entry["file"]: shlex.split(entry["command"]) for entry in entries}

    def source_of(self, variant: str, is_timed: bool = False) -> str | None:
        """What is compiled for a variant: CUDA sources for the emulation, or for nvcc where it is timed. None where this
        build leaves the variant out."""
        word, stem = variant.split("/")
        own = [f"{ROOT}/solvers/{variant}.cpp"]
        emulated = [f"{self.folder}/emulated/{word}_{stem}.cpp"]
        cuda = [f"{ROOT}/solvers/{variant}.cu"]
        return next((source for source in own + (cuda if is_timed else emulated) if source in self.commands), None)

    def object_of(self, source: str) -> str:
        command = self.commands[source]
        return command[command.index("-o") + 1]

    def link_command(self, target: str) -> list[str]:
        """What links a program, as words: its compiler first."""
        lines = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", target], capture_output=True, text=True,
                               check=True).stdout.splitlines()
        found = re.fullmatch(r": && (.*) && :", lines[-1])
        return shlex.split(found[1])


def embedded(file: pathlib.Path, text: str) -> str:
    """The header that holds a kernel's text, as the build makes it."""
    template = (ROOT / "cmake/embedded.hpp.in").read_text()
    name = re.sub(r"\W", "_", file.name)
    return template.replace("@REPRISE_TEXT_NAME@", name).replace("@REPRISE_TEXT@", text)


def write_changed(folder: pathlib.Path, file: str, text: str) -> pathlib.Path:
    """Puts the changed text of a file below solvers/ where an include of it finds it first. Returns its place."""
    path = folder / "solvers" / file
    if path.suffix in KERNEL_TEXTS:
        path, text = path.with_name(path.name + ".hpp"), embedded(path, text)
    write_if_other(path, text)
    return path


def write_if_other(path: pathlib.Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Mutant:
    """A program with changes. `flags` follow the build's own. If its changes are isolated, each is in its own object only:
    of an inline function that a changed header holds, the linker would otherwise keep one copy for all objects."""

    def __init__(self, build: Build, folder: pathlib.Path, flags: tuple[str, ...], is_isolated: bool = False) -> None:
        self.is_isolated = is_isolated
        self.build = build
        self.folder = folder
        self.flags = flags
        self.jobs: list[tuple[list[str], pathlib.Path]] = []

    def compile(self, change: Change, source: str, name: str, variant: str) -> str:
        """Plans to compile a source with the change as part of the variant. Returns the object."""
        shadow = self.folder / name
        changed = write_changed(shadow, change.file, change.text())
        is_own = source == f"{ROOT}/solvers/{change.file}"
        return self.compile_as(source, str(changed) if is_own else source, name, shadow,
                               ("-UREPRISE_VARIANT_ID", f'-DREPRISE_VARIANT_ID="{variant}"'))

    def compile_as(self, like: str, source: str, name: str, first_folder: pathlib.Path | None = None,
                   definitions: tuple[str, ...] = ()) -> str:
        """Plans to compile `source` with the command of `like`. Returns the object."""
        compiler, *command = self.build.commands[like]
        obj = self.folder / f"{name}.o"
        command[command.index("-o") + 1], command[command.index("-c") + 1] = str(obj), source
        folders = [f"-I{first_folder}"] if first_folder else []
        self.jobs.append(([compiler, *folders, *command, *definitions, *self.flags], obj))
        return str(obj)

    def compile_all(self) -> None:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda job: self.run_if_old(*job), self.jobs))

    def link(self, program: str, drop: list[str], add: list[str], target: str = "reprise") -> pathlib.Path:
        """Compiles what was planned and links the target's objects without `drop`, with `add`."""
        self.compile_all()
        command = [word for word in self.build.link_command(target) if word not in drop]
        out = command.index("-o") + 1
        command[out] = str(self.folder / program)
        subprocess.run(command[:out + 1] + add + command[out + 1:], cwd=self.build.folder, check=True)
        return self.folder / program

    def run_if_old(self, command: list[str], obj: pathlib.Path) -> None:
        """Compiles where the command or anything that the last compilation read has changed."""
        used = obj.with_suffix(".d")
        stamp = obj.with_suffix(".stamp")
        wanted = self.state_of(command, used)
        if obj.exists() and stamp.exists() and stamp.read_text() == wanted:
            return
        result = subprocess.run([*command, "-MD", "-MF", str(used)], cwd=self.build.folder, capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(f"{obj.stem} does not compile:\n{result.stderr[-2000:]}")
        if self.is_isolated:
            self.isolate(obj)
        stamp.write_text(self.state_of(command, used))

    @staticmethod
    def isolate(obj: pathlib.Path) -> None:
        """Makes the object's copies of the project's inline functions its own. Without their groups, symbols that are unique
        in a program would clash unless they are weak."""
        listed = subprocess.run(["nm", "--format=posix", obj], capture_output=True, text=True, check=True).stdout
        options = ["--remove-section=.group"]
        for option, pattern in (("--localize-symbols", r"(_Z\w*7reprise\w*) W "), ("--weaken-symbols", r"(\w+) u ")):
            if symbols := re.findall(f"^{pattern}", listed, re.MULTILINE):  # objcopy refuses empty lists
                names = obj.with_suffix(option.replace("--", "."))
                names.write_text("\n".join(symbols))
                options.append(f"{option}={names}")
        subprocess.run(["objcopy", *options, obj], check=True)

    @staticmethod
    def state_of(command: list[str], used: pathlib.Path) -> str:
        state = hashlib.sha256(repr(command).encode())
        for file in re.findall(r"(?:[^\s\\]|\\.)+", used.read_text().split(":", 1)[1]) if used.exists() else ():
            if os.path.exists(file):
                state.update(f"{file} {os.stat(file).st_mtime_ns}".encode())
        return state.hexdigest()


def manifest_of(ids: dict[str, tuple[str, str]]) -> str:
    """A manifest of these variants alone: id -> (file, backend)."""
    rows = "".join(f'      {{"{name}", "solvers/{file}", backend::{kind}, ""}},\n' for name, (file, kind) in ids.items())
    return f"""#include "solvers/common/base/registry.hpp"

namespace reprise {{

const std::vector<manifest_entry>& manifest() {{
  static const std::vector<manifest_entry> entries{{
{rows}  }};
  return entries;
}}

}}  // namespace reprise
"""


def backend_of(source: str, stem: str) -> str:
    if "/emulated/" in source or source.endswith(".cu"):
        return "cuda"
    return stem.split("_")[0] if stem.startswith(("opencl_", "opengl_")) else "cpu"


def faulty_program(build: Build, word: str, changes: list[Change]) -> tuple[pathlib.Path, dict[str, str]]:
    """A program of one family's faults, each a variant of its own: WORD/STEM_fault_NAME. Returns it with the file of each
    fault, of those whose variant is in the build."""
    mutant = Mutant(build, build.folder / "mutation" / word, ("-w", "-O1"), is_isolated=True)
    files: dict[str, str] = {}
    manifest: dict[str, tuple[str, str]] = {}
    objects = []
    for change in changes:
        # Vendor's libraries are not emulated.
        source = build.source_of(change.variant) or build.source_of(change.variant, is_timed=True)
        if source is None:
            continue
        fault = f"{change.variant}_fault_{change.name}"
        objects.append(mutant.compile(change, source, fault.replace("/", "_"), fault))
        files[fault] = change.file
        manifest[fault] = (change.file, backend_of(source, change.variant.split("/")[1]))
    write_if_other(mutant.folder / "manifest.cpp", manifest_of(manifest))
    honest = str(build.folder / "manifest.cpp")
    objects.append(mutant.compile_as(honest, str(mutant.folder / "manifest.cpp"), "manifest"))
    return mutant.link("faulty_reprise", [build.object_of(honest)], objects), files


@dataclasses.dataclass(frozen=True)
class Parts:
    """What goes into a program of one variant, besides the parts that all programs have."""

    variant: str
    others: tuple[str, ...] = ()  # sources that are compiled with the change too
    unwanted: tuple[str, ...] = ()  # sources that are left out
    is_timed: bool = False  # CUDA sources for nvcc, not for the emulation


def plan_of_one(build: Build, folder: pathlib.Path, parts: Parts, file: str, text: str,
                flags: tuple[str, ...]) -> tuple[Mutant, list[str], list[str]]:
    """Plans the program with this variant alone and with `text` in place of a file below solvers/. Returns it with the objects
    to leave out and to add."""
    shadow = folder / "changed"
    # The same names of files in messages, so that a change without effect gives the same object.
    mutant = Mutant(build, folder, (*flags, f"-ffile-prefix-map={shadow}={ROOT}"), is_isolated=True)
    path = write_changed(shadow, file, text)
    source = build.source_of(parts.variant, parts.is_timed)
    sources = [source, *parts.others]
    drop = [build.object_of(name) for name in (*sources, *parts.unwanted, str(build.folder / "manifest.cpp"))]
    add = [mutant.compile_as(name, str(path) if name == f"{ROOT}/solvers/{file}" else name, f"part{number}", shadow)
           for number, name in enumerate(sources)]
    kind = backend_of(source, parts.variant.split("/")[1])
    write_if_other(folder / "manifest.cpp", manifest_of({parts.variant: (os.path.relpath(source, ROOT / "solvers"), kind)}))
    add.append(mutant.compile_as(str(build.folder / "manifest.cpp"), str(folder / "manifest.cpp"), "manifest"))
    return mutant, drop, add


def program_of_one(build: Build, folder: pathlib.Path, parts: Parts, file: str, text: str,
                   flags: tuple[str, ...] = ("-w",)) -> pathlib.Path:
    """The program with this variant alone and with `text` in place of a file below solvers/."""
    mutant, drop, add = plan_of_one(build, folder, parts, file, text, flags)
    return mutant.link("faulty_reprise", drop, add)


def read_problem_changes(table: pathlib.Path) -> list[tuple[Change, str]]:
    """The changes in what all variants share, each with the source that is compiled with it."""
    word = table.parent.name
    return [(Change(name, f"{word}/{file}", original, replacement, f"{word}/{name}"), f"{ROOT}/{source}")
            for file, name, original, replacement, source in tomllib.loads(table.read_text()).get("problem_faults", [])]


def program_with(build: Build, change: Change, source: str) -> pathlib.Path:
    """The program with one of its sources compiled with the change."""
    mutant = Mutant(build, build.folder / "mutation" / f"{change.variant}_in_all", ("-w", "-O1"), is_isolated=True)
    changed = mutant.compile(change, source, change.name, change.variant)
    return mutant.link("faulty_reprise", [build.object_of(source)], [changed])


def changed_program(build: Build, table: pathlib.Path) -> pathlib.Path:
    """The program once more with the variants of a table changed, under their own ids and compiled as they are, so that they
    can be timed."""
    mutant = Mutant(build, build.folder / "mutation" / table.stem, ())
    drop, add = [], []
    for change in read_changes(table):
        source = build.source_of(change.variant, is_timed=True)
        if source is not None:
            drop.append(build.object_of(source))
            add.append(mutant.compile(change, source, change.variant.replace("/", "_"), change.variant))
    return mutant.link(f"{table.stem}_reprise", drop, add)


if __name__ == "__main__":
    import sys

    if len(sys.argv) not in (2, 3):
        sys.exit(f"usage: {sys.argv[0]} BUILD [TABLE]\n\nBuilds the program with the changes of TABLE, sabotage.toml if none is "
                 "given, and prints its path.")
    given = pathlib.Path(sys.argv[2]) if sys.argv[2:] else HERE / "sabotage.toml"
    print(changed_program(Build(pathlib.Path(sys.argv[1])), given))
