// SPDX-License-Identifier: MIT
// Runs experiments into a run folder. A case measured for one experiment is reused by all others that need it.
#include "benchmarks/harness/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "benchmarks/harness/budget/forecast.hpp"
#include "benchmarks/harness/budget/plan.hpp"
#include "benchmarks/harness/crate.hpp"
#include "benchmarks/harness/derivation.hpp"
#include "benchmarks/harness/disturbance.hpp"
#include "benchmarks/harness/earlier_times.hpp"
#include "benchmarks/harness/environment.hpp"
#include "benchmarks/harness/interruption.hpp"
#include "benchmarks/harness/known_cases.hpp"
#include "benchmarks/harness/lost_devices.hpp"
#include "benchmarks/harness/measure.hpp"
#include "benchmarks/harness/origin.hpp"
#include "benchmarks/harness/problem_rows.hpp"
#include "benchmarks/harness/rederive.hpp"
#include "benchmarks/harness/roofs/roofs.hpp"
#include "benchmarks/harness/roofs/session.hpp"
#include "benchmarks/harness/shortest_times.hpp"
#include "benchmarks/harness/steps.hpp"
#include "reports/store/json.hpp"
#include "reports/store/nearest_roof.hpp"
#include "reports/store/run.hpp"
#include "reports/store/run_folder.hpp"
#include "reports/store/soundness.hpp"
#include "reports/store/unused_texts.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/host_memory.hpp"
#include "solvers/common/base/host_processors.hpp"

namespace reprise::harness {
namespace {

using reports::case_id;
using reports::number_id;
using reports::row;

class execution {
 public:
  // Continues the run in the folder `begun`, or creates a folder if there is none.
  execution(run_request request, std::optional<reports::run_folder> begun, progress& shown)
      : request_(std::move(request)),
        shown_(shown),
        experiments_(selected(request_.experiments)),
        steps_(steps_of(request_)),
        engine_(request_.engine_flags),
        folder_(begun ? std::move(*begun) : reports::run_folder::create(request_.out, describe())) {
    if (request_.resume && !folder_.is_finished()) require_same_origin(folder_, describe());
    remember_rows();
    if (request_.budget_seconds > 0) make_plan();
  }

  run_outcome run() {
    if (folder_.is_finished()) {
      shown_.begin(folder_.path(), steps_.size());
      return recall();
    }
    const auto crashed = noted_crash(folder_.path());
    if (crashed) leave_out(*crashed);
    if (!plan_) leave_known_to_memory();
    for (std::size_t i = 0; i < steps_.size(); ++i) shares_[steps_[i].of].steps.push_back(i);
    add_roofs();
    shown_.begin(folder_.path(), roofs_.devices().size() + steps_.size());
    make_forecast();
    measure_roofs();
    make_forecast();
    if (is_gate()) verify_problems();
    if (!request_.plan_of.empty()) keep_plan();
    plan_ ? run_planned() : run_all();
    write_roofs();
    shortest_times_here().keep();
    keep_case_times();
    folder_.finish(utc_now());
    write_crate(folder_.path());
    shown_.end(outcome_);
    return outcome_;
  }

 private:
  // Whether this is the preset for CI with nothing changed.
  bool is_gate() const {
    return request_.plan.level == preset::smoke && request_.plan.sizes.empty() &&
           request_.plan.settings.empty() && request_.choice == case_choice{};
  }

  // Costs are recorded for the preset quick. Once the roofs are measured, they say how fast this machine is.
  void make_forecast() {
    const bool is_recorded = request_.plan.level == preset::quick;
    budget::estimator costs(is_recorded ? budget::shipped_costs(request_.home) : budget::cost_table(),
                            request_.plan.level);
    for (const device& d : all_devices()) costs.set_roof(d, roofs_.flops_of(d));
    forecast_.emplace(std::move(costs), steps_);
  }

  void make_plan() {
    const double left = request_.budget_seconds - log_.seconds_so_far();
    plan_ = std::make_unique<budget::plan>(steps_, request_.home, request_.plan.level, std::max(left, 1.));
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (known_.is_done(label_row(steps_[i]))) plan_->know(i);
  }

  row label_row(const step& s) const { return case_row(run_name(), s.of->layout.id, s.plan, s.on); }

