#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints a JUnit file of the accuracy gate as Markdown: how many variants hold, and what the others say.

usage: summary.py FILE
"""

import pathlib
import sys
import xml.etree.ElementTree


def summary(path: pathlib.Path) -> str:
    if not path.exists():
        return "The accuracy gate ended before it compared anything.\n"
    cases = list(xml.etree.ElementTree.parse(path).iter("testcase"))
    worse = [(case.get("name"), failure.get("message") or failure.text or "") for case in cases
             for failure in case.findall("failure")]
    lines = [f"**{len(cases) - len(worse)} of {len(cases)} checks hold the accuracy baseline.**", ""]
    if worse:
        lines += ["| became worse | what |", "| --- | --- |"]
        lines += [f"| {name} | {' '.join(text.split())} |" for name, text in worse]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(summary(pathlib.Path(sys.argv[1])), end="")
