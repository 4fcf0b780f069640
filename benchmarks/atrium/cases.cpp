// SPDX-License-Identifier: MIT
// Implements the atrium paper's cases.
#include "benchmarks/atrium/cases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>

#include "benchmarks/atrium/lines.hpp"
#include "benchmarks/atrium/voltages.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/atrium/check.hpp"
#include "verification/atrium/timed_run.hpp"

namespace reprise::harness::atrium_cases {
namespace {

namespace check = verification::atrium;
using atrium::control;
using atrium::ending;
using atrium::gate_rule;
using atrium::problem;
using atrium::progress;
using atrium::recording;
using atrium::scheme;
using atrium::solver;

// The shortest steps would fill the memory with voltages that hardly differ.
constexpr double shortest_recorded_ms = .005;

control control_of(const task& t, double t_end) {
  control c = t.is_adaptive ? adaptive_steps(t.method, t.gates, t.at, t.rt, t_end)
                            : fixed_steps(t.method, t.gates, t.dt);
  const bool records_all = t.is_adaptive || t.against == reference_kind::papers;
  c.record_every = records_all ? 1 : std::max(1, static_cast<int>(std::lround(shortest_recorded_ms / t.dt)));
  return c;
}

std::string parameter_of(const task& t) {
  std::string text = fmt::format("method={}", to_string(t.method));
  if (t.may_stagnate) text += fmt::format(";gates={}", to_string(t.gates));
  text += t.is_adaptive ? fmt::format(";at={:g};rt={:g}", t.at, t.rt) : fmt::format(";dt={:g}", t.dt);
  // Against another reference the same steps have other errors: it is another case.
  return t.against == reference_kind::second_order ? text + ";against=second_order" : text;
}

class solve final : public subject {
 public:
  solve(std::unique_ptr<solver> s, const task& t, precision arithmetic, const scenario& chosen)
      : solver_(std::move(s)), task_(t), arithmetic_(arithmetic), sphere_(checked_sphere_of(chosen)) {}

  void load() override { solver_->load(sphere(), arithmetic_); }

  std::vector<checkers::finding> verify() override {
    auto findings =
        check::verify(*solver_, sphere().mesh.subdivisions, task_.method, task_.gates, arithmetic_);
    load();
    if (first_ && !task_.may_stagnate)
      findings.push_back({"rrms_limit", errors_.rrms, .5,
                          "a trajectory that misses a wave, or has one too many, has an RRMS near one"});
    return findings;
  }

  double run(int repeats) override {
    return repeated(repeats, [this] { return run_once(); });
  }

  std::vector<checkers::finding> judge_timed_work(int /*repeats*/) override {
    std::vector<checkers::finding> findings = check::judge(*first_, sphere(), arithmetic_);
    findings.push_back(check::judge_repeated(*first_, solver_->state(), solver_->recorded()));
    if (last_.state == ending::reached && !task_.may_stagnate)
      findings.push_back(check::judge_trajectory(first_->recorded, sphere_->reference(task_.against)));
    first_->windows.clear();
    return findings;
  }

  void read_back() override { solver_->state(); }

  // The voltages at the end.
  final_state end() override {
    const double t_end = sphere().protocol.t_end;
    solver_->reset(control_of(task_, t_end));
    solver_->advance(t_end);
    return voltages(sphere().mesh, solver_->state());
  }

  std::optional<accounted> account() override {
    return accounted{static_cast<double>(last_.evaluations) * static_cast<double>(sphere().cells()),
                     solver_->per_unit()};
  }

  std::vector<found> results() override {
    const auto attempted = static_cast<double>(last_.accepted + last_.rejected);
    std::vector<found> all{
        {"accepted_steps", static_cast<double>(last_.accepted), "1"},
        {"rejected_steps", static_cast<double>(last_.rejected), "1"},
        {"attempted_steps", attempted, "1"},
        {"reached", last_.t / sphere().protocol.t_end, "1", check::failure_of(sphere(), last_)}};
    if (last_.state != ending::reached) return all;
    all.push_back({"rrms", errors_.rrms, "1"});
    all.push_back({"labs_error", errors_.absolute, "mV or ms"});
    all.push_back({"lrel_error", errors_.relative, "1"});
    all.push_back({"peak_safe_error", errors_.peak_safe, "mV or ms"});
    all.push_back({"peak_safe_relative", errors_.peak_safe_relative, "1"});
    all.push_back({"curve_error", errors_.curve, "mV or ms"});
    all.push_back({"curve_relative", errors_.curve_relative, "1"});
    if (std::isfinite(errors_.shift)) all.push_back({"activation_shift", errors_.shift, "ms"});
    all.insert(all.end(), lines_.begin(), lines_.end());
    if (share_) all.push_back({"reduction_share", *share_, "%"});
    return all;
  }

