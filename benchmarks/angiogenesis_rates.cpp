// SPDX-License-Identifier: MIT
// What the angiogenesis paper computes from the times of its solves: speed-ups, exponents, Amdahl's numbers,
// and shares of the whole.
#include <fmt/core.h>

#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "benchmarks/angiogenesis_solves.hpp"
#include "verification/checkers/order_fit.hpp"

namespace reprise::harness::angiogenesis_cases {
namespace {

using reports::row;

const std::string serial = "angiogenesis/cpu_elimination";
const std::string paper = "angiogenesis/cuda_elimination";
const std::string part_prefix = "part_";

bool is_right(const row& r, const std::string& metric) {
  return r.metric == metric && r.status == "ok";
}

int nodes_of(const row& r) {
  return parse_size(r.size).width;
}

// The metric of another row of the same case.
std::optional<double> beside(std::span<const row> rows, const row& r, const std::string& metric) {
  for (const row& other : rows)
    if (is_right(other, metric) && other.variant == r.variant && other.device == r.device &&
        other.size == r.size && other.parameter == r.parameter)
      return other.value;
  return {};
}

// One core's time for the same work.
std::optional<double> serial_seconds(std::span<const row> rows, const row& r) {
  for (const row& other : rows)
    if (is_right(other, solve_metric) && other.variant == serial && other.size == r.size &&
        other.parameter == r.parameter)
      return other.value;
  return {};
}

// The paper takes back substitution and transfers for the serial part.
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
    const auto core = serial_seconds(rows, r);
    if (core && r.variant != serial)
      all.push_back(
          derived(r, "speedup_over_serial", *core / r.value, "1", "over cpu_elimination in this run"));
  }
  return all;
}

std::vector<row> exponents(std::span<const row> rows) {
  std::vector<row> all = speedups(rows);
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const row*>> lines;
  for (const row& r : rows) {
    if (!is_right(r, solve_metric)) continue;
    lines[{r.variant, r.device, r.parameter}].push_back(&r);
    if (const auto core = serial_seconds(rows, r); core && r.variant == paper)
      add_amdahl(all, rows, r, *core);
  }
  for (const auto& [of, members] : lines) {
    std::vector<double> nodes;
    std::vector<double> seconds;
    for (const row* r : members) {
      nodes.push_back(nodes_of(*r));
      seconds.push_back(r->value);
    }
    const checkers::fitted_order fit = checkers::fit_order(nodes, seconds, 0);
    if (std::isnan(fit.order)) continue;
    all.push_back(derived(*members.back(), "time_exponent", fit.order, "1",
                          fmt::format("M from {:g} to {:g}, {} points, 95 % within {:.2g}", nodes.front(),
                                      nodes.back(), fit.points, (fit.high - fit.low) / 2)));
  }
  return all;
}

std::vector<row> split(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& r : rows) {
    if (is_right(r, solve_metric)) {
      row whole = derived(r, solve_metric, r.value, "s", "with kernels watched: what the parts divide");
      whole.parameter = r.parameter.substr(0, r.parameter.find(';'));
      all.push_back(whole);
    }
    if (r.status != "ok" || !r.metric.starts_with(part_prefix)) continue;
    const std::string name = r.metric.substr(part_prefix.size());
    row part = derived(r, "time_part", r.value, "s", "of a solve, kernels watched");
    part.parameter = "part=" + name;
    all.push_back(part);
    if (name != "eliminate") continue;
    const double n = 4.0 * nodes_of(r);
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
      all.push_back(derived(r, "bandwidth_kernel", r.value, r.unit, "each value read and written once"));
  return all;
}

}  // namespace reprise::harness::angiogenesis_cases
