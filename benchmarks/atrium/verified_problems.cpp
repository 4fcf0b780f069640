// SPDX-License-Identifier: MIT
// Checks methods, gate rules, controllers and bad cells on spheres of several sizes.
#include "benchmarks/atrium/verified_problems.hpp"

#include <fmt/core.h>

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "solvers/atrium/variant.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/atrium/bad_cells.hpp"
#include "verification/atrium/check.hpp"
#include "verification/atrium/controllers.hpp"
#include "verification/atrium/problem_check.hpp"

namespace reprise::harness::atrium_cases {
namespace {

namespace check = verification::atrium;
using atrium::gate_rule;
using atrium::scheme;

// What a variant cannot do. It says so only after it has loaded a sphere, which takes a compiler's time in OpenCL, so that
// it is asked once.
class refusals {
 public:
  using checks = std::function<std::vector<checkers::finding>()>;

  // A method and gate rule that the smallest sphere's check refused is not tried again.
  checks first(scheme method, gate_rule rule, checks check) {
    return [=, this] {
      try {
        return check();
      } catch (const unavailable& reason) {
        known_[{method, rule}] = reason.what();
        throw;
      }
    };
  }
  checks later(scheme method, gate_rule rule, checks check) const {
    return [=, this] {
      const auto refused = known_.find({method, rule});
      if (refused != known_.end()) throw unavailable(refused->second);
      return check();
    };
  }

 private:
  std::map<std::pair<scheme, gate_rule>, std::string> known_;
};

void verify_steps(atrium::solver& s, int subdivisions, precision arithmetic, refusals& refused,
                  std::vector<verified_case>& results) {
  for (scheme method : atrium::all_runge_kutta)
    for (gate_rule rule : atrium::all_gate_rules) {
      const refusals::checks checks = [&, method, rule] {
        return check::verify(s, subdivisions, method, rule, arithmetic);
      };
      results.push_back(verified(
          fmt::format("{} {} {} {:g} cells, {} steps", to_string(method), to_string(rule),
                      to_string(arithmetic), atrium::cells_of(subdivisions),
                      check::stepwise_expectation::steps),
          subdivisions == 0 ? refused.first(method, rule, checks) : refused.later(method, rule, checks)));
    }
}

// The problem is the same for all variants, so it is compared with the paper's only once.
void verify_problem(std::vector<verified_case>& results) {
  for (int subdivisions : {0, 3}) {
    static std::map<int, std::vector<checkers::finding>> kept;
    results.push_back(
        verified(fmt::format("the paper's problem, {:g} cells", atrium::cells_of(subdivisions)), [&] {
          if (!kept.contains(subdivisions)) kept[subdivisions] = check::judge_paper_problem(subdivisions);
          return kept[subdivisions];
        }));
  }
}

void verify_black_box(atrium::solver& s, int subdivisions, std::vector<verified_case>& results) {
  results.push_back(verified(
      fmt::format("{:g} cells, {} ms, tolerance {:g}", atrium::cells_of(subdivisions),
                  check::black_box_expectation::t_end, check::black_box_expectation::tolerance),
      [&] {
        return check::verify(s, subdivisions, scheme::black_box, gate_rule::plain, precision::double_);
      }));
}

// Whether another processor executes the device's code, a thousand times slower.
bool is_simulated(const device& d) {
  return d.kind == backend::emulated || d.name.starts_with("Oclgrind");
}

// How many subdivisions give a sphere several work-groups, blocks or patches.
int subdivisions_of_many_groups(const device& d) {
  if (d.kind == backend::emulated) return 3;
  return is_simulated(d) ? 2 : 4;
}

// A method of one stage, one of several, and one with an error estimate: each finds bad cells in its own way.
void verify_bad_cells(atrium::solver& s, int subdivisions, precision arithmetic, const refusals& refused,
                      std::vector<verified_case>& results) {
  for (scheme method : {scheme::euler, scheme::midpoint, scheme::trapezoidal})
    for (gate_rule rule : atrium::all_gate_rules)
      for (bool is_adaptive : {false, true}) {
        if (is_adaptive && !is_pair(method)) continue;
        results.push_back(
            verified(fmt::format("bad cells, {} {} {} {:g} cells{}", to_string(method), to_string(rule),
                                 to_string(arithmetic), atrium::cells_of(subdivisions),
                                 is_adaptive ? ", adaptive" : ""),
                     refused.later(method, rule, [&, method, rule, is_adaptive] {
                       return check::verify_bad_cells(s, subdivisions, method, rule, is_adaptive, arithmetic);
                     })));
      }
}

}  // namespace

std::vector<verified_case> verify_variant(const variant& v, const device& d, std::span<const grid_size>) {
  const auto s = dynamic_cast<const variant_of<atrium::solver>&>(v).make(d);
  std::vector<verified_case> results;
  verify_problem(results);
  if (atrium::is_black_box(v.id)) {
    for (int subdivisions : {0, 1, 2}) verify_black_box(*s, subdivisions, results);
    results.push_back(verified("bad cells, 642 cells", [&] {
      return check::verify_bad_cells(*s, 3, scheme::black_box, gate_rule::plain, true, precision::double_);
    }));
    return results;
  }
  for (precision arithmetic : v.data.precisions) {
    // Fewer cells than a vector or a warp holds, and several numbers of cells that are no multiple of either.
    refusals refused;
    for (int subdivisions : {0, 1}) verify_steps(*s, subdivisions, arithmetic, refused, results);
    verify_bad_cells(*s, subdivisions_of_many_groups(d), arithmetic, refused, results);
    for (scheme pair : atrium::all_runge_kutta)
      if (is_pair(pair))
        results.push_back(verified(fmt::format("{} {} controller", to_string(pair), to_string(arithmetic)),
                                   [&] { return check::verify_controller(*s, pair, arithmetic); }));
    if (is_simulated(d)) continue;
    for (int subdivisions : {2, 3}) verify_steps(*s, subdivisions, arithmetic, refused, results);
    for (scheme pair : atrium::all_runge_kutta)
      if (is_pair(pair))
        results.push_back(
            verified(fmt::format("{} {} adaptive, 6 ms", to_string(pair), to_string(arithmetic)),
                     [&] { return check::verify(*s, *check::expect_run(pair), arithmetic); }));
  }
  return results;
}

}  // namespace reprise::harness::atrium_cases