 private:
  const problem& sphere() const { return sphere_->sphere(); }

  double run_once() {
    const double t_end = sphere().protocol.t_end;
    double seconds = 0;
    const auto advance = [&](double end) {
      seconds += clocked(*solver_, [&] { last_ = solver_->advance(end); });
      return last_;
    };
    const control c = control_of(task_, t_end);
    const bool is_first = !first_;
    if (is_first) {
      first_ = check::watch(*solver_, sphere(), c, t_end, parameter_of(task_), advance);
    } else {
      solver_->reset(c);
      advance(t_end);
    }
    const std::string failure = check::failure_of(sphere(), last_);
    if (!failure.empty() && !task_.may_stagnate) throw std::runtime_error(failure);
    // judge_timed_work() requires the same result of all runs, so errors are computed once.
    if (is_first && last_.state == ending::reached) look();
    return seconds;
  }

  // Share of the reduction in the time that all kernels of an attempted step take; empty for
  // variants without separate kernels.
  std::optional<double> reduction_share() {
    double all = 0;
    double reduction = 0;
    for (const atrium::kernel_probe& k : solver_->kernels()) {
      k.launch();
      const double seconds = clocked(*solver_, [&] {
        for (int n = 0; n < 20; ++n) k.launch();
      });
      all += seconds;
      if (k.name == "reduction") reduction = seconds;
    }
    return all > 0 ? std::optional(100 * reduction / all) : std::nullopt;
  }

  void look() {
    const recording r = solver_->recorded();
    errors_ = check::errors_of(r, sphere_->reference(task_.against));
    if (task_.draws) lines_ = lines_of(r, sphere());
    if (task_.draws_front) lines_ = front_lines(r, sphere_->reference(task_.against));
    share_ = reduction_share();
  }

  std::unique_ptr<solver> solver_;
  task task_;
  precision arithmetic_;
  std::shared_ptr<checked_sphere> sphere_;
  progress last_;
  std::optional<check::watched_run> first_;  // the first timed run, which pauses to be judged
  check::trajectory_errors errors_;
  std::vector<found> lines_;
  std::optional<double> share_;
};

class search final : public subject {
 public:
  search(std::unique_ptr<solver> s, scheme method, gate_rule gates, precision arithmetic,
         const scenario& chosen)
      : solver_(std::move(s)),
        method_(method),
        gates_(gates),
        arithmetic_(arithmetic),
        sphere_(checked_sphere_of(chosen)),
        diffusive_(diffusive_step_limit(sphere_->sphere())) {}

  void load() override { solver_->load(sphere(), arithmetic_); }
  std::vector<checkers::finding> verify() override {
    auto findings = check::verify(*solver_, sphere().mesh.subdivisions, method_, gates_, arithmetic_);
    load();
    return findings;
  }

  // The run of the largest stable step, once more with pauses, and the last step of the shortest unstable one.
  std::vector<checkers::finding> judge_timed_work(int /*repeats*/) override {
    const double t_end = sphere().protocol.t_end;
    const auto advance = [&](double end) { return solver_->advance(end); };
    const auto judged = [&](double dt) {
      control c = fixed_steps(method_, gates_, dt);
      c.record_every = 1;
      return check::watch(*solver_, sphere(), c, t_end, to_string(method_), advance);
    };
    const check::watched_run stable = judged(stable_);
    std::vector<checkers::finding> findings = check::judge(stable, sphere(), arithmetic_);
    findings.push_back(
        {"timed_stable_error", t_end - stable.end.at.t, 0, "the largest stable step reaches the end"});
    solver_->reset(fixed_steps(method_, gates_, unstable_));
    const progress failed = solver_->advance(t_end);
    findings.push_back(check::judge_unstable(sphere(), {failed, solver_->state()}));
    return findings;
  }

  double run(int repeats) override {
    evaluations_ = 0;
    return repeated(repeats, [this] { return clocked(*solver_, [this] { search_once(); }); });
  }

