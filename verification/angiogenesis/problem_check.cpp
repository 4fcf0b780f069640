// SPDX-License-Identifier: MIT
// Compares the solvers' statement of the paper's problem with the reference's.
#include "verification/angiogenesis/problem_check.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "reference/angiogenesis/paper.hpp"
#include "solvers/angiogenesis/imex.hpp"
#include "solvers/angiogenesis/study.hpp"
#include "verification/checkers/maximum.hpp"
#include "verification/checkers/rounding.hpp"

namespace reprise::verification::angiogenesis {
namespace {

using checkers::finding;
using checkers::not_a_number;
using checkers::raise;
using reprise::angiogenesis::all_readings;
using reprise::angiogenesis::matrix;
using reprise::angiogenesis::parameters;
using reprise::angiogenesis::problem;
using reprise::angiogenesis::start;
using reprise::angiogenesis::taxis;
namespace ref = reference::angiogenesis;

constexpr double unit_roundoff = checkers::unit_roundoff(precision::double_);
// Up to ten operations on each value, of which the exponent of T multiplies its own by ten at most.
constexpr double of_entries = 128 * unit_roundoff;
constexpr auto few_operations = "few operations, each rounded once, relative to the terms of the sum";

ref::state as_state(const std::vector<double>& u) {
  return Eigen::Map<const ref::state>(u.data(), static_cast<Eigen::Index>(u.size()));
}

double relative(double value, double stated) {
  return value == stated ? 0 : std::abs(value - stated) / std::abs(stated);
}

// The largest relative difference of an entry; infinite if one has an entry where the other has none. The
// diagonal is a sum, which is compared with the sum of its terms.
double matrix_distance(const matrix& a, const ref::sparse& stated) {
  if (a.order != stated.rows() || static_cast<Eigen::Index>(a.value.size()) != stated.nonZeros())
    return std::numeric_limits<double>::infinity();
  double most = 0;
  for (std::size_t row = 0; row < a.size(); ++row) {
    std::size_t e = a.begin(row);
    double size = 1;
    for (ref::sparse::InnerIterator it(stated, static_cast<Eigen::Index>(row)); it; ++it)
      if (it.col() != it.row()) size += std::abs(it.value());
    for (ref::sparse::InnerIterator it(stated, static_cast<Eigen::Index>(row)); it; ++it, ++e) {
      if (e == a.end(row) || a.column[e] != it.col()) return std::numeric_limits<double>::infinity();
      const bool is_sum = it.col() == it.row();
      raise(most, is_sum ? std::abs(a.value[e] - it.value()) / size : relative(a.value[e], it.value()));
    }
    if (e != a.end(row)) return std::numeric_limits<double>::infinity();
  }
  return most;
}

double rates_distance(const problem& p, const problem& stated, const std::vector<double>& u) {
  std::vector<double> rate(u.size(), not_a_number);
  reprise::angiogenesis::explicit_part part(p);
  part(u, rate);
  const std::vector<ref::sized> expected = ref::stated_rates(stated, as_state(u));
  double most = rate.size() == expected.size() ? 0 : not_a_number;
  for (std::size_t k = 0; k < rate.size(); ++k) {
    const auto off = static_cast<double>(std::abs(rate[k] - expected[k].value));
    raise(most, off > 0 ? off / static_cast<double>(expected[k].size) : off);
  }
  return most;
}

// The monitors' own sums. The backward error is compared for a vector that solves nothing.
std::vector<finding> judge_monitors(const problem& p, const problem& stated, const std::vector<double>& u) {
  const ref::sized mass = ref::stated_mass(stated, as_state(u));
  const double off = std::abs(reprise::angiogenesis::mass(p, u) - static_cast<double>(mass.value));
  const ref::sparse a = ref::implicit_matrix(stated);
  const ref::state x = as_state(u), b = ref::state::Ones(a.rows());
  const ref::state row_sums = a.cwiseAbs() * ref::state::Ones(a.cols());
  const double residual = checkers::largest_magnitude(ref::state(b - a * x)) /
                          (checkers::largest_magnitude(row_sums) * checkers::largest_magnitude(x) +
                           checkers::largest_magnitude(b));
  const std::vector<double> ones(u.size(), 1);
  const double watched =
      reprise::angiogenesis::backward_error(reprise::angiogenesis::implicit_matrix(p), u, ones);
  return {{"mass_error", off / static_cast<double>(mass.size), 2 * (p.nodes + 4) * unit_roundoff,
           "a sum of as many terms as nodes, and of the two at the ends twice, relative to them"},
          {"watched_residual_error", relative(watched, residual), of_entries, few_operations}};
}

std::vector<finding> judge_sets() {
  return {{"parameters_error",
           parameters_distance(
               {reprise::angiogenesis::slow_parameters(), reprise::angiogenesis::fast_parameters()},
               {ref::stated_parameters(ref::rates::slow), ref::stated_parameters(ref::rates::fast)}),
           0, "the same decimal numbers"}};
}

std::vector<finding> judge_named_cases() {
  const std::vector<ref::stated_case> stated = ref::stated_cases();
  const std::vector<reprise::angiogenesis::named_case> own{reprise::angiogenesis::default_case(),
                                                           reprise::angiogenesis::stress_case(),
                                                           reprise::angiogenesis::smooth_case()};
  std::vector<finding> all;
  for (std::size_t k = 0; k < own.size(); ++k) {
    for (finding& f : judge_problem(own[k].problem, stated[k].what)) all.push_back(std::move(f));
    all.push_back({"case_steps_error", 1. * std::abs(own[k].steps - stated[k].steps), 0, "a count"});
  }
  return all;
}

std::vector<finding> judge_studies() {
  const parameters around = ref::stated_parameters(ref::rates::slow);
  double distance = 0;
  std::vector<finding> all;
  for (const int count : {1, 7, 300}) {
    const reprise::angiogenesis::study s = reprise::angiogenesis::spread_study(count, 11, 5);
    raise(distance, parameters_distance(s.members, ref::stated_study(count, around)));
    const problem stated =
        ref::stated_problem(ref::rates::slow, taxis::nodal, start::step, 11, ref::usual_dt);
    problem first = reprise::angiogenesis::member_of(s, 0);
    first.parameters = around;
    for (finding& f : judge_problem(first, stated)) all.push_back(std::move(f));
    all.push_back({"study_steps_error", 1. * std::abs(s.steps - 5), 0, "a count"});
  }
  all.push_back({"study_parameters_error", distance, 2048 * unit_roundoff,
                 "turns up to 300 sqrt(43), whose two roundings the fraction keeps"});
  return all;
}

// Every reading of the taxis in a state of cosines and in a rough one.
std::vector<finding> judge_explicit_part(ref::rates rates, int nodes) {
  const auto own = rates == ref::rates::slow ? reprise::angiogenesis::slow_parameters()
                                             : reprise::angiogenesis::fast_parameters();
  double most = 0;
  for (const taxis reading : all_readings) {
    const problem p = reprise::angiogenesis::make_problem(own, reading, start::smooth, nodes, 1e-3);
    const problem stated = ref::stated_problem(rates, reading, start::smooth, nodes, 1e-3);
    for (const std::vector<double>& u : {stated.u0, rough_state(nodes)})
      raise(most, rates_distance(p, stated, u));
  }
  return {{"explicit_part_error", most, of_entries, few_operations}};
}

std::vector<finding> judge_grid(ref::rates rates, int nodes) {
  const auto own = rates == ref::rates::slow ? reprise::angiogenesis::slow_parameters()
                                             : reprise::angiogenesis::fast_parameters();
  std::vector<finding> all;
  for (const start from : {start::step, start::smooth})
    for (const double dt : {1e-3, .1}) {
      const problem p = reprise::angiogenesis::make_problem(own, taxis::nodal, from, nodes, dt);
      const problem stated = ref::stated_problem(rates, taxis::nodal, from, nodes, dt);
      for (finding& f : judge_problem(p, stated)) all.push_back(std::move(f));
      for (finding& f : judge_operators(p, stated)) all.push_back(std::move(f));
    }
  return all;
}

}  // namespace

double parameters_distance(const std::vector<parameters>& sets, const std::vector<parameters>& stated) {
  if (sets.size() != stated.size()) return not_a_number;
  static constexpr std::array<double parameters::*, 14> all{
      &parameters::d_c, &parameters::d_p, &parameters::d_i, &parameters::k1, &parameters::k2,
      &parameters::k3,  &parameters::k4,  &parameters::k5,  &parameters::k6, &parameters::a1,
      &parameters::a2,  &parameters::a3,  &parameters::a4,  &parameters::eps};
  static_assert(sizeof(parameters) == all.size() * sizeof(double), "every parameter is compared");
  double most = 0;
  for (std::size_t k = 0; k < sets.size(); ++k)
    for (const auto member : all) raise(most, relative(sets[k].*member, stated[k].*member));
  return most;
}

std::vector<finding> judge_defaults(const parameters& with, double dt) {
  return {{"parameters_error", parameters_distance({with}, {ref::stated_parameters(ref::rates::slow)}), 0,
           "the same decimal numbers"},
          {"default_step_error", relative(dt, ref::usual_dt), 0, "the same decimal number"}};
}

std::vector<finding> judge_problem(const problem& p, const problem& stated) {
  double coordinate = p.nodes == stated.nodes && p.unknowns() == 4 * stated.nodes ? 0 : not_a_number;
  const auto spacing = static_cast<double>(ref::coordinate(1, stated.nodes));
  raise(coordinate, relative(p.h(), spacing));
  for (int i = 0; i < stated.nodes; ++i)
    raise(coordinate, std::abs(p.x(i) - static_cast<double>(ref::coordinate(i, stated.nodes))));
  return {{"parameters_error", parameters_distance({p.parameters}, {stated.parameters}), 0,
           "the same decimal numbers"},
          {"step_and_reading_error", p.reading == stated.reading ? relative(p.dt, stated.dt) : not_a_number,
           0, "what was asked for"},
          {"coordinate_error", coordinate, 4 * unit_roundoff,
           "a division, a product, and the rounding of what is compared with it"},
          {"start_error", checkers::largest_distance(p.u0, stated.u0), 16 * unit_roundoff,
           "a cosine of a rounded angle, and its sum with a constant"}};
}

std::vector<finding> judge_operators(const problem& p, const problem& stated) {
  double distance = matrix_distance(reprise::angiogenesis::implicit_matrix(p), ref::implicit_matrix(stated));
  raise(distance, matrix_distance(reprise::angiogenesis::explicit_matrix(p), ref::explicit_matrix(stated)));
  std::vector<finding> all = judge_monitors(p, stated, rough_state(p.nodes));
  all.push_back({"matrix_error", distance, of_entries, few_operations});
  return all;
}

std::vector<problem_check> problem_checks() {
  std::vector<problem_check> all{{"parameter sets", judge_sets},
                                 {"named cases", judge_named_cases},
                                 {"members of studies", judge_studies}};
  for (const auto& [name, rates] : {std::pair{"S1", ref::rates::slow}, {"S2", ref::rates::fast}})
    for (const int nodes : {3, 4, 11, 34, 101, 400, 800}) {
      const ref::rates which = rates;
      all.push_back({fmt::format("grid, start and matrices of {}, {} nodes", name, nodes),
                     [=] { return judge_grid(which, nodes); }});
      if (nodes > 101) continue;  // at a finer grid the bends of the fields hide the other terms
      all.push_back({fmt::format("explicit part of {}, {} nodes", name, nodes),
                     [=] { return judge_explicit_part(which, nodes); }});
    }
  return all;
}

std::vector<double> rough_state(int nodes) {
  std::vector<double> u;
  for (int f = 0; f < 4; ++f)
    for (int i = 0; i < nodes; ++i) u.push_back(.4 + .9 * std::sin(2.3 * i * (f + 1) + .7 + 1.9 * f));
  const auto m = static_cast<std::size_t>(nodes);
  u[0] = u[2 * m - 1] = u[2 * m] = u[4 * m - 1] = -.3;
  return u;
}

}  // namespace reprise::verification::angiogenesis
