// SPDX-License-Identifier: MIT
// What decides whether an angiogenesis answer is right is itself checked: every way of being wrong below must
// turn every variant red.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <limits>

#include "solvers/common/error.hpp"
#include "verification/angiogenesis_check.hpp"
#include "verification/every_variant.hpp"

using namespace reprise;
using namespace reprise::angiogenesis;
namespace check = verification::angiogenesis;

namespace {

// A solver that does its work but for one fault.
class sabotaged : public solver {
 public:
  explicit sabotaged(solver& honest) : honest_(honest) {}
  void load(const matrix& a, factoring when) override { honest_.load(a, when); }
  void solve(std::span<const double> b, std::span<double> x) override { honest_.solve(b, x); }
  const effort& spent() const override { return honest_.spent(); }
  stopwatch& clock() override { return honest_.clock(); }
  work per_solve() const override { return honest_.per_solve(); }
  double tolerance() const override { return honest_.tolerance(); }

 protected:
  solver& honest_;
};

struct idle final : sabotaged {
  using sabotaged::sabotaged;
  void solve(std::span<const double> b, std::span<double> x) override {
    std::copy(b.begin(), b.end(), x.begin());
  }
};

// Solves for the right-hand side before, as from a buffer that was not renewed.
struct stale_right_side final : sabotaged {
  using sabotaged::sabotaged;
  void load(const matrix& a, factoring when) override {
    honest_.load(a, when);
    before_.clear();
  }
  void solve(std::span<const double> b, std::span<double> x) override {
    std::vector<double> now(b.begin(), b.end());
    honest_.solve(before_.empty() ? now : before_, x);
    before_ = std::move(now);
  }
  std::vector<double> before_;
};

struct edited_answer final : sabotaged {
  edited_answer(solver& honest, std::function<void(std::span<double>)> edit)
      : sabotaged(honest), edit_(std::move(edit)) {}
  void solve(std::span<const double> b, std::span<double> x) override {
    honest_.solve(b, x);
    edit_(x);
  }
  std::function<void(std::span<double>)> edit_;
};

struct edited_matrix final : sabotaged {
  edited_matrix(solver& honest, std::function<void(matrix&)> edit)
      : sabotaged(honest), edit_(std::move(edit)) {}
  void load(const matrix& a, factoring when) override {
    matrix other = a;
    edit_(other);
    honest_.load(other, when);
  }
  std::function<void(matrix&)> edit_;
};

struct failing_launch final : sabotaged {
  using sabotaged::sabotaged;
  void solve(std::span<const double>, std::span<double>) override {
    throw error("launch failed: cudaErrorLaunchFailure");
  }
};

// Elimination with its pivots chosen by `choose` from a column below and with the diagonal.
class eliminating final : public sabotaged {
 public:
  using choice = std::function<Eigen::Index(const Eigen::VectorXd&)>;
  eliminating(solver& honest, choice choose) : sabotaged(honest), choose_(std::move(choose)) {}

  void load(const matrix& a, factoring) override {
    a_ = Eigen::MatrixXd::Zero(a.order, a.order);
    for (std::size_t row = 0; row < a.size(); ++row)
      for (std::size_t e = a.begin(row); e < a.end(row); ++e)
        a_(static_cast<Eigen::Index>(row), a.column[e]) = a.value[e];
  }
  void solve(std::span<const double> b, std::span<double> x) override {
    const Eigen::Index n = a_.rows();
    Eigen::MatrixXd w(n, n + 1);
    w << a_, Eigen::Map<const Eigen::VectorXd>(b.data(), n);
    for (Eigen::Index k = 0; k < n; ++k) {
      w.row(k).swap(w.row(k + choose_(w.col(k).tail(n - k))));
      for (Eigen::Index i = k + 1; i < n; ++i) w.row(i) -= w(i, k) / w(k, k) * w.row(k);
    }
    Eigen::Map<Eigen::VectorXd>(x.data(), n) = w.leftCols(n).triangularView<Eigen::Upper>().solve(w.col(n));
  }

