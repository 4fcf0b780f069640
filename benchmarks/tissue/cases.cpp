// SPDX-License-Identifier: MIT
// Implements the tissue paper's cases.
#include "benchmarks/tissue/cases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <thread>
#include <utility>

#include "solvers/common/base/error.hpp"
#include "solvers/tissue/variant.hpp"
#include "verification/tissue/check.hpp"

namespace reprise::harness::tissue_cases {
namespace {

namespace check = verification::tissue;
namespace exact = reference::tissue;
using tissue::method;
using tissue::model;
using tissue::problem;

constexpr int timed_steps = 1000;

long steps_to(double t_end, double dt) {
  return std::lround(t_end / dt);
}

// Runs again with frequent checks and describes where the state first goes wrong; empty if it does not.
std::string failure_of_run(tissue::solver& s, const problem& p, double dt, long steps) {
  s.reset();
  const long stride = std::max(1L, steps / 64);
  for (long done = 0; done < steps; done += stride) {
    s.step(std::min(stride, steps - done));
    const double t = static_cast<double>(std::min(done + stride, steps)) * dt;
    std::string failure = check::failure_of(p, s.state(), t);
    if (!failure.empty()) return failure;
  }
  return "";
}

class stepped : public subject {
 public:
  stepped(std::unique_ptr<tissue::solver> s, problem p, method how, double dt)
      : solver_(std::move(s)), problem_(std::move(p)), how_(how), dt_(dt) {}

  void load() override {
    solver_->load(problem_, how_, dt_);
    if (dt_ > diffusive_step_limit(problem_, how_)) refuse_to_run_away(timed_steps);
  }
  std::vector<checkers::finding> verify() override {
    return check::verify(*solver_, *check::expect_steps(problem_, how_, dt_, check::fewest_steps(how_)));
  }
  double run(int repeats) override { return advance(repeats); }
  void read_back() override {
    if (!check::failure_of(problem_, solver_->state(), 0).empty()) refuse_to_run_away(timed_steps);
  }
  std::optional<accounted> account() override {
    return accounted{static_cast<double>(problem_.cells()) * static_cast<double>(counted_steps()),
                     solver_->per_unit()};
  }
  std::vector<found> results() override {
    if (solver_->launches_per_step() == 0) return {};
    return {{"launches_per_step", solver_->launches_per_step(), "1"}};
  }

 protected:
  // Returns the seconds of `steps` steps from the initial state.
  double advance(long steps) {
    solver_->reset();
    return on_for(steps);
  }
  double on_for(long steps) {
    return clocked(*solver_, [&] { solver_->step(steps); });
  }
  virtual long counted_steps() const { return timed_steps; }

  void refuse_to_run_away(long steps) {
    const std::string failure = failure_of_run(*solver_, problem_, dt_, steps);
    if (!failure.empty())
      throw error(fmt::format("{}: the step is {:g}, diffusion alone allows {:.3g}", failure, dt_,
                              diffusive_step_limit(problem_, how_)));
  }

  std::unique_ptr<tissue::solver> solver_;
  problem problem_;
  method how_;
  double dt_;
};

// The most accurate state available, and its uncertainty: the difference between
// the results of two tolerances.
struct best_known {
  exact::state z;
  double uncertainty{};
};

const best_known& best_known_of(const task& t, const problem& p) {
  struct entry {
    task of;
    int nx, ny;
    best_known value;
  };
  static std::deque<entry> kept;
  for (const entry& e : kept)
    if (e.of.model == t.model && e.of.dx == t.dx && e.of.from == t.from && e.of.form == t.form &&
        e.of.replaces_tanh == t.replaces_tanh && e.nx == p.nx && e.ny == p.ny)
      return e.value;
  const exact::state coarse = exact::integrate(p, end_of(t.model), 1e-13);
  exact::state fine = exact::integrate(p, end_of(t.model), 1e-14);
  const double uncertainty = exact::relative_error(coarse, fine);
  kept.push_back({t, p.nx, p.ny, {std::move(fine), uncertainty}});
  return kept.back().value;
}

class solved final : public stepped {
 public:
  solved(std::unique_ptr<tissue::solver> s, const task& t, grid_size size)
      : stepped(std::move(s), problem_of(t, size), t.method, t.dt), task_(t) {}

