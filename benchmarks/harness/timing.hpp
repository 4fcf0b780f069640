// SPDX-License-Identifier: MIT
// Takes the samples of a case, and says what disturbed or shortened them.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/harness/sampling.hpp"
#include "benchmarks/harness/time_limit.hpp"
#include "reports/store/row.hpp"

namespace reprise::harness {

// How much a preset measures of a case.
struct effort {
  stopping_rule rule;
  double sample_seconds;  // a sample repeats the work until it lasts this long, at most plan.repeats times
  int cold_samples;
  double energy_seconds;          // 0: energy is not measured
  double longest_repeat_on_host;  // seconds; cases that take longer are left to the next preset
  double longest_repeat;
  int attempts;            // at enough undisturbed samples
  double longest_sampled;  // seconds; a longer case is timed once
  bool knows_earlier_times;
};

effort effort_of(preset level);

// Whether the work is done on the processors that also run this program.
bool works_on_processors(const device& d, const case_plan& plan);

// The name of a case for Google Benchmark.
std::string engine_name(const reports::row& label);

// The texts with a semicolon between them, if neither is empty.
std::string joined(const std::string& a, const std::string& b);

// What the limit's owner allows, for the reason of a row: "its plan for 60 s allows the case 6.0 s".
std::string text_of(const time_limit& limit);

struct timing {
  std::vector<double> values;  // seconds per plan.repeats repeats
  int repeats{};               // per sample
  bool is_single{};            // a single run, too long to be repeated
  std::string note;
  std::string disturbed;  // what disturbed all of them; empty if they are sound
  double launches{};      // in plan.repeats repeats
  std::string work{};     // its name among the times of earlier runs; empty if it is not compared with them
};

// Throws unavailable if the limit leaves no time for a sample.
timing take_samples(const case_plan& plan, const target& on, const effort& how, sampler& engine,
                    const reports::row& label, subject& s, const time_limit& limit);

}  // namespace reprise::harness
