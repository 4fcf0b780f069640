// SPDX-License-Identifier: MIT
// Computes what the angiogenesis paper derives from the times of its solves: speed-ups, exponents, Amdahl's
// limit, and shares of the whole.
#include "benchmarks/angiogenesis/rates.hpp"

#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "benchmarks/angiogenesis/solves.hpp"
#include "benchmarks/harness/derivation.hpp"
#include "reports/store/parameters.hpp"

namespace reprise::harness::angiogenesis_cases {
namespace {

using reports::row;

const std::string serial = "angiogenesis/cpu_elimination";
const std::string paper = "angiogenesis/cuda_elimination";
const std::string part_prefix = "part_";

// The value of another metric of the same case, if it was measured.
std::optional<double> beside(std::span<const row> rows, const row& r, const std::string& metric) {
  for (const row& other : rows)
    if (is_right(other, metric) && same_case(other, r)) return other.value;
  return {};
}

// The time of the serial program (one core) for the same work.
std::optional<double> serial_seconds(std::span<const row> rows, const row& r) {
  return value_by(serial, solve_metric, rows, r);
}

// The paper regards back substitution and transfers as the serial part.
void add_amdahl(std::vector<row>& all, std::span<const row> rows, const row& r, double core) {
  const double back = beside(rows, r, "part_back").value_or(0);
  const double transfer = beside(rows, r, "part_transfer").value_or(0);
  if (!(back + transfer > 0)) return;
  const double limit = core / (back + transfer);
  all.push_back(derived(r, "amdahl_limit", limit, "1",
                        "one core's time over what is not sped up: back substitution and transfers"));
  all.push_back(derived(r, "share_of_amdahl", 100 * core / r.value / limit, "%", "of that limit"));
}

}  // namespace

std::vector<row> speedups(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& r : rows) {
    if (!is_right(r, solve_metric)) continue;
    if (std::isfinite(r.q1) && std::isfinite(r.q3))
      all.push_back(derived(r, "spread", 100 * (r.q3 - r.q1) / r.value, "%", "quartiles over the median"));
    add({serial, "speedup_over_serial", "over cpu_elimination in this run"}, all, rows, r);
  }
  return all;
}

std::vector<row> exponents(std::span<const row> rows) {
  std::vector<row> all = speedups(rows);
  for (const row& r : rows) {
    if (!is_right(r, solve_metric) || r.variant != paper) continue;
    if (const auto core = serial_seconds(rows, r)) add_amdahl(all, rows, r, *core);
  }
  for (const line& l : lines_over(width_of_size(), rows, solve_metric)) {
    const checkers::fitted_order fit = checkers::fit_order(l.x, l.y, 0);
    if (std::isnan(fit.order)) continue;
    all.push_back(fitted(l.last, "time_exponent", fit));
    all.back().reason = fmt::format("M from {:g} to {:g}, {} points", l.x.front(), l.x.back(), fit.points);
  }
  return all;
}

std::vector<row> split(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& r : rows) {
    if (is_right(r, solve_metric)) {
      row whole = derived(r, solve_metric, r.value, "s", "with kernels watched: what the parts divide");
      whole.parameter = reports::parameters(r.parameter).only("factor").text();
      all.push_back(whole);
    }
    if (r.status != "ok" || !r.metric.starts_with(part_prefix)) continue;
    const std::string name = r.metric.substr(part_prefix.size());
    row part = derived(r, "time_part", r.value, "s", "of a solve, kernels watched");
    part.parameter = "part=" + name;
    all.push_back(part);
    if (name != "eliminate") continue;
    const double n = 4 * reports::width_of(r.size);
    row rate = derived(r, "tflops_paper", n * n / 2 * (n - 1) / r.value * 1e-12, "TFLOP/s",
                       "n^2/2 operations in each of n - 1 steps, as section 5.4 counts");
    rate.parameter.clear();
    all.push_back(rate);
  }
  return all;
}

std::vector<row> kernel_rates(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& r : rows)
    if (is_right(r, "bandwidth_compulsory"))
      all.push_back(derived(r, "bandwidth_kernel", r.value, r.unit,
                            "over all columns of a solve, each value read and written once"));
  return all;
}

}  // namespace reprise::harness::angiogenesis_cases
