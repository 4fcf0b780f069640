// SPDX-License-Identifier: MIT
// The host side of steps on a GPU. Interface is that of a solver, or of the solver of a part.
#pragma once

#include <bit>
#include <vector>

#include "solvers/atrium/cuda_cells.hpp"
#include "solvers/atrium/cuda_samples.hpp"

namespace reprise::atrium {
inline namespace REPRISE_CUDA_FLAVOUR {

// A run: its state on the device and on the host, and what it has recorded.
template <class Interface, class Real>
class run_on_gpu : public Interface {
 public:
  std::vector<cell_state> state() override { return sphere_.state(current_); }
  recording recorded() override {
    samples_.flush(state_.accepted);
    return samples_.kept();
  }
  work per_unit() const override { return counted(method_, state_.control.gates, sizeof(Real)); }

 protected:
  void start(const control& c) { start(c, data_of(c.method)); }
  // `stored` is the method whose arguments and slopes have memory of their own.
  void start(const control& c, const method_data& stored) {
    method_ = data_of(c.method);
    sphere_.reset(problem_, stored, c.gates);
    current_ = 0;
    state_ = at_start(problem_, c, static_cast<int>(method_.stages), method_.low_order);
    samples_.start(problem_, c, c.is_adaptive ? 0 : problem_.protocol.t_end / c.dt);
  }

  void take_sample(cudaStream_t on = nullptr) {
    samples_.take(sphere_.state_at(current_), state_.accepted, state_.t, on);
  }

  problem problem_;
  method_data method_{};
  device_cells<Real> sphere_;
  device_samples<Real> samples_;
  int current_{};  // index of the state that holds the cells
  progress state_;
};

// Steps that the host decides on. With fixed steps that need no error it does not wait: the device remembers
// the first bad cell, and the host checks every few steps. A Verdict holds what the device has found:
// error_bits, bad_cell(), which is negative if there is none, and its bad_attempt(). It is a type of the
// variant's own file, so that the linker never takes one variant's steps for those of another, in which a test
// has planted a fault.
template <class Interface, class Real, class Verdict>
class steps_on_gpu : public run_on_gpu<Interface, Real> {
  using run = run_on_gpu<Interface, Real>;

 public:
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
  virtual outcome attempt() = 0;
  virtual void sample_now() = 0;
  // Waits for all attempts made so far.
  virtual Verdict look() = 0;

  outcome found() {
    const Verdict v = look();
    return {std::bit_cast<double>(v.error_bits), v.bad_cell()};
  }

  bool is_judged() const { return method_.low_order > 0; }
  bool is_plain() const { return state_.control.gates == gate_rule::plain; }
  long long attempts() const { return state_.accepted + state_.rejected; }

  // Addresses that stage i reads and writes.
  places<Real> places_of(std::size_t i) {
    Real* const state = sphere_.state_at(current_);
    Real* const result = sphere_.state_at(1 - current_);
    return {state, i == 0 ? state : sphere_.argument(i),
            i + 1 == method_.stages ? result : sphere_.argument(i + 1), result};
  }

  using run::current_, run::method_, run::samples_, run::sphere_, run::state_;

 private:
  static constexpr std::size_t steps_ahead = 64;

  struct moment {
    progress state;
    int current;
  };

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

  std::vector<moment> unseen_;  // states before the attempts since the last check
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