 private:
  Eigen::MatrixXd a_;
  choice choose_;
};

problem strained() {
  return make_problem(slow_parameters(), taxis::nodal, start::step, 9, 2);
}

bool is_green(solver& s, factoring when) {
  return checkers::all_good(check::verify(s, check::system_expectation(strained()), when));
}

bool both_red(solver& s) {
  return !is_green(s, factoring::every_solve) && !is_green(s, factoring::once);
}

void sabotage(solver& honest) {
  CHECK(is_green(honest, factoring::every_solve));
  CHECK(is_green(honest, factoring::once));

  idle no_operation(honest);
  CHECK(both_red(no_operation));
  stale_right_side stale(honest);
  CHECK(both_red(stale));
  edited_answer one_nan(honest, [](auto x) { x[x.size() / 2] = std::numeric_limits<double>::quiet_NaN(); });
  CHECK(both_red(one_nan));
  edited_answer swapped_unknowns(honest, [](auto x) { std::swap(x[3], x[4]); });
  CHECK(both_red(swapped_unknowns));
  edited_answer last_digits(honest, [](auto x) {
    for (double& value : x) value = static_cast<float>(value);
  });
  CHECK(both_red(last_digits));
  failing_launch failing(honest);
  CHECK_THROWS_AS(is_green(failing, factoring::once), error);
}

// Entries of the matrix that a kernel could take for another.
void sabotage_matrix(solver& honest) {
  const auto m = static_cast<std::size_t>(strained().nodes);
  const auto entry = [](matrix& a, std::size_t row, std::size_t column) -> double& {
    std::size_t e = a.begin(row);
    while (a.column[e] != static_cast<int>(column)) ++e;
    return a.value[e];
  };
  edited_matrix scaled(honest, [](matrix& a) { a.value[5] *= 1.001; });
  CHECK(both_red(scaled));
  edited_matrix single_ghost(honest, [&](matrix& a) { entry(a, m - 1, m - 2) /= 2; });
  CHECK(both_red(single_ghost));
  edited_matrix swapped_coefficients(honest,
                                     [&](matrix& a) { std::swap(entry(a, m + 2, 2), entry(a, m + 5, 5)); });
  CHECK(both_red(swapped_coefficients));
  edited_matrix forgotten_coupling(honest, [&](matrix& a) { entry(a, m + 4, 4) = 0; });
  CHECK(both_red(forgotten_coupling));
}

bool run_is_green(const check::run_expectation& e, const problem& p, solver& s) {
  imex run(p, s, factoring::once);
  run.advance(e.steps());
  return checkers::all_good(e.judge(run.state(), s.tolerance()));
}

// The paper's step without its last line.
std::vector<double> unclipped(const problem& p, solver& s, int steps) {
  explicit_part n(p);
  const matrix b = explicit_matrix(p);
  s.load(implicit_matrix(p), factoring::once);
  std::vector<double> u = p.u0, rate(u.size()), right(u.size());
  for (int k = 0; k < steps; ++k) {
    n(u, rate);
    multiply(b, u, right);
    for (std::size_t i = 0; i < u.size(); ++i) right[i] += p.dt * rate[i];
    s.solve(right, u);
  }
  return u;
}

std::unique_ptr<solver> on_host(const std::string& name) {
  return verification::on_host<solver>("angiogenesis/" + name);
}

bool all_general_green(solver& s) {
  for (const auto& g : check::general_matrices(false))
    if (!checkers::all_good(check::verify(s, check::system_expectation(g.a), factoring::every_solve)))
      return false;
  return true;
}

}  // namespace

TEST_CASE("no sabotaged angiogenesis variant passes") {
  verification::for_every_variant<solver>("angiogenesis", [](solver& honest, const std::string& name) {
    DYNAMIC_SECTION(name) {
      sabotage(honest);
      sabotage_matrix(honest);
    }
  });
}

TEST_CASE("elimination with a wrong pivot does not pass") {
  const auto honest = on_host("cpu_elimination");
  eliminating right(*honest, [](const Eigen::VectorXd& column) {
    Eigen::Index at = 0;
    column.cwiseAbs().maxCoeff(&at);
    return at;
  });
  CHECK(all_general_green(right));
  eliminating none(*honest, [](const Eigen::VectorXd&) { return Eigen::Index{0}; });
  CHECK_FALSE(all_general_green(none));
  eliminating without_sign(*honest, [](const Eigen::VectorXd& column) {
    Eigen::Index at = 0;
    column.maxCoeff(&at);
    return at;
  });
  CHECK_FALSE(all_general_green(without_sign));
}

TEST_CASE("a solver that refuses nothing, or names another column, does not pass") {
  const auto honest = on_host("cpu_elimination");
  edited_matrix moved(*honest, [](matrix& a) {
    for (int& column : a.column) column = (column + 1) % a.order;
  });
  for (const auto& r : check::refused_matrices()) {
    INFO(r.name);
    CHECK(checkers::all_good(check::verify(*honest, r, factoring::once)));
    if (r.name != "two equal rows") CHECK_FALSE(checkers::all_good(check::verify(moved, r, factoring::once)));
  }
  eliminating refuses_nothing(*honest, [](const Eigen::VectorXd&) { return Eigen::Index{0}; });
  for (const auto& r : check::refused_matrices()) {
    INFO(r.name);
    CHECK_FALSE(checkers::all_good(check::verify(refuses_nothing, r, factoring::once)));
  }
}

TEST_CASE("a run with another model, scheme or state does not pass") {
  const auto honest = on_host("cpu_structured");
  const problem p = make_problem(fast_parameters(), taxis::nodal, start::smooth, 21, 1e-3);
  const check::run_expectation e(p, 10);
  CHECK(run_is_green(e, p, *honest));
  for (const auto& [name, member] : parameter_names) {
    INFO(name);
    problem other = p;
    other.with.*member *= 1.0001;
    CHECK_FALSE(run_is_green(e, other, *honest));
  }
  for (taxis reading : {taxis::analytic, taxis::conservative}) {
    problem other = p;
    other.reading = reading;
    CHECK_FALSE(run_is_green(e, other, *honest));
  }
  problem longer = p;
  longer.dt *= 1.0001;
  CHECK_FALSE(run_is_green(e, longer, *honest));
  problem disturbed = p;
  disturbed.u0[70] += 1e-7;
  CHECK_FALSE(run_is_green(e, disturbed, *honest));
}

TEST_CASE("a run that does not clip does not pass") {
  const auto honest = on_host("cpu_structured");
  const named_case c = stress_case();
  const check::run_expectation e(c.what, c.steps);
  CHECK(run_is_green(e, c.what, *honest));
  CHECK_FALSE(checkers::all_good(e.judge(unclipped(c.what, *honest, c.steps), 0)));
  const check::run_expectation nothing_to_clip(default_case().what, 10);
  CHECK(checkers::all_good(nothing_to_clip.judge(unclipped(default_case().what, *honest, 10), 0)));
}

TEST_CASE("a run that stops early does not pass") {
  const auto honest = on_host("cpu_structured");
  const named_case c = smooth_case();
  imex run(c.what, *honest, factoring::once);
  run.advance(9);
  CHECK_FALSE(checkers::all_good(check::run_expectation(c.what, 10).judge(run.state(), 0)));
}
