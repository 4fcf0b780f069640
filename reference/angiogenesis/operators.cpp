// SPDX-License-Identifier: MIT
// Builds L, A and B block by block, evaluates the right-hand side and integrates the mass of
// C. Place: section 3, (3)-(7).
#include "reference/angiogenesis/operators.hpp"

#include <stdexcept>

namespace reprise::reference::angiogenesis {
namespace {

void require_state(const problem& p, const state& u) {
  if (u.size() != p.unknowns())
    throw std::invalid_argument("the state has " + std::to_string(u.size()) + " values and not " +
                                std::to_string(p.unknowns()));
}

using entries = std::vector<Eigen::Triplet<double>>;

void add_block(entries& to, const operator_matrix<double>& block, int row, int from_column) {
  for (int outer = 0; outer < block.outerSize(); ++outer)
    for (operator_matrix<double>::InnerIterator e(block, outer); e; ++e)
      to.emplace_back(row + static_cast<int>(e.row()), from_column + static_cast<int>(e.col()), e.value());
}

}  // namespace

sparse linear_operator(const problem& p) {
  const int m = p.nodes;
  const operator_matrix<double> laplacian = divergence<double>(m) * half_point_slopes<double>(m);
  operator_matrix<double> one(m, m);
  one.setIdentity();
  const tumour_factor<double> t(p);
  const state growth = p.parameters.k4 * t.value;
  const operator_matrix<double> production = growth.asDiagonal() * one;
  const operator_matrix<double> proteases = p.parameters.d_p * laplacian - p.parameters.k6 * one;
  entries all;
  add_block(all, p.parameters.d_c * laplacian, 0, 0);
  add_block(all, production, m, 0);
  add_block(all, proteases, m, m);
  add_block(all, p.parameters.d_i * laplacian, 2 * m, 2 * m);
  sparse l(4 * m, 4 * m);
  l.setFromTriplets(all.begin(), all.end());
  return l;
}

sparse implicit_matrix(const problem& p) {
  sparse one(p.unknowns(), p.unknowns());
  one.setIdentity();
  return one - p.dt / 2 * linear_operator(p);
}

sparse explicit_matrix(const problem& p) {
  sparse one(p.unknowns(), p.unknowns());
  one.setIdentity();
  return one + p.dt / 2 * linear_operator(p);
}

state nonlinear_rate(const problem& p, const state& u) {
  require_state(p, u);
  return nonlinear<double>(p)(u);
}

state rate(const problem& p, const state& u) {
  return linear_operator(p) * u + nonlinear_rate(p, u);
}

double mass(const problem& p, const state& u, field which) {
  require_state(p, u);
  return cell_lengths<double>(p.nodes).dot(u.segment(static_cast<int>(which) * p.nodes, p.nodes));
}

double mass_source_of_taxis(const problem& p, const state& u) {
  const state c = u.head(p.nodes);
  const state change = rate(p, u).head(p.nodes) - p.parameters.k1 * (c - c.cwiseProduct(c));
  return cell_lengths<double>(p.nodes).dot(change);
}

}  // namespace reprise::reference::angiogenesis