  void read_back() override { solver_->state(); }
  std::optional<accounted> account() override {
    return accounted{evaluations_ * static_cast<double>(sphere().cells()), solver_->per_unit()};
  }
  std::vector<found> results() override {
    return {{"largest_stable_dt", stable_, "ms", "to a percent"},
            {"first_unstable_dt", unstable_, "ms", failure_},
            {"diffusive_limit", diffusive_, "ms", "2 over the largest eigenvalue of diffusion alone"}};
  }

 private:
  const problem& sphere() const { return sphere_->sphere(); }

  void search_once() {
    constexpr double stride = 1.25;
    constexpr double resolution = 1.01;
    // Starts at the limit of diffusion, or, without Rush-Larsen, at that of the
    // stiffest gate of a cell at rest.
    stable_ = gates_ == gate_rule::rush_larsen ? diffusive_ : .01;
    unstable_ = stable_;
    while (is_stable(unstable_) && unstable_ < 10) unstable_ *= stride;
    if (unstable_ == stable_) do
        stable_ /= stride;
      while (!is_stable(stable_) && stable_ > 1e-5);
    else
      stable_ = unstable_ / stride;
    while (unstable_ / stable_ > resolution) {
      const double middle = std::sqrt(stable_ * unstable_);
      (is_stable(middle) ? stable_ : unstable_) = middle;
    }
  }

  bool is_stable(double dt) {
    solver_->reset(fixed_steps(method_, gates_, dt));
    const progress end = solver_->advance(sphere().protocol.t_end);
    evaluations_ += static_cast<double>(end.evaluations);
    if (end.state == ending::reached) return true;
    failure_ = check::failure_of(sphere(), end);
    return false;
  }

