// SPDX-License-Identifier: MIT
// Base class of the solvers that work on a CUDA device alone. It copies b there and x back, or solves for right-hand
// sides that are there already, so that a solve can be timed with and without transfers.
#pragma once

#include <algorithm>
#include <vector>

#include "solvers/angiogenesis/host_solver.hpp"
#include "solvers/common/cuda/cuda.hpp"

namespace reprise::angiogenesis {
inline namespace REPRISE_CUDA_FLAVOUR {

class device_solver : public host_solver, private resident_solver {
 public:
  bus_traffic traffic() const override {
    return {2 * sizeof(double) * static_cast<double>(a().order), "b and x"};
  }
  resident_solver* resident() final { return this; }

 protected:
  // Solves with b and x in the device's memory, and waits for it. Must charge its time.
  virtual void substitute_there(const double* b, double* x) = 0;

  void substitute(std::span<const double> b, std::span<double> x) override {
    make_room();
    b_.upload(b.data(), b.size());
    charge(effort_.seconds.transfer);
    substitute_there(b_.data(), x_.data());
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
    solve_unchecked([&] { substitute_there(kept_.data() + which * a().size(), x_.data()); });
  }
  void read_kept(std::span<double> x) final {
    x_.download(x.data(), x.size());
    require_finite_values(x, "the solution");
  }

  void make_room() {
    const std::size_t n = a().size();
    if (x_.size() == n) return;
    b_ = cuda::buffer<double>(n);
    x_ = cuda::buffer<double>(n);
  }

  cuda::buffer<double> b_, x_, kept_;
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::angiogenesis
