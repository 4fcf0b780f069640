// SPDX-License-Identifier: MIT
// Samples a case until its time is known, its budget is spent or its limit is reached.
#include "benchmarks/harness/timing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "benchmarks/harness/device_sensors.hpp"
#include "benchmarks/harness/disturbance.hpp"
#include "benchmarks/harness/earlier_times.hpp"
#include "benchmarks/harness/workers.hpp"
#include "reports/store/left_out.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/host_processors.hpp"
#include "solvers/common/base/launches.hpp"
#include "solvers/common/base/stopwatch.hpp"

namespace reprise::harness {
namespace {

using reports::row;

int repeats_per_sample(const case_plan& plan, double seconds_of_one, double sample_seconds) {
  const double wanted = std::ceil(sample_seconds / std::max(seconds_of_one, 1e-9));
  return static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(plan.repeats)));
}

// Ranks are processes of their own, which would count as other programs.
worker worker_of(const device& d, const case_plan& plan) {
  if (!works_on_processors(d, plan)) return worker::device;
  return d.kind == backend::cpu ? worker::processors : worker::driver;
}

// Whether threads wait for each other so often that it matters how long a message takes: less than a hundredth of the time if
// each of them passes over this much between two barriers.
bool is_close_knit(const case_plan& plan) {
  constexpr double most_bytes_a_thread = 4 << 20;
  return static_cast<double>(plan.footprint_bytes) < most_bytes_a_thread * usable_processors();
}

// Clocks still rise during the first full sample. Runs that show who works take a few: the kernel accounts for up to 4 ms at once.
void warm_up(const std::function<double()>& run, const effort& how) {
  const double long_enough = std::min(how.sample_seconds, .05);
  steady_stopwatch wall;
  wall.start();
  while (wall.stop() < long_enough) run();
}

// The first of several threads that work is bound like the others: free, it would now and then share a processor with one of
// them. Where it starts some of them each time, it stays free: these would inherit its one processor.
void bind_first_thread(std::optional<bound_first_thread>& bound, team at_work) {
  if (at_work == team::lasting) bound.emplace();
}

// Warms up, binds the first thread if it should be, and says who works.
worker worker_in_warm_up(const std::function<double()>& run, const effort& how, worker by,
                         const processor_time& begin, std::optional<bound_first_thread>& bound) {
  if (by != worker::processors) {
    run();
    return by;
  }
  warm_up(run, how);
  const team at_work = team_between(begin, processor_time_now());
  if (at_work == team::none) return by;
  bind_first_thread(bound, at_work);
  const processor_time before = processor_time_now();
  warm_up(run, how);
  return worker_between(before, processor_time_now());
}

// Samples until enough of them are undisturbed, within the attempts and the limit. Keeps the undisturbed ones, or all if they
// are too few. An attempt that was mostly disturbed, or that took longer than an earlier run, is left out where another is better.
void sample_undisturbed(timing& t, sampler& engine, const std::string& name, const effort& how,
                        sample_watch& watch, const time_limit& limit, const std::function<double()>& once,
                        const std::string& work) {
  stopping_rule rule = how.rule;
  const int enough = std::min(rule.min_samples, fewest_samples);
  const sample_watch fresh = watch;
  std::size_t dropped_samples = 0, left_out = 0;
  bool are_trusted = true;
  std::string why_dropped;
  for (int attempt = 0; attempt < how.attempts; ++attempt) {
    rule.most_seconds = limit.left();
    watch.begin();
    engine.sample(name, rule, [&] {
      const double seconds = once();
      watch.add(seconds);
      return seconds;
    });
    watch.end();
    t.values = watch.undisturbed();
    left_out = watch.all().size() - t.values.size();
    are_trusted = !reports::are_too_many_left_out(left_out, watch.all().size());
    const bool are_enough = std::ssize(t.values) >= enough;
    t.disturbed =
        are_enough ? slower_than_before(case_times_here(), work, summarize(t.values).median / t.repeats) : "";
    const bool is_last = attempt + 1 == how.attempts || limit.left() < watch.all().back();
    if (is_last || (are_enough && are_trusted && t.disturbed.empty())) break;
    if (are_trusted && t.disturbed.empty()) continue;
    why_dropped = are_trusted ? t.disturbed : watch.evidence();
    dropped_samples += watch.all().size();
    watch = fresh;
  }
  if (dropped_samples > 0 && t.disturbed.empty())
    t.note = fmt::format("{} samples left out: {}", dropped_samples, why_dropped);
  if (std::ssize(t.values) < enough) {
    t.values = watch.all();
    t.disturbed = watch.evidence();
  } else if (left_out > 0) {
    std::string& told = are_trusted ? t.note : t.disturbed;
    told = joined(told, reports::left_out_note(left_out, watch.all().size(), watch.evidence()));
  }
}

// A run that is no sample: the first of a case, or the only one.
struct lone_run {
  double seconds;
  double launches;
  std::string disturbed;
};

lone_run run_once(subject& s, worker by) {
  sample_watch watch(by);
  watch.begin();
  const long long launched = launches_made();
  const double seconds = s.run(1);
  const auto launches = static_cast<double>(launches_made() - launched);
  watch.add(seconds);
  watch.end();
  return {seconds, launches, watch.evidence()};
}

