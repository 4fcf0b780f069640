// SPDX-License-Identifier: MIT
// Implements the tissue paper's cases.
#include "benchmarks/tissue/cases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include "benchmarks/tissue/best_known.hpp"
#include "benchmarks/tissue/derivative.hpp"
#include "benchmarks/tissue/timed_run.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/tissue/variant.hpp"
#include "verification/checkers/maximum.hpp"
#include "verification/tissue/check.hpp"
#include "verification/tissue/departure.hpp"
#include "verification/tissue/problem_check.hpp"
#include "verification/tissue/stability.hpp"

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

// How far single precision has led a run away from the same steps in double precision.
void add_departure(std::vector<found>& all, const check::departure& d) {
  all.push_back({"departure_u", d.of_u, "1"});
  all.push_back({"departure_u_max", d.largest, "1"});
  all.push_back({"front_shift", d.of_front, "1", "in spacings; no more than the front's width"});
}

class stepped : public subject {
 public:
  stepped(std::unique_ptr<tissue::solver> s, problem p, check::asked papers, method how, double dt,
          precision arithmetic)
      : solver_(std::move(s)),
        problem_(std::move(p)),
        problem_finding_(check::judge_problem(problem_, papers)),
        how_(how),
        dt_(dt),
        arithmetic_(arithmetic) {}

  void load() override {
    load_again();
    if (dt_ > diffusive_step_limit(problem_, how_)) refuse_to_run_away(timed_steps);
  }
  std::vector<checkers::finding> verify() override {
    auto findings = check::verify(
        *solver_, *check::expect_steps(problem_, how_, dt_, check::fewest_steps(how_)), arithmetic_);
    findings.push_back(problem_finding_);
    return findings;
  }
  double run(int repeats) override {
    solver_->reset();
    return clocked(*solver_, [&] { solver_->step(repeats); });
  }
  std::vector<checkers::finding> judge_timed_work(int repeats) override {
    return judge_calls(itself(), repeats);
  }
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
  // u after the run's steps; nothing of a run that diverges, which a search for the largest step needs.
  final_state end() override {
    solver_->reset();
    solver_->step(counted_steps());
    const exact::state z = solver_->state();
    if (!check::failure_of(problem_, z, 0).empty()) return {};
    return {{map_of(z[0])}};
  }

 protected:
  reports::field map_of(const std::vector<double>& u) const {
    reports::field f;
    f.name = "u";
    f.nx = problem_.nx;
    f.ny = problem_.ny;
    f.x0 = problem_.x(0);
    f.x1 = problem_.x(problem_.nx - 1);
    f.y0 = problem_.y(0);
    f.y1 = problem_.y(problem_.ny - 1);
    f.values = u;
    return f;
  }

  // For the verification that follows a run of other problems.
  void load_again() { solver_->load(problem_, how_, dt_, arithmetic_); }
  loaded itself() const { return {*solver_, problem_, how_, dt_, arithmetic_}; }
  virtual long counted_steps() const { return timed_steps; }

  void refuse_to_run_away(long steps) {
    const std::string failure = failure_of_run(*solver_, problem_, dt_, steps);
    if (!failure.empty())
      throw error(fmt::format("{}: the step is {:g}, diffusion alone allows {:.3g}", failure, dt_,
                              diffusive_step_limit(problem_, how_)));
  }

  std::unique_ptr<tissue::solver> solver_;
  problem problem_;
  checkers::finding problem_finding_;
  method how_;
  double dt_;
  precision arithmetic_;
};

check::asked asked_of(const task& t, grid_size size) {
  return {.from = t.from == start::hill ? check::beginning::hill : check::beginning::lifted,
          .model = t.model,
          .nx = size.width,
          .ny = size.height,
          .dx = t.dx,
          .form = t.form,
          .replaces_tanh = t.replaces_tanh,
          .multiplies_powers = t.multiplies_powers};
}

class solved final : public stepped {
 public:
  solved(std::unique_ptr<tissue::solver> s, const task& t, grid_size size)
      : stepped(std::move(s), problem_of(t, size), asked_of(t, size), t.method, t.dt, t.arithmetic),
        task_(t) {}

  double run(int repeats) override {
    const double seconds = repeated(repeats, [this] {
      solver_->reset();
      return run_.is_made() ? run_.make_again(*solver_) : run_.make(itself(), counted_steps());
    });
    if (!check::failure_of(problem_, run_.answer(), 0).empty()) refuse_to_run_away(counted_steps());
    return seconds;
  }
  std::vector<checkers::finding> judge_timed_work(int) override {
    std::vector<checkers::finding> findings{checkers::worst_of(run_.judge()), run_.judge_again(),
                                            run_.judge_calls(*solver_)};
    checkers::append(findings, judge_whole(problem_, how_, dt_, counted_steps(), run_.answer(), arithmetic_));
    return findings;
  }
  std::vector<found> results() override {
    const best_known& reference = best_known_of(task_, problem_);
    std::vector<found> all{{"error_u", exact::relative_error(run_.answer(), reference.z), "1"},
                           {"error_all", exact::relative_error_of_all(run_.answer(), reference.z), "1"},
                           {"reference_uncertainty", reference.uncertainty, "1"}};
    if (arithmetic_ == precision::single)
      add_departure(all, check::departure_of(problem_, run_.answer(), in_double()));
    if (task_.has_derivative) all.push_back(derivative_error(itself(), counted_steps()));
    return all;
  }

