// SPDX-License-Identifier: MIT
// Admits items while they fit, and drops the rest of one whose cases cost much more than predicted.
#include "benchmarks/harness/budget/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "solvers/common/base/error.hpp"

namespace reprise::budget {
namespace {

// An item that was admitted may exceed the budget by this share before the rest of it is dropped.
constexpr double tolerance = .05;

// A case may take so many times its price, or this share of the budget, before it is cut short.
constexpr double patience = 4;
constexpr double patient_share = .1;

}  // namespace

schedule::schedule(std::span<const offer> offers, std::vector<item> items, double budget_seconds,
                   pricer price, roof_pricer roofs)
    : offers_(offers),
      items_(std::move(items)),
      budget_(budget_seconds),
      price_(std::move(price)),
      roofs_of_(std::move(roofs)) {}

void schedule::know(std::size_t step) {
  paid_.insert(shared_key(*offers_[step].what));
}

void schedule::close_roofs(const std::set<std::string>& known) {
  roofs_are_closed_ = true;
  roofs_known_ = known;
}

double schedule::price_of_step(std::size_t step) const {
  return paid_.contains(shared_key(*offers_[step].what)) ? 0 : price_(step);
}

double schedule::price_of_roofs(const item& i) const {
  std::map<std::string, double> needed;
  for (const std::size_t step : i.steps)
    for (const auto& [id, seconds] : roofs_of_(offers_[step].what->on.device))
      if (!roofs_known_.contains(id)) needed[id] = roofs_are_closed_ ? no_limit : seconds;
  double sum = 0;
  for (const auto& [id, seconds] : needed) sum += seconds;
  return sum;
}

void schedule::pay_roofs(const item& i) {
  roof_seconds_ += price_of_roofs(i);
  for (const std::size_t step : i.steps)
    for (const auto& [id, seconds] : roofs_of_(offers_[step].what->on.device)) roofs_known_.insert(id);
}

bool schedule::is_admitted(const item& next, double left) {
  decision d{next.name, 0, 0, next.why_not};
  if (d.why_not.empty()) {
    const double roofs = price_of_roofs(next);
    std::set<shared_case> own;
    for (const std::size_t step : next.steps) {
      if (!chosen_.contains(step)) ++d.cases;
      if (own.insert(shared_key(*offers_[step].what)).second) d.seconds += price_of_step(step);
    }
    if (std::isinf(roofs)) {
      d.why_not = "the roofs of its device are not in this plan";
    } else if (d.seconds + roofs > left) {
      d.why_not = fmt::format("takes about {}, and {} are left", duration_text(d.seconds + roofs),
                              duration_text(std::max(0., left)));
    }
  }
  const bool admitted = d.why_not.empty();
  if (!admitted)
    for (const std::size_t step : next.steps) why_left_out_.try_emplace(step, d.why_not);
  decisions_.push_back(std::move(d));
  return admitted;
}

void schedule::give_up(double price, double left) {
  const std::string why =
      fmt::format("cases before it took longer than predicted: its next takes about {}, and {} are left",
                  duration_text(price), duration_text(std::max(0., left)));
  for (const std::size_t step : pending_) why_left_out_.try_emplace(step, why);
  decisions_.back().why_not = why;
  pending_.clear();
}

std::optional<schedule::pick> schedule::next(double elapsed) {
  const double left = budget_ - elapsed;
  while (true) {
    if (pending_.empty()) {
      if (position_ == items_.size()) return std::nullopt;
      const item& next = items_[position_++];
      if (!is_admitted(next, left)) continue;
      pay_roofs(next);
      for (const std::size_t step : next.steps)
        if (!chosen_.contains(step)) pending_.push_back(step);
      std::ranges::reverse(pending_);
      continue;
    }
    const std::size_t step = pending_.back();
    const double price = price_of_step(step);
    if (price > left + tolerance * budget_) {
      give_up(price, left);
      continue;
    }
    pending_.pop_back();
    chosen_.insert(step);
    know(step);
    return pick{step, price};
  }
}

std::string schedule::why_left_out(std::size_t step) const {
  const auto found = why_left_out_.find(step);
  return found == why_left_out_.end() ? "no part of the plan needs it" : found->second;
}

double rehearse(schedule& s, double elapsed) {
  const double roofs_before = s.roof_seconds();
  const auto now = [&] { return elapsed + s.roof_seconds() - roofs_before; };
  while (const auto picked = s.next(now())) elapsed += picked->seconds;
  return now();
}

double longest_seconds(double price, double left, double budget) {
  return std::min(left + tolerance * budget, std::max(patience * price, patient_share * budget));
}

std::string duration_text(double seconds) {
  if (!(seconds < 48 * 3600)) return fmt::format("{:.0f} days", seconds / 86400);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::lround(seconds);
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 3600)
    return whole % 60 == 0 ? fmt::format("{} min", whole / 60)
                           : fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

double parse_duration(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  const std::string unit(read.ptr, end);
  const std::map<std::string, double> units{{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
  if (read.ec != std::errc() || !units.contains(unit) || !(value > 0) || !std::isfinite(value))
    throw bad_input("'" + text + "' is no duration: give for example 90s, 5m or 1.5h");
  return value * units.at(unit);
}

}  // namespace reprise::budget
