// SPDX-License-Identifier: MIT
// Table of all functions of the voltage alone that a step of Rush-Larsen needs, as parabolas. A row covers
// half a millivolt and has three coefficients for each of 31 functions.
//
// The error is at most about 1e-6 of a function's largest value, a few times the rounding error of single
// precision. One row ends and the next begins at -40 mV, where rates jump. Voltages at which an expression is
// zero over zero lie inside rows, whose parabolas are regular there.
#pragma once

#include <optional>

#include "solvers/atrium/cell.hpp"
#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/cuda/memory.hpp"

namespace reprise::atrium {
inline namespace REPRISE_CUDA_FLAVOUR {

// Four functions, which are read at once.
struct alignas(16) quartet {
  float of[4];
};

constexpr int quartets = 8;
constexpr int coefficients = 3;
// One more than is read: consecutive rows then begin in different banks of shared memory, which avoids bank
// conflicts between cells of similar voltages.
constexpr int quartets_of_row = quartets * coefficients + 1;
constexpr int rows_of_mv = 2;
constexpr int lowest_mv = -300;  // lower voltages belong to bad cells
constexpr int rows_of_table = 600 * rows_of_mv;

// The first two quartets hold IK1 with the part of IK,ACh that counts as potassium, the rest of IK,ACh, IKur,
// IKr; INaK, the two factors of INaCa, and an unused entry. Each further quartet holds two gates: for each
// 1 - exp(-rate h) if gates always advance by the same h, else the rate, and the target.
enum class gate_column { decay, rate };
constexpr int first_gate_quartet = 2;
constexpr int gates_of_table = 12;
REPRISE_INLINED constexpr variable gate_of_table(int n) {
  constexpr variable order[gates_of_table]{at_m,  at_h,  at_j,  at_oa, at_oi, at_ua,
                                           at_ui, at_xr, at_xs, at_d,  at_f,  at_w};
  return order[n];
}

struct table_place {
  int row;
  float from_middle;  // distance from the row's middle, in rows
};

__device__ inline table_place place_in_table(float v) {
  const float rows = v * rows_of_mv;
  const float below = floorf(rows);
  // A NaN still selects a valid row; its offset keeps the result NaN.
  constexpr float first = lowest_mv * rows_of_mv;
  const float inside = fminf(fmaxf(below, first), first + rows_of_table - 1);
  return {static_cast<int>(inside) - lowest_mv * rows_of_mv, rows - below - .5F};
}

// The values of one quartet of functions from the coefficients of one row.
__device__ inline quartet value_of(const quartet (&c)[coefficients], float x) {
  quartet value;
#pragma unroll
  for (int n = 0; n < 4; ++n) value.of[n] = (c[2].of[n] * x + c[1].of[n]) * x + c[0].of[n];
  return value;
}

// Evaluates the functions at one voltage.
__device__ inline void tell_functions(const cell_constants<double>& c, gate_column column, double v, double h,
                                      double (&f)[4 * quartets]) {
  using model = courtemanche<library_math<double>>;
  const auto m = model::membrane_at(c, v);
  f[0] = m.k1 + c.acetylcholine_potassium * m.ach;
  f[1] = (1 - c.acetylcholine_potassium) * m.ach;
  f[2] = m.kur;
  f[3] = m.kr;
  f[4] = m.nak;
  f[5] = m.naca_out;
  f[6] = m.naca_in;
  f[7] = 0;
  cell_change<double> change;
  model::voltage_gates(v, change);
#pragma unroll
  for (int n = 0; n < gates_of_table; ++n) {
    const std::size_t g = gate_of_table(n) - first_gate;
    f[4 * first_gate_quartet + 2 * n] =
        column == gate_column::decay ? library_math<double>::decay(change.rate[g] * h) : change.rate[g];
    f[4 * first_gate_quartet + 2 * n + 1] = change.target[g];
  }
}

// Fits a parabola to each function at the zeros of the Chebyshev polynomial of
// degree 3.
__device__ inline void fit_row(const cell_constants<double>& c, gate_column column, double h, int row,
                               quartet* to) {
  constexpr double apart = .43301270189221932;
  const double middle = lowest_mv + (row + .5) / rows_of_mv;
  double low[4 * quartets], mid[4 * quartets], high[4 * quartets];
  tell_functions(c, column, middle - apart / rows_of_mv, h, low);
  tell_functions(c, column, middle, h, mid);
  tell_functions(c, column, middle + apart / rows_of_mv, h, high);
  for (int n = 0; n < 4 * quartets; ++n) {
    const double slope = (high[n] - low[n]) / (2 * apart);
    const double bend = (high[n] - 2 * mid[n] + low[n]) / (2 * apart * apart);
    quartet* const q = to + n / 4 * coefficients;
    q[0].of[n % 4] = static_cast<float>(mid[n]);
    q[1].of[n % 4] = static_cast<float>(slope);
    q[2].of[n % 4] = static_cast<float>(bend);
  }
  to[quartets * coefficients] = {};
}

constexpr unsigned fitting_threads = 64;

template <unsigned threads>
__global__ void __launch_bounds__(threads)
    fit_rows(cell_constants<double> c, gate_column column, double h, quartet* table) {
  const auto row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row < rows_of_table) fit_row(c, column, h, row, table + row * quartets_of_row);
}

// The table for one length of the gates' steps at a time.
class voltage_table {
 public:
  // For other cells.
  void forget() { fitted_to_.reset(); }
  bool is_for(double h) const { return fitted_to_ == h; }
  // To gates that advance by h in each stage, or, for h = 0, to their rates.
  void fit(const cell_parameters& cell, double h, cudaStream_t on = nullptr) {
    if (values_.size() == 0)
      values_ = cuda::buffer<quartet>(static_cast<std::size_t>(rows_of_table * quartets_of_row));
    cuda::launch(fit_rows<fitting_threads>, (rows_of_table + fitting_threads - 1) / fitting_threads,
                 fitting_threads, 0, on, constants_of<double>(cell),
                 h > 0 ? gate_column::decay : gate_column::rate, h, values_.data());
    fitted_to_ = h;
  }
  const quartet* values() const { return values_.data(); }

 private:
  cuda::buffer<quartet> values_;
  std::optional<double> fitted_to_;
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