  double run(int repeats) override {
    const double seconds = repeated(repeats, [this] { return advance(counted_steps()); });
    answer_ = solver_->state();
    if (!check::failure_of(problem_, answer_, 0).empty()) refuse_to_run_away(counted_steps());
    return seconds;
  }
  std::vector<found> results() override {
    const best_known& reference = best_known_of(task_, problem_);
    return {{"error_u", exact::relative_error(answer_, reference.z), "1"},
            {"error_all", exact::relative_error_of_all(answer_, reference.z), "1"},
            {"reference_uncertainty", reference.uncertainty, "1"}};
  }

 private:
  long counted_steps() const override { return steps_to(end_of(task_.model), dt_); }

  task task_;
  exact::state answer_;
};

// Method, step and end time (in ms for models with a time unit) of a spiral.
struct spiral_plan {
  tissue::method method;
  double dt, t_end;
};

constexpr spiral_plan spiral_of(model m) {
  if (m == model::fitzhugh_nagumo) return {method::runge_kutta, .05, 250};
  if (m == model::karma) return {method::runge_kutta, .05, 400};
  return {method::euler, .1, 1500};
}

problem spiral_start(model m, grid_size size) {
  // The paper's box, with any number of cells. Bueno-Orovio's spiral needs the sharp constants.
  const double cells = m == model::fitzhugh_nagumo ? 384 : m == model::karma ? 256 : 768;
  problem p = tissue::spiral_problem(m, size.width, tissue::usual_spacing(m) * cells / size.width);
  p.has_sharp_constants = m == model::bueno_orovio;
  return p;
}

class spiral final : public stepped {
 public:
  spiral(std::unique_ptr<tissue::solver> s, model m, grid_size size)
      : stepped(std::move(s), spiral_start(m, size), spiral_of(m).method, spiral_of(m).dt),
        t_end_(spiral_of(m).t_end) {}

  double run(int) override {
    double seconds = 0;
    long done = 0;
    solver_->reset();
    if (problem_.model == model::bueno_orovio) {
      done = steps_to(tissue::second_stimulus_ms, dt_);
      seconds += on_for(done);
      problem second = problem_;
      second.state0 = solver_->state();
      apply_second_stimulus(second, second.state0[0]);
      solver_->load(second, how_, dt_);
    }
    seconds += on_for(counted_steps() - done);
    answer_ = solver_->state();
    solver_->load(problem_, how_, dt_);  // for the following verification
    const std::string failure = check::failure_of(problem_, answer_, t_end_);
    if (!failure.empty()) throw error(failure);
    return seconds;
  }
  std::vector<found> results() override {
    const auto [low, high] = std::ranges::minmax_element(answer_[0]);
    return {{"u_min", *low, "1"}, {"u_max", *high, "1"}};
  }
  std::vector<reports::field> fields() override {
    reports::field f;
    f.name = "u";
    f.nx = problem_.nx;
    f.ny = problem_.ny;
    f.x0 = problem_.x(0);
    f.x1 = problem_.x(problem_.nx - 1);
    f.y0 = problem_.y(0);
    f.y1 = problem_.y(problem_.ny - 1);
    f.values = answer_[0];
    return {f};
  }

 private:
  long counted_steps() const override { return steps_to(t_end_, dt_); }

  double t_end_;
  exact::state answer_;
};

class search final : public stepped {
 public:
  using stepped::stepped;

  double run(int) override {
    constexpr double finest = 1.025;
    constexpr long steps = 400;
    double seconds = 0;
    double dt = 1.3 * diffusive_step_limit(problem_, how_);
    tried_ = 0;
    for (largest_ = 0; largest_ == 0 && dt > dt_ / 100; dt /= finest) {
      solver_->load(problem_, how_, dt);
      seconds += on_for(steps);
      tried_ += steps;
      if (check::failure_of(problem_, solver_->state(), 0).empty()) largest_ = dt;
    }
    solver_->load(problem_, how_, dt_);  // for the following verification
    return seconds;
  }
  std::vector<found> results() override {
    return {{"largest_stable_dt", largest_, "ms", "stays bounded for 400 steps, to 2.5 %"}};
  }

 private:
  long counted_steps() const override { return tried_; }

