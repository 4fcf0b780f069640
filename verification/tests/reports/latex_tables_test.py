#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles every LaTeX table of a report by \\input, with booktabs and without any package, and tables with hostile names.

usage: latex_tables_test.py PROGRAM SOURCE_DIR

Exit status 77 where there is no pdflatex.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import simulated_node

HOSTILE = "[1em]* \\\\input{/etc/passwd} 50 % _^~#&$ <\"|> {é名} \\end{tabular}"


def compiled(tables: list[pathlib.Path], preamble: str, folder: pathlib.Path) -> str:
    """Compiles one document with all tables. Returns LaTeX's first error."""
    parts = [f"\\clearpage\\noindent\\input{{{table.resolve()}}}" for table in tables]
    (folder / "tables.tex").write_text("\\documentclass[a0paper,landscape]{article}\n" + preamble + "\\begin{document}\\tiny\n"
                                       + "\n".join(parts) + "\n\\end{document}\n", encoding="utf-8")
    ran = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "tables.tex"],
                         cwd=folder, capture_output=True, text=True, errors="replace", timeout=120)
    errors = [line for line in ran.stdout.splitlines() if line.startswith(("!", "l."))]
    return "; ".join(errors[:3]) or ("" if ran.returncode == 0 else ran.stdout[-300:])


def with_hostile_names(run: pathlib.Path, copy: pathlib.Path) -> None:
    """A copy of a run with hostile names of its devices and hostile reasons."""
    shutil.copytree(run, copy)
    description = json.loads((run / "run.json").read_text(encoding="utf-8"))
    for device in description["devices"]:
        device["name"] = HOSTILE
    rows = simulated_node.read(run / "rows.csv")
    for row in rows:
        if row["status"] in ("skipped", "failed"):
            row["reason"] = HOSTILE
    text = simulated_node.written(rows, ",".join(rows[0]))
    (copy / "rows.csv").write_text(text, encoding="utf-8")
    data = text.encode()
    description["files"]["rows.csv"] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (copy / "run.json").write_text(json.dumps(description), encoding="utf-8")
    simulated_node.reseal(copy)


def main() -> int:
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    if shutil.which("pdflatex") is None:
        print("no pdflatex: apt install texlive-latex-base")
        return 77
    problems = []
    with tempfile.TemporaryDirectory(prefix="reprise_") as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "bin/python3").symlink_to("/bin/false")  # figures take long, and the tables are complete without them
        no_drawing = os.environ | {"PATH": str(folder / "bin")}
        recorded = source / "reports/recorded/nvidia-h200"
        with_hostile_names(recorded / "jacobi", folder / "hostile")
        shown = {"recorded": [*sorted(recorded.glob("*/"))], "hostile": [folder / "hostile"]}
        for kind, runs in shown.items():
            subprocess.run([program, "report", *runs, "--out", folder / f"report_{kind}"], capture_output=True, env=no_drawing)
            tables = sorted((folder / f"report_{kind}" / "tables").glob("*.tex"))
            if len(tables) < 20:
                problems.append(f"the report {kind} has only {len(tables)} tables")
            for preamble in ("", "\\usepackage{booktabs}\n"):
                if preamble and subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True).returncode != 0:
                    continue
                if error := compiled(tables, preamble, folder):
                    problems.append(f"{kind}, {preamble.strip() or 'no package'}: {error}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
