// SPDX-License-Identifier: MIT
// What decides whether a curvature answer is right is itself checked: every way of being wrong below must
// turn every variant red.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <limits>

#include "solvers/common/error.hpp"
#include "verification/curvature_check.hpp"
#include "verification/every_variant.hpp"

using namespace reprise;
using namespace reprise::curvature;
namespace check = verification::curvature;

namespace {

// A solver that does its work but for one fault.
class sabotaged : public solver {
 public:
  explicit sabotaged(solver& honest) : honest_(honest) {}
  void load(const problem& p, precision arithmetic) override { honest_.load(p, arithmetic); }
  void reset(const control& c) override { honest_.reset(c); }
  merson advance(double t_end) override { return honest_.advance(t_end); }
  std::vector<double> surface() override { return honest_.surface(); }
  stopwatch& clock() override { return honest_.clock(); }
  work per_unit() const override { return honest_.per_unit(); }

 protected:
  solver& honest_;
};

struct idle final : sabotaged {
  using sabotaged::sabotaged;
  merson advance(double) override { return {}; }
};

struct stale final : sabotaged {
  using sabotaged::sabotaged;
  merson advance(double t_end) override {
    answer_ = honest_.surface();
    return honest_.advance(t_end);
  }
  std::vector<double> surface() override { return answer_; }
  std::vector<double> answer_;
};

struct stops_early final : sabotaged {
  using sabotaged::sabotaged;
  merson advance(double t_end) override { return honest_.advance(.95 * t_end); }
};

struct wrong_estimate final : sabotaged {
  using sabotaged::sabotaged;
  merson advance(double t_end) override {
    merson m = honest_.advance(t_end);
    m.error *= 1.001;
    return m;
  }
};

struct edited_problem final : sabotaged {
  edited_problem(solver& honest, std::function<void(problem&)> edit)
      : sabotaged(honest), edit_(std::move(edit)) {}
  void load(const problem& p, precision arithmetic) override {
    problem other = p;
    edit_(other);
    honest_.load(other, arithmetic);
  }
  std::function<void(problem&)> edit_;
};

struct edited_answer final : sabotaged {
  edited_answer(solver& honest, std::function<void(std::vector<double>&)> edit)
      : sabotaged(honest), edit_(std::move(edit)) {}
  std::vector<double> surface() override {
    auto u = honest_.surface();
    edit_(u);
    return u;
  }
  std::function<void(std::vector<double>&)> edit_;
};

struct failing_launch final : sabotaged {
  using sabotaged::sabotaged;
  merson advance(double) override { throw error("launch failed: cudaErrorLaunchFailure"); }
};

constexpr int cells_x = 17;
constexpr int cells_y = 12;

bool is_green(solver& s, flow what, setting how, precision arithmetic) {
  const problem p = skew_problem(what, how, cells_x, cells_y);
  s.load(p, arithmetic);
  return checkers::all_good(check::verify(s, *check::expect_steps(p), arithmetic));
}

// In every flow, setting and precision.
bool all_red(solver& s) {
  for (flow what : all_flows)
    for (setting how : all_settings)
      for (precision arithmetic : {precision::single, precision::double_})
        if (is_green(s, what, how, arithmetic)) return false;
  return true;
}

void sabotage(solver& honest) {
  for (flow what : all_flows)
    for (setting how : all_settings) CHECK(is_green(honest, what, how, precision::double_));

  idle no_operation(honest);
  CHECK(all_red(no_operation));
  stale old(honest);
  CHECK(all_red(old));
  stops_early short_of(honest);
  CHECK(all_red(short_of));
  edited_answer one_nan(honest, [](auto& u) { u[u.size() / 2] = std::numeric_limits<double>::quiet_NaN(); });
  CHECK(all_red(one_nan));
  edited_answer truncated(honest, [](auto& u) { u.pop_back(); });
  CHECK(all_red(truncated));
  edited_answer swapped_nodes(honest, [](auto& u) { std::swap(u[40], u[41]); });
  CHECK(all_red(swapped_nodes));
  edited_answer shifted_row(honest, [](auto& u) {
    constexpr std::ptrdiff_t row = cells_x + 1;
    std::copy(u.begin() + 3 * row, u.begin() + 4 * row, u.begin() + 4 * row);
  });
  CHECK(all_red(shifted_row));
  edited_problem other_flow(
      honest, [](problem& p) { p.what = p.what == flow::willmore ? flow::mean_curvature : flow::willmore; });
  CHECK(all_red(other_flow));
  edited_problem other_width(honest, [](problem& p) { p.half_width *= 1.02; });
  CHECK(all_red(other_width));
  edited_problem raised_node(honest, [](problem& p) { p.u0[3 * (cells_x + 1) + 5] += 1e-3; });
  CHECK(all_red(raised_node));

  failing_launch failing(honest);
  CHECK_THROWS_AS(all_red(failing), error);
}

// Faults that not every setting can show, on one that does.
void sabotage_settings(solver& honest) {
  for (flow what : all_flows) {
    edited_problem forgotten_forcing(honest, [](problem& p) { p.how = setting::dirichlet; });
    CHECK_FALSE(is_green(forgotten_forcing, what, setting::manufactured, precision::double_));
    edited_problem fixed_border(honest, [](problem& p) { p.how = setting::dirichlet; });
    CHECK_FALSE(is_green(fixed_border, what, setting::neumann, precision::double_));
    edited_problem copied_border(honest, [](problem& p) { p.how = setting::neumann; });
    CHECK_FALSE(is_green(copied_border, what, setting::dirichlet, precision::double_));
    wrong_estimate estimate(honest);
    CHECK_FALSE(is_green(estimate, what, setting::dirichlet, precision::double_));
  }
}

}  // namespace

TEST_CASE("no sabotaged curvature variant passes") {
  verification::for_every_target("curvature", [](const harness::target& on, const std::string& name) {
    DYNAMIC_SECTION(name) {
      const auto honest = verification::made<solver>(on);
      sabotage(*honest);
      sabotage_settings(*honest);
    }
  });
}