 private:
  long counted_steps() const override { return steps_to(end_of(task_.model), dt_); }

  exact::state in_double() {
    solver_->load(problem_, how_, dt_, precision::double_);
    solver_->step(counted_steps());
    exact::state end = solver_->state();
    load_again();
    return end;
  }

  task task_;
  recorded_run run_;
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

check::asked spiral_asked(model m, grid_size size) {
  check::asked a{.from = check::beginning::spiral, .model = m, .nx = size.width, .ny = size.width};
  const double cells = m == model::fitzhugh_nagumo ? 384 : m == model::karma ? 256 : 768;
  a.dx = exact::paper::spacing(m) * cells / size.width;
  a.has_sharp_constants = m == model::bueno_orovio;
  return a;
}

class spiral final : public stepped {
 public:
  spiral(std::unique_ptr<tissue::solver> s, model m, grid_size size, precision arithmetic)
      : stepped(std::move(s), spiral_start(m, size), spiral_asked(m, size), spiral_of(m).method,
                spiral_of(m).dt, arithmetic),
        t_end_(spiral_of(m).t_end) {}

  double run(int) override {
    parts_.clear();
    solver_->reset();
    const double seconds = make_parts(parts_, arithmetic_);
    const std::string failure = check::failure_of(problem_, answer(), t_end_);
    if (!failure.empty()) throw error(failure);
    return seconds;
  }
  std::vector<checkers::finding> judge_timed_work(int) override {
    std::vector<checkers::finding> windows, calls;
    for (const recorded_run& part : parts_) {
      checkers::append(windows, part.judge());
      solver_->load(part.problem(), how_, dt_, arithmetic_);
      calls.push_back(part.judge_calls(*solver_));
    }
    load_again();
    return {checkers::worst_of(windows), checkers::worst_of(calls)};
  }
  std::vector<found> results() override {
    double low = -std::numeric_limits<double>::infinity();
    double high = low;
    for (const double u : answer()[0]) {
      checkers::raise(high, u);
      checkers::raise(low, -u);
    }
    std::vector<found> all{{"u_min", -low, "1"}, {"u_max", high, "1"}};
    if (arithmetic_ == precision::single)
      add_departure(all, check::departure_of(problem_, answer(), in_double()));
    return all;
  }
  std::vector<reports::field> fields() override { return {map_of(answer()[0])}; }
  final_state end() override { return {}; }  // the field above

 private:
  long counted_steps() const override { return steps_to(t_end_, dt_); }

  // From the loaded problem to the end, with the second stimulus where the model needs one. Returns the seconds.
  double make_parts(std::vector<recorded_run>& parts, precision arithmetic) {
    if (problem_.model != model::bueno_orovio)
      return parts.emplace_back().make({*solver_, problem_, how_, dt_, arithmetic}, counted_steps());
    const long before = steps_to(exact::paper::stimulus_ms, dt_);
    double seconds = parts.emplace_back().make({*solver_, problem_, how_, dt_, arithmetic}, before);
    problem second = problem_;
    second.state0 = parts.back().answer();
    apply_second_stimulus(second, second.state0[0]);
    solver_->load(second, how_, dt_, arithmetic);
    seconds += parts.emplace_back().make({*solver_, second, how_, dt_, arithmetic}, counted_steps() - before);
    load_again();
    return seconds;
  }

  exact::state in_double() {
    std::vector<recorded_run> parts;
    solver_->load(problem_, how_, dt_, precision::double_);
    make_parts(parts, precision::double_);
    load_again();
    return parts.back().answer();
  }

  const exact::state& answer() const { return parts_.back().answer(); }

  double t_end_;
  std::vector<recorded_run> parts_;
};

class search final : public stepped {
 public:
  using stepped::stepped;