  long tried_{};
  double largest_{};
};

// Rough estimate that decides which cases a preset can afford; right within a factor
// of three on current machines.
double seconds_of_steps(const std::string& variant, model m, method how, double cells, const device& on) {
  const double cell = stages_of(how) * (m == model::bueno_orovio ? 8 : m == model::karma ? 2 : 1);
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  const bool has_stages = variant == "opencl_stages" || variant == "opencl_3ns" || variant == "opencl_2ns";
  if (variant == "cpu_serial") return cells * cell * 1.5e-8;
  if (on.on_host)
    return cells * cell * (has_stages ? 1.5e-8 : 4e-9) / cores + (has_stages ? 1e-4 * stages_of(how) : 1e-5);
  return cells * cell * (has_stages ? 2e-11 : 1e-11) + (has_stages ? 1.5e-5 * stages_of(how) : 8e-6);
}

case_plan plan_of(const std::string& variant, const problem& p, method how, double dt, grid_size size) {
  require_method(p, how, dt);
  case_plan plan;
  plan.variant = "tissue/" + variant;
  plan.arithmetic = precision::double_;
  plan.size = to_string(size);
  plan.units_per_repeat = static_cast<double>(p.cells());
  plan.footprint_bytes = p.cells() * 2 * sizeof(double) * static_cast<std::size_t>(fields_of(p.model));
  return plan;
}

// Planning needs only the grid, so the state stays tiny.
problem grid_of(model m, grid_size size) {
  problem p = tissue::hill_problem(m, 3, 3, tissue::usual_spacing(m));
  p.nx = size.width;
  p.ny = size.height;
  return p;
}

}  // namespace

problem problem_of(const task& t, grid_size size) {
  const double dx = t.dx > 0 ? t.dx : tissue::usual_spacing(t.model);
  problem p = t.from == start::hill ? tissue::hill_problem(t.model, size.width, size.height, dx)
                                    : tissue::lifted_problem(t.model, size.width, size.height, dx);
  p.form = t.form;
  p.replaces_tanh = t.replaces_tanh;
  p.multiplies_powers = t.multiplies_powers;
  p.vector_width = t.vector_width;
  return p;
}

double end_of(model m) {
  return m == model::fitzhugh_nagumo ? 10 : m == model::karma ? 4 : 2;
}

std::string name_of(const task& t) {
  const std::string name = fmt::format("model={};method={}", to_string(t.model), to_string(t.method));
  return t.dx > 0 ? fmt::format("{};dx={:g}", name, t.dx) : name;
}

case_plan plan_steps(const std::string& name, const task& t, grid_size size, const std::string& parameter) {
  case_plan plan = plan_of(name, grid_of(t.model, size), t.method, t.dt, size);
  plan.parameter = parameter;
  plan.metric = steps_metric;
  plan.repeats = timed_steps;
  plan.expected_seconds = [name, t, size](const device& on) {
    const double cells = 1.0 * size.width * size.height;
    const double reference = on.on_host ? cells * 2e-7 * stages_of(t.method) : 0;
    return seconds_of_steps(name, t.model, t.method, cells, on) + reference;
  };
  plan.make = around<tissue::solver>(
      [=](auto s) { return std::make_unique<stepped>(std::move(s), problem_of(t, size), t.method, t.dt); });
  return plan;
}

case_plan plan_solve(const std::string& name, const task& t, grid_size size, const std::string& parameter) {
  case_plan plan = plan_of(name, grid_of(t.model, size), t.method, t.dt, size);
  plan.parameter = parameter;
  plan.metric = solve_metric;
  plan.runs_once = true;
  plan.expected_seconds = [name, t, size](const device& on) {
    return static_cast<double>(steps_to(end_of(t.model), t.dt)) *
           seconds_of_steps(name, t.model, t.method, 1.0 * size.width * size.height, on);
  };
  plan.make = around<tissue::solver>([=](auto s) { return std::make_unique<solved>(std::move(s), t, size); });
  return plan;
}

case_plan plan_spiral(const std::string& name, model m, grid_size size) {
  const spiral_plan how = spiral_of(m);
  case_plan plan = plan_of(name, grid_of(m, size), how.method, how.dt, size);
  plan.parameter = fmt::format("model={}", to_string(m));
  plan.metric = solve_metric;
  plan.runs_once = true;
  plan.has_fields = true;
  plan.expected_seconds = [name, m, how, size](const device& on) {
    return static_cast<double>(steps_to(how.t_end, how.dt)) *
           seconds_of_steps(name, m, how.method, 1.0 * size.width * size.height, on);
  };
  plan.make = around<tissue::solver>([=](auto s) { return std::make_unique<spiral>(std::move(s), m, size); });
  return plan;
}

case_plan plan_search(const std::string& name, const task& t, grid_size size) {
  case_plan plan = plan_of(name, grid_of(t.model, size), t.method, t.dt, size);
  plan.parameter = name_of(t);
  plan.metric = "time_search";
  plan.runs_once = true;
  plan.make = around<tissue::solver>(
      [=](auto s) { return std::make_unique<search>(std::move(s), problem_of(t, size), t.method, t.dt); });
  return plan;
}

}  // namespace reprise::harness::tissue_cases
