// SPDX-License-Identifier: MIT
// Maps voltages from a sphere to longitude and latitude.
#include "benchmarks/atrium/voltages.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "verification/checkers/maximum.hpp"

namespace reprise::harness::atrium_cases {
namespace {

constexpr int longitudes = 97, latitudes = 49;
constexpr double degree = std::numbers::pi / 180;

// On a sphere around the origin the nearest point is the one with the largest scalar product.
std::size_t nearest_cell(const atrium::mesh& mesh, const std::array<double, 3>& direction) {
  std::size_t nearest = 0;
  double largest = -1e300;
  for (std::size_t i = 0; i < mesh.cells(); ++i) {
    const auto& p = mesh.position[i];
    const double product = p[0] * direction[0] + p[1] * direction[1] + p[2] * direction[2];
    if (product <= largest) continue;
    largest = product;
    nearest = i;
  }
  return nearest;
}

std::array<double, 3> direction_to(double longitude, double latitude) {
  const double across = std::cos(latitude * degree);
  return {across * std::cos(longitude * degree), across * std::sin(longitude * degree),
          std::sin(latitude * degree)};
}

}  // namespace

final_state voltages(const atrium::mesh& mesh, std::span<const atrium::cell_state> cells) {
  reports::field map;
  map.name = "V";
  map.nx = longitudes;
  map.ny = latitudes;
  map.x0 = -180;
  map.x1 = 180;
  map.y0 = -90;
  map.y1 = 90;
  for (int j = 0; j < latitudes; ++j)
    for (int i = 0; i < longitudes; ++i) {
      const double longitude = -180 + 360. * i / (longitudes - 1);
      const double latitude = -90 + 180. * j / (latitudes - 1);
      map.values.push_back(cells[nearest_cell(mesh, direction_to(longitude, latitude))][atrium::at_v]);
    }
  map.exact = reports::array{{mesh.cells(), 4}, {}};
  double high = -std::numeric_limits<double>::infinity(), low = high;
  for (std::size_t i = 0; i < mesh.cells(); ++i) {
    const double v = cells[i][atrium::at_v];
    for (const double coordinate : mesh.position[i]) map.exact->values.push_back(coordinate);
    map.exact->values.push_back(v);
    checkers::raise(high, v);
    checkers::raise(low, -v);
  }
  return {
      {map},
      {{"v_min", -low, "mV", "of all cells at the end"}, {"v_max", high, "mV", "of all cells at the end"}}};
}

}  // namespace reprise::harness::atrium_cases
