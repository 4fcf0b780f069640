// SPDX-License-Identifier: MIT
// What the variants by MAGMA share: the library, the matrix on the device, and the look at the pivots.
// MAGMA is loaded when it is first needed. Its usual calls allocate their workspace and queues in every call, so this is
// timed, as it is for everybody who calls them. As in cusolver_dense.hpp, each factorisation overwrites a copy of the
// matrix, b and x are copied in each solve, and the pivots are examined only once.
#pragma once

#include <magma_v2.h>

#include <array>
#include <type_traits>
#include <vector>

#include "solvers/angiogenesis/cuda_dense.hpp"
#include "solvers/angiogenesis/device_solver.hpp"
#include "solvers/common/cuda/vendor_libraries.hpp"

static_assert(std::is_same_v<magma_int_t, int>,
              "MAGMA's headers count in 64 bits: build without MAGMA_ILP64");

namespace reprise::angiogenesis {
namespace magma_calls {

// MAGMA returns `code` and sets `info`; a positive info is a zero pivot, which is found by its value.
inline void check(magma_int_t code, magma_int_t info, const char* call,
                  std::source_location where = std::source_location::current()) {
  const magma_int_t bad = code < 0 ? code : info;
  if (bad >= 0) return;
  const std::string text = std::string(call) + " failed with code " + std::to_string(bad);
  if (bad == MAGMA_ERR_DEVICE_ALLOC || bad == MAGMA_ERR_HOST_ALLOC)
    throw unavailable("does not fit: " + text + ", no memory for its workspace");
  throw error(text, where);
}

// Throws unavailable for a library whose integers are not those of its header: it writes beyond the first half of a pair.
inline void require_same_integers() {
  constexpr int untouched = -1;
  std::array<std::array<int, 2>, 3> version{
      {{untouched, untouched}, {untouched, untouched}, {untouched, untouched}}};
  REPRISE_LATE(reprise::magma, magma_version)(version[0].data(), version[1].data(), version[2].data());
  for (const auto& part : version)
    if (part[1] != untouched) throw unavailable("MAGMA counts in 64 bits: build it without MAGMA_ILP64");
}

// Started once, and never ended: other solvers may still use it.
inline void start() {
  static const bool is_started = [] {
    require_same_integers();
    check(REPRISE_LATE(reprise::magma, magma_init)(), 0, "magma_init");
    return true;
  }();
  static_cast<void>(is_started);
}

}  // namespace magma_calls

class magma_dense : public device_solver {
 public:
  explicit magma_dense(const device& d) : device_solver(in_place::yes) {
    cuda::use_device(d);
    magma_calls::start();
  }
  work per_solve() const override { return dense_work(a().order, when()); }
  // getrs swaps the rows of few right-hand sides on the host.
  bus_traffic traffic() const override {
    return {2 * vectors_only().bytes, "b and x, and b both ways again to swap its rows"};
  }

 protected:
  // Factorises the matrix of this order in place; its pivots stay on the host.
  virtual magma_int_t factorise_there(int order, double* matrix, int* pivots, int* info) = 0;

  void prepare() override {
    matrix_.load(a());
    pivots_.assign(a().size(), 0);
    is_examined_ = false;
  }

  void factorise() override {
    matrix_.copy();
    REPRISE_CUDA(cudaStreamSynchronize(nullptr));
    int info = 0;
    const magma_int_t code = factorise_there(a().order, matrix_.factors(), pivots_.data(), &info);
    magma_calls::check(code, info, "MAGMA's getrf");
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(effort_.seconds.factorise);
    examine();
    charge(effort_.seconds.host);
  }

  void substitute_there(const double*, double* x) override {
    const int n = a().order;
    int info = 0;
    REPRISE_CUDA(cudaStreamSynchronize(nullptr));
    const magma_int_t code = REPRISE_LATE(reprise::magma, magma_dgetrs_gpu)(
        MagmaNoTrans, n, 1, matrix_.factors(), n, pivots_.data(), x, n, &info);
    magma_calls::check(code, info, "MAGMA's getrs");
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(effort_.seconds.back);
  }

 private:
  // Looks at the factors of the first factorisation after a load.
  void examine() {
    if (is_examined_) return;
    const std::size_t n = a().size();
    std::vector<double> diagonal(n);
    REPRISE_CUDA(cudaMemcpy2D(diagonal.data(), sizeof(double), matrix_.factors(), (n + 1) * sizeof(double),
                              sizeof(double), n, cudaMemcpyDeviceToHost));
    require_pivots(matrix_.floors(), [&](std::size_t k) { return diagonal[k]; });
    effort_.row_swaps = 0;
    for (std::size_t k = 0; k < n; ++k) *effort_.row_swaps += pivots_[k] != static_cast<int>(k + 1) ? 1 : 0;
    is_examined_ = true;
  }

  device_matrix matrix_;
  std::vector<int> pivots_;
  bool is_examined_{};
};

}  // namespace reprise::angiogenesis
