#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Carries out the steps of Containerfile in a chroot of a bare Debian, and uses the installed program as an unprivileged user.

Without the CUDA toolkit, which comes from another repository. Status 77 without root, debootstrap or a network.
"""
from __future__ import annotations

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[3]
SUITES = {"debian:12": "bookworm"}
USER = 4711


class Step(NamedTuple):
    what: str  # RUN, COPY, ...
    text: str


def steps_of(containerfile: str) -> list[Step]:
    lines = [line for line in containerfile.splitlines() if line.strip() and not line.startswith("#")]
    return [Step(*line.split(maxsplit=1)) for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines()]


class Image:
    """A chroot that follows the steps as a builder of containers would."""

    def __init__(self, folder: pathlib.Path, base: str) -> None:
        self.root, self.place, self.variables = folder / "root", "/", {}
        subprocess.run(["debootstrap", "--variant=minbase", SUITES[base], self.root, "http://deb.debian.org/debian"],
                       check=True, capture_output=True)
        shutil.copy("/etc/resolv.conf", self.root / "etc" / "resolv.conf")

    def run(self, command: str, user: int = 0) -> subprocess.CompletedProcess[str]:
        """Runs a command of the shell in the chroot, with /proc and /dev, and with the build's arguments."""
        inside = shlex.join(["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "sh", "-c",
                             f"cd {shlex.quote(self.place)} && {command}"])
        root = shlex.quote(str(self.root))
        script = f"mount --bind /proc {root}/proc && mount --rbind /dev {root}/dev && exec chroot {root} {inside}"
        return subprocess.run(["unshare", "--mount", "--fork", "sh", "-c", script], capture_output=True, text=True,
                              env={"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"} | self.variables)

    def take(self, step: Step) -> None:
        if step.what == "ARG":
            name, _, value = step.text.partition("=")
            self.variables[name] = shlex.split(value)[0] if value else ""
        elif step.what == "WORKDIR":
            self.place = step.text
            (self.root / step.text.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif step.what == "COPY":
            assert step.text == ". .", step
            copy_tree(self.root / self.place.lstrip("/"))
        elif step.what == "RUN":
            done = self.run(step.text)
            assert done.returncode == 0, f"{step.text}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"


def copy_tree(target: pathlib.Path) -> None:
    """The working tree with its history, without what .dockerignore leaves out."""
    subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{ROOT}", target], check=True)
    files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True,
                           capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, files):
        source = ROOT / name
        if source.is_symlink() or source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name, follow_symlinks=False)


class TheContainer(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="reprise_container_"))
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.steps = steps_of((ROOT / "Containerfile").read_text(encoding="utf-8"))
        base = next(step.text for step in cls.steps if step.what == "FROM")
        # Another commit may be made while the image is built.
        cls.commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], check=True, capture_output=True,
                                    text=True).stdout.strip()
        cls.image = Image(folder, base)
        for step in cls.steps:
            cls.image.take(step)

    def as_user(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The container's program in its last folder, as a user who owns only a folder of results."""
        results = self.image.root / self.image.place.lstrip("/")
        os.chown(results, USER, USER)
        entry = re.findall(r'"([^"]+)"', next(step.text for step in self.steps if step.what == "ENTRYPOINT"))
        return self.image.run(f"HOME={self.image.place} {shlex.join([*entry, *arguments])}", USER)

    def test_every_step_is_known(self) -> None:
        self.assertLessEqual({step.what for step in self.steps},
                             {"FROM", "ARG", "RUN", "WORKDIR", "COPY", "ENTRYPOINT", "CMD"})
        self.assertGreaterEqual(sum(step.what == "RUN" for step in self.steps), 4)

    def test_the_program_knows_its_commit_and_has_every_backend_but_cuda(self) -> None:
        told = self.as_user("doctor")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn(self.commit, told.stdout)
        self.assertIn("opencl:0", told.stdout)

    def test_a_user_measures_and_reports(self) -> None:
        for command in (["run", "jacobi/table4", "--preset", "smoke", "--device", "cpu", "--out", "mine"],
                        ["report", "mine"], ["claims", "jacobi", "--fail-on", "never"]):
            told = self.as_user(*command)
            self.assertEqual(told.returncode, 0, f"{command}: {told.stdout}{told.stderr}")
        page = self.image.root / self.image.place.lstrip("/") / "mine" / "report" / "index.html"
        self.assertTrue(page.exists())


class Errors(unittest.TestCase):
    def test_a_step_over_several_lines_is_one(self) -> None:
        found = steps_of("# a comment\nFROM debian:12\nRUN one && \\\n    two\nCOPY . .\n")
        self.assertEqual([step.what for step in found], ["FROM", "RUN", "COPY"])
        self.assertEqual(found[1].text.split(), ["one", "&&", "two"])


def can_build() -> bool:
    return os.geteuid() == 0 and all(shutil.which(tool) for tool in ("debootstrap", "unshare", "setpriv", "git"))


if __name__ == "__main__":
    if not can_build():
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
