// SPDX-License-Identifier: MIT
// The cells of a tissue, for the host and for CUDA: the cell that a ghost cell
// copies, and the Laplacian of (6).
#pragma once

#include "solvers/common/base/host_device.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::tissue {

// The cell whose value is used at index i, anywhere along an axis of n cells. Beyond a border the tissue is
// extended by its mirror image or periodically, and the extension remains valid in every step.
REPRISE_HOST_DEVICE inline int folded(edge border, int i, int n) {
  if (i >= 0 && i < n) return i;
  const int period = border == edge::no_flux ? 2 * n : border == edge::mirrored ? 2 * n - 2 : n;
  int m = i % period;
  if (m < 0) m += period;
  return m < n ? m : border == edge::no_flux ? 2 * n - 1 - m : 2 * n - 2 - m;
}

// 6 dx^2 times the Laplacian of a field whose value at an offset is at(dx, dy): weight 4 along the axes, 1
// along the diagonals, -20 at the centre. Written so that the result for a constant field is exactly zero,
// with or without fused multiply-adds.
template <class Field>
REPRISE_INLINED auto weighted_sum(const Field& at) {
  const auto here = at(0, 0);
  const auto axial = (at(-1, 0) + at(1, 0)) + (at(0, -1) + at(0, 1));
  const auto diagonal = (at(-1, -1) + at(1, -1)) + (at(-1, 1) + at(1, 1));
  return 4 * (axial - 4 * here) + (diagonal - 4 * here);
}

// D / (6 dx^2), the factor from a weighted sum to a non-local term.
inline double coefficient_of(const problem& p, int field) {
  return diffusion_of(p.model, field) / (6 * p.dx * p.dx);
}

}  // namespace reprise::tissue
