// SPDX-License-Identifier: MIT
// A tissue's state on a device in single or double precision, field after field, with a second buffer for the
// next state.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"

namespace reprise::tissue {
inline namespace REPRISE_CUDA_FLAVOUR {

template <class Real>
class cuda_state {
 public:
  using fields = std::vector<std::vector<double>>;

  void make_room(const fields& like) {
    for (auto* buffer : {&now_, &next_})
      *buffer = cuda::buffer<Real>();  // frees the old state before allocating the new one
    count_ = like.size();
    cells_ = like.front().size();
    for (auto* buffer : {&now_, &next_}) *buffer = cuda::buffer<Real>(values());
  }
  std::size_t values() const { return count_ * cells_; }

  void upload(const fields& state) {
    for (std::size_t f = 0; f < count_; ++f) {
      const std::vector<Real> values(state[f].begin(), state[f].end());
      now_.upload(values.data(), cells_, f * cells_);
    }
  }
  fields download() const {
    fields state;
    std::vector<Real> values(cells_);
    for (std::size_t f = 0; f < count_; ++f) {
      now_.download(values.data(), cells_, f * cells_);
      state.emplace_back(values.begin(), values.end());
    }
    return state;
  }

  const Real* now() const { return now_.data(); }
  Real* next() { return next_.data(); }
  void go_on() { std::swap(now_, next_); }

 private:
  std::size_t count_{}, cells_{};
  cuda::buffer<Real> now_, next_;
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::tissue
