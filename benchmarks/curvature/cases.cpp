// SPDX-License-Identifier: MIT
// Implements the curvature paper's cases.
#include "benchmarks/curvature/cases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "benchmarks/curvature/windows.hpp"
#include "reference/curvature/manufactured.hpp"
#include "reference/curvature/paper.hpp"
#include "reference/curvature/semi_discrete.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/curvature/variant.hpp"
#include "verification/checkers/maximum.hpp"
#include "verification/checkers/rounding.hpp"
#include "verification/curvature/check.hpp"
#include "verification/curvature/trajectory.hpp"
#include "verification/curvature/whole_run.hpp"

namespace reprise::harness::curvature_cases {
namespace {

namespace check = verification::curvature;
namespace exact = reference::curvature;
using curvature::boundary;
using curvature::flow;
using curvature::integrator;
using curvature::merson;
using curvature::problem;

constexpr double table_end = .1;
constexpr int intervals = 20;  // M
constexpr int launches = 200;

double inner_nodes(const curvature::grid& g) {
  return 1.0 * (g.cells_x - 1) * (g.cells_y - 1);
}

problem problem_of(const task& t, grid_size size) {
  return (t.boundary == boundary::manufactured
              ? curvature::manufactured_problem
              : curvature::evolution_problem)(t.flow, cells_of(size.width), cells_of(size.height));
}

curvature::grid grid_of(const task& t, grid_size size) {
  return (t.boundary == boundary::manufactured ? curvature::manufactured_grid : curvature::evolution_grid)(
      t.flow, cells_of(size.width), cells_of(size.height));
}

class solve final : public subject {
 public:
  solve(std::unique_ptr<curvature::solver> s, task t, grid_size size)
      : solver_(std::move(s)),
        task_(std::move(t)),
        problem_(problem_of(task_, size)),
        control_(curvature::make_control(problem_, task_.times.back(), task_.eps)) {}

  void load() override { solver_->load(problem_, task_.arithmetic); }

  std::vector<checkers::finding> verify() override {
    auto findings = check::verify(*solver_, *check::expect_steps(problem_, begun_from(), solver_->method()),
                                  task_.arithmetic);
    if (was_looked_at_ && task_.boundary == boundary::neumann) findings.push_back(decay());
    if (was_looked_at_ && task_.boundary == boundary::manufactured) findings.push_back(error_of_order_two());
    return findings;
  }

  double run(int repeats) override {
    return repeated(repeats, [this] { return solve_once(); });
  }

  std::vector<checkers::finding> judge_timed_work(int) override {
    std::vector<checkers::finding> findings{judge_task(), judge_repeats()};
    checkers::append(findings, judge_windows(*solver_, problem_, control_, task_.times, last_,
                                             task_.arithmetic, to_string(task_.flow)));
    const integrator method = solver_->method();
    const auto whole =
        check::expect_run(problem_, begun_from(), task_.times, {.eps = task_.eps, .method = method});
    checkers::append(findings, whole->judge(seen_, last_, task_.arithmetic));
    if (!whole->has_surfaces() && task_.boundary == boundary::manufactured)
      checkers::append(findings, check::judge_norms(problem_, errors_, last_, task_.arithmetic, method));
    return findings;
  }

  void read_back() override { solver_->surface(); }

  std::optional<accounted> account() override {
    const long long units =
        solver_->method() == integrator::merson ? last_.accepted + last_.rejected : last_.evaluations;
    return accounted{inner_nodes(problem_) * static_cast<double>(units), solver_->per_unit()};
  }

  std::vector<found> results() override {
    std::vector<found> all{{"accepted_steps", static_cast<double>(last_.accepted), "1"},
                           {"rejected_steps", static_cast<double>(last_.rejected), "1"},
                           {"rhs_evaluations", static_cast<double>(last_.evaluations), "1"}};
    if (task_.boundary == boundary::manufactured) {
      all.push_back({"error_l1", errors_.l1, "1"});
      all.push_back({"error_l2", errors_.l2, "1"});
      all.push_back({"error_linf", errors_.linf, "1"});
    } else {
      all.push_back({"area_start", measures_.front().first, "1"});
      all.push_back({"area_end", measures_.back().first, "1"});
      // At the end the surface may be flat in any arithmetic, so the areas on the way are kept too.
      for (std::size_t i = 0; i + 1 < task_.times.size(); ++i)
        all.push_back({fmt::format("area_at_{:g}", task_.times[i]), measures_[i + 1].first, "1"});
      all.push_back({"willmore_energy_start", measures_.front().second, "1"});
      all.push_back({"willmore_energy_end", measures_.back().second, "1"});
    }
    return all;
  }

  std::vector<reports::field> fields() override { return drawn_; }

  // The surface at the end, unless the fields have it.
  final_state end() override {
    if (task_.draws) return {};
    solver_->reset(control_);
    for (const double t : task_.times) solver_->advance(t);
    return {{surface_at(task_.times.back(), solver_->surface())}};
  }

