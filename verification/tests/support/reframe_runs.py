# SPDX-License-Identifier: MIT
"""Runs the ReFrame that scripts/setup --tests installed, for the tests."""

from __future__ import annotations

import os
import pathlib
import subprocess
import urllib.error
import urllib.request

CLUSTER = pathlib.Path(__file__).resolve().parents[3] / "scripts/cluster"


def why_missing(reframe: str) -> str:
    """Empty if ReFrame is installed; a reason if it is missing and there is no network. Fails if there is a network."""
    if os.access(reframe, os.X_OK):
        return ""
    try:
        urllib.request.urlopen("https://pypi.org/simple/reframe-hpc/", timeout=20).close()
    except urllib.error.HTTPError as answer:
        raise RuntimeError(f"{reframe} is missing, and PyPI answers {answer.code}") from None
    except OSError as unreachable:
        return f"{reframe} is missing, and PyPI cannot be reached: {unreachable}"
    raise RuntimeError(f"{reframe} is missing, though PyPI can be reached: scripts/setup --tests installs it")


def run_reframe(reframe: str, settings: str, prefix: pathlib.Path, *arguments: str,
                **variables: str) -> subprocess.CompletedProcess:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("RFM_")}
    environment |= {"RFM_COLORIZE": "no", "RFM_PREFIX": str(prefix), "RFM_REPORT_FILE": str(prefix / "report.json"),
                    "RFM_LOG_DIR": str(prefix), "HOME": str(prefix)}
    command = [reframe, "-C", str(CLUSTER / settings), "-c", str(CLUSTER / "reprise_reframe.py"), *arguments]
    prefix.mkdir(exist_ok=True)
    return subprocess.run(command, capture_output=True, text=True, timeout=150, env=environment | variables, cwd=prefix)
