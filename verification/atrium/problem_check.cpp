// SPDX-License-Identifier: MIT
// Finds each cell among the vertices of the reference's sphere, and compares what belongs to it.
#include "verification/atrium/problem_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "reference/atrium/paper.hpp"
#include "reference/atrium/reference.hpp"
#include "verification/checkers/maximum.hpp"

namespace reprise::verification::atrium {
namespace {

using namespace reprise::atrium;
using checkers::finding;
using checkers::not_a_number;
using checkers::raise;
using reference::atrium::graph;
namespace paper = reference::atrium::paper;

constexpr double limit = 1e-11;
const char* const reason = "both compute it from the paper's numbers, with some ten operations each";

double relative(double value, double exact) {
  return exact == 0 ? std::abs(value) : std::abs(value / exact - 1);
}

// The vertex at each cell. A cell without one has the number of vertices.
class matching {
 public:
  matching(const graph& g, const mesh& m) : g_(g), by_height_(g.vertex.size()) {
    std::iota(by_height_.begin(), by_height_.end(), std::size_t{0});
    std::sort(by_height_.begin(), by_height_.end(), [&](auto a, auto b) { return height(a) < height(b); });
    for (const auto& at : m.position) vertex_of.push_back(find(at));
    for (const auto& at : m.position) raise(error, distance_of(at));
    std::vector<std::size_t> once = vertex_of;
    std::sort(once.begin(), once.end());
    // Every vertex is a cell, and one cell only.
    for (std::size_t n = 0; n < checkers::larger(once.size(), g.vertex.size()); ++n)
      if (n >= once.size() || once[n] != n) error = not_a_number;
  }

  std::vector<std::size_t> vertex_of;
  double error{};  // of positions, relative to the radius; NaN without a matching

 private:
  static constexpr double near = 1e-5;  // of the radius: less than half of any edge

  double height(std::size_t n) const { return g_.vertex[n][2]; }

  double apart(std::size_t n, const std::array<double, 3>& at) const {
    return std::hypot(g_.vertex[n][0] - at[0], g_.vertex[n][1] - at[1], g_.vertex[n][2] - at[2]) / g_.radius;
  }

  std::size_t find(const std::array<double, 3>& at) const {
    const double from = at[2] - near * g_.radius, to = at[2] + near * g_.radius;
    auto n = std::lower_bound(by_height_.begin(), by_height_.end(), from,
                              [&](std::size_t a, double z) { return height(a) < z; });
    for (; n != by_height_.end() && height(*n) <= to; ++n)
      if (apart(*n, at) < near) return *n;
    return g_.vertex.size();
  }

  double distance_of(const std::array<double, 3>& at) const {
    const std::size_t n = find(at);
    return n < g_.vertex.size() ? apart(n, at) : not_a_number;
  }

  const graph& g_;
  std::vector<std::size_t> by_height_;
};

// The neighbours of a cell as vertices, each once, without the cell itself.
std::vector<std::size_t> neighbours_of(const mesh& m, const matching& found, std::size_t k) {
  std::vector<std::size_t> all;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const int other = m.neighbours[k][slot];
    if (other < 0 || static_cast<std::size_t>(other) >= m.cells()) return {};
    if (m.weight[k][slot] != 0) all.push_back(found.vertex_of[static_cast<std::size_t>(other)]);
  }
  std::sort(all.begin(), all.end());
  return all;
}

double error_of_neighbours(const graph& g, const mesh& m, const matching& found) {
  double wrong = 0;
  for (std::size_t k = 0; k < m.cells(); ++k) {
    std::vector<std::size_t> expected = g.beside[found.vertex_of[k]];
    std::sort(expected.begin(), expected.end());
    wrong += neighbours_of(m, found, k) != expected;
  }
  return wrong;
}

double error_of_weights(const graph& g, const problem& p, const matching& found) {
  double most = relative(p.diffusion, paper::diffusion);
  for (std::size_t k = 0; k < p.cells(); ++k)
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const auto other = static_cast<std::size_t>(p.mesh.neighbours[k][slot]);
      const double weight = p.mesh.weight[k][slot];
      if (weight == 0 && other == k) continue;
      const auto &a = g.vertex[found.vertex_of[k]], &b = g.vertex[found.vertex_of[other]];
      const double chord = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
      raise(most, std::abs(weight * chord * chord - 1));
    }
  return most;
}

double error_of_mesh_sizes(const problem& p) {
  const std::size_t cells = p.cells();
  return p.mesh.neighbours.size() == cells && p.mesh.weight.size() == cells && p.state0.size() == cells &&
                 p.stimulated.size() == cells
             ? 0
             : not_a_number;
}

double error_of_state(const problem& p) {
  double most = 0;
  for (const cell_state& y : p.state0)
    for (std::size_t n = 0; n < variables; ++n) raise(most, relative(y[n], paper::initial_state.at(n)));
  return most;
}