 private:
  reports::field surface_at(double t, std::vector<double> u) const {
    reports::field f;
    f.name = fmt::format("t={:g}", t);
    f.nx = problem_.nodes_x();
    f.ny = problem_.nodes_y();
    f.x0 = f.y0 = -problem_.half_width;
    f.x1 = f.y1 = problem_.half_width;
    f.values = std::move(u);
    return f;
  }

  double solve_once() {
    solver_->reset(control_);
    exact::space_time_norms norms(task_.times.back() / static_cast<double>(task_.times.size()));
    if (!was_looked_at_) look(0, norms);
    double seconds = 0;
    for (double t : task_.times) {
      seconds += clocked(*solver_, [&] { last_ = solver_->advance(t); });
      const std::string failure = check::failure_of(last_);
      if (!failure.empty()) throw std::runtime_error(failure);
      if (!was_looked_at_) look(t, norms);
    }
    if (!was_looked_at_ && task_.boundary == boundary::manufactured) errors_ = norms.result();
    if (!was_looked_at_) first_ = {last_, seen_.back()};
    was_looked_at_ = true;
    return seconds;
  }

  check::start begun_from() const {
    return task_.boundary == boundary::neumann ? check::start::evolution : check::start::skew;
  }

  // The paper's times and rules.
  checkers::finding judge_task() const {
    const std::vector<double> times =
        task_.boundary == boundary::manufactured ? exact::table_times() : exact::figure_times(task_.flow);
    checkers::finding all = check::judge_control(problem_, control_, times.back(), task_.eps);
    checkers::raise(all.value, checkers::largest_distance(task_.times, times));
    return all;
  }

  // All runs give the same surface, to the last bit. The first one was examined, and this is the last.
  checkers::finding judge_repeats() {
    double apart = checkers::largest_distance(solver_->surface(), first_.surface);
    checkers::raise(apart, std::abs(last_.wanted - first_.state.wanted));
    checkers::raise(apart, static_cast<double>(std::abs(last_.accepted - first_.state.accepted)));
    checkers::raise(apart, static_cast<double>(std::abs(last_.rejected - first_.state.rejected)));
    return {"timed_repeat_error", apart, 0,
            "every run begins anew, so the last one ends as the first one did"};
  }

  // Examines the surface while the clock is stopped. This is done in the first run only; judge_repeats() shows
  // that the others are the same.
  void look(double t, exact::space_time_norms& norms) {
    const std::vector<double> u = solver_->surface();
    constexpr std::size_t most_nodes = 100'000;  // larger grids are beyond what the reference can run through
    if (problem_.nodes() > most_nodes) seen_.clear();
    if (t > 0) seen_.push_back(u);
    if (task_.boundary == boundary::manufactured) return norms.add(problem_, u, t);
    measures_.emplace_back(exact::area(problem_, u), exact::willmore_energy(problem_, u));
    if (task_.draws) drawn_.push_back(surface_at(t, u));
  }

  // The flows are steepest descents of the area and of Willmore's functional, so these must decrease.
  checkers::finding decay() const {
    const auto value = [&](const std::pair<double, double>& m) {
      return task_.flow == flow::mean_curvature ? m.first : m.second;
    };
    const double ratio = value(measures_.back()) / value(measures_.front());
    return {task_.flow == flow::mean_curvature ? "area_ratio" : "willmore_energy_ratio", ratio, 1,
            "the flow lowers it"};
  }

  // One bound for all grids; judge_timed_work() has the sharp one of this grid.
  checkers::finding error_of_order_two() const {
    const double h = checkers::larger(problem_.h_x(), problem_.h_y());
    const double constant = task_.flow == flow::mean_curvature ? .2 : 12;
    const double left = task_.eps + 64 * checkers::unit_roundoff(task_.arithmetic);
    return {
        "error_linf_over_h2", errors_.linf / (h * h), constant + left / (h * h),
        "the scheme is of second order, with a constant that tends to 0.157 for mean-curvature and 6.3 for "
        "Willmore flow, which has 11.3 on 32x32 cells; to it come the tolerance and rounding"};
  }

