#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles every LaTeX table of a report by \\input, with booktabs and without any package, and tables with hostile
names. Tables must fit a page, and say below themselves what their marks mean.

usage: latex_tables_test.py PROGRAM SOURCE_DIR

Exit status 77 where there is no pdflatex.
"""

import hashlib
import json
import os
import pathlib
import re
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


def misfits(tables: list[pathlib.Path], preamble: str, folder: pathlib.Path) -> list[str]:
    """The tables that are wider than the text of an article on A4 or longer than a page, or lack caption or label."""
    found = []
    for table in tables:
        (folder / "one.tex").write_text("\\documentclass[a4paper]{article}\n" + preamble + "\\begin{document}\n"
                                        f"\\input{{{table.resolve()}}}\n\\end{{document}}\n", encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "-draftmode", "one.tex"]
        ran = subprocess.run(command,
                             cwd=folder, capture_output=True, text=True, errors="replace", timeout=120)
        wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", ran.stdout)]
        if ran.returncode or max(wide, default=0) > 1 or "Float too large" in ran.stdout:
            told = [line for line in ran.stdout.splitlines() if line.startswith(("!", "Overfull", "LaTeX Warning: Float"))]
            found.append(f"{table.name} does not fit a page: {'; '.join(told[:3]) or ran.stdout[-200:]}")
        text = table.read_text(encoding="utf-8")
        if not re.search(r"\\caption\{.+\}\n\\label\{tab:\w+\}", text):
            found.append(f"{table.name} has no caption or label")
        marks = set(re.findall(r"\$\^\{([a-z]+)(?:,[a-z]+)*\}\$(?! )", text))
        found += [f"{table.name} does not say below the table what {letter} means"
                  for letter in sorted(marks) if f"$^{{{letter}}}$ " not in text]
    return found


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
            for preamble in ("", "\\usepackage{booktabs,graphicx}\n"):
                if preamble and subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True).returncode != 0:
                    continue
                if kind == "recorded":
                    problems += misfits(tables, preamble, folder)
                if error := compiled(tables, preamble, folder):
                    problems.append(f"{kind}, {preamble.strip() or 'no package'}: {error}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
