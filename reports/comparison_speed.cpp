// SPDX-License-Identifier: MIT
// Compares the samples of two runs case by case.
#include "reports/comparison_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "reports/csv.hpp"
#include "reports/devices.hpp"

namespace reprise::reports {
namespace {

constexpr std::array<std::string_view, 5> names{"SAME", "FASTER", "SLOWER", "UNDECIDED", "WRONG"};

// The floor holds what the samples of a usual run do to its median, so it is not added to their interval;
// samples that are noisier than usual make the interval the wider of both.
speed_verdict verdict_on(const shift& s, double floor) {
  if (s.estimate > floor && s.low > 0) return speed_verdict::slower;
  if (s.estimate < -floor && s.high < 0) return speed_verdict::faster;
  return s.low >= -floor && s.high <= floor ? speed_verdict::same : speed_verdict::undecided;
}

// One finding for each case, however many rows say that it is wrong.
std::vector<speed_finding> wrong_answers(const run& from) {
  std::vector<speed_finding> wrong;
  std::set<timed_case> known;
  for (const auto& r : from.rows) {
    if (r.status != "failed") continue;
    timed_case of{
        device_label(from, r.device), r.experiment, r.variant, r.precision, r.size, r.parameter, ""};
    if (!known.insert(of).second) continue;
    of.metric = r.metric;
    wrong.push_back({.of = of, .verdict = speed_verdict::wrong, .floor = {}, .reason = r.reason});
  }
  return wrong;
}

std::string line_of(const speed_finding& f) {
  return fmt::format("{:<10} {}\n           {}\n", to_string(f.verdict), case_text(f.of), numbers_text(f));
}

}  // namespace

std::string_view to_string(speed_verdict v) {
  return names.at(static_cast<std::size_t>(v));
}

double percent(double log_shift) {
  return 100 * std::expm1(log_shift);
}

std::size_t speed_comparison::count(speed_verdict v) const {
  return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(),
                                                [&](const speed_finding& f) { return f.verdict == v; }));
}

speed_finding compare_case(const timed_case& of, const std::vector<double>& a, const std::vector<double>& b,
                           const noise_floor& floor) {
  speed_finding f{.of = of, .verdict = {}, .a_seconds = median(a), .b_seconds = median(b), .floor = floor};
  const auto blocks_a = block_medians(a);
  const auto blocks_b = block_medians(b);
  f.between = shift_between(blocks_a, blocks_b);
  if (std::min(blocks_a.size(), blocks_b.size()) < fewest_blocks) {
    f.verdict = speed_verdict::undecided;
    f.reason = fmt::format("{} and {} samples are too few; {} are needed", a.size(), b.size(), fewest_blocks);
    return f;
  }
  f.verdict = verdict_on(*f.between, floor.shift);
  if (f.verdict == speed_verdict::undecided) f.reason = "the interval reaches too far";
  return f;
}

speed_comparison compare_speed(const run& a, const run& b, std::span<const case_noise> noise) {
  const auto in_a = samples_by_case(a);
  const auto in_b = samples_by_case(b);
  const auto in_both = static_cast<std::size_t>(
      std::count_if(in_a.begin(), in_a.end(), [&](const auto& entry) { return in_b.contains(entry.first); }));
  speed_comparison c{wrong_answers(b), in_a.size() - in_both, in_b.size() - in_both};
  for (const auto& [of, samples] : in_a) {
    const auto other = in_b.find(of);
    if (other == in_b.end()) continue;
    c.findings.push_back(compare_case(of, samples, other->second, floor_of(of, noise, in_both)));
  }
  return c;
}

std::string case_text(const timed_case& c) {
  auto text = fmt::format("{} {} {} {}", c.experiment, short_name(c.variant), c.device, c.precision);
  for (const auto& part : {c.size, c.parameter}) {
    if (!part.empty()) text += " " + part;
  }
  return text + " " + c.metric;
}

std::string numbers_text(const speed_finding& f) {
  if (!f.between) return f.reason;
  return fmt::format("{:.4g} s -> {:.4g} s: {:+.1f} % [{:+.1f}, {:+.1f}], floor {:.1f} % ({}){}", f.a_seconds,
                     f.b_seconds, percent(f.between->estimate), percent(f.between->low),
                     percent(f.between->high), percent(f.floor.shift), f.floor.source,
                     f.reason.empty() ? "" : "; " + f.reason);
}

std::string to_text(const speed_comparison& c, bool with_same) {
  std::string text;
  for (const auto& f : c.findings) {
    if (with_same || f.verdict != speed_verdict::same) text += line_of(f);
  }
  std::string counts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    counts += fmt::format("{}{} {}", i > 0 ? ", " : "", c.count(static_cast<speed_verdict>(i)), names[i]);
  }
  text += counts;
  if (c.only_in_a + c.only_in_b > 0) {
    text += fmt::format("; {} cases are timed only in the first run, {} only in the second", c.only_in_a,
                        c.only_in_b);
  }
  return text + '\n';
}

std::vector<std::string> csv_columns_of_findings() {
  return {
      "verdict",      "device", "experiment", "variant",       "precision",   "size",         "parameter",
      "metric",       "a",      "b",          "shift_percent", "low_percent", "high_percent", "floor_percent",
      "floor_source", "reason"};
}

std::vector<std::string> csv_fields(const speed_finding& f) {
  const auto in_percent = [&](double shift::*part) {
    return f.between ? csv::number(percent((*f.between).*part)) : std::string();
  };
  return {std::string(to_string(f.verdict)), csv::cell(f.of.device),
          csv::cell(f.of.experiment),        csv::cell(f.of.variant),
          csv::cell(f.of.precision),         csv::cell(f.of.size),
          csv::cell(f.of.parameter),         csv::cell(f.of.metric),
          csv::number(f.a_seconds),          csv::number(f.b_seconds),
          in_percent(&shift::estimate),      in_percent(&shift::low),
          in_percent(&shift::high),          f.between ? csv::number(percent(f.floor.shift)) : "",
          csv::cell(f.floor.source),         csv::cell(f.reason)};
}

std::string to_csv(const speed_comparison& c) {
  auto text = csv::line(csv_columns_of_findings());
  for (const auto& f : c.findings) text += csv::line(csv_fields(f));
  return text;
}

}  // namespace reprise::reports
