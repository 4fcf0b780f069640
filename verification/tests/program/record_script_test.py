#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/record runs pieces, goes on with them on machines of the same kind only, checks and packs recordings. Another
script stands for the program, and one for nvidia-smi.

usage: record_script_test.py REPRISE
"""
from __future__ import annotations

import fnmatch
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

from recordings import PIECES, RecordingTest

PROGRAM = sys.argv.pop(1)
from recording import pieces  # noqa: E402
from recording.run_files import is_disturbed, lines_of  # noqa: E402


class Recording(RecordingTest):
    def interrupt(self, *signals: int) -> str:
        # Like a shell's background job, which ignores SIGINT when it starts.
        process = subprocess.Popen(["sh", "-c", 'trap "" INT; exec "$@"', "sh", *self.command("--only", "second")],
                                   env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        rows = self.keep / "second/rows.csv"
        before = len(rows.read_text().splitlines()) if rows.exists() else 0
        while not (rows.exists() and len(rows.read_text().splitlines()) > before + 1):
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        for number in signals:
            process.send_signal(number)
            time.sleep(0.3)
        told, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130, told)
        return told

    def test_the_list_has_estimates_and_the_folders_of_rows(self) -> None:
        told = self.record("--list")
        self.assertIn(f"first: about 5 s, to {self.recorded}/gpu/first\n    reprise run jacobi/fast --preset paper\n", told)
        self.assertIn(f"second: about 60 s, to {self.recorded}/gpu/second (4 threads)\n", told)
        self.assertIn("--parameter 'a b'", told)
        self.assertIn("in all about 1 min in 2 pieces", told)
        self.assertIn("no piece of gpu is called 'third'", self.record("--list", "--only", "third", status=1))

    def test_pieces_that_do_not_fit_are_not_begun_and_finished_ones_are_kept(self) -> None:
        told = self.record("--minutes", "0.5")
        self.assertIn("first: finished after", told)
        self.assertIn(" run --out first jacobi/fast", told)  # what a run keeps of it names no folder of this machine
        self.assertRegex(told, r"second: takes about 60 s, and \d+ s are left: call again")
        begun = self.journal()
        self.assertEqual(begun[0]["device"], "gpu")
        self.assertEqual(begun[0]["kind"]["gpus"], "1 x NVIDIA H200")
        self.assertEqual(begun[-1]["boards"], ["GPU-1"])
        self.assertTrue(begun[-1]["host"])
        self.become("NVIDIA H200, 580.1, GPU-2")  # another board of the same kind
        self.assertIn("all 1 pieces are recorded", self.record("--only", "first"))
        self.assertEqual(self.journal(), begun)
        self.assertRegex(self.record("--list"), r"first: took \d+ s|first: about 5 s")

    def test_a_piece_tells_how_many_of_its_times_were_disturbed(self) -> None:
        self.assertRegex(self.record("--only", "first"), r"first: finished after \d+ s\n")
        shutil.rmtree(self.keep / "first")
        self.feel(disturbed=1)
        self.assertRegex(self.record("--only", "first"), r"first: finished after \d+ s, disturbed: 1 of 2 times on cuda:0\n")

    def test_a_time_with_too_many_samples_left_out_is_disturbed(self) -> None:
        for reason, is_so in (("", False), ("x; 12 of 20 samples left out: steal", False),
                              ("13 of 20 samples left out: steal", True),
                              ("350 samples left out: this program took 2 times as long; 9 of 10 samples left out: steal", True)):
            self.assertEqual(is_disturbed({"status": "ok", "reason": reason}), is_so, reason)
        self.assertTrue(is_disturbed({"status": "disturbed", "reason": ""}))

    def test_another_gpu_driver_number_of_cores_or_program_is_refused(self) -> None:
        self.record("--only", "first")
        self.become("NVIDIA H100, 580.1, GPU-1")
        self.assertIn("another GPU: 1 x NVIDIA H200 then, 1 x NVIDIA H100 now", self.record(status=1))
        self.become("NVIDIA H200, 590.2, GPU-1")
        self.assertIn("another driver: 580.1 then, 590.2 now", self.record(status=1))
        self.become("NVIDIA H200, 580.1, GPU-1")
        lines = (self.keep / "journal.jsonl").read_text().splitlines()
        first = json.loads(lines[0])
        first["kind"]["cores"] = 999
        (self.keep / "journal.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
        self.assertIn("another number of cores: 999 then", self.record(status=1))
        (self.keep / "journal.jsonl").write_text("\n".join(lines) + "\n")
        with self.program.open("a") as program:
            print("# another build", file=program)
        self.assertIn("another program: ", self.record(status=1))

    def test_a_machine_of_another_kind_than_the_device_is_refused(self) -> None:
        self.become()
        self.assertIn("gpu is recorded on one GPU: this machine has no GPU", self.record(status=1))
        self.become("NVIDIA H200, 580.1, GPU-1", "NVIDIA H100, 580.1, GPU-2")
        self.assertIn("this machine has 1 x NVIDIA H100 + 1 x NVIDIA H200", self.record(status=1))
        (self.folder / "pieces.toml").write_text(PIECES.replace("gpus = 1", "gpus = 1\ncores = 9999"))
        self.become("NVIDIA H200, 580.1, GPU-1", "NVIDIA H200, 580.1, GPU-2")
        self.assertIn("each GPU needs 9999 processors, and this machine has ", self.record(status=1))
        with mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": "1"}):
            self.assertIn("this machine has 2 x NVIDIA H200", self.record(status=1))
        self.assertFalse(self.keep.exists())
        self.program.unlink()
        self.assertIn("is missing: build the preset release", self.record(status=1))

    def test_a_machine_with_several_gpus_records_pieces_that_use_one_side_by_side(self) -> None:
        self.become(*(f"NVIDIA H200, 580.1, GPU-{n}" for n in (1, 2)))
        (self.folder / "pieces.toml").write_text(PIECES.replace("seconds = 60\n", "seconds = 60\nuses_one_gpu = true\n").replace(
            "seconds = 5\n", "seconds = 5\nuses_one_gpu = true\n").replace("jacobi/fast", "jacobi/slow") + """
