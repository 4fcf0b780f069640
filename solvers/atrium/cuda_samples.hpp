// SPDX-License-Identifier: MIT
// Stores the voltages of the recorded cells on the device until they are requested or the memory is full.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "solvers/atrium/problem.hpp"
#include "solvers/common/cuda/cuda.hpp"

namespace reprise::atrium {
inline namespace REPRISE_CUDA_FLAVOUR {

// Samples on the device: voltages of the recorded cells, [sample][column].
template <class Real>
struct sample_data {
  int columns;
  int every;  // 0 if nothing is recorded
  int first;  // number of the first sample in `values`
  const int* cells;
  Real* values;
  double* times;
};

// Takes a sample if one is due after `accepted` steps; called by all threads of one block.
template <class Real>
__device__ void sample(const sample_data<Real>& to, const Real* v, long long accepted, double t) {
  if (to.every == 0 || accepted % to.every != 0) return;
  const auto slot = static_cast<int>(accepted / to.every - to.first);
  for (int n = static_cast<int>(threadIdx.x); n < to.columns; n += static_cast<int>(blockDim.x))
    to.values[slot * to.columns + n] = __ldcg(v + to.cells[n]);
  if (threadIdx.x == 0) to.times[slot] = t;
}

constexpr unsigned sampling_threads = 128;

template <class Real>
__global__ void __launch_bounds__(sampling_threads)
    sample_cells(sample_data<Real> to, const Real* v, long long accepted, double t) {
  sample(to, v, accepted, t);
}

// Host side: allocates the samples and downloads them.
template <class Real>
class device_samples {
 public:
  // Allocates room for the samples of `steps` steps, within bounds.
  void start(const problem& p, const control& c, double steps) {
    columns_ = p.recorded.size();
    every_ = c.record_every;
    first_ = 0;
    kept_ = {};
    if (every_ == 0 || columns_ == 0) return;
    constexpr double most_bytes = 256 << 20;
    constexpr double fewest = 1024;
    const double wanted = std::max(fewest, 2 + 1.25 * steps / every_);
    const auto room =
        static_cast<std::size_t>(std::min(wanted, most_bytes / static_cast<double>(columns_ * sizeof(Real))));
    if (cells_.size() != columns_) cells_ = cuda::buffer<int>(columns_);
    cells_.upload(p.recorded.data(), columns_);
    if (times_.size() < room) times_ = cuda::buffer<double>(room);
    if (values_.size() < room * columns_) values_ = cuda::buffer<Real>(room * columns_);
    room_ = std::min(times_.size(), values_.size() / columns_);
  }

  bool is_on() const { return every_ != 0 && columns_ != 0; }

  bool is_due(long long accepted) const { return is_on() && accepted % every_ == 0; }

  // Takes a sample if one is due after `accepted` steps.
  void take(const Real* v, long long accepted, double t, cudaStream_t on = nullptr) {
    if (is_due(accepted))
      cuda::launch(sample_cells<Real>, 1, sampling_threads, 0, on, view(), v, accepted, t);
  }

  // Number of further accepted steps that there is room for, after `accepted` steps.
  long long room(long long accepted) const {
    if (!is_on()) return 1LL << 40;
    return (static_cast<long long>(room_) + first_) * every_ - accepted - 1;
  }

  // Downloads the samples up to the step `accepted`.
  void flush(long long accepted) {
    if (!is_on()) return;
    const auto count = static_cast<std::size_t>(accepted / every_ + 1 - first_);
    std::vector<double> t(count);
    std::vector<Real> v(count * columns_);
    times_.download(t.data(), t.size());
    values_.download(v.data(), v.size());
    kept_.t.insert(kept_.t.end(), t.begin(), t.end());
    kept_.v.insert(kept_.v.end(), v.begin(), v.end());
    first_ += static_cast<long long>(count);
  }

  const recording& kept() const { return kept_; }

  sample_data<Real> view() {
    return {static_cast<int>(columns_),
            every_,
            static_cast<int>(first_),
            cells_.data(),
            values_.data(),
            times_.data()};
  }

 private:
  std::size_t columns_{};
  int every_{};
  long long first_{};
  std::size_t room_{};
  recording kept_;
  cuda::buffer<int> cells_;
  cuda::buffer<Real> values_;
  cuda::buffer<double> times_;
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
