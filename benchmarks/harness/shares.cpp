// SPDX-License-Identifier: MIT
// Divides what was asked by each roof, and names the largest share.
#include "benchmarks/harness/shares.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "benchmarks/harness/roofs/roofs.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::harness {
namespace {

using reports::row;

// A part of the chip, and how its roof is written.
struct chip_part {
  chip_roof which;
  const char* name;
  double demand::*asked;
  const char* unit;  // of a rate in tera; empty for what has an interval
};

constexpr std::array chip_parts{
    chip_part{chip_roof::shared_memory, "shared memory", &demand::bytes_shared, "TB/s"},
    chip_part{chip_roof::multiply_adds, "multiply-adds", &demand::flops, "TFLOP/s"},
    chip_part{chip_roof::functions, "functions", &demand::functions, "Top/s"},
    chip_part{chip_roof::launches, "launches", &demand::launches, ""},
    chip_part{chip_roof::exchanges, "grid exchange", &demand::exchanges, ""}};

std::string text_of(const chip_part& part, double rate) {
  return *part.unit == '\0' ? fmt::format("{:.2f} us each", 1e6 / rate)
                            : fmt::format("{:.3g} {}", rate * 1e-12, part.unit);
}

// Nothing exceeds a ceiling. A variant may have a faster exponential than the library, a few neighbouring blocks exchange
// values sooner than those of the whole chip, and the host starts kernels at a speed of its own, which changes.
bool is_ceiling(chip_roof which) {
  return which == chip_roof::shared_memory || which == chip_roof::multiply_adds;
}

struct share {
  std::string name, value;  // "shared memory", "31.2 TB/s"
  double percent;
};

row with(row label, const std::string& metric, double percent, const std::string& reason) {
  label.metric = metric;
  label.value = std::min(percent, 100.);
  label.unit = "%";
  label.samples = 1;
  label.status = "ok";
  label.reason = reason;
  return label;
}

row without(row label, const std::string& metric, const std::string& reason) {
  label.metric = metric;
  label.status = "skipped";
  label.reason = reason;
  return label;
}

std::string at_the_roof(double percent) {
  return percent > 100 ? fmt::format("; {:.1f} % by the clock, within the error of measurement", percent)
                       : "";
}

std::string no_roof(const std::string& doing, double percent) {
  return fmt::format("{} is no roof here: {:.0f} % of it was reached", doing, percent);
}

class divider {
 public:
  divider(const row& label, const demand& asked, const device& on, preset level)
      : label_(label), asked_(asked), on_(on), level_(level) {}

  roof_shares shares() {
    roof_shares all;
    const auto skip = [&](const char* metric) {
      all.rows.push_back(
          without(label_, metric, fmt::format("faster than a roof that was disturbed: {}", all.disturbed)));
    };
    const auto add = [&](const char* metric, row (divider::*made)(const char*)) {
      try {
        all.rows.push_back((this->*made)(metric));
      } catch (const disturbed_roof& roof) {
        all.disturbed = roof.what();
        skip(metric);
      } catch (const unavailable& missing) {
        all.rows.push_back(without(label_, metric, missing.what()));
      }
    };
    add("share_of_copy_roof", &divider::of_copying);
    add("share_of_flops_roof", &divider::of_multiply_adds);
    // The roof that binds is found among all, and each measurement of a disturbed one takes seconds.
    all.disturbed.empty() ? add("share_of_binding_roof", &divider::of_binding)
                          : skip("share_of_binding_roof");
    return all;
  }

 private:
  static double believable(double rate) { return rate / (1 + measurement_error); }
  double rate_of(double count) const { return count / asked_.seconds; }

  [[noreturn]] void refuse(const std::string& what) const {
    const std::string message =
        what + ": work is left out, the clock is wrong, or the variant's work is counted too high";
    if (level_ == preset::smoke) throw unavailable("unusable in this preset: " + message);
    throw error(message);
  }

  // Refuses more than memory and caches deliver.
  memory_limit limit_of_memory() {
    const double claimed = believable(rate_of(asked_.bytes));
    if (!limit_) limit_ = governing_limit(on_, asked_.footprint_bytes, claimed, level_);
    if (claimed > limit_->most)
      refuse(
          fmt::format("compulsory bytes cross the bus at {:.0f} GB/s, {:.0f} % of what this device delivers",
                      rate_of(asked_.bytes) * 1e-9, 100 * rate_of(asked_.bytes) / limit_->most));
    return *limit_;
  }