  void run_all() {
    for (const step& s : steps_) take(s);
  }

  void run_planned() {
    for (const device& d : all_devices()) plan_->set_roof(d, roofs_.flops_of(d));
    std::set<std::string> known;
    for (const device& d : all_devices())
      if (has_roofs(d) || roofs_.has(d)) known.insert(d.id);
    plan_->close_roofs(known);
    shown_.note(plan_->text());
    while (const auto next = plan_->next(seconds_since(begin_))) {
      const auto begin = steady_clock::now();
      take(steps_[next->step], next->limit);
      plan_->learn(next->step, seconds_since(begin));
    }
    leave_out_the_rest();
    folder_.describe({{"plan", plan_->to_json()}});
  }

  // So that a repeated run can be repeated in turn.
  void keep_plan() {
    const reports::run first = reports::read_run(request_.plan_of);
    folder_.describe({{"plan", (*first.description).at("plan")}});
  }

  // Executes a step, and derives the experiment's rows after its last one.
  void take(const step& s, const time_limit& limit = {}) {
    const auto begin = steady_clock::now();
    const case_report report = execute(s, limit);
    forecast_->finish(s, seconds_since(begin));
    ++steps_done_;
    share& own = shares_[s.of];
    ++own.done;
    shown_.finish(report, position(s.of));
    if (own.done == own.steps.size()) derive(*s.of);
  }

  // Every step that the plan leaves out becomes a row with its reason, written together: there may be thousands.
  void leave_out_the_rest() {
    std::vector<row> rows;
    std::set<const experiment*> open;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (plan_->is_chosen(i)) continue;
      open.insert(steps_[i].of);
      row label = label_row(steps_[i]);
      if (known_.is_done(label)) continue;
      label.metric = steps_[i].plan.metric;
      label.status = "skipped";
      label.reason = plan_->why_left_out(i);
      known_.finish(label);
      ++outcome_.skipped;
      rows.push_back(std::move(label));
    }
    if (!rows.empty()) folder_.append(rows, {});
    for (const experiment* e : open) derive(*e);
  }

  // Timed cases share their problem with the reference, so a wrong constant would be right there.
  void verify_problems() {
    for (const family* f : families_of(request_)) {
      const bool is_there = std::ranges::any_of(folder_.rows(), [&](const row& r) {
        return r.experiment == problem_experiment && reports::family_of(r.variant) == f->word;
      });
      if (is_there || !f->verify) continue;
      row found = problem_row(run_name(), *f, request_.device_glob);
      folder_.append(std::vector{found}, {});
      if (found.status == "failed") ++outcome_.failed;
      known_.remember(found);
      shown_.finish(fmt::format("{} {}", problem_experiment, f->word),
                    fmt::format("{}, {}", found.status, found.reason), position());
    }
  }

  // Records the case in which the process crashed as skipped, so that it does not crash there again.
  void leave_out(const crash& last) {
    for (const step& s : steps_) {
      const row label = label_row(s);
      if (text_of_case(label) != last.of || known_.is_done(label)) continue;
      row skipped = label;
      skipped.metric = s.plan.metric;
      skipped.status = "skipped";
      skipped.reason = fmt::format(
          "crashed last time with {} and is left out; once its cause is gone, run it into another folder",
          last.because);
      folder_.append(std::vector{skipped}, {});
      known_.remember(skipped);
    }
    remove_note(folder_.path());
  }

  // The outcome of a run that is finished already.
  run_outcome recall() {
    shown_.note("the run is finished; nothing is left to do\n");
    for (const step& s : steps_) {
      const row label = label_row(s);
      if (known_.is_done(label)) count(known_row(label));
    }
    shown_.end(outcome_);
    return outcome_;
  }

  using steady_clock = std::chrono::steady_clock;

  static double seconds_since(steady_clock::time_point begin) {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
  }

  run_position position(const experiment* of = nullptr) const {
    const auto [cases, seconds] = rest();
    const std::size_t done = roofs_.done() + steps_done_;
    run_position now{done, done + roofs_.left() + cases, seconds};
    if (of == nullptr) return now;
    const share& own = shares_.at(of);
    now.done_of_experiment = own.done;
    now.total_of_experiment = static_cast<std::size_t>(
        std::ranges::count_if(own.steps, [&](std::size_t i) { return !plan_ || plan_->is_chosen(i); }));
    now.may_grow = plan_ && own.done < own.steps.size();
    return now;
  }

