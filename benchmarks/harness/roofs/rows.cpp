// SPDX-License-Identifier: MIT
// Measures the roofs of one device one after another and describes each result.
#include "benchmarks/harness/roofs/rows.hpp"

#include <fmt/core.h>

#include <string_view>

#include "benchmarks/harness/roofs/roofs.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/host_memory.hpp"

namespace reprise::harness {
namespace {

using reports::row;

constexpr double to_giga = 1e-9;
constexpr const char* interval_unit = "us";  // the time of a case is in s

row measured(row label, const roof& r) {
  if (label.unit == interval_unit) {
    label.value = 1e6 / r.value;
    label.q1 = 1e6 / r.q3;
    label.q3 = 1e6 / r.q1;
  } else {
    label.value = r.value * to_giga;
    label.q1 = r.q1 * to_giga;
    label.q3 = r.q3 * to_giga;
  }
  label.samples = r.samples;
  label.status = "ok";
  if (r.cost.bytes > 0) label.reason = fmt::format("{}, {} passes", bytes_text(r.cost.bytes), r.cost.passes);
  return label;
}

// A rate that the caches may have delivered is no roof of the memory: the row is skipped,
// and its reason holds the rate.
constexpr std::string_view served_by_cache = "may be served by the cache";

row cached(row label, const roof& r, const device& d) {
  label.status = "skipped";
  label.reason = fmt::format("{}: {}, {} passes at {:.4g} {}, where a cache of {} is reported",
                             served_by_cache, bytes_text(r.cost.bytes), r.cost.passes, r.value * to_giga,
                             label.unit, bytes_text(cache_bytes(d)));
  return label;
}

// Returns "copy 21.3 GB/s", "102 GFLOP/s single" or "launch 1.4 us", or the reason why the roof is missing.
std::string text_of_row(const row& r) {
  const bool is_of_precision = r.metric == "flops_roof" || r.metric == "functions_roof";
  const std::string name = is_of_precision ? r.precision.str() : r.metric.substr(0, r.metric.find('_'));
  if (r.reason.starts_with(served_by_cache)) return fmt::format("{} {}", name, served_by_cache);
  if (r.status != "ok") return fmt::format("{} {}", name, r.reason);
  if (is_of_precision) return fmt::format("{:.4g} {} {}", r.value, r.unit, name);
  if (r.unit == interval_unit) return fmt::format("{} {:.3g} {}", name, r.value, r.unit);
  return fmt::format("{} {:.4g} {}", name, r.value, r.unit);
}

// A probe that cannot measure a roof gives 0 in place of a rate.
void require_probed(const roof& found) {
  if (!(found.value > 0)) throw unavailable("this kind of device has no probe for it");
}

// Other ids of a board use its roofs, as far as they have none of their own.
bool is_gpu_reached_directly(const device& d) {
  return d.kind == backend::cuda || d.kind == backend::emulated;
}

class recorder {
 public:
  recorder(const device& d, preset level, row label, std::string lost)
      : device_(d), level_(level), label_(std::move(label)), lost_(std::move(lost)) {}

  recorded_roofs record() {
    const std::size_t bytes = memory_roof_bytes(device_, level_);
    add_memory_roof("copy_roof", [&]() -> const roof& { return copy_roof(device_, bytes); });
    add_memory_roof("read_roof", [&]() -> const roof& { return read_roof(device_, bytes); });
    for (const precision p : {precision::single, precision::double_}) {
      label_.precision = to_string(p);
      add("flops_roof", "GFLOP/s", [&](row r) { return measured(std::move(r), flops_roof(device_, p)); });
    }
    label_.precision = to_string(precision::single);
    if (!is_gpu_reached_directly(device_)) return std::move(made_);
    add_chip_roof("shared_roof", "GB/s", chip_roof::shared_memory);
    add_chip_roof("functions_roof", "Gop/s", chip_roof::functions);
    add_chip_roof("functions_roof", "Gop/s", chip_roof::functions, precision::double_);
    add_chip_roof("launch_roof", interval_unit, chip_roof::launches);
    add_chip_roof("exchange_roof", interval_unit, chip_roof::exchanges);
    return std::move(made_);
  }

 private:
  void add_chip_roof(const std::string& metric, const std::string& unit, chip_roof which,
                     precision p = precision::single) {
    label_.precision = to_string(p);
    add(metric, unit, [&](row r) {
      const roof& found = roof_of(device_, which, p);
      require_probed(found);
      return measured(std::move(r), found);
    });
    label_.precision = to_string(precision::single);
  }

  template <class Roof>
  void add_memory_roof(const std::string& metric, Roof roof_of) {
    add(metric, "GB/s", [&](row r) {
      const roof& found = roof_of();
      require_probed(found);
      return fits_caches(device_, memory_roof_bytes(device_, level_)) ? cached(std::move(r), found, device_)
                                                                      : measured(std::move(r), found);
    });
  }

  template <class Measure>
  void add(const std::string& metric, const std::string& unit, Measure measure_into) {
    row r = label_;
    r.metric = metric;
    r.unit = unit;
    try {
      if (!lost_.empty()) throw unavailable(lost_);
      r = measure_into(r);
    } catch (const std::exception& failure) {
      r.status = "skipped";
      r.reason = failure.what();
      made_.has_failures = true;
    }
    if (r.status == "ok")
      made_.described.push_back({{"device", r.device},
                                 {"precision", r.precision},
                                 {"roof", metric},
                                 {"value", r.value},
                                 {"unit", unit}});
    made_.text += (made_.text.empty() ? "" : ", ") + text_of_row(r);
    made_.rows.push_back(std::move(r));
  }

  const device& device_;
  preset level_;
  row label_;
  std::string lost_;
  recorded_roofs made_;
};

}  // namespace

row roof_label(const std::string& run, const device& d) {
  row label;
  label.run = run;
  label.experiment = "harness/roofs";
  label.variant = "harness/roofs";
  label.device = d.id;
  label.precision = to_string(precision::single);
  return label;
}

recorded_roofs record_roofs(const device& d, preset level, const row& label, const std::string& lost) {
  return recorder(d, level, label, lost).record();
}

double expected_roof_seconds(preset level) {
  return by_preset(level, 3., 5., 31.);
}

}  // namespace reprise::harness
