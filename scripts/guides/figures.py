# SPDX-License-Identifier: MIT
"""Measured numbers in the guides. What stands between <!-- figures NAME --> and <!-- end --> is made here from the runs in
reports/recorded/, so that a guide cannot tell other numbers than the rows have. Run this script to make it again."""
from __future__ import annotations

import functools
import pathlib
import re
import sys
import textwrap
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from recording.run_files import lines_of, stored_files  # noqa: E402

RECORDED = ROOT / "reports/recorded"
GUIDES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
PLACE = re.compile(r"(?<=<!-- figures )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)

Row = dict[str, str]


class Problem(NamedTuple):
    label: str
    variant: str
    size: str
    parameter: str  # its beginning


EULER, ADAPTIVE = "method=euler;dt=0.05;", "method=bogacki_shampine;at=0.1;rt=0.1;"
ON_CHIP, SPHERES, SURFACES = "atrium/cuda_tuned_multi", "atrium/cuda_multi", "curvature/cuda_multi"
PROBLEMS = (
    Problem("sphere of 163,842 cells on chip, Rush-Larsen Euler, single", ON_CHIP, "163842", EULER),
    Problem("655,362 on chip", ON_CHIP, "655362", EULER),
    Problem("655,362, beyond the chip", SPHERES, "655362", EULER),
    Problem("2.6 million", SPHERES, "2621442", EULER),
    Problem("10.5 million", SPHERES, "10485762", EULER),
    Problem("655,362, Bogacki-Shampine", SPHERES, "655362", ADAPTIVE),
    Problem("2.6 million", SPHERES, "2621442", ADAPTIVE),
    Problem("10.5 million", SPHERES, "10485762", ADAPTIVE),
    Problem("surface of 8192x8192, an attempted step", SURFACES, "8192x8192", "flow=mean_curvature;"),
)


def rounded(value: float, digits: int = 3) -> str:
    """With so many digits that count, all of a whole number, and commas between thousands."""
    return f"{value:,.0f}" if value >= 10 ** (digits - 1) else f"{value:#.{digits}g}"


def power_text(value: float) -> str:
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def time_text(seconds: float) -> str:
    for unit, length in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= length:
            return f"{rounded(seconds / length)} {unit}"
    return f"{rounded(seconds / 1e-9)} ns"


@functools.cache
def rows_of(device: str) -> list[Row]:
    return [row for file in stored_files(RECORDED / device, "rows.csv") for row in lines_of(file)]


def table(head: list[str], lines: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in [head, ["---"] * len(head), *lines])


def in_scaling(rows: list[Row], problem: Problem, ranks: int) -> str:
    """Seconds of a step, efficiency and exposed communication."""
    own = {row["metric"]: row for row in rows if row["experiment"] == "scale/strong" and row["precision"] == "single"
           and (row["variant"], row["size"], row["parameter"]) ==
           (problem.variant, problem.size, f"{problem.parameter}ranks={ranks}")}
    step = own.get("time_step")
    if step is None:
        skipped = any("not fit" in row["reason"] for row in own.values())
        return "does not fit" if skipped else "-"
    if step["status"] == "disturbed":
        return "disturbed"
    told = [time_text(float(step["value"]))]
    if ranks > 1 and "efficiency" in own:
        told.append(f"{float(own['efficiency']['value']):.0f} %")
    exposed = own.get("exposed_communication")
    if exposed and exposed["status"] == "ok" and float(exposed["value"]) >= .05:
        told.append(f"exposed {float(exposed['value']):.1f} %")
    return ", ".join(told)


def weak_efficiencies(rows: list[Row], ranks: int) -> list[str]:
    """Of parts that are too large for the chip."""
    own = [row for row in rows if row["metric"] == "weak_efficiency" and row["status"] == "ok" and row["variant"] != ON_CHIP
           and row["parameter"].endswith(f"ranks={ranks}")]
    return [f"{float(row['value']):.0f} % with " + (f"surfaces of {row['size']} nodes" if "x" in row["size"] else
                                                   f"{int(row['size']):,} cells") for row in own]


def longest_without_exchange(rows: list[Row]) -> float:
    """In percent of a step with it. Streams that need not wait for each other disturb each other more."""
    return max(-float(row["value"]) for row in rows if row["metric"] == "exposed_communication" and row["status"] == "ok")


def scaling(device: str, most_ranks: int) -> str:
    rows = rows_of(device)
    counts = [2 ** n for n in range(most_ranks.bit_length())]
    lines = [[problem.label, *(in_scaling(rows, problem, ranks) for ranks in counts)] for problem in PROBLEMS]
    lines = [line for line in lines if any(char.isdigit() for cell in line[1:] for char in cell)]
    text = (f"Problems that grow with the GPUs keep {' and '.join(weak_efficiencies(rows, most_ranks))} on {most_ranks}. Where "
            "no exposed share is given, a step without the exchange took as long as with it or longer, by up to "
            f"{longest_without_exchange(rows):.0f} %.")
    return table(["problem", *(f"{ranks} GPU{'s' * (ranks > 1)}" for ranks in counts)], lines) + f"\n{textwrap.fill(text, 130)}\n"


def stabilised() -> str:
    """The stabilised method with eps = 1e-4 against the best of Merson's runs at its errors."""
    parameters = {"mean curvature": "flow=mean_curvature;eps=0.0001", "Willmore": "flow=willmore;eps=0.0001"}
    values: dict[tuple[str, int, str], float] = {}
    for row in rows_of("nvidia-h200"):
        if row["experiment"] == "curvature/stabilised" and row["variant"] == "curvature/cuda_rkc" and row["status"] == "ok":
            for flow, parameter in parameters.items():
                if row["parameter"] == parameter:
                    values.setdefault((flow, int(row["size"].split("x")[0]), row["metric"]), float(row["value"]))
    lines = []
    for flow in parameters:
        sizes = sorted(size for own, size, metric in values if (own, metric) == (flow, "time_saved"))
        for number, size in enumerate(sizes):
            evaluations, seconds = values[flow, size, "rhs_evaluations"], values[flow, size, "time_solve"]
            saved, faster = values[flow, size, "evaluations_saved"], values[flow, size, "time_saved"]
            lines.append(["" if number else flow, f"{size}x{size}", f"{evaluations * saved:,.0f}", f"{evaluations:,.0f}",
                          rounded(saved, 2), time_text(seconds * faster), time_text(seconds), rounded(faster, 2)])
    return table(["flow", "cells", "Merson's evaluations", "stabilised", "saved", "Merson's time", "stabilised", "times as fast"],
                 lines)


SWITCHES = ((-1, "jump", "heaviside"), (0, "ramp", "linear"), (1, "cubic, the paper's", "cubic"), (2, "quintic", "quintic"),
            (3, "septic", "septic"), (4, "nonic", "nonic"))


def of_fused_kernels(experiment: str, metric: str) -> dict[tuple[str, str], Row]:
    """By precision and parameter, of cuda_fused. The first right row of each counts."""
    own: dict[tuple[str, str], Row] = {}
    for row in rows_of("nvidia-h200"):
        name = row["experiment"], row["variant"], row["metric"], row["status"]
        if name == (f"tissue/{experiment}", "tissue/cuda_fused", metric, "ok"):
            own.setdefault((row["precision"], row["parameter"]), row)
    return own


def switch_orders() -> str:
    """Of Runge-Kutta, over the continuous derivatives of a model's switch."""
    karma, bueno = of_fused_kernels("order_figure", "order"), of_fused_kernels("order_bo", "order")

    def order(rows: dict[tuple[str, str], Row], parameter: str) -> str:
        row = rows.get(("double", parameter))
        return f"{float(row['value']):.2f} [{float(row['q1']):.2f}, {float(row['q3']):.2f}]" if row else "-"

    lines = [[name, str(m), str(m + 2), order(karma, f"model=karma;method=runge_kutta;derivatives={m}"),
              order(bueno, f"model=bueno_orovio;method=runge_kutta;switch={switch}")] for m, name, switch in SWITCHES]
    tanh = order(of_fused_kernels("order", "order"), "model=karma;method=runge_kutta;switch=tanh")
    lines.append(["tanh", "all", "", tanh, order(bueno, "model=bueno_orovio;method=runge_kutta;switch=tanh")])
    return table(["switch", "m", "m + 2", "Karma's order, 95 % interval", "Bueno-Orovio's"], lines)


def precisions() -> str:
    """Errors of Runge-Kutta with steps of 0.01, and of a derivative by differences of two runs."""
    errors, derivatives = of_fused_kernels("precisions", "error_u"), of_fused_kernels("precisions", "derivative_error")
    lines = []
    for model, name in (("fitzhugh_nagumo", "FitzHugh-Nagumo"), ("karma", "Karma"), ("bueno_orovio", "Bueno-Orovio")):
        parameter = f"model={model};method=runge_kutta;dt=0.01"
        found = [rows.get((precision, parameter)) for rows in (errors, derivatives) for precision in ("single", "double")]
        lines.append([name, *(power_text(float(row["value"])) if row else "-" for row in found)])
    return table(["model", "error, single", "error, double", "derivative by differences, single", "derivative, double"], lines)


FIGURES = {
    "precisions": precisions,
    "switch_orders": switch_orders,
    "two_gpus": lambda: scaling("nvidia-h200-x2", 2),
    "four_gpus": lambda: scaling("nvidia-h200-x4", 4),
    "stabilised": stabilised,
}


def made_again(text: str) -> str:
    return PLACE.sub(lambda place: place[1] + place[2] + "\n" + FIGURES[place[1]]() + "\n", text)


def without_figures(text: str) -> str:
    return PLACE.sub("", text)


def main() -> None:
    for guide in GUIDES:
        text = guide.read_text()
        fresh = made_again(text)
        if fresh != text:
            guide.write_text(fresh)
            print(guide.relative_to(ROOT))


if __name__ == "__main__":
    main()
