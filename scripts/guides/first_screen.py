# SPDX-License-Identifier: MIT
"""The picture in README.md: the first screen of the report on the runs recorded on an H200. It is made by

    build/python/bin/python scripts/guides/first_screen.py build/release/bin/reprise

after `scripts/setup --tests`, and needs Chromium. The file says of which runs it is."""
from __future__ import annotations

import hashlib
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from recording.run_files import runs_in  # noqa: E402

PICTURE = ROOT / "docs/first_screen.png"
RUNS = ROOT / "reports/recorded/nvidia-h200"
COLOURS = 96  # few enough for a small file, and edges of letters stay smooth


def hash_of_runs() -> str:
    """Of what names the contents of each run: its seal, or for an older one its description."""
    together = hashlib.sha256()
    for run in runs_in(RUNS):
        seal = run / "seal.json"
        together.update((seal if seal.exists() else run / "run.json").read_bytes())
    return together.hexdigest()


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("scripts/guides/first_screen.py: give the built program, such as build/release/bin/reprise")
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo
    sys.path.insert(0, str(ROOT / "verification/tests/support"))
    from browser import Browser
    with tempfile.TemporaryDirectory(prefix="reprise_screen_") as folder:
        report, screen = pathlib.Path(folder) / "report", pathlib.Path(folder) / "screen.png"
        subprocess.run([sys.argv[1], "report", *runs_in(RUNS), "--out", report], check=True, capture_output=True)
        with Browser() as tab:
            tab.open(report / "index.html")
            tab.screenshot(screen)
        told = PngInfo()
        told.add_text("runs", hash_of_runs())
        Image.open(screen).convert("RGB").quantize(COLOURS).save(PICTURE, optimize=True, pnginfo=told)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