[[gpu.piece]]
name = "third"
run = "jacobi/fast"
seconds = 5
""")
        told = self.record()
        self.assertIn("third: needs a machine of its own, with one GPU", told)
        self.assertNotIn("are recorded", told)
        self.assertEqual(self.journal()[0]["kind"]["gpus"], "1 x NVIDIA H200")
        self.assertEqual([line["event"] for line in self.journal()[1:]], ["begun"] * 2 + ["finished"] * 2)
        runs = [json.loads((self.keep / name / "run.json").read_text()) for name in ("first", "second")]
        self.assertEqual({run["gpu"] for run in runs}, {"0", "1"})
        self.assertFalse(set(runs[0]["processors"]) & set(runs[1]["processors"]))
        boards = {line["piece"]: line["boards"] for line in self.journal()[1:]}
        self.assertEqual({run["gpu"]: boards[name] for name, run in zip(("first", "second"), runs, strict=True)},
                         {"0": ["GPU-1"], "1": ["GPU-2"]})

    def test_a_piece_that_was_interrupted_goes_on_on_its_own_gpu(self) -> None:
        (self.folder / "pieces.toml").write_text(PIECES.replace("threads = 4", "uses_one_gpu = true"))
        self.become("NVIDIA H200, 580.1, GPU-2")
        self.keep.mkdir()
        cores = max(1, len(os.sched_getaffinity(0)) // 2)
        with mock.patch("os.sched_getaffinity", return_value=set(range(cores))):
            self.record("--only", "second")
        lines = (self.keep / "journal.jsonl").read_text().splitlines()
        (self.keep / "journal.jsonl").write_text("\n".join([*lines[:-1], lines[-1].replace("finished", "interrupted")]) + "\n")
        description = json.loads((self.keep / "second/run.json").read_text())
        del description["finished"]
        (self.keep / "second/run.json").write_text(json.dumps(description))
        self.become(*(f"NVIDIA H200, 580.1, GPU-{n}" for n in (1, 2)))
        self.assertNotIn("starts again", self.record("--only", "second"))
        self.assertEqual(self.journal()[-1]["boards"], ["GPU-2"])
        self.assertEqual(json.loads((self.keep / "second/run.json").read_text())["started"], description["started"])

    def test_a_second_signal_ends_a_program_that_does_not_listen(self) -> None:
        self.feel(is_deaf=True)
        self.interrupt(signal.SIGINT, signal.SIGINT)
        self.assertEqual(self.events("second"), ["begun", "interrupted"])

    def test_an_interruption_loses_nothing(self) -> None:
        self.assertIn("interrupted; the same command goes on", self.interrupt(signal.SIGINT))
        self.assertEqual(self.events("second"), ["begun", "interrupted"])
        rows = lines_of(self.keep / "second/rows.csv")
        self.assertGreater(len(rows), 0)
        self.interrupt(signal.SIGTERM)
        self.assertEqual(lines_of(self.keep / "second/rows.csv")[:len(rows)], rows)
        description = json.loads((self.keep / "second/run.json").read_text())
        self.assertEqual(description["threads"], "4")
        self.assertIn("a b", description["request"]["experiments"])
        self.assertIn("is unfinished", self.record("--check", status=1))

    def test_the_threads_of_a_piece_are_free_only_where_it_says_so(self) -> None:
        (self.folder / "pieces.toml").write_text(PIECES.replace("seconds = 5", "seconds = 5\nfree_threads = true"))
        self.record()
        bindings = [json.loads((self.keep / piece / "run.json").read_text())["binding"] for piece in ("first", "second")]
        self.assertEqual(bindings, ["false", ""])

    def test_ranks_are_bound_to_no_processor(self) -> None:
        launcher = self.folder / "bin/mpirun"
        launcher.write_text('#!/bin/sh\nprintf "%s " "$@" > "$0.arguments"\n'
                            'while [ "$1" != "$PROGRAM" ]; do shift; done\nexec "$@"\n')
        launcher.chmod(0o755)
        (self.folder / "pieces.toml").write_text(PIECES.replace("seconds = 5\n", "seconds = 5\nranks = 2\n"))
        with mock.patch.dict(os.environ, {"PROGRAM": str(self.program)}):
            self.record("--only", "first")
        self.assertIn("-n 2 --bind-to none", (launcher.parent / "mpirun.arguments").read_text())

    def test_time_that_is_up_interrupts_a_piece(self) -> None:
        (self.folder / "pieces.toml").write_text(PIECES.replace("seconds = 60", "seconds = 0.2"))
        self.assertIn("second: interrupted after", self.record("--only", "second", "--minutes", "0.02"))
        self.assertEqual(self.events("second"), ["begun", "interrupted"])

    def set_last_event(self, **changed: object) -> None:
        lines = [json.loads(line) for line in (self.keep / "journal.jsonl").read_text().splitlines()]
        lines[-1].update(changed)
        (self.keep / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    def expected_of(self, piece: str) -> str:
        """For how long the script expects the first piece in its order to run."""
        (self.folder / "pieces.toml").write_text(PIECES.replace("seconds = 5\n", "seconds = 80\n"))
        return re.search(rf"{piece}: takes about (\d+) s", self.record("--minutes", "0.01"))[1]

    def test_an_interrupted_piece_is_planned_with_what_it_has_left_and_goes_on_first(self) -> None:
        self.interrupt(signal.SIGINT)
        self.set_last_event(seconds=40)  # of 60
        self.assertEqual(self.expected_of("second"), "20")
        self.become("NVIDIA H200, 580.1, GPU-2")
        self.assertEqual(self.expected_of("first"), "80")

    def test_a_piece_whose_session_was_killed_goes_on_first(self) -> None:
        self.interrupt(signal.SIGINT)
        lines = (self.keep / "journal.jsonl").read_text().splitlines(keepends=True)
        (self.keep / "journal.jsonl").write_text("".join(lines[:-1]))
        self.assertEqual(self.expected_of("second"), "60")

    def test_a_piece_that_hangs_or_fails_does_not_go_first(self) -> None:
        self.interrupt(signal.SIGINT)
        for changed in ({"seconds": 120}, {"seconds": 10, "event": "failed"}):
            self.set_last_event(**changed)
            self.assertEqual(self.expected_of("first"), "80")

    def test_a_piece_that_starts_again_is_planned_with_all_of_its_time(self) -> None:
        self.interrupt(signal.SIGINT)
        self.set_last_event(seconds=55)
        shutil.rmtree(self.keep / "second")
        self.interrupt(signal.SIGINT)
        self.set_last_event(seconds=20)
        self.assertEqual(self.expected_of("second"), "40")

    def test_long_pieces_come_first(self) -> None:
        (self.folder / "pieces.toml").write_text(PIECES.replace("jacobi/slow", "jacobi/fast"))
        told = self.record()
        self.assertLess(told.index("second: finished"), told.index("first: finished"))

    def test_an_unfinished_piece_starts_again_on_another_board(self) -> None:
        self.interrupt(signal.SIGINT)
        self.become("NVIDIA H200, 580.1, GPU-2")
        (self.keep / "second/stale").touch()
        (self.folder / "pieces.toml").write_text(PIECES.replace("jacobi/slow", "jacobi/fast"))
        self.assertIn("was begun on another board or host and starts again", self.record("--only", "second"))
        self.assertFalse((self.keep / "second/stale").exists())
        self.assertEqual([line["boards"] for line in self.journal()[1:]], [["GPU-1"]] * 2 + [["GPU-2"]] * 2)

    def test_a_broken_journal_is_refused_and_a_torn_line_is_not(self) -> None:
        self.record("--only", "first")
        file = self.keep / "journal.jsonl"
        whole = file.read_text()
        for text in ("no\n", "{}\n", "[]\n", whole + "{}\n", whole + '{"event": "lost"}\n', whole.replace("boards", "board"),
                     whole.replace('"kind"', '"sort"')):
            file.write_text(text)
            self.assertIn("is no journal of scripts/record", self.record(status=1))
            self.assertEqual(file.read_text(), text)
        file.write_text(whole + '{"event": "beg')
        self.record("--only", "first")
        self.assertEqual(file.read_text(), whole)
        file.write_text(whole.replace('"device": "gpu"', '"device": "other"'))
        self.assertIn("is that of other", self.record(status=1))

    def test_a_piece_that_fails_is_told_with_its_last_line_and_the_others_are_recorded(self) -> None:
        self.feel(fails="first")
        self.assertTrue(self.record(status=1).endswith("first: the program ended with 1: reprise: no such luck\n"))
        self.assertEqual(self.events("first"), ["begun", "failed"])
        self.assertEqual(self.events("second"), ["begun", "finished"])

    def test_wrong_answers_are_recorded(self) -> None:
        self.feel(status=2)
        self.assertIn("first: finished", self.record("--only", "first"))

    def test_no_recording_is_made_of_changed_sources_or_a_debug_build(self) -> None:
        self.feel(git="0123456789ab-dirty")
        self.assertIn("first: is from changed sources", self.record("--only", "first", status=1))
        shutil.rmtree(self.keep)
        self.feel(build_type="Debug")
        self.assertIn("a build of the type Debug, not Release", self.record(status=1))

    def test_a_check_finds_each_flaw(self) -> None:
        self.make_whole(self.keep)
        self.assertEqual(self.record("--check"), "gpu: 0 flaws\n")
        (self.keep / "second/seal.json").unlink()
        self.assertIn("second: has no seal", self.record("--check", status=1))
        shutil.rmtree(self.keep / "second")
        self.assertIn("second: was not recorded", self.record("--check", status=1))
        self.make_whole(self.folder / "other")
        description = json.loads((self.folder / "other/second/run.json").read_text())
        shutil.move(self.folder / "other/second", self.keep / "second")
        (self.keep / "second/run.json").write_text(json.dumps(description | {"git": "ba9876543210"}))
        self.assertIn("the pieces differ in their commit: 0123456789ab (1), ba9876543210 (1)", self.record("--check", status=1))
        (self.keep / "second/run.json").write_text("{")
        self.assertIn("is no JSON", self.record("--check", status=1))
        (self.keep / "second/run.json").write_text(json.dumps(description))
        shutil.copytree(self.keep / "first", self.keep / "third")
        self.assertIn("third: is no piece of gpu", self.record("--check", status=1))
        shutil.rmtree(self.keep / "third")
        self.feel(refuses="keep/first: was changed after it was written")
        self.assertIn("the program refuses it: reprise: keep/first: was changed", self.record("--check", status=1))

    def test_claims_may_lack_only_what_no_recording_has(self) -> None:
        self.make_whole(self.keep)
        claim = {"id": "fast", "verdict": "undecided"}
        for reason in ("x: no row was measured", "openmp@8x8:time_solve: no row was measured; *@8x8:error: no row was measured",
                       "takes about 9 s, more than this preset's 6: a longer preset has it",
                       "no cpu device matches --device 'cuda:0'"):
            self.feel(claims=[claim | {"reason": reason}])
            self.assertIn(f"jacobi/fast is not decided: {reason}", self.record("--check", status=1))
        self.feel(claims=[claim | {"reason": "the interval of the measurement crosses the bound"},
                          claim | {"reason": "not built: no MAGMA"},
                          claim | {"reason": "amgx@8x8:time: no row was measured; openmp@8x8:time: no row was measured"},
                          {"id": "a", "verdict": "holds", "reason": "no row was measured"}])
        self.assertIn("0 flaws", self.record("--check"))
        self.feel(claims=[claim | {"reason": "no row was measured"}])
        (self.folder / "pieces.toml").write_text(PIECES.replace("decides_claims = true", ""))
        self.assertIn("0 flaws", self.record("--check"))

    def test_a_finished_recording_replaces_the_one_in_the_tree(self) -> None:
        (self.recorded / "gpu/old").mkdir(parents=True)
        self.assertIn("flaws; --check lists them, the first: first: was not recorded", self.record("--finish", status=1))
        self.make_whole(self.keep)
        (self.keep / "first/.lock").touch()
        self.feel(large=4_000_000)
        self.assertIn("bytes, more than 3000000", self.record("--finish", status=1))
        self.assertEqual([path.name for path in self.recorded.iterdir()], ["gpu"])
        self.assertTrue((self.recorded / "gpu/old").exists())
        self.feel()
        self.record("--finish")
        names = {path.relative_to(self.recorded / "gpu").as_posix() for path in self.recorded.rglob("*") if path.is_file()}
        files = ("run.json", "seal.json", "rows.csv.xz")
        self.assertEqual(names, {f"{run}/{file}" for run in ("first", "second") for file in files})
        self.assertEqual(lines_of(self.recorded / "gpu/first/rows.csv"), lines_of(self.keep / "first/rows.csv"))

    def test_a_second_recording_has_the_pieces_that_are_marked_and_decides_no_claim(self) -> None:
        self.make_whole(self.keep)
        self.feel(claims=[{"id": "c", "verdict": "undecided", "reason": "no row was measured"}])
        self.assertIn("in all about 1 min in 2 pieces", self.record("--again", "--list"))
        self.assertIn("gpu: 0 flaws", self.record("--again", "--check"))
        self.record("--check", status=1)
        (self.folder / "pieces.toml").write_text(PIECES.replace("seconds = 5\n", "seconds = 5\nagain = true\n"))
        self.assertNotIn("second", self.record("--again", "--list"))
        self.assertIn("second: is no piece of gpu", self.record("--again", "--finish", status=1))
        shutil.rmtree(self.keep / "second")
        self.record("--again", "--finish")
        self.assertEqual([path.name for path in (self.recorded / "gpu").iterdir()], ["first"])


class Pieces(unittest.TestCase):
    def test_the_pieces_name_experiments_of_the_program(self) -> None:
        known = [one["id"] for one in json.loads(subprocess.run([PROGRAM, "list", "--json"], capture_output=True, text=True,
                                                                check=True).stdout)["experiments"]]
        devices = pieces.read_devices()
        self.assertEqual(set(devices), {"nvidia-h200", "nvidia-h200-x2", "nvidia-h200-x4", "cpu-2-cores"})
        for glob in {glob for device in devices.values() for piece in device.pieces for glob in piece.experiments()}:
            self.assertTrue(fnmatch.filter(known, glob), glob)
        recorded = {word for piece in devices["nvidia-h200"].pieces for word in piece.words()}
        self.assertEqual(recorded, {"angiogenesis", "atrium", "curvature", "jacobi", "tissue"})
        experiments = {glob for piece in devices["nvidia-h200"].pieces for glob in piece.experiments()}
        self.assertEqual([one for one in known if not one.startswith("scale/")
                          and not any(fnmatch.fnmatchcase(one, glob) for glob in experiments)], [])

    def test_the_program_plans_each_piece(self) -> None:
        for piece in (piece for device in pieces.read_devices().values() for piece in device.pieces):
            run = list(piece.run)
            if "--device" in run:  # which this machine may lack
                del run[run.index("--device"):run.index("--device") + 2]
            told = subprocess.run([PROGRAM, "run", *run, "--dry-run"], capture_output=True, text=True)
            self.assertEqual((told.returncode, told.stderr), (0, ""), piece.name)

    def test_lists_that_are_wrong_are_refused(self) -> None:
        with tempfile.TemporaryDirectory(prefix="reprise_") as folder:
            file = pathlib.Path(folder) / "pieces.toml"
            for old, new in (("seconds = 60", "seconds = 601"), ('second"', 'first"'), ("machine", "device"), ("[gpu]", "[gpu"),
                             ("jacobi/fast --preset", "--preset"), ("jacobi/fast", "jacobi/fast -- -x"), ('"first"', '"../x"'),
                             ("'a b'", "'a b")):
                self.assertIn(old, PIECES)
                file.write_text(PIECES.replace(old, new))
                with self.assertRaisesRegex(pieces.Refusal, "is no list of pieces"):
                    pieces.read_devices(file)


if __name__ == "__main__":
    unittest.main()
