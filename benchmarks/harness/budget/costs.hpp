// SPDX-License-Identifier: MIT
// What cases cost in seconds: recorded costs by case and class of device, and estimates for cases without one.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "benchmarks/harness/steps.hpp"
#include "reports/store/run_files.hpp"

namespace reprise::budget {

// A case on any device of a class, whatever experiment asks for it.
struct cost_key {
  std::string device_class;  // see class_of
  std::string variant, precision, size, parameter;

  auto operator<=>(const cost_key&) const = default;
};

// The backend, with "_on_host" for OpenCL and OpenGL on a processor: "cpu", "cuda", "opencl_on_host".
std::string class_of(const device& d);
cost_key key_of(const harness::step& s);

// Steps whose predictions are corrected together: a family's on a class of device.
std::string group_of(const harness::step& s);

// The columns of a run's costs.csv and of the table that comes with the program. `flops_roof`, in GFLOP/s, is the
// device; the variant of a line with the costs of a device's roofs is roofs_variant.
constexpr std::array<std::string_view, 7> cost_columns{"class",     "variant", "precision", "size",
                                                       "parameter", "seconds", "flops_roof"};
constexpr std::string_view roofs_variant = "harness/roofs";

struct cost {
  double seconds{};
  double flops_roof{};  // of the device that it was recorded on; 0: unknown
};

class cost_table {
 public:
  cost_table() = default;

  // Throws bad_input with file and line for a table that cannot be read.
  static cost_table read(const std::filesystem::path& file);

  void add(const cost_key& key, const cost& c) { costs_[key] = c; }
  std::optional<cost> find(const cost_key& key) const;
  const std::map<cost_key, cost>& all() const { return costs_; }

 private:
  std::map<cost_key, cost> costs_;
};

// Appends the costs of a run's cases to its costs.csv. They are no results, so the seal does not cover them, and a
// failure to write one is ignored.
class cost_log {
 public:
  explicit cost_log(const std::filesystem::path& folder) : file_(folder / reports::costs_name) {}

  void add(const cost_key& key, const cost& c) const;

  // What the cases of all sessions of the run have cost.
  double seconds_so_far() const;

 private:
  std::filesystem::path file_;
};

// Predicts what steps cost on this machine.
class estimator {
 public:
  // `level` decides how long a case is sampled.
  estimator(cost_table known, harness::preset level) : known_(std::move(known)), level_(level) {}

  // A device's measured roof of single-precision operations in GFLOP/s: what a case takes beyond its sampling is scaled by it.
  void set_roof(const device& d, double flops_roof) { roofs_[class_of(d)] = flops_roof; }

  // Corrects later predictions by what a step has cost.
  void learn(const harness::step& s, double seconds);

  // Without and with the correction by what has run.
  double uncorrected(const harness::step& s) const;
  double seconds(const harness::step& s) const;
  double correction(const std::string& group) const;

  double roof_seconds(const device& d) const;
  bool is_recorded(const harness::step& s) const { return known_.find(key_of(s)).has_value(); }

 private:
  struct ratio {
    double predicted{}, spent{};
  };

  cost_table known_;
  harness::preset level_;
  std::map<std::string, double> roofs_;   // by class of device
  std::map<std::string, ratio> learned_;  // by group
  ratio all_;
};

}  // namespace reprise::budget
