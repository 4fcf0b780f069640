// SPDX-License-Identifier: MIT
// What the harness knows of a paper: its experiments, the cases they are made of, and how a case is loaded,
// checked and run. A paper's file benchmarks/<word>.cpp registers one `family` of these, as data and small
// functions.
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

#include "reports/field.hpp"
#include "reports/layout.hpp"
#include "reports/row.hpp"
#include "solvers/common/registry.hpp"
#include "solvers/common/stopwatch.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::harness {

// smoke: under a minute in all, for CI. quick: the default. paper: the paper's own sizes and counts.
enum class preset { smoke, quick, paper };
std::string_view to_string(preset level);
preset parse_preset(const std::string& name);  // throws bad_input

// A number that a run found besides its time.
struct found {
  std::string metric;
  double value{};
  std::string unit;
  std::string reason{};
  std::string parameter{};  // parts that its row's parameter has besides the case's: "cell=3;t=1.5"
};

// What a run did, where only the run itself could say how much that is.
struct accounted {
  double units{};  // of work
  work per_unit;
};

// One variant at one size on one device.
class subject {
 public:
  virtual ~subject() = default;
  virtual void load() = 0;  // set-up and transfers, to the point of the first repeat
  virtual std::vector<checkers::finding> verify() = 0;  // from the start, in the very buffers that are timed
  virtual double run(int repeats) = 0;  // returns the seconds that it took by the device's clock
  virtual void read_back() = 0;         // waits for the device and fetches the answer

  // Of the last run.
  virtual std::optional<accounted> account() { return {}; }
  virtual std::vector<found> results() { return {}; }
  virtual std::vector<reports::field> fields() { return {}; }  // with name, extent and values
};

// What is timed, for every device that the variant can run on.
struct case_plan {
  std::string variant;  // id
  precision arithmetic{precision::single};
  std::string size;  // "512x1024"
  std::string parameter;
  std::string metric;       // "time_1000_sweeps": the time of `repeats` repeats
  std::string cold_metric;  // "time_1_sweep_cold": of one repeat after the caches were flushed; empty: none
  int repeats{1};
  double units_per_repeat{};      // nodes, cells: what the variant's work is counted in
  std::size_t footprint_bytes{};  // of all that a repeat touches
  std::string note;               // on the time's row
  bool has_fields{};              // so that no other experiment's rows can stand for it
  bool runs_once{};               // what it finds is wanted, not its time
  bool is_on_ranks{};             // of which the first one has the first device, the next ones the next
  std::function<double(const device&)> expected_seconds{};  // of a repeat, where it can be long
  std::function<std::unique_ptr<subject>(const reprise::variant&, const device&)> make;
};

struct grid_size {
  int width{};
  int height{};
};

// "512x1024". Throws bad_input for anything else, for a side that is not positive, and for more nodes than
// this machine's memory can hold with their reference.
grid_size parse_size(const std::string& text);

struct plan_request {
  preset level{preset::quick};
  std::vector<grid_size> sizes{};            // instead of the experiment's own, where not empty
  std::map<std::string, double> settings{};  // instead of the family's own, by name
};

// "eps=1e-6". Throws bad_input for what is not a name and a number.
std::pair<std::string, double> parse_setting(const std::string& text);

struct experiment {
  reports::layout layout;  // its id is the experiment's
  std::function<std::vector<case_plan>(const plan_request&)> plan;
  // Rows computed from rows measured in this run (speed-ups, rates in the paper's accounting). May be empty.
  std::function<std::vector<reports::row>(std::span<const reports::row>)> derive;
};

// One line of `reprise verify`: a variant on a device against one problem.
struct verified_case {
  std::string what;  // "neumann 37x23, 10 sweeps"
  std::vector<checkers::finding> findings;
  std::string unavailable;  // why this problem does not fit this variant, or empty
  std::string failure;      // what a call said that failed, or empty
};

struct family {
  std::string word;
  std::string title;
  std::vector<experiment> experiments;
  std::vector<std::string> settings;  // that a request may change
  // Every problem that a variant must solve on this device; those of the sizes given, where there are any.
  std::function<std::vector<verified_case>(const variant&, const device&, std::span<const grid_size>)> verify;
  // Settings from a file of them all; empty where the family has none such.
  std::function<std::map<std::string, double>(const std::filesystem::path&)> read_parameters{};
};

// Runs `check`, which returns findings, as one line of verify: what it throws becomes the line's reason.
verified_case verified(std::string what, const std::function<std::vector<checkers::finding>()>& check);

// A row computed from a measured one.
reports::row derived(reports::row from, const std::string& metric, double value, const std::string& unit,
                     const std::string& reason);

class family_registration {
 public:
  explicit family_registration(family (*make)());
};

const std::vector<family>& families();
// Null where no family has the word.
const family* find_family(std::string_view word);

// The names, without the word, of all variants that there are files for.
std::vector<std::string> variants_of(std::string_view word);

// By its name, since it may not be built: one problem on all ranks, which tables of one device leave out.
bool is_on_ranks(std::string_view variant);

// "jacobi/cuda_*" and the like: a shell glob; a pattern without '/' is matched against the part behind it
// too.
bool matches(std::string_view pattern, std::string_view id);

// A variant on a device that it can run on, or the reason why there is none.
struct target {
  const variant* what{};
  device where;
  std::string reason;
};

// All targets of a variant among the devices that match the glob; one with a reason where there is none. The
// emulator is offered only where asked for, and a variant that needs a GPU gets it only where there is no
// GPU.
std::vector<target> targets_of(std::string_view variant_id, std::string_view device_glob, bool with_emulator);

}  // namespace reprise::harness