  budget::plan::rest rest() const {
    if (plan_) return plan_->left(seconds_since(begin_));
    return {steps_.size() - steps_done_, roofs_.seconds_left() + forecast_->seconds_left()};
  }

  nlohmann::json describe() const {
    nlohmann::json description = describe_machine(devices_in_use(), request_.command);
    description["name"] = std::filesystem::absolute(request_.out).lexically_normal().filename().string();
    description["request"] = to_json(request_);
    description["origin"] = describe_origin(request_.engine_flags);
    description["metric_versions"] = metric_versions();
    return description;
  }

  std::vector<device> devices_in_use() const {
    std::vector<device> used;
    for (const device& d : all_devices())
      if (std::ranges::any_of(
              steps_, [&](const step& s) { return s.on.variant != nullptr && s.on.device.id == d.id; }))
        used.push_back(d);
    return used;
  }

  std::string run_name() const { return reports::text_of(folder_.description(), "name"); }

  // Cases that are resumed, or reused from an earlier experiment of this run, get weight 0 in the forecast.
  void leave_known_to_memory() {
    std::set<case_id> seen;
    for (step& s : steps_) {
      const row label = label_row(s);
      const bool is_repeated = !seen.insert(without_experiment(label)).second || known_.has(label);
      if (known_.is_done(label) || (is_repeated && !s.plan.has_fields)) s.weight = 0;
    }
  }

  case_report execute(const step& s, const time_limit& limit) {
    const row label = label_row(s);
    if (known_.is_done(label)) return resumed(s, label);
    if (known_.has(label) && !s.plan.has_fields) return reuse(s, label);
    const std::string lost = lost_.reason(s.on.device);
    const target on = lost.empty() ? s.on : target{nullptr, s.on.device, lost};
    shown_.start(label_of(s));
    guard_.begin(label);
    const auto begin = steady_clock::now();
    measured_case measured = measure(s.plan, on, request_.plan.level, engine_, label, limit);
    reports::without_impossible(measured.rows, measured.samples);
    if (measured.rows.front().status == "failed") lost_.ask(s.on.device);
    guard_.end();
    folder_.append(measured.rows, measured.samples, measured.fields);
    if (on.variant != nullptr) {
      return_freed_memory();
      log_.add(budget::key_of(s), {seconds_since(begin), roofs_.flops_of(on.device)});
    }
    for (const row& r : measured.rows) known_.remember(r);
    if (measured.rows.front().status == "disturbed") known_.forget(label);
    return report_on(s, measured.rows, case_report::origin::measured);
  }

  // Counts the case.
  case_report report_on(const step& s, std::span<const row> rows, case_report::origin from) {
    case_report report{label_of(s), count(rows.front()), rows.front()};
    report.from = from;
    reports::nearest_roof nearest;
    for (const row& r : rows)
      if (r.experiment == report.first.experiment && r.metric == reports::binding_metric) nearest.see(r);
    report.share = nearest.percent;
    report.roof = nearest.name;
    return report;
  }

  // The text to print; empty if a variant is skipped for a reason that was already printed.
  std::string count(const row& first) {
    if (first.status == "ok") {
      ++outcome_.measured;
      return fmt::format("ok {:.4g} ms", 1e3 * first.value);
    }
    if (first.status == "disturbed") {
      ++outcome_.measured;
      return fmt::format("{:.4g} ms, {}", 1e3 * first.value, first.reason);
    }
    ++(first.status == "failed" ? outcome_.failed : outcome_.skipped);
    if (first.status == "skipped" && !said_.insert(first.variant + first.reason).second) return "";
    return first.status + ", " + first.reason;
  }

  // The first row of a case that the folder has.
  const row& known_row(const row& label) const {
    return *std::ranges::find_if(folder_.rows(), [&](const row& r) { return same_case(r, label); });
  }

  case_report resumed(const step& s, const row& label) {
    return report_on(s, std::span(&known_row(label), 1), case_report::origin::resumed);
  }

