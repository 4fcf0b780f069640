// SPDX-License-Identifier: MIT
// Steps on a device that the host decides on.
#pragma once

#include <cstddef>
#include <vector>

#include "solvers/atrium/controller.hpp"
#include "solvers/atrium/methods.hpp"

namespace reprise::atrium {

// With fixed steps that need no error the host does not wait: the device remembers the first bad cell, and the host
// checks every few steps. A Run holds the state on the device and on the host, and what it has recorded. A Verdict
// holds what the device has found: bad_cell(), which is negative if there is none, and its bad_attempt(). It is a type of
// the variant's own file, so that the linker never takes one variant's steps for those of another, in which a test has
// planted a fault.
template <class Run, class Verdict>
class decided_by_host : public Run {
 public:
  using Run::Run;

  progress advance(double t_end) override {
    start_interval(state_, t_end);
    while (state_.state == ending::running) {
      unseen_.push_back({state_, current_});
      if (finish_attempt(state_, attempt())) {
        current_ = 1 - current_;
        sample_now();
      }
      if (is_judged() || unseen_.size() == steps_ahead || state_.state != ending::running) look_back();
    }
    return state_;
  }

 protected:
  static constexpr std::size_t steps_ahead = 64;

  virtual outcome attempt() = 0;
  virtual void sample_now() = 0;
  // Waits for all attempts made so far.
  virtual Verdict look() = 0;

  bool is_judged() const { return method_.low_order > 0; }
  bool is_plain() const { return state_.control.gates == gate_rule::plain; }
  long long attempts() const { return state_.accepted + state_.rejected; }

  struct moment {
    progress state;
    int current;
  };
  // Before each of the attempts since the last look.
  const std::vector<moment>& unseen() const { return unseen_; }

  using Run::current_, Run::method_, Run::samples_, Run::state_;

 private:
  // Returns to the first attempt with a bad cell, if there is one.
  void look_back() {
    if (!is_judged()) {
      const Verdict v = look();
      if (v.bad_cell() >= 0) {
        const moment& first = unseen_.front();
        const long long ago = v.bad_attempt() - first.state.accepted - first.state.rejected;
        const moment& at = unseen_[static_cast<std::size_t>(ago)];
        state_ = at.state;
        current_ = at.current;
        finish_attempt(state_, {0, v.bad_cell()});
      }
    }
    unseen_.clear();
    if (samples_.room(state_.accepted) <= static_cast<long long>(steps_ahead))
      samples_.flush(state_.accepted);
  }

  std::vector<moment> unseen_;
};

}  // namespace reprise::atrium
