// SPDX-License-Identifier: MIT
// Compares the samples of two runs case by case.
#include "reports/compare/speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "reports/store/csv.hpp"
#include "reports/store/devices.hpp"
#include "reports/text/wrapped.hpp"

namespace reprise::reports {
namespace {

constexpr std::array<std::string_view, 5> names{"SAME", "FASTER", "SLOWER", "UNDECIDED", "WRONG"};

// The floor already contains the effect of a usual run's samples on its median, so their interval is not
// added to it. Samples noisier than usual widen the interval beyond the floor.
speed_change change_of(const shift& s, double floor) {
  if (s.estimate > floor && s.low > 0) return speed_change::slower;
  if (s.estimate < -floor && s.high < 0) return speed_change::faster;
  return s.low >= -floor && s.high <= floor ? speed_change::same : speed_change::undecided;
}

// One result per case, even if several rows report that it is wrong.
std::vector<speed_result> wrong_answers(const run& from) {
  std::vector<speed_result> wrong;
  std::set<case_id> known;
  for (const auto& r : from.rows) {
    if (r.status != "failed") continue;
    timed_case of{r};
    of.device = device_label(from, r.device);
    if (!known.insert(of).second) continue;
    wrong.push_back({.of = of, .change = speed_change::wrong, .floor = {}, .reason = r.reason});
  }
  return wrong;
}

void undecide_if_disturbed(speed_result& f, const char* which,
                           const std::map<timed_case, shared_text>& disturbed) {
  const auto found = disturbed.find(f.of);
  if (found == disturbed.end()) return;
  f.change = speed_change::undecided;
  f.reason = fmt::format("{} run: {}", which, found->second.str());
}

std::string line_of(const speed_result& f) {
  return fmt::format("{:<10} {}\n           {}\n", to_string(f.change), timing_text(f.of), numbers_text(f));
}

}  // namespace

std::string_view to_string(speed_change v) {
  return names.at(static_cast<std::size_t>(v));
}

double percent(double log_shift) {
  return 100 * std::expm1(log_shift);
}

std::size_t speed_comparison::count(speed_change v) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(results, [&](const speed_result& f) { return f.change == v; }));
}

speed_result compare_case(const timed_case& of, const std::vector<double>& a, const std::vector<double>& b,
                          const noise_floor& floor) {
  speed_result f{.of = of, .change = {}, .a_seconds = no_value, .b_seconds = no_value, .floor = floor};
  for (const auto* const samples : {&a, &b}) {
    const auto flawed = std::ranges::count_if(*samples, [](double sample) { return !is_time(sample); });
    if (flawed == 0) continue;
    f.change = speed_change::undecided;
    f.reason = fmt::format("{} of {} samples are no times", flawed, samples->size());
    return f;
  }
  f.a_seconds = median(a);
  f.b_seconds = median(b);
  const auto blocks_a = block_medians(a);
  const auto blocks_b = block_medians(b);
  f.between = shift_between(blocks_a, blocks_b);
  if (std::min(blocks_a.size(), blocks_b.size()) < fewest_blocks) {
    f.change = speed_change::undecided;
    f.reason =
        fmt::format("{} and {} samples: each run needs at least {}", a.size(), b.size(), fewest_blocks);
    return f;
  }
  f.change = change_of(*f.between, floor.shift);
  if (f.change == speed_change::undecided) f.reason = "the interval reaches too far";
  return f;
}

speed_comparison compare_speed(const run& a, const run& b, std::span<const case_noise> noise) {
  const auto in_a = all_samples_by_case(a);
  const auto in_b = all_samples_by_case(b);
  const auto in_both = static_cast<std::size_t>(
      std::ranges::count_if(in_a, [&](const auto& entry) { return in_b.contains(entry.first); }));
  speed_comparison c{wrong_answers(b), in_a.size() - in_both, in_b.size() - in_both};
  const noise_floors floors(noise, in_both);
  const auto disturbed_in_a = disturbed_cases(a), disturbed_in_b = disturbed_cases(b);
  for (const auto& [of, samples] : in_a) {
    const auto other = in_b.find(of);
    if (other == in_b.end()) continue;
    c.results.push_back(compare_case(of, samples, other->second, floors.of(of)));
    undecide_if_disturbed(c.results.back(), "first", disturbed_in_a);
    undecide_if_disturbed(c.results.back(), "second", disturbed_in_b);
  }
  return c;
}

std::string timing_text(const timed_case& c) {
  return case_text(c) + " " + c.metric;
}

std::string numbers_text(const speed_result& f) {
  if (!f.between) return f.reason;
  return fmt::format("{:.4g} s -> {:.4g} s: {:+.1f} % [{:+.1f}, {:+.1f}], floor {:.1f} % ({}){}", f.a_seconds,
                     f.b_seconds, percent(f.between->estimate), percent(f.between->low),
                     percent(f.between->high), percent(f.floor.shift), f.floor.source,
                     f.reason.empty() ? "" : "; " + f.reason);
}

std::string to_text(const speed_comparison& c, bool with_same) {
  std::string text;
  for (const auto& f : c.results) {
    if (with_same || f.change != speed_change::same) text += line_of(f);
  }
  std::string counts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    counts += fmt::format("{}{} {}", i > 0 ? ", " : "", c.count(static_cast<speed_change>(i)), names[i]);
  }
  text += counts;
  if (c.only_in_a + c.only_in_b > 0) {
    text += fmt::format("; {} cases are timed only in the first run, {} only in the second", c.only_in_a,
                        c.only_in_b);
  }
  return wrapped(text + '\n');
}

std::string csv_line(const speed_result& f) {
  const auto& c = f.of;
  const auto in_percent = [&](double log_shift) { return f.between ? percent(log_shift) : no_value; };
  const auto between = f.between.value_or(shift{});
  return csv::cells(to_string(f.change), c.device, c.experiment, c.variant, c.precision, c.size, c.parameter,
                    c.metric, f.a_seconds, f.b_seconds, in_percent(between.estimate), in_percent(between.low),
                    in_percent(between.high), in_percent(f.floor.shift), f.floor.source, f.reason);
}

std::string to_csv(const speed_comparison& c) {
  auto text = fmt::format("{}\n", fmt::join(speed_columns, ","));
  for (const auto& f : c.results) text += csv_line(f);
  return text;
}

}  // namespace reprise::reports
