// SPDX-License-Identifier: MIT
// Takes a row's interval from its quartiles, the digits in print, or the same case of other runs.
#include "reports/judging/noise.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reports/store/devices.hpp"

namespace reprise::reports {
namespace {

bool is_time(const row& r) {
  return r.metric.starts_with("time_") && r.unit == "s";
}

bool is_single_sample(const candidate& c) {
  const auto& r = *c.data;
  return c.from != nullptr && is_time(r) && r.samples == 1 && !(r.q1 < r.q3);
}

// The samples of the row's case, one of each run on a device of the same name.
std::vector<double> single_samples(const candidate& of, const evidence& known) {
  const auto& r = *of.data;
  const auto device = device_name(*of.from, r.device);
  std::vector<double> samples{r.value};
  std::vector<const run*> counted{of.from};
  for (const auto& c : known.runs.right(known.family, r.metric, std::string(short_name(r.variant)), r.size)) {
    const bool is_same = c.data->experiment == r.experiment && c.data->precision == r.precision &&
                         c.data->parameter == r.parameter && device_name(*c.from, c.data->device) == device;
    if (!is_same || !is_single_sample(c) || std::ranges::find(counted, c.from) != counted.end()) continue;
    counted.push_back(c.from);
    samples.push_back(c.data->value);
  }
  return samples;
}

bool are_too_few(const std::vector<double>& samples) {
  return std::ssize(samples) < enough_single_samples;
}

interval around_samples(double value, const std::vector<double>& samples) {
  const auto [least, most] = std::ranges::minmax(samples);
  const double factor = are_too_few(samples) ? single_sample_factor : 1;
  return {value, least / factor, most * factor};
}

}  // namespace

interval interval_of(const candidate& c, const evidence& known) {
  const auto& r = *c.data;
  if (is_single_sample(c)) return around_samples(r.value, single_samples(c, known));
  interval i{r.value, r.value, r.value};
  if (std::isfinite(r.q1) && std::isfinite(r.q3)) {
    i.low = std::min(r.q1, r.value);
    i.high = std::max(r.q3, r.value);
  }
  if (c.from == nullptr && !known.roundings.empty()) {
    const double rounding = known.roundings[static_cast<std::size_t>(&r - known.published.data())];
    i.low -= rounding;
    i.high += rounding;
  }
  return i;
}

bool is_lone_sample(const candidate& c, const evidence& known) {
  return is_single_sample(c) && are_too_few(single_samples(c, known));
}

bool is_sampled_time(const row& r) {
  return is_time(r) && r.samples > 1;
}

}  // namespace reprise::reports
