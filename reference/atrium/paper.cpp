// SPDX-License-Identifier: MIT
// Builds the sphere from triangles without numbers: points that are the same are found by their coordinates.
#include "reference/atrium/paper.hpp"

#include <algorithm>
#include <cmath>

namespace reprise::reference::atrium {
namespace {

using point = std::array<double, 3>;
using triangle = std::array<point, 3>;

double squared_chord(const point& a, const point& b) {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

// Twelve points: the poles, and five each at the latitudes of plus and minus atan(1/2), half a turn of a fifth
// apart.
std::vector<point> icosahedron_points() {
  constexpr double pi = 3.14159265358979323846;
  const double latitude = std::atan(.5);
  std::vector<point> all{{0, 0, 1}, {0, 0, -1}};
  for (int n = 0; n < 10; ++n) {
    const double longitude = n * pi / 5;
    all.push_back({std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
                   (n % 2 == 0 ? 1 : -1) * std::sin(latitude)});
  }
  return all;
}

// Every three points that are an edge apart.
std::vector<triangle> icosahedron() {
  const std::vector<point> all = icosahedron_points();
  const double edge = 2 - 2 / std::sqrt(5.);  // squared
  const auto are_beside = [&](const point& a, const point& b) {
    return std::abs(squared_chord(a, b) - edge) < 1e-9;
  };
  std::vector<triangle> faces;
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = a + 1; b < all.size(); ++b)
      for (std::size_t c = b + 1; c < all.size(); ++c)
        if (are_beside(all[a], all[b]) && are_beside(all[b], all[c]) && are_beside(all[a], all[c]))
          faces.push_back({all[a], all[b], all[c]});
  return faces;
}

// The same bits for either order of the ends.
point middle(const point& a, const point& b) {
  const point sum{a[0] + b[0], a[1] + b[1], a[2] + b[2]};
  const double length = std::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
  return {sum[0] / length, sum[1] / length, sum[2] / length};
}

std::vector<triangle> quartered(const std::vector<triangle>& coarse) {
  std::vector<triangle> fine;
  fine.reserve(4 * coarse.size());
  for (const auto& [a, b, c] : coarse) {
    const point of_a = middle(b, c), of_b = middle(c, a), of_c = middle(a, b);
    fine.insert(fine.end(), {{a, of_b, of_c}, {b, of_c, of_a}, {c, of_a, of_b}, {of_a, of_b, of_c}});
  }
  return fine;
}

}  // namespace

graph paper_sphere(int subdivisions) {
  std::vector<triangle> faces = icosahedron();
  for (int level = 0; level < subdivisions; ++level) faces = quartered(faces);
  graph g;
  // Section 2: 14.15 mm at 7 subdivisions, half as much per level less.
  g.radius = std::ldexp(14.15, subdivisions - 7);
  for (const triangle& face : faces) g.vertex.insert(g.vertex.end(), face.begin(), face.end());
  std::sort(g.vertex.begin(), g.vertex.end());
  g.vertex.erase(std::unique(g.vertex.begin(), g.vertex.end()), g.vertex.end());
  g.beside.resize(g.vertex.size());
  const auto number = [&](const point& p) {
    return static_cast<std::size_t>(std::lower_bound(g.vertex.begin(), g.vertex.end(), p) - g.vertex.begin());
  };
  for (const triangle& face : faces)
    for (std::size_t n = 0; n < 3; ++n) {
      auto& near = g.beside[number(face[n])];
      for (std::size_t other : {number(face[(n + 1) % 3]), number(face[(n + 2) % 3])})
        if (std::find(near.begin(), near.end(), other) == near.end()) near.push_back(other);
    }
  for (point& p : g.vertex)
    for (double& x : p) x *= g.radius;
  return g;
}

std::vector<int> paper_recorded_cells(std::size_t cells) {
  std::vector<int> all;
  for (int k = 0; k < 100 && static_cast<std::size_t>(k) < cells; ++k)
    all.push_back(static_cast<int>(
        std::floor(static_cast<double>(cells) * std::fmod((k + .5) * 0.6180339887498949, 1.))));
  return all;
}

}  // namespace reprise::reference::atrium
