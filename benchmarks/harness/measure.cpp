// SPDX-License-Identifier: MIT
// Measures one case: verify, time, verify again. A case with a wrong answer gets no time.
#include "benchmarks/harness/measure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>

#include "benchmarks/harness/device_sensors.hpp"
#include "benchmarks/harness/disturbance.hpp"
#include "benchmarks/harness/earlier_times.hpp"
#include "benchmarks/harness/roofs/roofs.hpp"
#include "benchmarks/harness/shares.hpp"
#include "benchmarks/harness/timing.hpp"
#include "reports/store/left_out.hpp"
#include "solvers/common/base/device_calls.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/host_memory.hpp"
#include "solvers/common/base/host_processors.hpp"
#include "solvers/common/base/launches.hpp"
#include "solvers/common/base/message.hpp"
#include "solvers/common/base/stopwatch.hpp"

namespace reprise::harness {
namespace {

using reports::row;

// The problem, the solver's state, the reference's in double precision, and what the checks keep: on large grids of jacobi and
// curvature four times what a repeat touches, measured as the largest resident size.
constexpr std::size_t host_bytes_of_footprint = 5;

row with(row label, const std::string& metric, double value, const std::string& unit,
         const std::string& reason = "") {
  label.metric = metric;
  label.value = value;
  label.unit = unit;
  label.samples = 1;
  label.status = "ok";
  label.reason = reason;
  return label;
}

row without(row label, const std::string& metric, const std::string& status, const std::string& reason) {
  label.metric = metric;
  label.status = status;
  label.reason = reason;
  return label;
}

void add_findings(measured_case& out, const row& label, const std::vector<checkers::finding>& findings) {
  for (const checkers::finding& f : checkers::worst_of_each(findings)) {
    row r = with(label, f.metric, f.value, "1", fmt::format("limit {:.3g}: {}", f.limit, f.reason));
    if (!f.good()) r.status = "failed";
    out.rows.push_back(std::move(r));
  }
}

std::string first_bad(const std::vector<checkers::finding>& findings) {
  const auto bad = std::ranges::find_if(findings, [](const auto& f) { return !f.good(); });
  return bad == findings.end() ? "nothing was checked" : checkers::describe(*bad);
}

// Adds the findings. Throws error unless all are good.
void require_right(measured_case& out, const row& label, const std::vector<checkers::finding>& findings,
                   const std::string& when) {
  add_findings(out, label, findings);
  if (!checkers::all_good(findings)) throw error("wrong answer " + when + ": " + first_bad(findings));
}

// Adds a measured row. If the roof or sensor that it needs is unavailable, only this row is skipped.
template <class Measure>
void add_if_available(measured_case& out, const row& label, const std::string& metric, Measure measured) {
  try {
    out.rows.push_back(measured());
  } catch (const unavailable& missing) {
    out.rows.push_back(without(label, metric, "skipped", missing.what()));
  }
}

// Adds what the work takes of the chip besides operations and bytes of memory, as far as it takes any.
void add_counts(measured_case& out, const row& label, const demand& asked) {
  const auto add = [&](const char* metric, double count, const char* unit) {
    if (count > 0) out.rows.push_back(with(label, metric, count, unit));
  };
  add("counted_shared_bytes", asked.bytes_shared, "B");
  add("counted_functions", asked.functions, "1");
  add("counted_launches", asked.launches, "1");
  add("counted_exchanges", asked.exchanges, "1");
}

// Adds the rates of bytes and operations, and their shares of the roofs. Throws error if a rate is impossible. Returns what
// disturbed a roof that a rate exceeds.
std::string add_rates(measured_case& out, const row& label, const case_plan& plan, const target& on,
                      preset level, double launches, subject& s) {
  const accounted did =
      s.account().value_or(accounted{plan.units_per_repeat * plan.repeats, on.variant->data.per_unit});
  const demand asked = demand_of(did, plan, launches, out.seconds);
  const double logical = did.per_unit.bytes_logical * did.units;
  out.rows.push_back(with(label, "bandwidth_logical", logical / out.seconds * 1e-9, "GB/s"));
  out.rows.push_back(with(label, "bandwidth_compulsory", asked.bytes / out.seconds * 1e-9, "GB/s"));
  out.rows.push_back(with(label, "gflops", asked.flops / out.seconds * 1e-9, "GFLOP/s"));
  add_counts(out, label, asked);
  roof_shares shares = share_rows(label, asked, on.device, level);
  std::ranges::move(shares.rows, std::back_inserter(out.rows));
  return shares.disturbed;
}

void add_energy(measured_case& out, const row& label, const case_plan& plan, const target& on, subject& s,
                double at_least_seconds) {
  const std::string metric = "energy" + plan.metric.substr(plan.metric.find('_'));
  if (at_least_seconds <= 0) return;
  add_if_available(out, label, metric, [&] {
    const auto meter = sensors_of(on.device);
    const int repeats = std::max(1, static_cast<int>(at_least_seconds / out.seconds * plan.repeats));
    const double before = meter->energy_joules();
    s.run(repeats);
    const double joules = (meter->energy_joules() - before) * plan.repeats / repeats;
    if (!(joules > 0)) throw unavailable("the energy counter did not move");
    return with(label, metric, joules, "J", fmt::format("the whole board, over {} repeats", repeats));
  });
}

// Times one repeat after flushing the caches. If the caches cannot be flushed, only this row is skipped; any
// other exception fails the case.
void add_cold(measured_case& out, const row& label, const case_plan& plan, const target& on, preset level,
              subject& s, int samples, const time_limit& limit) {
  std::vector<double> values;
  try {
    cache_flush flush(on.device, level);
    for (int i = 0; i < samples && (i == 0 || !limit.is_over()); ++i) {
      flush();
      values.push_back(s.run(1));
    }
  } catch (const flush_failure& kept) {
    out.rows.push_back(without(label, plan.cold_metric, "skipped", kept.what()));
    return;
  }
  const summary cold = summarize(values);
  row r = with(label, plan.cold_metric, cold.median, "s", "one repeat after the caches were flushed");
  r.q1 = cold.q1;
  r.q3 = cold.q3;
  r.samples = cold.samples;
  out.rows.push_back(std::move(r));
}

void add_time(measured_case& out, const row& label, const case_plan& plan, const summary& time, int repeats,
              const std::string& note) {
  row r = with(label, plan.metric, time.median, "s");
  r.q1 = time.q1;
  r.q3 = time.q3;
  r.samples = time.samples;
  r.reason =
      repeats == plan.repeats
          ? "no set-up, no transfer"
          : fmt::format("no set-up, no transfer; {} repeats a sample, scaled to {}", repeats, plan.repeats);
  if (!note.empty()) r.reason += "; " + note;
  out.rows.insert(out.rows.begin(), std::move(r));
}

row row_of(const row& label, const found& f) {
  row r = with(label, f.metric, f.value, f.unit, f.reason);
  if (!f.parameter.empty()) r.parameter += (r.parameter.empty() ? "" : ";") + f.parameter;
  return r;
}

// The harness, not the subject, fills in the fields that identify the case.
void add_fields(measured_case& out, const row& label, subject& s, bool writes_end) {
  auto fields = s.fields();
  if (writes_end) {
    final_state end = s.end();
    std::ranges::move(end.fields, std::back_inserter(fields));
    for (const found& f : end.numbers) out.rows.push_back(row_of(label, f));
  }
  for (reports::field& f : fields) {
    if (f.nx == 1 && f.ny >= 1) continue;  // one column has no picture; the answer is right nevertheless
    static_cast<reports::case_id&>(f) = label;
    const std::string flaw = reports::flaw_of(f);
    if (!flaw.empty()) throw error("field " + f.name + " cannot be recorded: " + flaw);
    if (writes_end && !f.exact) f.exact = array_of(f);
    out.fields.push_back(std::move(f));
  }
}

// Rows that a disturbance of the timed work falsifies.
void mark_disturbed(std::vector<row>& rows, const std::string& evidence) {
  const bool is_noted = disturbances_are_only_noted();
  for (row& r : rows) {
    if (!reports::is_of_time(r) || r.status != "ok") continue;
    reports::mark_disturbed(r, evidence);
    if (is_noted) r.status = "ok";
  }
}

void measure_or_throw(measured_case& out, const case_plan& plan, const target& on, preset level,
                      sampler& engine, const row& label, time_limit limit) {
  const effort how = effort_of(level);
  if (const std::string too_long = why_not_affordable(plan, on.device, level); !too_long.empty())
    throw unavailable(too_long);
  require_memory(plan, on.device);
  steady_stopwatch wall;
  use(on.device);
  const device_code code = code_of(on.device);
  if (code.is_missing) throw unavailable(on.device.id + " " + code.remark);
  std::optional<bound_threads> bound;
  if (on.device.kind == backend::cpu && works_on_processors(on.device, plan)) bound.emplace();
  const auto s = plan.make(*on.variant, on.device);
  wall.start();
  s->load();
  const double setup = wall.stop();

  wall.start();
  require_right(out, label, s->verify(), "before timing");
  out.rows.clear();  // the same findings follow after timing
  const double check = wall.stop();
  if (limit.is_over()) throw unavailable(text_of(limit) + ": set-up and the first check took longer");
  limit.keep_back(2 * check);  // the timed work is judged, and the answer is checked once more
  if (!plan.cold_metric.empty()) add_cold(out, label, plan, on, level, *s, how.cold_samples, limit);
  const timing taken = take_samples(plan, on, how, engine, label, *s, limit);
  limit.keep_back(0);

  wall.start();
  s->read_back();
  const double read_back = wall.stop();
  require_right(out, label, s->judge_timed_work(taken.repeats), "in the timed work");
  require_right(out, label, s->verify(), "after timing");

  const summary time = summarize(taken.values);
  out.seconds = time.median;
  for (std::size_t i = 0; i < taken.values.size(); ++i)
    out.samples.push_back({{label, plan.metric}, label.run, static_cast<int>(i), taken.values[i]});
  for (const found& f : s->results()) out.rows.push_back(row_of(label, f));
  add_fields(out, label, *s, plan.writes_end);
  const std::string disturbed_roof = add_rates(out, label, plan, on, level, taken.launches, *s);
  if (!taken.is_single) add_energy(out, label, plan, on, *s, how.energy_seconds);
  out.rows.push_back(with(label, "setup_time", setup, "s", "allocation, layout and transfer to the device"));
  out.rows.push_back(with(label, "time_to_solution", setup + time.median + read_back, "s",
                          "set-up, the timed repeats and reading the answer back"));
  add_time(out, label, plan, time, taken.repeats,
           joined(joined(joined(plan.note, taken.note), s->chosen_for_device()), code.remark));
  if (!taken.disturbed.empty())
    mark_disturbed(out.rows, taken.disturbed);
  else if (!disturbed_roof.empty())
    mark_disturbed(out.rows, "faster than a roof, which was measured while " + disturbed_roof);
  else if (!taken.work.empty())
    case_times_here().lower(taken.work, time.median / plan.repeats);
}

}  // namespace

void require_memory(const case_plan& plan, const device& on) {
  const std::size_t needed = host_bytes_of_footprint * plan.footprint_bytes;
  if (const std::size_t left = available_host_bytes(); needed > left)
    throw unavailable(fmt::format(
        "needs about {} of memory with its checks, and this process may take {}: give a smaller --size",
        bytes_text(needed), bytes_text(left)));
  if (!on.in_host_memory && on.memory_bytes > 0 && plan.footprint_bytes > on.memory_bytes)
    throw unavailable(fmt::format("needs {} of the device's memory, which has {}: give a smaller --size",
                                  bytes_text(plan.footprint_bytes), bytes_text(on.memory_bytes)));
}

std::string why_not_affordable(const case_plan& plan, const device& on, preset level) {
  if (!plan.expected_seconds) return "";
  const effort how = effort_of(level);
  const double expected = plan.expected_seconds(on);
  const double longest = on.on_host ? how.longest_repeat_on_host : how.longest_repeat;
  if (expected <= longest) return "";
  return fmt::format("takes about {:.2g} s, more than this preset's {:g}: {}", expected, longest,
                     longest < 7200 ? "a longer preset has it" : "give a smaller --size");
}

row case_row(const std::string& run, const std::string& experiment, const case_plan& plan, const target& on) {
  const reports::case_id of{experiment, plan.variant,  on.device.id, std::string(to_string(plan.arithmetic)),
                            plan.size,  plan.parameter};
  return {{of, ""}, run};
}

measured_case measure(const case_plan& plan, const target& on, preset level, sampler& engine,
                      const row& label, time_limit limit) {
  measured_case out;
  std::string status;
  std::string reason;
  try {
    if (on.variant == nullptr) throw unavailable(on.reason);
    if (!engine.accepts(engine_name(label))) throw unavailable("left out by --benchmark_filter");
    measure_or_throw(out, plan, on, level, engine, label, std::move(limit));
    return out;
  } catch (const unavailable& missing) {
    status = "skipped";
    reason = missing.what();
    out.rows.clear();
  } catch (const std::bad_alloc&) {
    status = "skipped";
    reason = "does not fit into this machine's memory";
    out.rows.clear();
  } catch (const std::exception& failure) {
    status = "failed";
    reason = without_location(failure.what());
    // Keeps the failed findings and drops all other rows, because a wrong answer gets no times.
    std::erase_if(out.rows, [](const row& r) { return r.status != "failed"; });
  }
  out.samples.clear();
  out.fields.clear();
  out.seconds = 0;
  out.rows.insert(out.rows.begin(), without(label, plan.metric, status, reason));
  return out;
}

}  // namespace reprise::harness
