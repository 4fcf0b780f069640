// SPDX-License-Identifier: MIT
// Measures a run's roofs before its cases, and tells them after these.
#include "benchmarks/harness/roofs/session.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "solvers/common/base/stopwatch.hpp"

namespace reprise::harness {

using reports::row;

roof_session::roof_session(std::string run, preset level, lost_devices& lost)
    : run_(std::move(run)), level_(level), lost_(lost) {}

void roof_session::add(const device& d) {
  if (!has(d)) devices_.push_back(d);
}

bool roof_session::has(const device& d) const {
  return std::ranges::count(devices_, d.id, &device::id) > 0;
}

// Estimated from other roofs, because the time of cases says nothing about them.
double roof_session::seconds_left() const {
  const double each = done_ > 0 ? seconds_ / static_cast<double>(done_) : expected_roof_seconds(level_);
  return each * static_cast<double>(left());
}

roof_session::measured roof_session::measure(const device& d) {
  steady_stopwatch clock;
  clock.start();
  recorded_roofs found = roofs_of(d);
  const double seconds = clock.stop();
  std::ranges::move(found.rows, std::back_inserter(rows_));
  seconds_ += seconds;
  ++done_;
  return {found.text, seconds};
}

double roof_session::flops_of(const device& d) const {
  for (const row& r : rows_)
    if (r.device == d.id && r.metric == "flops_roof" && r.status == "ok" && r.precision == "single")
      return r.value;
  return 0;
}

recorded_roofs roof_session::recorded() const {
  recorded_roofs all;
  for (const device& d : devices_) {
    const recorded_roofs found = roofs_of(d);
    all.rows.insert(all.rows.end(), found.rows.begin(), found.rows.end());
    all.described.insert(all.described.end(), found.described.begin(), found.described.end());
  }
  return all;
}

recorded_roofs roof_session::roofs_of(const device& d) const {
  recorded_roofs found = record_roofs(d, level_, roof_label(run_, d), lost_.reason(d));
  if (found.has_failures) lost_.ask(d);
  return found;
}

}  // namespace reprise::harness