  row of_copying(const char* metric) {
    const memory_limit limit = limit_of_memory();
    const double copy = governing_copy_roof(on_, asked_.footprint_bytes, level_);
    const double percent = 100 * rate_of(asked_.bytes) / copy;
    if (percent > 100)
      return without(
          label_, metric,
          no_roof("copying", percent) +
              (std::isinf(limit.most) ? ""
                                      : fmt::format("; reading reaches {:.1f} GB/s", limit.fastest * 1e-9)));
    return with(label_, metric, percent,
                fmt::format("of {:.1f} GB/s copied at this footprint in this run", copy * 1e-9));
  }

  // The share of a part's roof; without value where the board has no such roof.
  std::optional<share> of_part(const chip_part& part) {
    const double rate = rate_of(asked_.*part.asked);
    if (!(rate > 0)) return {};
    const double roof = governing_rate(on_, part.which, asked_.arithmetic, believable(rate));
    if (roof == 0) return {};
    const double percent = 100 * rate / roof;
    if (is_ceiling(part.which) && believable(rate) > roof)
      refuse(fmt::format("{} would take {:.0f} % of the time at this device's {}", part.name, percent,
                         text_of(part, roof)));
    return share{part.name, text_of(part, roof), percent};
  }

  row of_multiply_adds(const char* metric) {
    const chip_part& part = *std::ranges::find(chip_parts, chip_roof::multiply_adds, &chip_part::which);
    const double roof = governing_rate(on_, part.which, asked_.arithmetic, believable(rate_of(asked_.flops)));
    if (roof == 0) throw unavailable("this kind of device has no probe of multiply-adds");
    const double percent = asked_.flops > 0 ? of_part(part)->percent : 0;
    return with(
        label_, metric, percent,
        fmt::format("of {:.1f} GFLOP/s in multiply-adds in this run", roof * 1e-9) + at_the_roof(percent));
  }

  std::optional<share> of_memory() {
    if (!(asked_.bytes > 0)) return {};
    const memory_limit limit = limit_of_memory();
    const double copy = governing_copy_roof(on_, asked_.footprint_bytes, level_);
    const double roof = std::isinf(limit.most) ? copy : limit.fastest;
    return share{"memory", fmt::format("{:.1f} GB/s", roof * 1e-9), 100 * rate_of(asked_.bytes) / roof};
  }

  row of_binding(const char* metric) {
    std::vector<share> all;
    std::string remarks;
    const auto add = [&](std::optional<share> one, bool is_roof) {
      if (!one) return;
      if (is_roof || one->percent <= 100)
        all.push_back(std::move(*one));
      else
        remarks += "; " + no_roof(one->name, one->percent);
    };
    std::optional<share> memory = of_memory();
    add(std::move(memory), limit_ && limit_->most <= limit_->fastest);
    for (const chip_part& part : chip_parts) add(of_part(part), is_ceiling(part.which));
    if (all.empty()) throw unavailable("no roof binds: nothing is counted that has one" + remarks);
    std::ranges::stable_sort(all, std::greater{}, &share::percent);
    std::string others;
    for (const share& s : std::span(all).subspan(1))
      if (s.percent >= .5)
        others += fmt::format("{}{} {:.0f} %", others.empty() ? "; " : ", ", s.name, s.percent);
    const share& top = all.front();
    return with(label_, metric, top.percent,
                fmt::format("{}, {}{}{}{}", top.name, top.value, others, remarks, at_the_roof(top.percent)));
  }

  const row& label_;
  const demand& asked_;
  const device& on_;
  preset level_;
  std::optional<memory_limit> limit_;
};

}  // namespace

demand demand_of(const accounted& did, const case_plan& plan, double launches, double seconds) {
  const work& w = did.per_unit;
  const double passes = plan.units_per_repeat > 0 ? did.units / plan.units_per_repeat : 0;
  return {.seconds = seconds,
          .bytes = w.bytes_dram * did.units + w.bytes_dram_once * plan.units_per_repeat,
          .bytes_shared = w.bytes_shared * did.units,
          .flops = w.flops * did.units,
          .functions = w.functions * did.units,
          .launches = launches,
          .exchanges = w.exchanges * passes,
          .arithmetic = plan.arithmetic,
          .footprint_bytes = plan.footprint_bytes};
}

roof_shares share_rows(const row& label, const demand& asked, const device& on, preset level) {
  return divider(label, asked, on, level).shares();
}

}  // namespace reprise::harness
