// SPDX-License-Identifier: MIT
// Checks answers of angiogenesis solvers.
#include "verification/angiogenesis/check.hpp"

#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "reference/angiogenesis/linear_systems.hpp"
#include "verification/checkers/maximum.hpp"
#include "verification/checkers/rounding.hpp"

namespace reprise::verification::angiogenesis {
namespace {

using checkers::finding;
using checkers::not_a_number;
using checkers::raise;
using reprise::angiogenesis::bad_matrix;
using reprise::angiogenesis::factoring;
using reprise::angiogenesis::matrix;
using reprise::angiogenesis::problem;
using reprise::angiogenesis::solver;
namespace ref = reference::angiogenesis;

constexpr double unit_roundoff = checkers::unit_roundoff(precision::double_);

// max |x - y| / max |y|; NaN if one contains a non-finite value or has another length.
double relative_distance(std::span<const double> x, const Eigen::VectorXd& y) {
  if (!checkers::all_finite(x) || !checkers::all_finite(y)) return not_a_number;
  return checkers::largest_distance(x, y) / checkers::largest_magnitude(y);
}

Eigen::VectorXd as_vector(std::span<const double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// The growth of a disturbance of a state, in the maximum norm.
template <class Steps>
double growth_of(const Eigen::VectorXd& u, const Eigen::VectorXd& undisturbed, Steps after) {
  constexpr double small = 1e-7;
  Eigen::VectorXd disturbed = u;
  for (Eigen::Index k = 0; k < disturbed.size(); k += 2) disturbed(k) += small;
  return checkers::largest_distance(Eigen::VectorXd(after(disturbed)), undisturbed) / small;
}

std::span<const double> state_of(const reprise::angiogenesis::study_answer& answer, std::size_t member,
                                 std::size_t unknowns) {
  return std::span(answer.states).subspan(member * unknowns, unknowns);
}

}  // namespace

system_expectation::system_expectation(const problem& p)
    : a_(reprise::angiogenesis::implicit_matrix(p)),
      condition_(ref::condition(p)),
      growth_(2),
      swaps_(static_cast<long long>(ref::swapped_columns(p).size())) {
  add_right_sides();
  for (const auto& b : right_sides_) solutions_.push_back(ref::solve_precisely(p, b));
}

system_expectation::system_expectation(const Eigen::MatrixXd& a) : a_(from_dense(a)) {
  const ref::pivoting known = ref::examine(a);
  condition_ = known.condition;
  growth_ = checkers::larger(1, known.growth);
  add_right_sides();
  for (const auto& b : right_sides_) solutions_.push_back(ref::solve_precisely(a, b));
}

void system_expectation::add_right_sides() {
  for (double phase : {.3, 1.9, 4.1}) {
    Eigen::VectorXd b(a_.order);
    for (int k = 0; k < a_.order; ++k) b(k) = 1 + .7 * std::sin(.9 * k * phase + phase);
    right_sides_.push_back(b);
  }
  for (std::size_t row = 0; row < a_.size(); ++row) {
    double sum = 0;
    for (std::size_t e = a_.begin(row); e < a_.end(row); ++e) sum += std::abs(a_.value[e]);
    raise(row_sum_, sum);
  }
}

std::vector<finding> system_expectation::judge_swaps(std::optional<long long> said) const {
  if (!said || !swaps_) return {};
  return {{"row_swaps_off_by", static_cast<double>(std::abs(*said - *swaps_)), 0,
           "where the largest entry of a column is not the first one"}};
}

double system_expectation::error_of(std::size_t right_side, std::span<const double> x) const {
  return relative_distance(x, solutions_[right_side]);
}

// max |b - A x| / (max row sum of |A| * max |x| + max |b|).
double system_expectation::residual_of(std::size_t right_side, std::span<const double> x) const {
  const Eigen::VectorXd& b = right_sides_[right_side];
  if (x.size() != static_cast<std::size_t>(b.size())) return not_a_number;
  double most = 0;
  for (std::size_t row = 0; row < a_.size(); ++row) {
    long double difference = b(static_cast<Eigen::Index>(row));
    for (std::size_t e = a_.begin(row); e < a_.end(row); ++e)
      difference -= static_cast<long double>(a_.value[e]) * x[static_cast<std::size_t>(a_.column[e])];
    raise(most, static_cast<double>(std::abs(difference)));
  }
  const double scale =
      row_sum_ * checkers::largest_magnitude(x) + checkers::largest_magnitude(right_sides_[right_side]);
  return scale > 0 ? most / scale : most + scale;
}

double system_expectation::residual_limit(double tolerance) const {
  return 4 * a_.order * unit_roundoff * growth_ + tolerance;
}

std::vector<finding> system_expectation::judge(const std::vector<std::vector<double>>& solutions,
                                               double tolerance) const {
  double error = solutions.size() == right_sides_.size() ? 0 : not_a_number;
  double residual = error;
  for (std::size_t k = 0; k < right_sides_.size() && !std::isnan(error); ++k) {
    raise(error, error_of(k, solutions[k]));
    raise(residual, residual_of(k, solutions[k]));
  }
  return {{"max_relative_error", error, error_limit(tolerance),
           "the condition number times what the residual may be"},
          {"backward_error", residual, residual_limit(tolerance),
           "elimination with partial pivoting leaves n u times the growth of the entries, at most twice for "
           "tridiagonal blocks, and 4 for the sums' order; an iterative solver what it was told to"}};
}

void answers_judge::add(std::size_t right_side, std::span<const double> x) {
  ++answers_;
  raise(error_, expected_->error_of(right_side, x));
  raise(residual_, expected_->residual_of(right_side, x));
}

std::vector<finding> answers_judge::findings(double tolerance) const {
  const double none = answers_ > 0 ? 0 : not_a_number;
  return {{"timed_work_error", error_ + none, expected_->error_limit(tolerance),
           "of every answer of a sample: the condition number times what the residual may be"},
          {"timed_backward_error", residual_ + none, expected_->residual_limit(tolerance),
           "of every answer of a sample: n u times the growth of the entries, and 4 for the sums' order"}};
}

run_expectation::run_expectation(const problem& p, int steps, ref::source add)
    : problem_(p),
      steps_(steps),
      add_(std::move(add)),
      reference_(ref::steps_precisely(p, steps, add_)),
      condition_(ref::condition(p)) {
  growth_ = growth_of(as_vector(p.u0), reference_.u, [&](const Eigen::VectorXd& u) {
    problem disturbed = p;
    disturbed.u0.assign(u.begin(), u.end());
    return ref::steps_precisely(disturbed, steps, add_).u;
  });
}

double run_expectation::of_one_step(double tolerance) const {
  return condition_ * (4 * problem_.unknowns() * unit_roundoff + tolerance);
}

double run_expectation::limit(double tolerance) const {
  return steps_ * of_one_step(tolerance) * checkers::larger(1, growth_);
}

std::vector<finding> run_expectation::judge(const std::vector<double>& state, double tolerance) const {
  return {{"max_relative_error", relative_distance(state, reference_.u), limit(tolerance),
           "each step adds what its system may err by, and the run multiplies it as it does a disturbance of "
           "the initial state"}};
}

std::vector<finding> run_expectation::judge_monitors(const reprise::angiogenesis::imex& run,
                                                     double tolerance) const {
  const reprise::angiogenesis::record& r = run.so_far();
  const double size = checkers::largest_magnitude(reference_.u);
  const double mass = std::abs(ref::mass(problem_, reference_.u, ref::field::c));
  const auto miscounted = std::abs(static_cast<double>(r.clipped - reference_.clipped));
  return {{"clipped_values_off_by", miscounted, static_cast<double>(reference_.near_zero),
           "as many values as are so near zero that rounding decides on their sign"},
          {"least_value_off_by", std::abs(r.least - reference_.least),
           limit(tolerance) * checkers::larger(1, size), "a value of the run"},
          {"mass_defect_error", std::abs(run.mass_defect() - reference_.mass_defect),
           8 * limit(tolerance) * checkers::larger(1, size) / mass,
           "sums of the run's values, of which each may err as the state does, over the mass"}};
}

finding run_expectation::judge_window(const std::vector<double>& before, long first, long count,
                                      const std::vector<double>& after, double tolerance) const {
  if (!repeated_) repeated_ = std::make_unique<ref::repeated_steps>(problem_, add_);
  const bool has_length = before.size() == problem_.u0.size() && count > 0;
  double error = not_a_number, growth = 1;
  if (has_length) {
    const Eigen::VectorXd u = as_vector(before);
    const Eigen::VectorXd expected = repeated_->after(u, first, count);
    error = relative_distance(after, expected);
    raise(growth, growth_of(u, expected, [&](const Eigen::VectorXd& from) {
            return repeated_->after(from, first, count);
          }));
  }
  return {
      "timed_work_error", error, static_cast<double>(count) * of_one_step(tolerance) * growth,
      "steps repeated from the solver's own state: each adds what its system may err by, and the next ones "
      "multiply it as they do a disturbance"};
}

study_expectation::study_expectation(const reprise::angiogenesis::study& s)
    : study_expectation(s, [&] {
        std::vector<std::size_t> all(s.members.size());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
        return all;
      }()) {}

study_expectation::study_expectation(const reprise::angiogenesis::study& s, std::vector<std::size_t> chosen)
    : study_(s), chosen_(std::move(chosen)) {
  for (const std::size_t k : chosen_)
    members_.push_back(std::make_unique<run_expectation>(member_of(s, k), s.steps));
}

std::vector<finding> study_expectation::judge(const reprise::angiogenesis::study_answer& answer) const {
  const std::size_t n = study_.unknowns(), count = study_.members.size();
  const bool is_whole = answer.states.size() == n * count && answer.steps.size() == count;
  double worst = is_whole ? 0 : not_a_number;
  double cut_short = worst;
  for (std::size_t k = 0; k < chosen_.size() && is_whole; ++k) {
    const auto u = state_of(answer, chosen_[k], n);
    const finding f = members_[k]->judge({u.begin(), u.end()}, 0).front();
    raise(worst, f.value / f.limit);
  }
  for (const int steps : answer.steps) cut_short += steps == study_.steps ? 0 : 1;
  return {{"worst_member_error", worst, 1, "over what that member's run may err by"},
          {"members_cut_short", cut_short, 0, "none of these blows up"}};
}

finding study_expectation::judge_last_step(const reprise::angiogenesis::study_answer& before,
                                           const reprise::angiogenesis::study_answer& answer) const {
  const std::size_t n = study_.unknowns();
  const bool is_whole =
      before.states.size() == n * chosen_.size() && answer.states.size() == n * study_.members.size();
  double worst = is_whole && !chosen_.empty() ? 0 : not_a_number;
  for (std::size_t k = 0; k < chosen_.size() && is_whole; ++k) {
    const auto u = state_of(before, k, n), last = state_of(answer, chosen_[k], n);
    const finding f =
        members_[k]->judge_window({u.begin(), u.end()}, study_.steps - 1, 1, {last.begin(), last.end()}, 0);
    raise(worst, f.value / f.limit);
  }
  return {"timed_work_error", worst, 1, "the last step of the chosen members over what it may err by"};
}

reprise::angiogenesis::study study_expectation::chosen_alone() const {
  reprise::angiogenesis::study alone = study_;
  alone.members.clear();
  for (const std::size_t k : chosen_) alone.members.push_back(study_.members[k]);
  return alone;
}

std::vector<std::size_t> telling_members(const reprise::angiogenesis::study& s) {
  constexpr int drawn = 6;
  const std::size_t last = s.members.size() - 1;
  std::set<std::size_t> chosen{0, last};
  for (const auto& [name, member] : reprise::angiogenesis::parameter_names) {
    std::size_t least = 0, most = 0;
    for (std::size_t k = 0; k <= last; ++k) {
      if (s.members[k].*member < s.members[least].*member) least = k;
      if (s.members[k].*member > s.members[most].*member) most = k;
    }
    chosen.insert({least, most});
  }
  std::mt19937_64 random(s.members.size());
  for (int k = 0; k < drawn; ++k) chosen.insert(std::uniform_int_distribution<std::size_t>(0, last)(random));
  return {chosen.begin(), chosen.end()};
}

std::vector<checkers::finding> verify(solver& s, const system_expectation& e, factoring when) {
  s.load(e.a(), when);
  std::vector<std::vector<double>> solutions;
  for (const auto& b : e.right_sides()) {
    auto& x = solutions.emplace_back(b.size(), not_a_number);
    s.solve({b.data(), static_cast<std::size_t>(b.size())}, x);
  }
  std::vector<finding> all = e.judge(solutions, s.tolerance());
  for (finding& f : e.judge_swaps(s.spent().row_swaps)) all.push_back(std::move(f));
  return all;
}

std::vector<checkers::finding> verify(solver& s, const run_expectation& e, factoring when) {
  reprise::angiogenesis::imex run(e.what(), s, when);
  run.advance(e.steps());
  std::vector<finding> all = e.judge(run.state(), s.tolerance());
  for (finding& f : e.judge_monitors(run, s.tolerance())) all.push_back(std::move(f));
  return all;
}

std::vector<checkers::finding> verify(solver& s, const refused_matrix& r, factoring when) {
  double off = not_a_number;
  std::vector<double> x(r.a.size());
  try {
    s.load(r.a, when);
    s.solve(std::vector<double>(r.a.size(), 1), x);
  } catch (const bad_matrix& refusal) {
    off = std::abs(refusal.column() - r.column);
  }
  return {
      {"column_named_is_off_by", off, 0, "the column where a pivot is missing or an entry is not finite"}};
}

std::vector<checkers::finding> verify(reprise::angiogenesis::study_runner& s, const study_expectation& e) {
  s.load(e.what());
  s.run();
  return e.judge(s.answer());
}

std::vector<checkers::finding> compare(const reprise::angiogenesis::study& s,
                                       const reprise::angiogenesis::study_answer& answer,
                                       const reprise::angiogenesis::study_answer& other) {
  const std::size_t n = s.unknowns();
  const bool are_alike = answer.states.size() == other.states.size() && answer.steps == other.steps;
  double worst = are_alike ? 0 : not_a_number;
  // A bound for all members: the condition number grows with diffusion, decay and coupling,
  // and with no other parameter.
  problem widest = member_of(s, 0);
  for (std::size_t k = 0; k < s.members.size() && !std::isnan(worst); ++k) {
    raise(worst, relative_distance(state_of(answer, k, n), as_vector(state_of(other, k, n))));
    for (const auto& [name, member] : reprise::angiogenesis::parameter_names)
      raise(widest.parameters.*member, s.members[k].*member);
  }
  return {{"max_difference", worst,
           8 * s.steps * ref::condition(widest) * static_cast<double>(n) * unit_roundoff,
           "two runs' steps each add what their system may err by; members cut short differ where they are"}};
}

}  // namespace reprise::verification::angiogenesis