  case_report reuse(const step& s, const row& label) {
    const std::vector<row> copies = known_.copies_for(label);
    folder_.append(copies, {});
    for (const row& r : copies) known_.finish(r);
    return report_on(s, copies, case_report::origin::reused);
  }

  // Disturbed cases of the begun run are measured again by the next experiment that has them, as in a run without interruption.
  void remember_rows() {
    const row* disturbed = nullptr;
    for (const row& r : folder_.rows()) {
      if (disturbed != nullptr && !same_case(*disturbed, r)) {
        known_.forget(*disturbed);
        disturbed = nullptr;
      }
      known_.remember(r);
      if (r.status == "disturbed" && r.samples > 0) disturbed = &r;
    }
    if (disturbed != nullptr) known_.forget(*disturbed);
  }

  void derive(const experiment& e) {
    if (!e.derive) return;
    std::vector<row> own;
    std::set<number_id> there;
    for (const row& r : folder_.rows())
      if (r.experiment == e.layout.id) {
        own.push_back(r);
        there.insert(r);
      }
    std::vector<row> derived = derived_beside_disturbed(e.derive, own);
    std::erase_if(derived, [&](const row& r) { return there.contains(r); });
    std::vector<reports::sample> none;
    reports::without_impossible(derived, none);
    if (!derived.empty()) folder_.append(derived, {});
  }

  // Those of the devices in use and of others that reach the same memory.
  void add_roofs() {
    const auto planned = plan_ ? std::optional(plan_->roofs()) : std::nullopt;
    for (const device& in_use : devices_in_use())
      for (const device& d : same_memory(in_use))
        if (!has_roofs(d) && (!planned || planned->contains(d.id))) roofs_.add(d);
  }

  // Whether an interrupted run has recorded them already.
  bool has_roofs(const device& d) const { return known_.is_done(roof_label(run_name(), d)); }

  // Done before all cases, because otherwise the first case would wait for the roofs.
  void measure_roofs() {
    for (const device& d : roofs_.devices()) {
      const auto [text, seconds] = roofs_.measure(d);
      log_.add({budget::class_of(d), std::string(budget::roofs_variant), "", "", ""},
               {seconds, roofs_.flops_of(d)});
      shown_.finish("harness/roofs " + d.id, text, position());
    }
  }

  void write_roofs() {
    const recorded_roofs found = roofs_.recorded();
    if (found.rows.empty()) return;
    folder_.append(found.rows, {});
    folder_.describe({{"roofs", found.described}});
  }

  // An experiment's part of the run.
  struct share {
    std::vector<std::size_t> steps;  // indices
    std::size_t done{};
  };

  run_request request_;
  progress& shown_;
  std::vector<const experiment*> experiments_;
  std::vector<step> steps_;
  sampler engine_;
  lost_devices lost_;
  reports::run_folder folder_;
  interruption_guard guard_{folder_.path()};
  budget::cost_log log_{folder_.path()};
  steady_clock::time_point begin_{steady_clock::now()};
  std::unique_ptr<budget::plan> plan_;
  std::optional<budget::forecast> forecast_;  // of all steps, for a run without a plan
  std::map<const experiment*, share> shares_;
  known_cases known_;
  std::set<std::string> said_;  // variants printed as skipped, with the reason
  roof_session roofs_{run_name(), request_.plan.level, lost_};
  std::size_t steps_done_{};
  run_outcome outcome_;
};

}  // namespace

std::vector<step> steps_of(const run_request& request) {
  auto steps = plan_steps(selected(request.experiments), request);
  if (request.plan_of.empty()) return steps;
  return budget::replayed(*reports::read_run(request.plan_of).description, request.plan_of, std::move(steps));
}

run_outcome run_experiments(const run_request& request, std::ostream& out) {
  return run_experiments(request, *line_progress(out));
}

run_outcome run_experiments(const run_request& request, progress& shown) {
  reports::remove_unused_texts();  // those of an earlier run of this process
  require_processors_for_threads();
  disturbances_are_only_noted();  // refuses a wrong setting before anything is measured
  if (!request.resume) return execution(request, std::nullopt, shown).run();
  reports::run_folder folder = reports::run_folder::resume(request.out);
  run_request restored = request;
  restore(restored, folder.description());
  return execution(restored, std::move(folder), shown).run();
}

}  // namespace reprise::harness