// The number of cells whose bits are not those of the caps. Cells on a cap's edge may have either.
double wrongly_stimulated(const graph& g, const problem& p, const matching& found) {
  double wrong = 0;
  for (std::size_t k = 0; k < p.cells(); ++k)
    for (std::size_t s = 0; s < 8; ++s) {
      const bool is_set = (p.stimulated[k] >> s & 1U) != 0;
      if (s >= p.protocol.stimuli.size()) {
        wrong += is_set;
        continue;
      }
      const stimulus& one = p.protocol.stimuli[s];
      const double beyond = g.vertex[found.vertex_of[k]].at(one.axis) / g.radius - one.from_share;
      wrong += std::abs(beyond) > 1e-12 && is_set != (beyond > 0);
    }
  return wrong;
}

// A time between any two switches of the stimuli, and times within 1e-6 ms of each switch.
std::vector<double> times_to_look(const std::vector<double>& edges, double t_end) {
  std::vector<double> all{.5 * t_end};
  for (std::size_t n = 0; n < edges.size(); ++n)
    all.insert(all.end(), {edges[n] - 1e-6, edges[n] + 1e-6,
                           .5 * (edges[n] + (n + 1 < edges.size() ? edges[n + 1] : t_end))});
  return all;
}

}  // namespace

std::vector<finding> judge_problem(const problem& p, double acetylcholine) {
  const graph g = reference::atrium::paper_sphere(p.mesh.subdivisions);
  const matching found(g, p.mesh);
  double position = found.error;
  raise(position, error_of_mesh_sizes(p));
  raise(position, relative(p.mesh.radius, g.radius));
  std::vector<finding> all{{"problem_position", position, limit, reason}};
  if (std::isnan(position)) return all;
  const bool is_given = p.cell.acetylcholine_carries_potassium;
  all.push_back(
      {"problem_neighbours", error_of_neighbours(g, p.mesh, found), 0, "the edges of the triangles"});
  all.push_back({"problem_weights", error_of_weights(g, p, found), 1e-9,
                 "one over the squared chord, a difference of coordinates some hundred times as large"});
  all.push_back({"problem_state", error_of_state(p), limit, reason});
  all.push_back({"problem_stimulated", wrongly_stimulated(g, p, found), 0, "the cells of the caps"});
  all.push_back({"problem_recorded",
                 p.recorded == reference::atrium::paper_recorded_cells(p.cells()) ? 0. : 1., 0,
                 "the formula of section 2"});
  all.push_back({"problem_cell", is_given ? relative(p.cell.acetylcholine, acetylcholine) : not_a_number,
                 limit, "the current counts in the change of Ki"});
  return all;
}

std::vector<finding> judge_protocol(const protocol& what) {
  double most = relative(what.t_end, paper::t_end);
  if (what.stimuli.size() != paper::pulses.size()) most = not_a_number;
  for (std::size_t s = 0; s < paper::pulses.size() && !std::isnan(most); ++s) {
    const stimulus& one = what.stimuli[s];
    const paper::pulse& exact = paper::pulses.at(s);
    for (const auto& [value, wanted] : {std::pair{one.start, exact.start},
                                        {one.length, exact.length},
                                        {one.strength, exact.strength},
                                        {one.from_share, exact.from_share}})
      raise(most, relative(value, wanted));
    if (one.axis != exact.axis) most = not_a_number;
  }
  const std::vector<double> edges = reference::atrium::stimulus_edges(what);
  double sequence = checkers::largest_distance(edges_of(what), edges);
  for (double t : times_to_look(edges, what.t_end))
    raise(sequence, active_stimuli(what, t) == reference::atrium::stimuli_at(what, t) ? 0. : 1.);
  return {{"problem_stimuli", most, limit, "the paper's stimuli"},
          {"problem_sequence", sequence, 0, "when stimuli switch"}};
}

std::vector<finding> judge_control(const control& c, double at, double rt, double t_end) {
  double most = relative(c.dt, paper::first_dt);
  raise(most, relative(c.least_dt, paper::least_dt));
  raise(most, relative(static_cast<double>(c.most_attempts),
                       std::floor(paper::attempts_at_once + paper::attempts_of_ms * t_end)));
  raise(most, relative(c.at, at));
  raise(most, relative(c.rt, rt));
  return {{"problem_control", c.is_adaptive ? most : not_a_number, 0, "the guards, as given"}};
}

std::vector<finding> judge_paper_problem(int subdivisions) {
  std::vector<finding> all = judge_problem(sphere_problem(subdivisions), paper::acetylcholine);
  const auto add = [&](const std::vector<finding>& more) { all.insert(all.end(), more.begin(), more.end()); };
  add(judge_protocol(usual_protocol()));
  for (scheme pair : all_runge_kutta)
    if (is_pair(pair))
      for (const auto& [at, rt, t_end] : {std::array{1e-3, 1e-6, 300.}, {1., 0., 6.}})
        add(judge_control(adaptive_steps(pair, gate_rule::rush_larsen, at, rt, t_end), at, rt, t_end));
  return all;
}

}  // namespace reprise::verification::atrium
