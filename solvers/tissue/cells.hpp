// SPDX-License-Identifier: MIT
// The cells of a tissue, for the host and for CUDA: which cell a ghost stands for, and the Laplacian of (6).
#pragma once

#include "solvers/common/host_device.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::tissue {

// The index of the cell that index i, anywhere along an axis of n cells, stands for. What is beyond a border
// is the tissue's mirror image or its continuation, and stays so in every step.
REPRISE_HOST_DEVICE inline int folded(edge border, int i, int n) {
  if (i >= 0 && i < n) return i;
  const int period = border == edge::no_flux ? 2 * n : border == edge::mirrored ? 2 * n - 2 : n;
  int m = i % period;
  if (m < 0) m += period;
  return m < n ? m : border == edge::no_flux ? 2 * n - 1 - m : 2 * n - 2 - m;
}

// 6 dx^2 times the Laplacian: axial weights 4, diagonal 1, centre -20, of a field whose value at a distance
// is at(dx, dy). Written so that a constant's is exactly zero, fused products or not.
template <class Field>
REPRISE_INLINED double weighted_sum(const Field& at) {
  const double here = at(0, 0);
  const double axial = (at(-1, 0) + at(1, 0)) + (at(0, -1) + at(0, 1));
  const double diagonal = (at(-1, -1) + at(1, -1)) + (at(-1, 1) + at(1, 1));
  return 4 * (axial - 4 * here) + (diagonal - 4 * here);
}

// D / (6 dx^2), which turns a weighted sum into a non-local term.
inline double coefficient_of(const problem& p, int field) {
  return diffusion_of(p.what, field) / (6 * p.dx * p.dx);
}

}  // namespace reprise::tissue
