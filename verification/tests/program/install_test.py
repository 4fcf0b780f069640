#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs the program into a staged prefix, moves the prefix, and uses it without the sources and any variable.

Where the system allows it, the sources are hidden and the prefix is read-only. Everywhere, the installed data get marks,
which the output must show: that is how the test knows which data were read."""
from __future__ import annotations

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CMAKE, BUILD = sys.argv[1:3]
NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"]
MARK = "a mark that only the installed data have"


def run_without_sources(prefix: pathlib.Path, work: pathlib.Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs a command of the installed program in the folder `work`, with no variable but PATH and HOME."""
    program = [str(prefix / "bin" / "reprise"), *command]
    if can_hide():
        hidden, readable = shlex.quote(str(ROOT)), shlex.quote(str(prefix))
        script = (f"mount -t tmpfs none {hidden} && mount --bind {readable} {readable} && "
                  f"mount -o remount,bind,ro {readable} && cd {shlex.quote(str(work))} && exec {shlex.join(program)}")
        program = [*NAMESPACE, "sh", "-c", script]
    return subprocess.run(program, cwd=work, capture_output=True, text=True,
                          env={"PATH": os.environ["PATH"], "HOME": str(work)})


def can_hide() -> bool:
    return bool(shutil.which("unshare")) and subprocess.run(
        [*NAMESPACE, "mount", "-t", "tmpfs", "none", str(ROOT)], capture_output=True).returncode == 0


def put_mark(file: pathlib.Path, old: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file} lacks {old}"
    file.write_text(text.replace(old, MARK), encoding="utf-8")


class AnInstalledPrefix(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="reprise_install_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        stage, cls.prefix, cls.work = cls.folder / "stage", cls.folder / "moved", cls.folder / "work"
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", "/opt/reprise"], check=True, capture_output=True,
                       env=os.environ | {"DESTDIR": str(stage)})
        shutil.move(stage / "opt" / "reprise", cls.prefix)
        cls.work.mkdir()
        cls.data = cls.prefix / "share" / "reprise"
        put_mark(cls.data / "reports" / "claims" / "jacobi.csv", "Texture memory makes the fastest GPU code")
        put_mark(cls.data / "reports" / "layouts" / "jacobi.json", "Time of 1000 sweeps at five widths, 1024 rows")
        put_mark(cls.data / "reports" / "page" / "templates" / "style.css", "SPDX-License-Identifier: MIT")

    def reprise(self, *command: str) -> str:
        result = run_without_sources(self.prefix, self.work, *command)
        self.assertEqual(result.returncode, 0, f"{command}: {result.stdout}{result.stderr}")
        return result.stdout

    def test_the_manual_and_the_completions_are_installed(self) -> None:
        share = self.prefix / "share"
        for file, format in (("man/man1/reprise.1", "man"), ("bash-completion/completions/reprise", "bash"),
                             ("zsh/site-functions/_reprise", "zsh"), ("fish/vendor_completions.d/reprise.fish", "fish")):
            self.assertEqual((share / file).read_text(encoding="utf-8"), self.reprise("manual", format))

    def test_lists_claims_and_compares(self) -> None:
        self.assertIn("jacobi/table4", self.reprise("list", "jacobi/*"))
        self.assertIn(MARK, self.reprise("claims", "jacobi/texture_is_best", "--fail-on", "never"))
        self.assertIn("GTX280", self.reprise("compare", "nvidia-h200", "paper:GTX280"))

    def test_runs_and_reports(self) -> None:
        self.reprise("run", "jacobi/table4", "--preset", "smoke", "--size", "37x23", "--device", "cpu", "--out", "mine")
        self.reprise("report", "mine", "--out", "report")
        self.assertIn(MARK, (self.work / "report" / "index.html").read_text(encoding="utf-8"))
        printed = self.work / "report" / "tables" / "jacobi_table1_as_printed.md"
        self.assertIn(MARK, printed.read_text(encoding="utf-8"))

    def test_can_be_read_by_every_user(self) -> None:
        for path in self.prefix.rglob("*"):
            needed = 0o555 if path.is_dir() or path.parent.name == "bin" else 0o444
            self.assertEqual(path.stat().st_mode & needed, needed, path)

    def test_says_where_it_looked_if_the_data_are_gone(self) -> None:
        if not can_hide():
            self.skipTest("this system does not let the sources be hidden")
        alone = self.folder / "alone"
        (alone / "bin").mkdir(parents=True)
        shutil.copy(self.prefix / "bin" / "reprise", alone / "bin")
        result = run_without_sources(alone, self.work, "claims", "jacobi")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(str(alone / "share" / "reprise"), result.stderr)

    def test_is_a_cmake_package(self) -> None:
        project = self.folder / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES NONE)\nfind_package(reprise 0.1 REQUIRED)\n"
            "get_target_property(place reprise::reprise LOCATION)\nmessage(STATUS \"program ${place}\")\n")
        told = subprocess.run([CMAKE, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"],
                              capture_output=True, text=True)
        self.assertIn(f"program {self.prefix}/bin/reprise", told.stdout, told.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
