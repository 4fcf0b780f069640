// SPDX-License-Identifier: MIT
// The tissue's cells as one system of ordinary differential equations z' = f(z), in any precision.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "reference/tissue/kinetics.hpp"
#include "reference/tissue/paper.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::reference::tissue {

using problem = reprise::tissue::problem;
using reprise::tissue::method;
using reprise::tissue::switch_form;

// These functions throw std::invalid_argument if a state has the wrong number of fields or cells.

// The switch H at x: 0 below its layer, 1 above it, and 1/2 in the middle (for the
// jump of form heaviside: at 0).
double switched(switch_form form, double steepness, double x);

// 6 dx^2 times the Laplacian: weight -20 at the centre, 4 along the axes, 1 along the diagonals. The weight
// of a ghost cell is added to the cell whose value it copies.
using weight_matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
weight_matrix weights_of(const problem& p);
// The same. The last one of moderate size is kept, because many checks in a row use one grid.
std::shared_ptr<const weight_matrix> kept_weights_of(const problem& p);

// dz/dt, diffusion included.
state rate(const problem& p, const state& z);

// The coefficients of a Bueno-Orovio gate (v, w or s), which obeys y' = a y + b.
struct line {
  double a, b;
};
std::array<line, 3> gates_of(const problem& p, double u);

// ||u - u_ref||_2 / ||u_ref||_2, of u alone and of all fields together. Returns NaN if a state contains a NaN or an
// infinity or if the sizes differ, and the absolute distance if the reference is zero.
double relative_error(const state& z, const state& reference);
double relative_error_of_all(const state& z, const state& reference);

// With fewer cells than this, starting threads costs more than it saves.
constexpr std::size_t worth_threads = 1 << 12;

// All values of the first field, then those of the next.
template <class Real>
using flat_state = std::vector<Real>;

template <class Real>
using matrix = Eigen::SparseMatrix<Real, Eigen::RowMajor>;

template <class Real>
std::shared_ptr<const matrix<Real>> weights_in(const problem& p) {
  if constexpr (std::is_same_v<Real, double>) {
    return kept_weights_of(p);
  } else {
    return std::make_shared<const matrix<Real>>(weights_of(p).template cast<Real>());
  }
}

template <class Real>
flat_state<Real> flatten(const problem& p, const state& z) {
  const auto fields = static_cast<std::size_t>(fields_of(p.model));
  if (z.size() != fields)
    throw std::invalid_argument("a state of " + std::to_string(z.size()) + " fields for a model of " +
                                std::to_string(fields));
  flat_state<Real> flat;
  flat.reserve(fields * p.cells());
  for (const std::vector<double>& field : z) {
    if (field.size() != p.cells())
      throw std::invalid_argument("a field of " + std::to_string(field.size()) + " values on a grid of " +
                                  std::to_string(p.cells()) + " cells");
    flat.insert(flat.end(), field.begin(), field.end());
  }
  return flat;
}

template <class Real>
state unflatten(const problem& p, const flat_state<Real>& flat) {
  state z;
  for (std::size_t begin = 0; begin < flat.size(); begin += p.cells()) {
    std::vector<double>& field = z.emplace_back();
    field.reserve(p.cells());
    for (std::size_t k = begin; k < begin + p.cells(); ++k) field.push_back(static_cast<double>(flat[k]));
  }
  return z;
}

// The right-hand side in Boost.odeint's form. It stores the matrix and keeps a pointer to the problem.
template <class Real>
class semi_discrete {
 public:
  explicit semi_discrete(const problem& p) : p_(&p), at_(p), weights_(weights_in<Real>(p)) {}

  void operator()(const flat_state<Real>& z, flat_state<Real>& dz_dt, Real /*time*/) const {
    dz_dt.resize(z.size());
    add_kinetics(z, dz_dt);
    for (int field = 0; field < fields_of(p_->model); ++field) add_diffusion(field, z, dz_dt);
  }

 private:
  void add_kinetics(const flat_state<Real>& z, flat_state<Real>& dz_dt) const {
    const std::size_t cells = p_->cells();
    const auto fields = static_cast<std::size_t>(fields_of(p_->model));
#pragma omp parallel for if (cells >= worth_threads)
    for (std::size_t k = 0; k < cells; ++k) {
      cell<Real> here{};
      for (std::size_t f = 0; f < fields; ++f) here[f] = z[f * cells + k];
      const cell<Real> change = kinetics(p_->model, at_, here);
      for (std::size_t f = 0; f < fields; ++f) dz_dt[f * cells + k] = change[f];
    }
  }

  // Multiplies by the integer weights first and scales last, so that a constant state has no diffusion.
  void add_diffusion(int field, const flat_state<Real>& z, flat_state<Real>& dz_dt) const {
    const Real diffusion = paper::diffusion(p_->model, field);
    if (diffusion == 0) return;
    using column = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
    const auto cells = static_cast<Eigen::Index>(p_->cells());
    const Eigen::Map<const column> values(z.data() + field * cells, cells);
    Eigen::Map<column> changes(dz_dt.data() + field * cells, cells);
    const Real dx = p_->dx;
    changes += diffusion / (6 * dx * dx) * column(*weights_ * values);
  }

  const problem* p_;
  switches<Real> at_;
  std::shared_ptr<const matrix<Real>> weights_;
};

}  // namespace reprise::reference::tissue