  std::unique_ptr<solver> solver_;
  scheme method_;
  gate_rule gates_;
  precision arithmetic_;
  std::shared_ptr<checked_sphere> sphere_;
  double diffusive_;
  double stable_{};
  double unstable_{};
  double evaluations_{};
  std::string failure_;
};

// Rough estimate that decides which cases a preset can afford; right within a factor of two
// or three on current machines.
double expected_seconds(double evaluations, double cells, const std::string& variant, const device& on) {
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  if (!on.on_host) return evaluations * (1e-5 + cells * 1e-10);
  if (variant == "cpu_serial") return evaluations * cells * 5e-7;
  return evaluations * (2e-6 + cells * (variant == "openmp" ? 1.2e-7 : 5e-7) / cores);
}

double expected_evaluations(const task& t, double t_end) {
  // With tolerances too loose to control the gates, many of CVODE's steps fail.
  if (t.method == scheme::black_box) return (t.at < 1 ? 280 : 1200) * t_end;
  const auto stages = static_cast<double>(atrium::data_of(t.method).stages);
  if (!t.is_adaptive) return stages * t_end / t.dt;
  const double steps_a_ms = t.gates == gate_rule::plain ? 150 : t.method == scheme::trapezoidal ? 25 : 15;
  return stages * steps_a_ms * t_end;
}

case_plan empty_plan(const std::string& variant, precision arithmetic, const scenario& chosen) {
  const double cells = atrium::cells_of(chosen.subdivisions);
  case_plan plan;
  plan.variant = "atrium/" + variant;
  plan.arithmetic = arithmetic;
  plan.size = fmt::format("{:.0f}", cells);
  plan.units_per_repeat = cells;
  plan.footprint_bytes =
      static_cast<std::size_t>(cells * 2 * atrium::variables * (arithmetic == precision::single ? 4 : 8));
  return plan;
}

std::string parameter_of(const scenario& chosen) {
  std::string text;
  if (chosen.t_end) text += fmt::format(";t_end={:g}", *chosen.t_end);
  if (chosen.acetylcholine) text += fmt::format(";acetylcholine={:g}", *chosen.acetylcholine);
  return text;
}

// Throws bad_input if the recorded voltages and their copies would not fit into memory.
void require_recording(const control& c, double t_end) {
  if (c.is_adaptive) return;
  constexpr double copies = 4;  // in the solver, on the host, as curves, and resampled
  const double bytes = copies * sizeof(double) * 101 * t_end / (c.dt * c.record_every);
  const auto present = static_cast<double>(devices_of(backend::cpu).devices.front().memory_bytes);
  if (bytes > .9 * present)
    throw bad_input(fmt::format(
        "steps of {:g} ms over {:g} ms: their recorded voltages need {:.0f} GiB of memory, this machine has "
        "{:.0f}: give longer ones",
        c.dt, t_end, bytes / (1 << 30), present / (1 << 30)));
}

}  // namespace

task fixed_task(scheme method, double dt) {
  return {.method = method, .dt = dt};
}

task adaptive_task(scheme method, double at, double rt) {
  return {.method = method, .is_adaptive = true, .at = at, .rt = rt};
}

task black_box_task(double at, double rt) {
  task t = adaptive_task(scheme::black_box, at, rt);
  t.gates = gate_rule::plain;
  t.may_stagnate = true;
  return t;
}

bool has_gpu(const std::string& variant) {
  const target on = targets_of("atrium/" + variant, "*", false).front();
  return on.variant != nullptr && !on.device.on_host;
}

bool can_step(const std::string& variant, const task& t, precision arithmetic) {
  const bool is_black_box = t.method == scheme::black_box;
  if (is_black_box != atrium::is_black_box(variant)) return false;
  if (is_black_box) return arithmetic == precision::double_;
  // Steps of one length need no decisions, which would only cost this variant time.
  if (variant == "cuda_device_control") return t.is_adaptive;
  const bool has_tables = variant == "cuda_tuned" || variant == "cuda_streamed";
  if (has_tables && (t.gates != gate_rule::rush_larsen || arithmetic != precision::single)) return false;
  const bool has_one_stage = variant == "cuda_streamed" || variant == "opencl_fused";
  return !has_one_stage || t.method == scheme::euler;
}

scenario scenario_of(const plan_request& request, bool on_gpu) {
  const int usual = request.level == preset::quick && !on_gpu ? 4 : 7;
  const bool is_smoke = request.level == preset::smoke;
  scenario chosen{is_smoke ? 2 : usual, is_smoke};
  chosen.t_end = request.setting("t_end");
  chosen.acetylcholine = request.setting("acetylcholine");
  if (chosen.acetylcholine && !(*chosen.acetylcholine >= 0 && std::isfinite(*chosen.acetylcholine)))
    throw bad_input(fmt::format("{:g} uM of acetylcholine: give 0 or more", *chosen.acetylcholine));
  chosen.subdivisions = asked_subdivisions(request).value_or(chosen.subdivisions);
  atrium::require_sense(protocol_of(chosen));
  return chosen;
}

case_plan plan_solve(const std::string& variant, const task& t, precision arithmetic,
                     const scenario& chosen) {
  case_plan plan = empty_plan(variant, arithmetic, chosen);
  const double t_end = protocol_of(chosen).t_end;
  const control c = control_of(t, t_end);
  require_recording(c, t_end);
  plan.parameter = parameter_of(t) + parameter_of(chosen);
  plan.metric = time_metric;
  plan.has_fields = t.draws || t.draws_front;
  plan.note = fmt::format(
      "the voltages of the recorded cells are kept {}",
      c.record_every == 1 ? "after every step" : fmt::format("every {:g} ms", c.dt * c.record_every));
  plan.expected_seconds = [t, variant, chosen](const device& on) {
    return expected_seconds(expected_evaluations(t, protocol_of(chosen).t_end),
                            atrium::cells_of(chosen.subdivisions), variant, on);
  };
  plan.make =
      around<solver>([=](auto s) { return std::make_unique<solve>(std::move(s), t, arithmetic, chosen); });
  return plan;
}

case_plan plan_search(const std::string& variant, scheme method, gate_rule gates, precision arithmetic,
                      const scenario& chosen) {
  case_plan plan = empty_plan(variant, arithmetic, chosen);
  plan.parameter =
      fmt::format("method={};gates={}", to_string(method), to_string(gates)) + parameter_of(chosen);
  plan.metric = "time_search";
  plan.expected_seconds = [=](const device& on) {
    const double dt = gates == gate_rule::plain ? .01 : .06;
    const auto stages = static_cast<double>(atrium::data_of(method).stages);
    return 8 * expected_seconds(stages * protocol_of(chosen).t_end / dt,
                                atrium::cells_of(chosen.subdivisions), variant, on);
  };
  plan.make = around<solver>(
      [=](auto s) { return std::make_unique<search>(std::move(s), method, gates, arithmetic, chosen); });
  return plan;
}

}  // namespace reprise::harness::atrium_cases
