#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recipe for reviews: scripts/slower, its comment, and how that is put below a request.

usage: slower_test.py REPRISE
"""

from __future__ import annotations

import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
from typing import ClassVar

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMMENT, POST = ROOT / "ci/slower/comment.py", ROOT / "ci/slower/post.py"
MARK = "<!-- reprise: slower or not -->"


def run(*command: object, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=500,
                          env={"PATH": os.environ["PATH"]} | environment if environment else None)


class Forge(http.server.BaseHTTPRequestHandler):
    """Keeps comments as GitHub and GitLab do; refuses to write for the token "reads"."""
    comments: ClassVar[list[dict]] = []

    def log_message(self, *_: object) -> None:
        pass

    def answer(self, what: object, code: int = 200) -> None:
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(what).encode())

    def do_GET(self) -> None:
        self.answer(self.comments if self.path.endswith("page=1") else [])

    def write(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        if "reads" in (self.headers.get("Authorization") or ""):
            return self.answer({}, 403)
        if self.command == "POST":
            self.comments.append({"id": len(self.comments) + 7, "body": body})
        else:
            self.comments[int(self.path.split("/")[-1]) - 7]["body"] = body
        return self.answer({})

    do_POST = do_PATCH = do_PUT = write


class Slower(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="reprise_")))

    def result(self, verdict: str = "SLOWER", remark: str = "") -> pathlib.Path:
        case = {"experiment": "jacobi/table4", "variant": "jacobi/openmp", "device": "cpu", "precision": "single",
                "size": "64x64", "parameter": "", "verdict": verdict, "remark": remark, "log_ratio": [0.05, 0.04, None]}
        gate = {"differences": [], "kernels": [], "no_kernels": "", "left_out": [],
                "cases": [{"case": "openmp", "verdict": "GREW", "before": 100, "after": 101, "reason": "",
                           "functions": [{"name": "sweep<float>(int|char)", "before": 50, "after": 51}]}]}
        for name, document in (("duel/duel.json", {"cases": [case] * 3, "log_mean": [0.05, 0.04, 0.06], "margin": 0.02}),
                               ("count/gate.json", gate)):
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(document))
        return self.folder

    def test_the_comment_has_verdicts_intervals_and_functions(self) -> None:
        said = run(sys.executable, COMMENT, self.result()).stdout
        for part in (MARK, "**Time: 3 SLOWER.**", "+5.13 [+4.08, ?]", "**Instructions: 1 GREW.**", "+1.000",
                     "sweep&lt;float>(int\\|char)"):
            self.assertIn(part, said)
        self.assertIn("<details>", run(sys.executable, COMMENT, self.result("SAME")).stdout)

    def test_a_comment_stays_a_comment_whatever_is_missing_or_hostile(self) -> None:
        said = run(sys.executable, COMMENT, self.folder)
        self.assertEqual(said.returncode, 0)
        self.assertIn("ended before it compared anything", said.stdout)
        said = run(sys.executable, COMMENT, self.result(remark="a | b\n<script>")).stdout
        self.assertIn("a \\| b &lt;script>", said)

    def posted(self, file: pathlib.Path, **environment: str) -> subprocess.CompletedProcess:
        server = http.server.HTTPServer(("127.0.0.1", 0), Forge)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        variables = {name: value.replace("URL", url) for name, value in environment.items()}
        result = run(sys.executable, POST, file, **variables)
        server.shutdown()
        server.server_close()
        return result

    def test_one_comment_is_put_and_then_replaced(self) -> None:
        file = self.folder / "comment.md"
        for environment in ({"GITHUB_REPOSITORY": "a/b", "GITHUB_API_URL": "URL", "GITHUB_TOKEN": "writes", "PULL_REQUEST": "5"},
                            {"CI_PROJECT_ID": "3", "CI_API_V4_URL": "URL", "GITLAB_TOKEN": "t", "CI_MERGE_REQUEST_IID": "5"}):
            Forge.comments[:] = [{"id": 7, "body": "of somebody else"}]
            for text in ("first", "second"):
                file.write_text(f"{MARK}\n{text}\n")
                result = self.posted(file, **environment)
                self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual([comment["body"] for comment in Forge.comments], ["of somebody else", f"{MARK}\nsecond\n"])

    def test_a_token_that_only_reads_is_no_failure(self) -> None:
        file = self.folder / "comment.md"
        file.write_text(f"{MARK}\ntext\n")
        Forge.comments.clear()
        result = self.posted(file, GITHUB_REPOSITORY="a/b", GITHUB_API_URL="URL", GITHUB_TOKEN="reads", PULL_REQUEST="5")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("may not write", result.stdout)
        self.assertIn("text", result.stdout)

    def test_what_cannot_be_posted_is_one_line(self) -> None:
        file = self.folder / "comment.md"
        file.write_text("something else")
        for given, environment, said in (
                (file, {"GITHUB_REPOSITORY": "a/b"}, "GITHUB_TOKEN and PULL_REQUEST must be set"),
                (file, {"HOME": "/"}, "no job of GitHub or GitLab"),
                (self.folder / "none", {"HOME": "/"}, "none"),
                (file, {"GITHUB_REPOSITORY": "a/b", "GITHUB_TOKEN": "t", "PULL_REQUEST": "5"}, "is no comment")):
            result = run(sys.executable, POST, given, **environment)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn(said, result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)
        file.write_text(MARK)
        result = run(sys.executable, POST, file, GITHUB_REPOSITORY="a/b", GITHUB_TOKEN="t", PULL_REQUEST="5",
                     GITHUB_API_URL="http://127.0.0.1:9")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_a_program_is_not_slower_than_itself(self) -> None:
        out = self.folder / "out"
        result = run(ROOT / "scripts/slower", "--program", PROGRAM, "--base-program", PROGRAM, "--out", out, "--margin", "20%",
                     "--budget", "10s", "--", "--only", "jacobi/table4", "--variant", "cpu_interleaved", "--size", "64x64")
        self.assertIn(result.returncode, (0, 4), result.stdout + result.stderr)
        said = (out / "comment.md").read_text()
        self.assertTrue(said.startswith(MARK))
        self.assertNotIn("SLOWER", said)
        self.assertNotIn("GREW", said)
        for name in ("count/counts.json", "count/gate.json", "duel/duel.json", "duel/duel.svg"):
            self.assertTrue((out / name).exists(), name)

    def test_bad_input_of_the_script_is_one_line(self) -> None:
        (self.folder / "kept").touch()
        for arguments, said in ((["--nothing", "x"], "unknown option"), (["--out"], "needs a value"),
                                (["--base", "no/such"], "git knows no commit no/such"),
                                (["--program", "/none"], "there is no program"),
                                (["--out", self.folder, "--program", PROGRAM, "--base-program", PROGRAM], "is not empty")):
            result = run(ROOT / "scripts/slower", *arguments)
            self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
            self.assertIn(said, result.stderr)
        self.assertTrue((self.folder / "kept").exists())


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main()
