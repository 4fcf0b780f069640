// SPDX-License-Identifier: MIT
// The harness's interface to one variant at one size on one device, and helpers for the families'
// implementations of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/store/field.hpp"
#include "solvers/common/base/device_choice.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/registry.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::harness {

// A result of a run besides its time.
struct found {
  std::string metric;
  double value{};
  std::string unit;
  std::string reason{};
  std::string parameter{};  // parts appended to the case's parameter: "cell=3;t=1.5"
};

// Where a case ended, for readers who want to see its solution.
struct final_state {
  std::vector<reports::field>
      fields;                    // with names, extents and values only; `exact` if it is not their values
  std::vector<found> numbers{};  // norms, residuals and masses of these fields
};

// The work of a run whose amount is known only afterwards, as that of adaptive steps.
struct accounted {
  double units{};  // units of work
  work per_unit;
};

// One variant at one size on one device.
class subject {
 public:
  virtual ~subject() = default;
  virtual void load() = 0;  // sets up and transfers everything that the first repeat needs
  virtual std::vector<checkers::finding> verify() = 0;  // solves from the start in the timed buffers
  virtual double run(int repeats) = 0;                  // returns the time by the device's clock in seconds
  virtual int runs_of_repeat() const {
    return 1;
  }  // how many run() makes for each repeat, and takes the mean of
  // Judges the timed work after the last sample: the state that the samples left, and runs as long as a sample,
  // made in the same calls.
  virtual std::vector<checkers::finding> judge_timed_work(int repeats) = 0;
  virtual void read_back() {}  // waits for the device and downloads the answer, if that takes time

  // Results of the last run.
  virtual std::optional<accounted> account() { return {}; }
  virtual std::vector<found> results() { return {}; }
  virtual std::vector<reports::field> fields() { return {}; }  // with names, extents and values only
  // Asked for after the last verification only, so it may solve again. Fields above are not repeated.
  virtual final_state end() { return {}; }

  // What the variant has chosen for this device; empty if it chooses nothing.
  std::string chosen_for_device() const { return chooser_ != nullptr ? chooser_->choice() : ""; }
  void set_chooser(const chooses_for_device* chooser) { chooser_ = chooser; }

 private:
  const chooses_for_device* chooser_{};  // the solver that this subject owns
};

// Returns the seconds that `work` takes by the solver's clock.
template <class Solver, class Work>
double clocked(Solver& s, Work work) {
  s.clock().start();
  work();
  return s.clock().stop();
}

// Calls `once` as often as `repeats` says and returns the sum of the seconds that it returns.
template <class Once>
double repeated(int repeats, Once once) {
  double seconds = 0;
  for (int r = 0; r < repeats; ++r) seconds += once();
  return seconds;
}

// Returns a case_plan's `make`, which makes the variant's solver and passes it to this `make`.
template <class Solver, class Make>
auto around(Make make) {
  return [make](const variant& v, const device& d) -> std::unique_ptr<subject> {
    auto s = dynamic_cast<const variant_of<Solver>&>(v).make(d);
    const auto* const chooser = dynamic_cast<const chooses_for_device*>(s.get());
    std::unique_ptr<subject> made = make(std::move(s));
    made->set_chooser(chooser);
    return made;
  };
}

// Returns the kernel of this name. Throws unavailable if there is none.
template <class Kernel>
const Kernel& named(const std::vector<Kernel>& kernels, const std::string& name) {
  for (const Kernel& k : kernels)
    if (k.name == name) return k;
  throw unavailable("this variant has no kernel " + name);
}

}  // namespace reprise::harness
