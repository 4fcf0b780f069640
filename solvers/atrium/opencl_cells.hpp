// SPDX-License-Identifier: MIT
// The sphere on an OpenCL device as structure of arrays, and the samples of recorded cells.
// Place: section 4.2, layout (18). Variable n of cell k is element [n * stride + k].
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "solvers/atrium/cell.hpp"
#include "solvers/atrium/columns.hpp"
#include "solvers/atrium/controller.hpp"
#include "solvers/atrium/methods.hpp"
#include "solvers/atrium/problem.hpp"
#include "solvers/common/opencl/opencl.hpp"

namespace reprise::atrium {

constexpr std::size_t most_lanes = 16;

template <class Real>
using eight_numbers = std::array<Real, 8>;

template <class Real>
std::string opencl_options(gate_rule gates, int lanes) {
  return "-cl-std=CL1.2 -D LANES=" + std::to_string(lanes) +
         (sizeof(Real) == sizeof(double) ? " -D DOUBLE" : "") +
         (gates == gate_rule::plain ? " -D PLAIN" : "");
}

// What does not change during a run. Rows are filled up with cells like the first one, without neighbours: a vector
// of cells is always whole, and its last lanes compute something harmless.
template <class Real>
class opencl_sphere {
 public:
  void load(opencl_context& context, const problem& p) {
    cells_ = p.cells();
    stride_ = (cells_ + most_lanes - 1) / most_lanes * most_lanes;
    // Kernels count in int, and keep a cell's number in 26 bits.
    if (cells_ >= 1U << 26U || most_stages * variables * stride_ > 0x7fffffffU)
      throw unavailable("does not fit: more cells than its kernels can count");
    std::vector<Real> weight(slots * stride_, Real(0));
    std::vector<int> neighbours(slots * stride_, 0);
    for (std::size_t slot = 0; slot < slots; ++slot)
      for (std::size_t k = 0; k < cells_; ++k) {
        weight[slot * stride_ + k] = static_cast<Real>(p.diffusion * p.mesh.weight[k][slot]);
        neighbours[slot * stride_ + k] = p.mesh.neighbours[k][slot];
      }
    std::vector<std::uint8_t> stimulated = p.stimulated;
    stimulated.resize(stride_, 0);
    weight_ = opencl_uploaded(context, weight);
    neighbours_ = opencl_uploaded(context, neighbours);
    stimulated_ = opencl_uploaded(context, stimulated);
    constants_ = constants_of<Real>(p.cell);
    strengths_ = {};
    for (std::size_t n = 0; n < p.protocol.stimuli.size(); ++n)
      strengths_[n] = static_cast<Real>(p.protocol.stimuli[n].strength);
  }

  std::vector<Real> initial_state(const problem& p) const {
    std::vector<Real> y(variables * stride_);
    put_in_columns(p.state0, p.state0.front(), stride_, y.data());
    return y;
  }

  std::vector<cell_state> state_in(const opencl_buffer<Real>& buffer) const {
    return taken_from_columns(buffer.read().data(), stride_, cells_);
  }

  std::size_t cells() const { return cells_; }
  std::size_t stride() const { return stride_; }
  const cell_constants<Real>& constants() const { return constants_; }
  const eight_numbers<Real>& strengths() const { return strengths_; }
  const opencl_buffer<Real>& weight() const { return weight_; }
  const opencl_buffer<int>& neighbours() const { return neighbours_; }
  const opencl_buffer<std::uint8_t>& stimulated() const { return stimulated_; }

 private:
  std::size_t cells_{};
  std::size_t stride_{};
  cell_constants<Real> constants_{};
  eight_numbers<Real> strengths_{};
  opencl_buffer<Real> weight_;
  opencl_buffer<int> neighbours_;
  opencl_buffer<std::uint8_t> stimulated_;
};

// Voltages of the recorded cells, kept on the device until they are requested or there is no more room.
template <class Real>
class opencl_samples {
 public:
  // Allocates room for the samples of `steps` steps, within bounds. The program has the kernel take_sample.
  void start(opencl_context& context, const opencl_program& program, const problem& p, const control& c,
             double steps) {
    columns_ = p.recorded.size();
    every_ = c.record_every;
    first_ = 0;
    kept_ = {};
    if (!is_on()) return;
    constexpr double most_bytes = 64 << 20;
    constexpr double fewest = 1024;
    const double wanted = std::max(fewest, 2 + 1.25 * steps / every_);
    room_ =
        static_cast<std::size_t>(std::min(wanted, most_bytes / static_cast<double>(columns_ * sizeof(Real))));
    recorded_ = opencl_uploaded(context, p.recorded);
    if (values_.size() < room_ * columns_) {
      values_ = {};
      values_ = opencl_buffer<Real>(context, room_ * columns_);
    }
    times_.assign(room_, 0);
    take_ = opencl_kernel(program, "take_sample");
  }

  // Takes a sample if one is due after `accepted` steps.
  void take(const opencl_buffer<Real>& state, long long accepted, double t) {
    const int row = row_of(accepted, t);
    if (row < 0) return;
    take_.set(static_cast<int>(columns_), row, recorded_, state, values_);
    take_.run(columns_, take_.group_at_most(64));
  }

  // The row for the sample after `accepted` steps, which the caller fills; -1 if none is due.
  int row_of(long long accepted, double t) {
    if (!is_on() || accepted % every_ != 0) return -1;
    const auto row = static_cast<std::size_t>(accepted / every_ - first_);
    times_[row] = t;
    return static_cast<int>(row);
  }
  const opencl_buffer<Real>& values() const { return values_; }
  int columns() const { return static_cast<int>(columns_); }

  // Number of further accepted steps that there is room for, after `accepted` steps.
  long long room(long long accepted) const {
    if (!is_on()) return 1LL << 40;
    return (static_cast<long long>(room_) + first_) * every_ - accepted - 1;
  }

  // Downloads the samples up to the step `accepted`.
  void flush(long long accepted) {
    if (!is_on()) return;
    const auto count = static_cast<std::size_t>(accepted / every_ + 1 - first_);
    const std::vector<Real> v = count > 0 ? values_.read(0, count * columns_) : std::vector<Real>();
    kept_.t.insert(kept_.t.end(), times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(count));
    kept_.v.insert(kept_.v.end(), v.begin(), v.end());
    first_ += static_cast<long long>(count);
  }

  const recording& kept() const { return kept_; }

 private:
  bool is_on() const { return every_ != 0 && columns_ != 0; }

  std::size_t columns_{};
  int every_{};
  long long first_{};  // number of the first sample in `values_`
  std::size_t room_{};
  recording kept_;
  std::vector<double> times_;
  opencl_buffer<int> recorded_;
  opencl_buffer<Real> values_;
  opencl_kernel take_;
};

}  // namespace reprise::atrium
