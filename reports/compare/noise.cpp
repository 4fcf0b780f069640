// SPDX-License-Identifier: MIT
// Learns a machine's noise from repeated runs, stores it in a small file, and derives noise floors from it.
#include "reports/compare/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "reports/store/csv.hpp"
#include "reports/store/devices.hpp"
#include "reports/store/files.hpp"
#include "reports/store/refusal.hpp"
#include "reports/store/statistics.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::reports {
namespace {

constexpr double chance_of_a_false_alarm = .005;

case_noise noise_of(const timed_case& of, const std::vector<double>& log_medians) {
  const auto count = static_cast<double>(log_medians.size());
  double mean = 0;
  for (const double m : log_medians) mean += m / count;
  double squares = 0;
  for (const double m : log_medians) squares += (m - mean) * (m - mean);
  const auto [low, high] = std::ranges::minmax_element(log_medians);
  return {of, static_cast<int>(log_medians.size()), std::sqrt(squares / (count - 1)), *high - *low};
}

// A difference between two runs has sqrt(2) times the spread of one. The spread is estimated from few runs,
// hence Student's t distribution.
double floor_by(const case_noise& noise, std::size_t cases) {
  const double tail = chance_of_a_false_alarm / static_cast<double>(std::max<std::size_t>(cases, 1));
  return std::max(noise.largest, student_quantile(noise.runs - 1, tail) * std::numbers::sqrt2 * noise.spread);
}

case_noise to_noise(const csv::record<noise_columns.size()>& from, const csv::place& at) {
  const auto& f = from.fields;
  case_noise n{{{{f[1], f[2], f[0], f[3], f[4], f[5]}, f[6]}},
               csv::to_count(f[7], "runs", at),
               csv::to_number(f[8], "spread", at),
               csv::to_number(f[9], "largest", at)};
  constexpr double most = 10;  // a logarithm, larger than any real noise
  const auto is_usable = [](double value) { return value >= 0 && value < most; };
  if (n.runs < static_cast<int>(fewest_noise_runs) || n.runs > 1000000 || !is_usable(n.spread) ||
      !is_usable(n.largest)) {
    throw at.complaint("is no noise of five runs or more; learn it anew with --floor");
  }
  return n;
}

}  // namespace

std::strong_ordering timed_case::operator<=>(const timed_case& other) const {
  const auto by_device = device <=> other.device;
  return by_device != 0 ? by_device : number_id::operator<=>(other);
}

bool is_time(double sample) {
  return sample > 0 && std::isfinite(sample);
}

std::map<timed_case, std::vector<double>> all_samples_by_case(const run& from) {
  std::map<timed_case, std::vector<double>> cases;
  std::unordered_map<shared_text, shared_text> labels;  // by device
  auto last = cases.end();                              // a case's samples follow each other
  for (const auto& s : from.samples) {
    const auto [label, is_new] = labels.try_emplace(s.device);
    if (is_new) label->second = device_label(from, s.device);
    timed_case of{s};
    of.device = label->second;
    if (last == cases.end() || last->first != of) last = cases.try_emplace(of).first;
    last->second.push_back(s.value);
  }
  return cases;
}

std::map<timed_case, std::vector<double>> samples_by_case(const run& from) {
  auto cases = all_samples_by_case(from);
  for (auto& [of, samples] : cases) std::erase_if(samples, [](double sample) { return !is_time(sample); });
  std::erase_if(cases, [](const auto& entry) { return entry.second.empty(); });
  return cases;
}

std::map<timed_case, shared_text> disturbed_cases(const run& from) {
  std::map<timed_case, shared_text> disturbed;
  for (const auto& r : from.rows) {
    if (r.status != "disturbed") continue;
    timed_case of{r};
    of.device = device_label(from, r.device);
    disturbed.emplace(of, r.reason);
  }
  return disturbed;
}

std::vector<case_noise> learn_noise(std::span<const run> runs) {
  if (runs.size() < fewest_noise_runs)
    refuse("{} runs are too few to learn this machine's noise from; give {} or more of the same experiments",
           runs.size(), fewest_noise_runs);
  std::map<timed_case, std::vector<double>> log_medians;
  for (const auto& r : runs) {
    const auto disturbed = disturbed_cases(r);
    for (const auto& [of, samples] : all_samples_by_case(r)) {
      if (std::ranges::all_of(samples, is_time) && !disturbed.contains(of))
        log_medians[of].push_back(std::log(median(samples)));
    }
  }
  std::vector<case_noise> noise;
  for (const auto& [of, medians] : log_medians) {
    if (medians.size() >= fewest_noise_runs) noise.push_back(noise_of(of, medians));
  }
  if (noise.empty()) {
    throw bad_input(
        "no five runs have an undisturbed timed case in common; give runs of the same experiments on one "
        "device");
  }
  return noise;
}

std::string to_csv(std::span<const case_noise> noise) {
  auto text = fmt::format("{}\n", fmt::join(noise_columns, ","));
  for (const auto& n : noise) {
    const auto& c = n.of;
    text += csv::fields(c.device, c.experiment, c.variant, c.precision, c.size, c.parameter, c.metric, n.runs,
                        n.spread, n.largest);
  }
  return text;
}

std::vector<case_noise> read_noise(const std::filesystem::path& file) {
  std::vector<case_noise> noise;
  for (const auto& record : csv::parse(file, read_text(file), noise_columns)) {
    noise.push_back(to_noise(record, {file, record.line}));
  }
  if (noise.empty()) refuse_file(file, "holds no noise; learn it anew with --floor");
  return noise;
}

noise_floors::noise_floors(std::span<const case_noise> noise, std::size_t cases) {
  for (const auto& n : noise) {
    const double floor = floor_by(n, cases);
    of_case_.try_emplace(n.of, noise_floor{floor, fmt::format("{} runs", n.runs)});
    const auto [highest, is_new] =
        of_device_.try_emplace(n.of.device, noise_floor{floor, "highest on the device"});
    if (!is_new) highest->second.shift = std::max(highest->second.shift, floor);
  }
}

const noise_floor& noise_floors::of(const timed_case& timed) const {
  static const noise_floor unknown{default_floor, "default"};
  if (const auto known = of_case_.find(timed); known != of_case_.end()) return known->second;
  const auto device = of_device_.find(timed.device);
  return device == of_device_.end() ? unknown : device->second;
}

}  // namespace reprise::reports
