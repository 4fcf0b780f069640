#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the files that other programs read against their JSON Schemas: run.json of new and recorded runs, report.json and
what `reprise claims --json` prints; and that ro-crate-metadata.json names each file with its hash.

usage: schemas_test.py PROGRAM
"""
from __future__ import annotations

import copy
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = sys.argv.pop(1)


def read(file: pathlib.Path) -> dict:
    return json.loads(file.read_text(encoding="utf-8"))


def schema(path: str) -> jsonschema.Draft202012Validator:
    content = read(ROOT / path)
    jsonschema.Draft202012Validator.check_schema(content)
    return jsonschema.Draft202012Validator(content)


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="reprise_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.run_folder = cls.folder / "run"
        # On a busy machine the roofs alone may use up a shorter budget.
        subprocess.run([PROGRAM, "run", "angiogenesis/order", "--device", "cpu", "--variant", "cpu_structured", "--size", "11",
                        "--budget", "60s", "--out", cls.run_folder], check=True, capture_output=True)

    def test_new_and_recorded_runs_fit_their_schema(self) -> None:
        files = [self.run_folder / "run.json", *sorted((ROOT / "reports" / "recorded").glob("*/*/run.json"))]
        self.assertGreater(len(files), 10)
        for file in files:
            with self.subTest(file=file):
                schema("reports/store/run.schema.json").validate(read(file))

    def test_a_damaged_run_json_does_not_fit(self) -> None:
        good = read(self.run_folder / "run.json")
        damages = {"a lost key": lambda run: run.pop("request"),
                   "a cut hash": lambda run: run["files"]["rows.csv"].update(sha256="12"),
                   "a text for a number": lambda run: run["plan"].update(budget_seconds="5s"),
                   "a case without device": lambda run: run["plan"]["cases"][0].pop()}
        for name, damage in damages.items():
            with self.subTest(name):
                bad = copy.deepcopy(good)
                damage(bad)
                self.assertFalse(schema("reports/store/run.schema.json").is_valid(bad))

    def test_verdicts_and_report_fit_their_schemas(self) -> None:
        printed = subprocess.run([PROGRAM, "claims", "--json", "--fail-on", "never", "--run", self.run_folder], check=True,
                                 capture_output=True, text=True).stdout
        verdicts = json.loads(printed)
        schema("reports/judging/verdicts.schema.json").validate(verdicts)
        verdicts["papers"]["jacobi"]["claims"][0]["verdict"] = "perhaps"
        self.assertFalse(schema("reports/judging/verdicts.schema.json").is_valid(verdicts))
        subprocess.run([PROGRAM, "report", self.run_folder, "--out", self.folder / "report"], capture_output=True)
        schema("reports/page/report.schema.json").validate(read(self.folder / "report" / "report.json"))

    def test_the_crate_names_each_file_of_the_run_with_its_hash(self) -> None:
        crate = read(self.run_folder / "ro-crate-metadata.json")
        entities = {entity["@id"]: entity for entity in crate["@graph"]}
        self.assertEqual(entities["ro-crate-metadata.json"]["about"], {"@id": "./"})
        for path in ("rows.csv", "samples.csv"):
            content = (self.run_folder / path).read_bytes()
            self.assertEqual(entities[path]["sha256"], hashlib.sha256(content).hexdigest())
            self.assertIn({"@id": path}, entities["./"]["hasPart"])
        self.assertEqual(entities["#run"]["endTime"], read(self.run_folder / "run.json")["finished"])
        self.assertEqual(entities["#reprise"]["@type"], "SoftwareApplication")


if __name__ == "__main__":
    unittest.main()