  std::unique_ptr<curvature::solver> solver_;
  task task_;
  problem problem_;
  curvature::control control_;
  merson last_;
  check::moment first_;                    // where the first run ended
  std::vector<std::vector<double>> seen_;  // the first run's surface at each sample time
  bool was_looked_at_{};
  exact::norms errors_{};
  std::vector<std::pair<double, double>> measures_;  // area and Willmore energy at each sample
  std::vector<reports::field> drawn_;
};

// The stabilised method takes long steps: about so many between two samples.
constexpr double steps_between_samples = 3;

// Rough estimate that decides which cases a preset can afford; right within a factor of two
// or three on current machines.
double expected_seconds(const task& t, const std::string& variant, const curvature::grid& g,
                        const device& on) {
  const double attempts =
      std::max(1.2 * t.times.back() / largest_stable_step(g), static_cast<double>(t.times.size()));
  const double nodes = static_cast<double>(g.nodes()) * (t.flow == flow::willmore ? 4 : 1);
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  if (curvature::is_stabilised(variant)) {
    const double evaluations =
        std::sqrt(6 * attempts * steps_between_samples * static_cast<double>(t.times.size()));
    return evaluations * (on.on_host ? nodes * 3e-8 / cores + 5e-6 : 8e-6 + nodes * 2e-11);
  }
  if (variant == "cpu_serial") return attempts * nodes * 1.6e-7;
  if (on.on_host) return attempts * (nodes * 1.6e-7 / cores + 2e-5);
  if (variant.ends_with("merson")) return attempts * (1e-4 + nodes * 1e-10);
  if (variant == "cuda_resident") return attempts * (1.5e-5 + nodes * 2.5e-11);
  return attempts * (2.5e-5 + nodes * 6e-11);
}

std::string parameter_of(const task& t) {
  std::string text =
      fmt::format("{}={}", t.boundary == boundary::manufactured ? "flow" : "evolution", to_string(t.flow));
  if (t.eps != usual_eps) text += fmt::format(";eps={:g}", t.eps);
  return text;
}

class kernel_alone final : public subject {
 public:
  kernel_alone(std::unique_ptr<curvature::solver> s, flow motion, grid_size size, std::string name)
      : solver_(std::move(s)),
        problem_(curvature::manufactured_problem(motion, cells_of(size.width), cells_of(size.height))),
        name_(std::move(name)) {}

  void load() override { solver_->load(problem_, precision::double_); }
  std::vector<checkers::finding> verify() override {
    return check::verify(*solver_, *check::expect_steps(problem_), precision::double_);
  }
  // The same kernels make these steps, in the buffers that the launches used.
  std::vector<checkers::finding> judge_timed_work(int) override {
    checkers::finding worst = checkers::worst_of(verify());
    worst.metric = "timed_work_error";
    return {worst};
  }
  double run(int repeats) override {
    const auto& launch = kernel().launch;
    return clocked(*solver_, [&] {
      for (int r = 0; r < repeats; ++r) launch();
    });
  }
  void read_back() override { solver_->surface(); }
  std::optional<accounted> account() override {
    return accounted{1.0 * launches, {.bytes_logical = kernel().bytes, .bytes_dram = kernel().bytes}};
  }
  std::vector<found> results() override { return {{"occupancy", kernel().occupancy, "1"}}; }

 private:
  const curvature::kernel_probe& kernel() {
    if (kernels_.empty()) kernels_ = solver_->kernels();
    return named(kernels_, name_);
  }

  std::unique_ptr<curvature::solver> solver_;
  problem problem_;
  std::string name_;
  std::vector<curvature::kernel_probe> kernels_;
};

}  // namespace

task table_task(flow motion, precision arithmetic) {
  task t{.flow = motion,
         .boundary = boundary::manufactured,
         .arithmetic = arithmetic,
         .times = {},
         .draws = false};
  for (int k = 1; k <= intervals; ++k)
    t.times.push_back(k == intervals ? table_end : k * table_end / intervals);
  return t;
}

task evolution_task(flow motion, precision arithmetic, bool draws) {
  return {.flow = motion,
          .boundary = boundary::neumann,
          .arithmetic = arithmetic,
          .times = motion == flow::mean_curvature ? std::vector{.025, .1, .5} : std::vector{.01, .025, .1},
          .draws = draws};
}

task with_settings(task t, const plan_request& request) {
  t.eps = request.setting("eps").value_or(t.eps);
  return t;
}

case_plan plan_solve(const std::string& name, const task& t, grid_size size) {
  const curvature::grid g = grid_of(t, size);
  make_control(g, t.times.back(), t.eps);  // throws bad_input before anything is measured
  case_plan plan;
  plan.variant = "curvature/" + name;
  plan.arithmetic = t.arithmetic;
  plan.size = to_string(size);
  plan.parameter = parameter_of(t);
  plan.metric = time_metric;
  plan.units_per_repeat = inner_nodes(g);
  plan.footprint_bytes = g.nodes() * 7 * (t.arithmetic == precision::single ? 4 : 8);
  plan.has_fields = t.draws;
  if (t.flow == flow::willmore && t.arithmetic == precision::single)
    plan.note = "in single precision w amplifies rounding by 1/h^2 and its flux does so again";
  plan.expected_seconds = [t, name, g](const device& on) { return expected_seconds(t, name, g, on); };
  plan.make =
      around<curvature::solver>([=](auto s) { return std::make_unique<solve>(std::move(s), t, size); });
  return plan;
}

case_plan plan_kernel(const std::string& name, flow motion, grid_size size) {
  case_plan plan;
  plan.variant = "curvature/cuda_merson";
  plan.arithmetic = precision::double_;
  plan.size = to_string(size);
  plan.parameter = "kernel=" + name;
  plan.metric = kernel_metric;
  plan.repeats = launches;
  plan.units_per_repeat = 1;
  plan.footprint_bytes =
      5 * sizeof(double) * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  plan.make = around<curvature::solver>(
      [=](auto s) { return std::make_unique<kernel_alone>(std::move(s), motion, size, name); });
  return plan;
}

}  // namespace reprise::harness::curvature_cases
