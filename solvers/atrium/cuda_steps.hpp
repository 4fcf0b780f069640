// SPDX-License-Identifier: MIT
// The host side of steps on a GPU. Interface is that of a solver, or of the solver of a part.
#pragma once

#include <bit>
#include <vector>

#include "solvers/atrium/cuda_cells.hpp"
#include "solvers/atrium/cuda_samples.hpp"
#include "solvers/atrium/host_decisions.hpp"

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
  work per_unit() const override {
    work w = counted(method_, state_.control.gates, sizeof(Real));
    w.bytes_shared = shared_bytes_of_attempt() / static_cast<double>(method_.stages * problem_.cells());
    return w;
  }

 protected:
  // Accesses of shared memory, of all blocks.
  virtual double shared_bytes_of_attempt() const { return 0; }

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

// Steps that the host decides on. A Verdict also has error_bits.
template <class Interface, class Real, class Verdict>
class steps_on_gpu : public decided_by_host<run_on_gpu<Interface, Real>, Verdict> {
 protected:
  outcome found() {
    const Verdict v = this->look();
    return {std::bit_cast<double>(v.error_bits), v.bad_cell()};
  }

  // Addresses that stage i reads and writes.
  places<Real> places_of(std::size_t i) {
    Real* const state = this->sphere_.state_at(this->current_);
    Real* const result = this->sphere_.state_at(1 - this->current_);
    return {state, i == 0 ? state : this->sphere_.argument(i),
            i + 1 == this->method_.stages ? result : this->sphere_.argument(i + 1), result};
  }
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