// What the time of a lone run is judged by, beside the run itself.
struct lone_run_setting {
  const case_plan& plan;
  std::string work;
  bool is_close_knit_team;
  sensors& meter;
  int runs_of_repeat;
};

timing timing_of(const lone_run& run, const lone_run_setting& in) {
  timing t{{run.seconds * in.plan.repeats}, 1, true, "a single run", run.disturbed};
  constexpr double warms_up = 1;  // seconds; shorter runs are slower when they are a process's first
  if (!in.work.empty() && run.seconds > warms_up) t.work = in.work + " once";
  if (t.disturbed.empty() && in.is_close_knit_team) t.disturbed = disturbance_by_distance();
  if (t.disturbed.empty()) t.disturbed = in.meter.disturbed_by();
  if (t.disturbed.empty()) t.disturbed = slower_than_before(case_times_here(), t.work, run.seconds);
  t.launches = run.launches * in.plan.repeats / in.runs_of_repeat;
  return t;
}

// The first run, or if that is short and was disturbed, a later one that was not.
timing undisturbed_run(const lone_run& first, const lone_run_setting& in, const effort& how,
                       const time_limit& limit, const std::function<lone_run()>& once) {
  timing t = timing_of(first, in);
  for (int left_out = 1; left_out < how.attempts && !t.disturbed.empty(); ++left_out) {
    if (first.seconds > std::min(how.rule.budget_seconds, limit.left())) break;
    const std::string why = t.disturbed;
    in.meter.watch_anew();
    t = timing_of(once(), in);
    if (t.disturbed.empty()) t.note = joined(t.note, fmt::format("{} before it left out: {}", left_out, why));
  }
  return t;
}

}  // namespace

effort effort_of(preset level) {
  constexpr double always = std::numeric_limits<double>::infinity();
  // Smoke checks answers; its times only tell that a case can be timed. Energy takes as long as all samples of a fast case, which
  // a plan with a budget better spends on another one.
  return by_preset<effort>(
      level, {{.budget_seconds = .05, .min_samples = 3}, .005, 1, 0, .5, .5, 1, .005, false},
      {{.budget_seconds = 1, .min_samples = 10}, .05, 3, 0, 6, 60, 3, always, true},
      {{.budget_seconds = 3, .min_samples = 20}, 1e9, 5, 1, 7200, 7200, 3, always, true});
}

bool works_on_processors(const device& d, const case_plan& plan) {
  return d.on_host && !plan.is_on_ranks;
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "; " + b;
}

std::string text_of(const time_limit& limit) {
  return fmt::format("{} allows the case {:.2g} s", limit.whose(), limit.seconds());
}

std::string engine_name(const row& label) {
  const std::string name = fmt::format("{}/{}/{}/{}/{}", label.experiment, label.variant, label.device,
                                       label.size, label.precision);
  return label.parameter.empty() ? name : name + "/" + label.parameter;
}

timing take_samples(const case_plan& plan, const target& on, const effort& how, sampler& engine,
                    const row& label, subject& s, const time_limit& limit) {
  const worker by = worker_of(on.device, plan);
  const std::string work = how.knows_earlier_times ? work_of_case(engine_name(label), plan, on.device) : "";
  const auto meter = sensors_of(on.device);
  const processor_time begin = processor_time_now();
  const lone_run first = run_once(s, by);
  const double one = first.seconds;
  std::optional<bound_first_thread> bound;
  timing t;
  t.repeats = repeats_per_sample(plan, one, how.sample_seconds);
  const bool is_cut = 2 * t.repeats * one > limit.left();  // a warm-up and a sample
  const bool is_long =
      one > how.longest_sampled || (plan.repeats == 1 && (is_cut || one > 2 * how.rule.budget_seconds));
  if (plan.runs_once || is_long) {
    if (by == worker::processors) bind_first_thread(bound, team_between(begin, processor_time_now()));
    t = undisturbed_run(first, {plan, work, bound && is_close_knit(plan), *meter, s.runs_of_repeat()}, how,
                        limit, [&] { return run_once(s, by); });
    if (is_cut) t.note = joined(t.note, text_of(limit));
    return t;
  }
  if (is_cut)
    throw unavailable(fmt::format("{}: they were over before it was sampled, and a sample takes {:.2g} s",
                                  text_of(limit), t.repeats * one));
  const long long launched = launches_made();
  const auto run = [&] { return s.run(t.repeats); };
  const worker sampled = worker_in_warm_up(run, how, by, begin, bound);
  t.launches =
      static_cast<double>((launches_made() - launched) * plan.repeats) / t.repeats / s.runs_of_repeat();
  const clock_state before = meter->clock();
  sample_watch watch(sampled, is_close_knit(plan));
  const double left = limit.left(), spent = limit.spent();
  sample_undisturbed(t, engine, engine_name(label), how, watch, limit, run, work);
  if (limit.spent() - spent >= left) t.note = joined(t.note, "sampling ended early: " + text_of(limit));
  t.note = joined(t.note, clock_change(before, meter->clock()));
  // Few samples of a busy machine are no measure for later runs.
  if (std::ssize(t.values) >= how.rule.min_samples) t.work = work;
  t.disturbed = joined(meter->disturbed_by(), t.disturbed);
  for (double& value : t.values) value *= static_cast<double>(plan.repeats) / t.repeats;
  return t;
}

}  // namespace reprise::harness
