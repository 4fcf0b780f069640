// SPDX-License-Identifier: MIT
// Tests the angiogenesis checks themselves: every fault below must make the
// verification of every variant fail.
#include "verification/tests/support/sabotage.hpp"
#include "verification/tests/support/angiogenesis_systems.hpp"

using namespace reprise::angiogenesis::tests;

namespace {

using vector = std::span<double>;

// A correct solver, except for one fault.
class sabotaged : public verification::sabotaged_solver<sabotaged, solver, void(matrix&), void(vector&),
                                                        void(solver&, std::span<const double>, vector)> {
 public:
  using sabotaged_solver::sabotaged_solver;
  void load(const matrix& a, factoring when) override { honest_.load(edited(a), when); }
  void solve(std::span<const double> b, vector x) override {
    perform(&solver::solve, b, x);
    edit(x);
  }
  const effort& spent() const override { return honest_.spent(); }
  work per_solve() const override { return honest_.per_solve(); }
  double tolerance() const override { return honest_.tolerance(); }
};

// Solves for the previous right-hand side, as if a buffer had not been renewed.
sabotaged::fault_type stale_right_side() {
  const auto before = std::make_shared<std::vector<double>>();
  return {"stale right-hand side", [=](matrix&) { before->clear(); },
          [=](solver& honest, std::span<const double> b, vector x) {
            std::vector<double> now(b.begin(), b.end());
            honest.solve(before->empty() ? now : *before, x);
            *before = std::move(now);
          }};
}

// Gaussian elimination whose pivots are chosen by `choose` from the part of a column
// that starts at the diagonal.
class eliminating final : public sabotaged {
 public:
  using choice = std::function<Eigen::Index(const Eigen::VectorXd&)>;
  eliminating(solver& honest, choice choose) : sabotaged(honest, {"pivots"}), choose_(std::move(choose)) {}

