# SPDX-License-Identifier: MIT
"""Runs a test in the Python that has the packages from PyPI, which scripts/setup --tests installs."""
from __future__ import annotations

import importlib.util
import os
import pathlib
import sys


def require(python: str, *modules: str) -> None:
    """Starts the script again in `python`, unless it runs there. Exits with status 77 if that or a module is missing."""
    if not pathlib.Path(python).exists():
        sys.exit(77)
    if pathlib.Path(sys.executable) != pathlib.Path(python):
        os.execv(python, [python, *sys.argv])
    if any(importlib.util.find_spec(name) is None for name in modules):
        sys.exit(77)