  double run(int) override {
    constexpr double finest = 1.01;
    const double limit = diffusive_step_limit(problem_, how_);
    double seconds = 0;
    double unstable = 1.3 * limit;
    largest_ = .7 * limit;
    tried_ = 0;
    if (!is_stable(largest_, seconds) || is_stable(unstable, seconds))
      throw error(
          fmt::format("the largest stable step is not between {:.3g} and {:.3g}", largest_, unstable));
    while (unstable / largest_ > finest) {
      const double dt = std::sqrt(largest_ * unstable);
      (is_stable(dt, seconds) ? largest_ : unstable) = dt;
    }
    load_again();
    return seconds;
  }
  std::vector<checkers::finding> judge_timed_work(int) override {
    std::vector<checkers::finding> windows, calls, whole;
    for (const auto* runs : {&stable_, &unstable_})
      for (const recorded_run& run : *runs) checkers::append(windows, run.judge());
    for (const recorded_run& run : stable_) {
      solver_->load(run.problem(), how_, run.dt(), arithmetic_);
      calls.push_back(run.judge_calls(*solver_));
      checkers::append(whole, judge_whole(run.problem(), how_, run.dt(), check::stability_steps, run.answer(),
                                          arithmetic_));
    }
    load_again();
    std::vector<checkers::finding> findings{checkers::worst_of(windows), checkers::worst_of(calls)};
    if (!whole.empty()) findings.push_back(checkers::worst_of(whole));
    checkers::append(findings,
                     check::judge_limit(problem_, how_, stable_.front().dt(), unstable_.front().dt()));
    return findings;
  }
  std::vector<found> results() override {
    return {{"largest_stable_dt", largest_, "ms",
             fmt::format("a disturbance of the highest modes decays over {} steps; to 1 %",
                         check::stability_steps)}};
  }

 private:
  // Keeps the runs of the last stable and of the last unstable step.
  bool is_stable(double dt, double& seconds) {
    std::vector<recorded_run> runs;
    for (const problem& p : {problem_, check::disturbed(problem_)}) {
      solver_->load(p, how_, dt, arithmetic_);
      seconds += runs.emplace_back().make({*solver_, p, how_, dt, arithmetic_}, check::stability_steps);
      tried_ += check::stability_steps;
    }
    const bool decays = check::has_decayed(problem_, runs[0].answer(), runs[1].answer());
    (decays ? stable_ : unstable_) = std::move(runs);
    return decays;
  }
  long counted_steps() const override { return tried_; }

  long tried_{};
  double largest_{};
  std::vector<recorded_run> stable_, unstable_;
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

case_plan plan_of(const std::string& variant, const problem& p, method how, double dt, grid_size size,
                  precision arithmetic) {
  require_method(p, how, dt);
  case_plan plan;
  plan.variant = "tissue/" + variant;
  plan.arithmetic = arithmetic;
  plan.size = to_string(size);
  plan.units_per_repeat = static_cast<double>(p.cells());
  plan.footprint_bytes = p.cells() * 2 * (arithmetic == precision::single ? sizeof(float) : sizeof(double)) *
                         static_cast<std::size_t>(fields_of(p.model));
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

case_plan plan_steps(const std::string& name, const task& t, grid_size size, const std::string& parameter) {
  case_plan plan = plan_of(name, grid_of(t.model, size), t.method, t.dt, size, t.arithmetic);
  plan.parameter = parameter;
  plan.metric = steps_metric;
  plan.repeats = timed_steps;
  plan.expected_seconds = [name, t, size](const device& on) {
    const double cells = 1.0 * size.width * size.height;
    const double reference = on.on_host ? cells * 2e-7 * stages_of(t.method) : 0;
    return seconds_of_steps(name, t.model, t.method, cells, on) + reference;
  };
  plan.make = around<tissue::solver>([=](auto s) {
    return std::make_unique<stepped>(std::move(s), problem_of(t, size), asked_of(t, size), t.method, t.dt,
                                     t.arithmetic);
  });
  return plan;
}

case_plan plan_solve(const std::string& name, const task& t, grid_size size, const std::string& parameter) {
  case_plan plan = plan_of(name, grid_of(t.model, size), t.method, t.dt, size, t.arithmetic);
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

case_plan plan_spiral(const std::string& name, model m, grid_size size, precision arithmetic) {
  const spiral_plan how = spiral_of(m);
  case_plan plan = plan_of(name, grid_of(m, size), how.method, how.dt, size, arithmetic);
  plan.parameter = fmt::format("model={}", to_string(m));
  plan.metric = solve_metric;
  plan.runs_once = true;
  plan.has_fields = true;
  plan.expected_seconds = [name, m, how, size](const device& on) {
    return static_cast<double>(steps_to(how.t_end, how.dt)) *
           seconds_of_steps(name, m, how.method, 1.0 * size.width * size.height, on);
  };
  plan.make = around<tissue::solver>(
      [=](auto s) { return std::make_unique<spiral>(std::move(s), m, size, arithmetic); });
  return plan;
}

case_plan plan_search(const std::string& name, const task& t, grid_size size) {
  case_plan plan = plan_of(name, grid_of(t.model, size), t.method, t.dt, size, t.arithmetic);
  plan.parameter = name_of(t);
  plan.metric = "time_search";
  plan.runs_once = true;
  plan.make = around<tissue::solver>([=](auto s) {
    return std::make_unique<search>(std::move(s), problem_of(t, size), asked_of(t, size), t.method, t.dt,
                                    t.arithmetic);
  });
  return plan;
}

}  // namespace reprise::harness::tissue_cases