  void load(const matrix& a, factoring) override {
    a_ = Eigen::MatrixXd::Zero(a.order, a.order);
    for (std::size_t row = 0; row < a.size(); ++row)
      for (std::size_t e = a.begin(row); e < a.end(row); ++e)
        a_(static_cast<Eigen::Index>(row), a.column[e]) = a.value[e];
  }
  void solve(std::span<const double> b, vector x) override {
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

const problem strained = usual_problem(9, 2);

bool both_red(solver& s) {
  return !is_green(s, strained, factoring::every_solve) && !is_green(s, strained, factoring::once);
}

void sabotage(solver& honest) {
  for (factoring when : all_factorings) CHECK(is_green(honest, strained, when));

  sabotaged::check_red(honest,
                       {{"idle", [](solver&, std::span<const double> b,
                                    vector x) { std::copy(b.begin(), b.end(), x.begin()); }},
                        stale_right_side(),
                        {"one NaN", [](vector& x) { x[x.size() / 2] = not_a_number; }},
                        {"swapped unknowns", [](vector& x) { std::swap(x[3], x[4]); }},
                        {"last digits",
                         [](vector& x) {
                           for (double& value : x) value = static_cast<float>(value);
                         }}},
                       both_red);
  sabotaged::check_failing(&solver::solve, honest,
                           [](solver& s) { return is_green(s, strained, factoring::once); });
}

// Changes entries of the matrix as a kernel that confuses them would.
void sabotage_matrix(solver& honest) {
  const auto m = static_cast<std::size_t>(strained.nodes);
  const auto entry = [](matrix& a, std::size_t row, std::size_t column) -> double& {
    std::size_t e = a.begin(row);
    while (a.column[e] != static_cast<int>(column)) ++e;
    return a.value[e];
  };
  sabotaged::check_red(
      honest,
      {{"scaled", [](matrix& a) { a.value[5] *= 1.001; }},
       {"single ghost", [&](matrix& a) { entry(a, m - 1, m - 2) /= 2; }},
       {"swapped coefficients", [&](matrix& a) { std::swap(entry(a, m + 2, 2), entry(a, m + 5, 5)); }},
       {"forgotten coupling", [&](matrix& a) { entry(a, m + 4, 4) = 0; }}},
      both_red);
}

Eigen::Index first_row(const Eigen::VectorXd&) {
  return 0;
}

bool run_is_green(const check::run_expectation& e, const problem& p, solver& s) {
  imex run(p, s, factoring::once);
  run.advance(e.steps());
  return checkers::all_good(e.judge(run.state(), s.tolerance()));
}

// The paper's step without its last operation, the clipping.
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

bool all_general_green(solver& s) {
  return std::ranges::all_of(check::general_matrices(false), [&](const check::general_matrix& g) {
    return is_green(s, g.a, factoring::every_solve);
  });
}

}  // namespace

TEST_CASE("no sabotaged angiogenesis variant passes") {
  verification::in_sections<solver>("angiogenesis", [](solver& honest, const harness::target&) {
    sabotage(honest);
    sabotage_matrix(honest);
  });
}

TEST_CASE("elimination with a wrong pivot does not pass") {
  const auto passes = [honest = on_host("cpu_elimination")](auto choose) {
    eliminating solver(*honest, choose);
    return all_general_green(solver);
  };
  const auto place_of_largest = [](const Eigen::VectorXd& column) {
    Eigen::Index at = 0;
    column.maxCoeff(&at);
    return at;
  };
  CHECK(passes([&](const Eigen::VectorXd& column) { return place_of_largest(column.cwiseAbs()); }));
  CHECK_FALSE(passes(first_row));
  CHECK_FALSE(passes(place_of_largest));
}

TEST_CASE("a solver that refuses nothing, or names another column, does not pass") {
  const auto honest = on_host("cpu_elimination");
  sabotaged moved(*honest, {"moved columns", [](matrix& a) {
                              for (int& column : a.column) column = (column + 1) % a.order;
                            }});
  for (const auto& r : check::refused_matrices()) {
    INFO(r.name);
    CHECK(checkers::all_good(check::verify(*honest, r, factoring::once)));
    // In these the last column is refused in whichever order the columns are.
    const bool is_last_in_any_order = r.name == "two equal rows" || r.name == "a pivot within rounding";
    if (!is_last_in_any_order) CHECK_FALSE(checkers::all_good(check::verify(moved, r, factoring::once)));
  }
  eliminating refuses_nothing(*honest, first_row);
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
  const auto check_red = [&](auto change) {
    problem other = p;
    change(other);
    CHECK_FALSE(run_is_green(e, other, *honest));
  };
  for (const auto& [name, member] : parameter_names) {
    INFO(name);
    check_red([member = member](problem& other) { other.parameters.*member *= 1.0001; });
  }
  for (taxis reading : {taxis::analytic, taxis::conservative})
    check_red([=](problem& other) { other.reading = reading; });
  check_red([](problem& longer) { longer.dt *= 1.0001; });
  check_red([](problem& disturbed) { disturbed.u0[70] += 1e-7; });
}

TEST_CASE("a run that does not clip does not pass") {
  const auto honest = on_host("cpu_structured");
  const named_case c = stress_case();
  const check::run_expectation e(c.problem, c.steps);
  CHECK(run_is_green(e, c.problem, *honest));
  CHECK_FALSE(checkers::all_good(e.judge(unclipped(c.problem, *honest, c.steps), 0)));
  const check::run_expectation nothing_to_clip(default_case().problem, 10);
  CHECK(checkers::all_good(nothing_to_clip.judge(unclipped(default_case().problem, *honest, 10), 0)));
}

TEST_CASE("a run that stops early does not pass") {
  const auto honest = on_host("cpu_structured");
  const named_case c = smooth_case();
  imex run(c.problem, *honest, factoring::once);
  run.advance(9);
  CHECK_FALSE(checkers::all_good(check::run_expectation(c.problem, 10).judge(run.state(), 0)));
}
