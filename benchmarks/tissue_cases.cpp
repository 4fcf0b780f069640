// SPDX-License-Identifier: MIT
// Makes the tissue paper's cases.
#include "benchmarks/tissue_cases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <thread>
#include <utility>

#include "solvers/common/error.hpp"
#include "solvers/tissue/variant.hpp"
#include "verification/tissue_check.hpp"

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

// Where a run goes wrong, found by looking often; empty where it does not.
std::string failure_of_run(tissue::solver& s, const problem& p, double dt, long steps) {
  s.reset();
  const long stride = std::max(1L, steps / 64);
  for (long done = 0; done < steps; done += stride) {
    s.step(std::min(stride, steps - done));
    const double t = static_cast<double>(std::min(done + stride, steps)) * dt;
    const std::string failure = check::failure_of(p, s.state(), t);
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
  // Seconds of so many steps from the initial state.
  double advance(long steps) {
    solver_->reset();
    solver_->clock().start();
    solver_->step(steps);
    return solver_->clock().stop();
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

// A state to measure errors from, and how far two tolerances leave it uncertain.
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
    if (e.of.what == t.what && e.of.dx == t.dx && e.of.from == t.from && e.of.form == t.form &&
        e.of.replaces_tanh == t.replaces_tanh && e.nx == p.nx && e.ny == p.ny)
      return e.value;
  const exact::state coarse = exact::integrate(p, end_of(t.what), 1e-13);
  exact::state fine = exact::integrate(p, end_of(t.what), 1e-14);
  const double uncertainty = exact::relative_error(coarse, fine);
  kept.push_back({t, p.nx, p.ny, {std::move(fine), uncertainty}});
  return kept.back().value;
}

class solved final : public stepped {
 public:
  solved(std::unique_ptr<tissue::solver> s, const task& t, grid_size size)
      : stepped(std::move(s), problem_of(t, size), t.how, t.dt), task_(t) {}

  double run(int repeats) override {
    double seconds = 0;
    for (int r = 0; r < repeats; ++r) seconds += advance(counted_steps());
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
  long counted_steps() const override { return steps_to(end_of(task_.what), dt_); }

  task task_;
  exact::state answer_;
};

// How a spiral is made: by which method and steps, to what time.
struct spiral_plan {
  method how;
  double dt, t_end;
};

constexpr spiral_plan spiral_of(model m) {
  if (m == model::fitzhugh_nagumo) return {method::runge_kutta, .05, 250};
  if (m == model::karma) return {method::runge_kutta, .05, 400};
  return {method::euler, .1, 1500};
}

problem spiral_start(model m, grid_size size) {
  // The paper's box, at whatever number of cells; Bueno-Orovio's spiral needs the sharp constants.
  const double cells = m == model::fitzhugh_nagumo ? 384 : m == model::karma ? 256 : 768;
  problem p = tissue::spiral_problem(m, size.width, tissue::usual_spacing(m) * cells / size.width);
  p.has_sharp_constants = m == model::bueno_orovio;
  return p;
}

class spiral final : public stepped {
 public:
  spiral(std::unique_ptr<tissue::solver> s, model m, grid_size size)
      : stepped(std::move(s), spiral_start(m, size), spiral_of(m).how, spiral_of(m).dt),
        t_end_(spiral_of(m).t_end) {}

  double run(int) override {
    double seconds = 0;
    long done = 0;
    solver_->reset();
    if (problem_.what == model::bueno_orovio) {
      done = steps_to(tissue::second_stimulus_ms, dt_);
      seconds += clocked(done);
      problem second = problem_;
      second.state0 = solver_->state();
      apply_second_stimulus(second, second.state0[0]);
      solver_->load(second, how_, dt_);
    }
    seconds += clocked(counted_steps() - done);
    answer_ = solver_->state();
    solver_->load(problem_, how_, dt_);  // for what is verified next
    const std::string failure = check::failure_of(problem_, answer_, t_end_);
    if (!failure.empty()) throw error(failure);
    return seconds;
  }
  std::vector<found> results() override {
    const auto [low, high] = std::minmax_element(answer_[0].begin(), answer_[0].end());
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
  double clocked(long steps) {
    solver_->clock().start();
    solver_->step(steps);
    return solver_->clock().stop();
  }
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
      solver_->clock().start();
      solver_->step(steps);
      seconds += solver_->clock().stop();
      tried_ += steps;
      if (check::failure_of(problem_, solver_->state(), 0).empty()) largest_ = dt;
    }
    solver_->load(problem_, how_, dt_);  // for what is verified next
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

// For deciding what a preset can afford: within a factor of three on machines of today.
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
  plan.size = fmt::format("{}x{}", size.width, size.height);
  plan.units_per_repeat = static_cast<double>(p.cells());
  plan.footprint_bytes = p.cells() * 2 * sizeof(double) * static_cast<std::size_t>(fields_of(p.what));
  return plan;
}

// The grid alone, which is all that planning needs.
problem grid_of(model m, grid_size size) {
  problem p = tissue::hill_problem(m, 3, 3, tissue::usual_spacing(m));
  p.nx = size.width;
  p.ny = size.height;
  return p;
}

std::unique_ptr<tissue::solver> made(const variant& v, const device& d) {
  return dynamic_cast<const variant_of<tissue::solver>&>(v).make(d);
}

}  // namespace

problem problem_of(const task& t, grid_size size) {
  const double dx = t.dx > 0 ? t.dx : tissue::usual_spacing(t.what);
  problem p = t.from == start::hill ? tissue::hill_problem(t.what, size.width, size.height, dx)
                                    : tissue::lifted_problem(t.what, size.width, size.height, dx);
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
  const std::string name = fmt::format("model={};method={}", to_string(t.what), to_string(t.how));
  return t.dx > 0 ? fmt::format("{};dx={:g}", name, t.dx) : name;
}

case_plan plan_steps(const std::string& name, const task& t, grid_size size, const std::string& parameter) {
  case_plan plan = plan_of(name, grid_of(t.what, size), t.how, t.dt, size);
  plan.parameter = parameter;
  plan.metric = steps_metric;
  plan.repeats = timed_steps;
  plan.expected_seconds = [name, t, size](const device& on) {
    const double cells = 1.0 * size.width * size.height;
    const double reference = on.on_host ? cells * 2e-7 * stages_of(t.how) : 0;
    return seconds_of_steps(name, t.what, t.how, cells, on) + reference;
  };
  plan.make = [t, size](const variant& v, const device& d) -> std::unique_ptr<subject> {
    return std::make_unique<stepped>(made(v, d), problem_of(t, size), t.how, t.dt);
  };
  return plan;
}

case_plan plan_solve(const std::string& name, const task& t, grid_size size, const std::string& parameter) {
  case_plan plan = plan_of(name, grid_of(t.what, size), t.how, t.dt, size);
  plan.parameter = parameter;
  plan.metric = solve_metric;
  plan.runs_once = true;
  plan.expected_seconds = [name, t, size](const device& on) {
    return static_cast<double>(steps_to(end_of(t.what), t.dt)) *
           seconds_of_steps(name, t.what, t.how, 1.0 * size.width * size.height, on);
  };
  plan.make = [t, size](const variant& v, const device& d) -> std::unique_ptr<subject> {
    return std::make_unique<solved>(made(v, d), t, size);
  };
  return plan;
}

case_plan plan_spiral(const std::string& name, model m, grid_size size) {
  const spiral_plan how = spiral_of(m);
  case_plan plan = plan_of(name, grid_of(m, size), how.how, how.dt, size);
  plan.parameter = fmt::format("model={}", to_string(m));
  plan.metric = solve_metric;
  plan.runs_once = true;
  plan.has_fields = true;
  plan.expected_seconds = [name, m, how, size](const device& on) {
    return static_cast<double>(steps_to(how.t_end, how.dt)) *
           seconds_of_steps(name, m, how.how, 1.0 * size.width * size.height, on);
  };
  plan.make = [m, size](const variant& v, const device& d) -> std::unique_ptr<subject> {
    return std::make_unique<spiral>(made(v, d), m, size);
  };
  return plan;
}

case_plan plan_search(const std::string& name, const task& t, grid_size size) {
  case_plan plan = plan_of(name, grid_of(t.what, size), t.how, t.dt, size);
  plan.parameter = name_of(t);
  plan.metric = "time_search";
  plan.runs_once = true;
  plan.make = [t, size](const variant& v, const device& d) -> std::unique_ptr<subject> {
    return std::make_unique<search>(made(v, d), problem_of(t, size), t.how, t.dt);
  };
  return plan;
}

}  // namespace reprise::harness::tissue_cases
