// SPDX-License-Identifier: MIT
// The plan of a run with a budget: what it measures, in which order, and what not and why.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/harness/budget/schedule.hpp"
#include "benchmarks/harness/time_limit.hpp"

namespace reprise::budget {

// Where costs and claims are found: the folder that find_home() returns.
cost_table shipped_costs(const std::filesystem::path& home);

// The plan of one run. It is made once and then follows the run.
class plan {
 public:
  // `steps` must outlive the plan.
  plan(std::span<const harness::step> steps, const std::filesystem::path& home, harness::preset level,
       double budget_seconds);
  plan(const plan&) = delete;  // its schedule refers to it
  plan& operator=(const plan&) = delete;

  // What is predicted before the run begins, as text: items with their times, and what is left out and why.
  std::string text() const;

  // The ids of the devices whose roofs the plan needs.
  std::set<std::string> roofs() const;
  void set_roof(const device& d, double flops_roof) { costs_.set_roof(d, flops_roof); }
  // The devices whose roofs are measured: the plan now keeps to them.
  void close_roofs(const std::set<std::string>& known) { schedule_.close_roofs(known); }

  // A step that an interrupted run has measured already.
  void know(std::size_t step) { schedule_.know(step); }

  struct task {
    std::size_t step;
    harness::time_limit limit;  // begins now
  };
  std::optional<task> next(double elapsed);
  void learn(std::size_t step, double seconds) { costs_.learn(steps_[step], seconds); }

  // Cases and seconds that are still to come.
  struct rest {
    std::size_t cases;
    double seconds;
  };
  rest left(double elapsed) const;

  bool is_chosen(std::size_t step) const { return schedule_.chosen().contains(step); }
  // Why the row of a step that was not measured has no number.
  std::string why_left_out(std::size_t step) const;

  // For run.json: budget, items, and the cases that were measured, which replay() finds again.
  nlohmann::json to_json() const;

 private:
  schedule made() const;

  std::span<const harness::step> steps_;
  double budget_;
  estimator costs_;
  std::vector<offer> offers_;
  std::vector<item> items_;
  schedule schedule_;
};

// What a run without a budget takes. A case that several experiments ask for counts for the first of them.
struct experiment_cost {
  std::size_t cases{};
  double seconds{};
};
struct full_cost {
  roof_prices roofs;
  std::map<std::string, experiment_cost> experiments;  // by id, those with cases that can be measured here
};
full_cost cost_of_all(std::span<const harness::step> steps, const cost_table& known, harness::preset level);
std::string text_of(const full_cost& sum);

// The steps that a plan in run.json measured. A device is replaced by the first one of its backend if it is not here.
// Throws bad_input, with the file's name, if the description holds no plan or none of its cases can be measured here.
std::vector<harness::step> replayed(const nlohmann::json& description, const std::filesystem::path& file,
                                    std::vector<harness::step> steps);

}  // namespace reprise::budget
