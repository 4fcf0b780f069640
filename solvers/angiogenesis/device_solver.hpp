// SPDX-License-Identifier: MIT
// Base class of the solvers that work on a CUDA device alone. It copies b there and x back, or solves for right-hand
// sides that are there already, so that a solve can be timed with and without transfers.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "solvers/angiogenesis/host_solver.hpp"
#include "solvers/common/cuda/cuda.hpp"

namespace reprise::angiogenesis {
inline namespace REPRISE_CUDA_FLAVOUR {

// A template, so that each source may have its own.
template <int = 0>
__global__ void do_nothing() {}

// Whether a library replaces the right-hand side by the answer.
enum class in_place { no, yes };

class device_solver : public host_solver, private resident_solver {
 public:
  explicit device_solver(in_place how = in_place::no) : is_in_place_(how == in_place::yes) {}

  bus_traffic traffic() const override { return vectors_only(); }
  resident_solver* resident() final { return this; }

 protected:
  // Solves with b and x in the device's memory, and waits for it. In place b is x. Must charge its time.
  virtual void substitute_there(const double* b, double* x) = 0;

  void substitute(std::span<const double> b, std::span<double> x) override {
    make_room();
    cuda::buffer<double>& right = is_in_place_ ? x_ : b_;
    right.upload(b.data(), b.size());
    charge(effort_.seconds.transfer);
    substitute_there(right.data(), x_.data());
    x_.download(x.data(), x.size());
    charge(effort_.seconds.transfer);
  }

 private:
  void keep(std::span<const std::vector<double>> right_sides) final {
    make_room();
    const std::size_t n = a().size();
    kept_ = cuda::buffer<double>(n * right_sides.size());
    for (std::size_t k = 0; k < right_sides.size(); ++k) kept_.upload(right_sides[k].data(), n, k * n);
  }
  void solve_kept(std::size_t which) final {
    const double* const b = kept_.data() + which * a().size();
    solve_unchecked([&] {
      if (is_in_place_)
        REPRISE_CUDA(cudaMemcpyAsync(x_.data(), b, x_.size() * sizeof(double), cudaMemcpyDeviceToDevice));
      substitute_there(is_in_place_ ? x_.data() : b, x_.data());
    });
  }
  void read_kept(std::span<double> x) final {
    x_.download(x.data(), x.size());
    require_finite_values(x, "the solution");
  }

  double launch_floor_seconds(bool with_copies) final {
    make_room();
    constexpr std::size_t attempts = 101;
    std::vector<double> host(a().size()), seconds(attempts);
    for (double& one : seconds) {
      const auto begin = std::chrono::steady_clock::now();
      if (with_copies) b_.upload(host.data(), host.size());
      cuda::launch(do_nothing<>, 1, 32, 0, nullptr);
      REPRISE_CUDA(cudaDeviceSynchronize());
      if (with_copies) b_.download(host.data(), host.size());
      one = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    std::ranges::nth_element(seconds, seconds.begin() + attempts / 2);
    return seconds[attempts / 2];
  }

  void make_room() {
    const std::size_t n = a().size();
    if (x_.size() == n) return;
    b_ = cuda::buffer<double>(n);
    x_ = cuda::buffer<double>(n);
  }

  bool is_in_place_;
  cuda::buffer<double> b_, x_, kept_;
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::angiogenesis
