// SPDX-License-Identifier: MIT
// What the harness knows of a paper: its experiments, their cases, and how a case is loaded, checked and run.
// benchmarks/<word>/experiments.cpp registers one `family` of these as data and small functions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/harness/size.hpp"
#include "benchmarks/harness/subject.hpp"
#include "reports/store/glob.hpp"
#include "reports/store/layout.hpp"
#include "reports/store/row.hpp"
#include "solvers/common/base/registry.hpp"

namespace reprise::harness {

// smoke takes under a minute in all, for CI; quick is the default; paper has the
// paper's own sizes and counts.
enum class preset { smoke, quick, paper };
std::string_view to_string(preset level);
preset parse_preset(const std::string& name);  // throws bad_input

template <class Value>
Value by_preset(preset level, Value smoke, Value quick, Value paper) {
  return level == preset::smoke ? smoke : level == preset::quick ? quick : paper;
}

// What is timed, on every device that can run the variant.
struct case_plan {
  std::string variant;  // id
  precision arithmetic{precision::single};
  std::string size;  // "512x1024"
  std::string parameter;
  std::string settings;     // of the request, "dt=0.1 eps=1e-06"
  std::string metric;       // "time_1000_sweeps": the time of `repeats` repeats
  std::string cold_metric;  // "time_1_sweep_cold": one repeat after flushing the caches; empty: none
  int repeats{1};
  double units_per_repeat{};      // nodes or cells: the unit in which the variant counts its work
  std::size_t footprint_bytes{};  // memory that a repeat touches
  std::string note;               // remark on the row of the time
  bool writes_end{};              // records where it ends, with arrays
  bool has_fields{};              // records fields, so no rows of other experiments can replace it
  bool runs_once{};               // its results are wanted, not its time
  bool is_on_ranks{};             // runs on all ranks: rank r uses device r
  std::function<double(const device&)> expected_seconds{};  // of a repeat; may be empty if short
  std::function<std::unique_ptr<subject>(const reprise::variant&, const device&)> make;
};

struct plan_request {
  preset level{preset::quick};
  std::vector<grid_size> sizes{};            // replace the experiment's own; empty: keep them
  std::map<std::string, double> settings{};  // replace the family's own, by name
  bool writes_end{};                         // record the final state of every case

  // The request's value of a setting, if it has one.
  std::optional<double> setting(const std::string& name) const;
  std::vector<grid_size> sizes_or(std::vector<grid_size> usual) const;
};

// Parses "eps=1e-6". Throws bad_input unless the text is NAME=NUMBER.
std::pair<std::string, double> parse_setting(const std::string& text);

using reports::matches;

// Plans one case for each size and name. The cases of a size follow each other.
template <class Sizes, class Names, class Plan>
std::vector<case_plan> plans_for(const Sizes& sizes, const Names& names, Plan plan) {
  std::vector<case_plan> plans;
  for (const auto& size : sizes)
    for (const auto& name : names) plans.push_back(plan(size, name));
  return plans;
}

using planner = std::function<std::vector<case_plan>(const plan_request&)>;
using deriver = std::function<std::vector<reports::row>(std::span<const reports::row>)>;

struct experiment {
  reports::layout layout;  // its id is the experiment's
  planner plan;
  // Computes rows from those measured in this run (speed-ups, rates in the paper's accounting). May be empty.
  deriver derive;
};

// An experiment that is shown as a table.
experiment table(const std::string& id, const std::string& title, const std::string& note,
                 std::vector<std::string> metrics, planner plan, deriver derive = {});

// Concatenates lists of experiments.
std::vector<experiment> joined(std::initializer_list<std::vector<experiment>> parts);

// One line of `reprise verify`: a variant on a device, checked on one problem.
struct verified_case {
  std::string name;  // "neumann 37x23, 10 sweeps"
  std::vector<checkers::finding> findings;
  std::string unavailable;  // why this variant cannot solve this problem, or empty
  std::string failure;      // the message of a call that failed, or empty
};

struct family {
  std::string word;
  std::string title;
  std::vector<experiment> experiments;
  std::vector<std::string> settings;  // names of the settings that a request may change
  // Checks a variant on a device on all its problems, or, if sizes are given, on problems of those sizes.
  std::function<std::vector<verified_case>(const variant&, const device&, std::span<const grid_size>)> verify;
  // Reads all settings from a file. Empty if the family has no such file.
  std::function<std::map<std::string, double>(const std::filesystem::path&)> read_parameters{};
  size_grammar sizes{};  // the sizes that --size accepts
  // Metrics whose definition changed, and the version of the present one, from 2 on. Rows of another are no evidence.
  // "table3/gflops" is the metric of one experiment.
  std::map<std::string, int> metric_versions{};
};

// Runs `check` as one line of verify. If it throws, the message becomes the line's reason.
verified_case verified(std::string name, const std::function<std::vector<checkers::finding>()>& check);

// Parses sizes from the command line. Throws bad_input if one of the families does not accept one of them.
std::vector<grid_size> parse_sizes(const std::vector<std::string>& typed,
                                   std::span<const family* const> families);

class family_registration {
 public:
  explicit family_registration(family (*make)());
};

const std::vector<family>& families();
// Returns null if no family has this word.
const family* find_family(std::string_view word);

// The names, without the word, of all variants that have a source file, built or not.
std::vector<std::string> variants_of(std::string_view word);

// Whether the variant solves one problem on all ranks; experiments on one device leave such variants out.
// Decided by the name, because the variant may not be built.
bool is_on_ranks(std::string_view variant);

// A variant and a device that can run it. If there is no such device, `variant` is null and `reason` says why.
struct target {
  const reprise::variant* variant{};
  reprise::device device;
  std::string reason;
};

// Throws bad_input for a glob that no device on any machine matches, as gpu0. One that only this machine lacks is no mistake.
void require_device_name(const std::string& glob);

// All targets of a variant among the devices that match the glob; a single target with a reason if there is
// none. The emulator is used only if `with_emulator` is set and no other matching device can run the variant.
std::vector<target> targets_of(std::string_view variant_id, const std::string& device_glob,
                               bool with_emulator);

// Verifies a variant on a device on all its problems, or on problems of these sizes. If its solver cannot be constructed,
// that is the only case.
std::vector<verified_case> cases_of(const family& f, const target& on, std::span<const grid_size> sizes);

// What is wrong in a case, each with the case's name; empty if nothing is, or if the case was left out.
std::vector<std::string> complaints_about(const verified_case& c);

}  // namespace reprise::harness
