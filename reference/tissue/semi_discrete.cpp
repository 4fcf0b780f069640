// SPDX-License-Identifier: MIT
// The 9-point Laplacian as a matrix, the rates of a whole tissue, and distances between
// two states. Place: section 3.1.
#include "reference/tissue/semi_discrete.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace reprise::reference::tissue {
namespace {

using reprise::tissue::edge;

// The index whose value is used at `index`, which may lie one step outside 0 .. n - 1.
int seen_at(edge border, int index, int n) {
  if (index >= 0 && index < n) return index;
  const bool is_before = index < 0;
  switch (border) {
    case edge::no_flux:
      return is_before ? 0 : n - 1;
    case edge::mirrored:
      return is_before ? 1 : n - 2;
    case edge::periodic:
      break;
  }
  return is_before ? n - 1 : 0;
}

int weight(int di, int dj) {
  const int steps_away = std::abs(di) + std::abs(dj);
  return steps_away == 0 ? -20 : steps_away == 1 ? 4 : 1;
}

// The cells that cell (i, j) sees, by number, and their weights. A cell that several ghosts copy is there several times.
std::array<std::pair<int, int>, 9> neighbours_of(const problem& p, int i, int j) {
  std::array<std::pair<int, int>, 9> all;
  auto next = all.begin();
  for (int dj = -1; dj <= 1; ++dj)
    for (int di = -1; di <= 1; ++di)
      *next++ = {seen_at(p.border, i + di, p.nx) + p.nx * seen_at(p.border, j + dj, p.ny), weight(di, dj)};
  std::sort(all.begin(), all.end());
  return all;
}

double relative_distance(const state& z, const state& reference, std::size_t fields) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (z.size() != reference.size() || z.size() < fields || fields == 0) return none;
  double distance = 0;
  double scale = 0;
  for (std::size_t f = 0; f < fields; ++f) {
    if (z[f].size() != reference[f].size()) return none;
    for (std::size_t k = 0; k < z[f].size(); ++k) {
      distance += std::pow(z[f][k] - reference[f][k], 2);
      scale += std::pow(reference[f][k], 2);
    }
  }
  if (!std::isfinite(distance) || !std::isfinite(scale)) return none;
  return scale == 0 ? std::sqrt(distance) : std::sqrt(distance / scale);
}

}  // namespace

double switched(switch_form form, double steepness, double x) {
  return switch_at(form, steepness, x);
}

weight_matrix weights_of(const problem& p) {
  const auto cells = static_cast<Eigen::Index>(p.cells());
  weight_matrix weights(cells, cells);
  weights.reserve(9 * cells);
  for (int j = 0; j < p.ny; ++j)
    for (int i = 0; i < p.nx; ++i) {
      const int row = i + p.nx * j;
      weights.startVec(row);
      const auto seen = neighbours_of(p, i, j);
      for (auto first = seen.begin(); first != seen.end();) {
        int sum = 0;
        auto next = first;
        for (; next != seen.end() && next->first == first->first; ++next) sum += next->second;
        weights.insertBack(row, first->first) = sum;
        first = next;
      }
    }
  weights.finalize();
  return weights;
}

std::shared_ptr<const weight_matrix> kept_weights_of(const problem& p) {
  constexpr std::size_t most_cells = 1 << 20;
  struct entry {
    int nx, ny;
    edge border;
    std::shared_ptr<const weight_matrix> weights;
  };
  static entry kept{};
  if (kept.weights && kept.nx == p.nx && kept.ny == p.ny && kept.border == p.border) return kept.weights;
  auto weights = std::make_shared<const weight_matrix>(weights_of(p));
  if (p.cells() <= most_cells) kept = {p.nx, p.ny, p.border, weights};
  return weights;
}

state rate(const problem& p, const state& z) {
  const flat_state<double> flat = flatten<double>(p, z);
  flat_state<double> change;
  semi_discrete<double> system(p);
  system(flat, change, 0);
  return unflatten(p, change);
}

std::array<line, 3> gates_of(const problem& p, double u) {
  if (p.model != reprise::tissue::model::bueno_orovio)
    throw std::invalid_argument("only Bueno-Orovio's model has gates");
  const auto gates = bueno_orovio<double>(switches<double>(p), u).gates();
  std::array<line, 3> lines{};
  for (std::size_t g = 0; g < gates.size(); ++g) lines[g] = {gates[g][0], gates[g][1]};
  return lines;
}

double relative_error(const state& z, const state& reference) {
  return relative_distance(z, reference, 1);
}

double relative_error_of_all(const state& z, const state& reference) {
  return relative_distance(z, reference, reference.size());
}

}  // namespace reprise::reference::tissue
