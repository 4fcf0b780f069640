// SPDX-License-Identifier: MIT
// Spends a budget of seconds on items in their order. An item that does not fit into what is left is passed over.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "benchmarks/harness/budget/costs.hpp"
#include "benchmarks/harness/budget/items.hpp"

namespace reprise::budget {

constexpr double no_limit = std::numeric_limits<double>::infinity();

// What became of an item.
struct decision {
  std::string name;
  double seconds{};     // predicted when it was decided, without what other items have paid
  std::size_t cases{};  // those that it was the first to ask for
  std::string why_not;  // empty if it is measured
};

// Seconds that the roofs of a device take, by the id of each device whose roofs are measured for it.
using roof_prices = std::map<std::string, double>;

class schedule {
 public:
  // A step's price as known today; it may change as the run learns.
  using pricer = std::function<double(std::size_t step)>;
  using roof_pricer = std::function<roof_prices(const device&)>;

  // `offers` must outlive the schedule.
  schedule(std::span<const offer> offers, std::vector<item> items, double budget_seconds, pricer price,
           roof_pricer roofs);

  struct pick {
    std::size_t step;
    double seconds;  // predicted; 0 if another experiment's case serves for it
  };

  // The next step to execute after so many seconds of the run, or nothing if no other item fits into what is left.
  std::optional<pick> next(double elapsed);

  // A step that an interrupted run has measured already costs nothing.
  void know(std::size_t step);

  // From now on only cases on devices whose roofs are known are measured.
  void close_roofs(const std::set<std::string>& known);

  // Why a step that was not returned is left out.
  std::string why_left_out(std::size_t step) const;

  const std::vector<decision>& decisions() const { return decisions_; }
  const std::set<std::size_t>& chosen() const { return chosen_; }
  const std::set<std::string>& roofs() const { return roofs_known_; }
  double roof_seconds() const { return roof_seconds_; }

 private:
  bool is_admitted(const item& next, double left);
  double price_of_step(std::size_t step) const;
  double price_of_roofs(const item& i) const;
  void pay_roofs(const item& i);
  void give_up(double price, double left);

  std::span<const offer> offers_;
  std::vector<item> items_;
  double budget_;
  pricer price_;
  roof_pricer roofs_of_;
  bool roofs_are_closed_{};
  std::size_t position_{};            // of the next item
  std::vector<std::size_t> pending_;  // steps of the admitted item, the last one first
  std::set<std::size_t> chosen_;
  std::set<shared_case> paid_;
  std::set<std::string> roofs_known_;
  double roof_seconds_{};
  std::vector<decision> decisions_;
  std::map<std::size_t, std::string> why_left_out_;
};

// What the schedule would do if every prediction were exact. Returns the time of its end, in seconds of the run.
double rehearse(schedule& s, double elapsed = 0);

// How long a case may take that is predicted to take `price`, with `left` of the budget before it: some multiple of the price,
// but not beyond the share of the budget by which it may be exceeded.
double longest_seconds(double price, double left, double budget);

// "40 s", "3 min 20 s", "2.4 h"
std::string duration_text(double seconds);

// Parses "90", "90s", "5m" or "1.5h" as seconds. Throws bad_input.
double parse_duration(const std::string& text);

}  // namespace reprise::budget
