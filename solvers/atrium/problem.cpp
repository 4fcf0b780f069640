// SPDX-License-Identifier: MIT
// Builds the sphere of atrial cells, and rejects input that makes no sense.
#include "solvers/atrium/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>
#include <string>
#include <unordered_map>

#include "solvers/common/base/device.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::atrium {
namespace {

using point = std::array<double, 3>;
using triangle = std::array<int, 3>;

struct surface {
  std::vector<point> vertices;
  std::vector<triangle> faces;
};

point projected(const point& p) {
  const double length = std::hypot(p[0], p[1], p[2]);
  return {p[0] / length, p[1] / length, p[2] / length};
}

surface icosahedron() {
  surface s;
  const double height = 1 / std::sqrt(5.0);
  s.vertices.push_back({0, 0, 1});
  for (int ring = 0; ring < 2; ++ring)
    for (int k = 0; k < 5; ++k) {
      const double angle = (2 * k + ring) * std::numbers::pi / 5;
      s.vertices.push_back(
          {2 * height * std::cos(angle), 2 * height * std::sin(angle), ring == 0 ? height : -height});
    }
  s.vertices.push_back({0, 0, -1});
  for (int k = 0; k < 5; ++k) {
    const int next = (k + 1) % 5;
    const int upper = 1 + k, upper_next = 1 + next, lower = 6 + k, lower_next = 6 + next;
    s.faces.push_back({0, upper, upper_next});
    s.faces.push_back({upper, lower, upper_next});
    s.faces.push_back({upper_next, lower, lower_next});
    s.faces.push_back({11, lower_next, lower});
  }
  return s;
}

// Replaces each face by four in the same place, in an order that keeps neighbours close to each other.
surface subdivided(const surface& coarse) {
  surface fine;
  fine.vertices = coarse.vertices;
  fine.vertices.reserve(4 * coarse.vertices.size());
  fine.faces.reserve(4 * coarse.faces.size());
  std::unordered_map<std::uint64_t, int> middles;
  middles.reserve(2 * coarse.faces.size());
  const auto middle = [&](int a, int b) {
    const auto low = static_cast<std::uint64_t>(std::min(a, b));
    const auto high = static_cast<std::uint64_t>(std::max(a, b));
    const auto [at, is_new] = middles.try_emplace(low << 32U | high, static_cast<int>(fine.vertices.size()));
    if (is_new) {
      const point& p = coarse.vertices[low];
      const point& q = coarse.vertices[high];
      fine.vertices.push_back(projected({p[0] + q[0], p[1] + q[1], p[2] + q[2]}));
    }
    return at->second;
  };
  for (const auto& [a, b, c] : coarse.faces) {
    const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    fine.faces.insert(fine.faces.end(), {{a, ab, ca}, {ab, bc, ca}, {ab, b, bc}, {ca, bc, c}});
  }
  return fine;
}

// Renumbers vertices in the order in which the faces refer to them.
surface renumbered(const surface& s) {
  surface r;
  r.vertices.reserve(s.vertices.size());
  r.faces.reserve(s.faces.size());
  std::vector<int> number(s.vertices.size(), -1);
  for (triangle face : s.faces) {
    for (int& vertex : face) {
      int& known = number[static_cast<std::size_t>(vertex)];
      if (known < 0) {
        known = static_cast<int>(r.vertices.size());
        r.vertices.push_back(s.vertices[static_cast<std::size_t>(vertex)]);
      }
      vertex = known;
    }
    r.faces.push_back(face);
  }
  return r;
}

double squared_distance(const point& p, const point& q) {
  const double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
  return x * x + y * y + z * z;
}

void connect(mesh& m, const std::vector<triangle>& faces) {
  const std::size_t cells = m.cells();
  m.neighbours.resize(cells);
  m.weight.resize(cells);
  std::vector<std::size_t> known(cells, 0);
  // In a closed surface every edge belongs to two faces, once in each direction.
  for (const triangle& face : faces)
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const auto from = static_cast<std::size_t>(face[corner]);
      m.neighbours[from][known[from]++] = face[(corner + 1) % 3];
    }
  for (std::size_t k = 0; k < cells; ++k) {
    auto& near = m.neighbours[k];
    std::sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(known[k]));
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const bool is_there = slot < known[k];
      if (!is_there) near[slot] = static_cast<int>(k);
      m.weight[k][slot] =
          is_there ? 1 / squared_distance(m.position[k], m.position[static_cast<std::size_t>(near[slot])])
                   : 0;
    }
  }
}

mesh make_sphere(int subdivisions) {
  require_room(subdivisions);
  surface s = icosahedron();
  for (int level = 0; level < subdivisions; ++level) s = subdivided(s);
  s = renumbered(s);
  mesh m;
  m.subdivisions = subdivisions;
  m.radius = radius_of(subdivisions);
  m.position = std::move(s.vertices);
  for (point& p : m.position)
    for (double& x : p) x *= m.radius;
  connect(m, s.faces);
  return m;
}

std::string text_of(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

void require_number(bool is_right, double value, const std::string& name, const std::string& wanted) {
  if (!is_right || !std::isfinite(value))
    throw bad_input(name + " is " + text_of(value) + ": give " + wanted);
}

problem with_mesh(mesh m, const protocol& what) {
  problem p;
  p.mesh = std::move(m);
  p.protocol = what;
  p.state0.assign(p.cells(), published_initial_state());
  p.recorded = recorded_cells(p.cells());
  for (const point& at : p.mesh.position) {
    unsigned gets = 0;
    for (std::size_t s = 0; s < what.stimuli.size(); ++s)
      if (at[what.stimuli[s].axis] >= what.stimuli[s].from_share * p.mesh.radius) gets |= 1U << s;
    p.stimulated.push_back(static_cast<std::uint8_t>(gets));
  }
  return p;
}

}  // namespace

cell_state published_initial_state() {
  return {-81.18, 2.908e-3, .9649, .9775, .03043, .9992, 4.966e-3, .9986,    3.296e-5, .01869, 1.367e-4,
          .9996,  .7755,    0,     1,     .9992,  11.17, 139.0,    1.013e-4, 1.488,    1.488};
}

protocol usual_protocol() {
  return {{{.start = 1, .length = 2, .strength = 40, .axis = 2, .from_share = .9},
           {.start = 250, .length = 2, .strength = 40, .axis = 0, .from_share = .9}},
          300};
}

double cells_of(int subdivisions) {
  return 10 * std::pow(4.0, subdivisions) + 2;
}

double radius_of(int subdivisions) {
  return 14.15 * std::pow(2.0, subdivisions - 7);
}

void require_room(int subdivisions) {
  const std::string what = "a sphere of " + std::to_string(subdivisions) + " subdivisions ";
  if (subdivisions < 0) throw bad_input(what + "does not exist: give 0 or more");
  const double cells = cells_of(subdivisions);
  const auto present = static_cast<double>(devices_of(backend::cpu).devices.front().memory_bytes);
  const double gib = 1 << 30;
  if (cells > std::numeric_limits<int>::max() / static_cast<double>(slots))
    throw bad_input(what + "has more cells than the solvers can count: give at most 12");
  if (bytes_per_cell * cells > .9 * present)
    throw bad_input(what + "needs " + std::to_string(std::lround(bytes_per_cell * cells / gib)) +
                    " GiB of memory, this machine has " + std::to_string(std::lround(present / gib)) +
                    ": give fewer");
}

void require_sense(const protocol& what) {
  require_number(what.t_end > 0, what.t_end, "the end time", "a positive number of ms");
  if (what.stimuli.size() > 8) throw bad_input("more than 8 stimuli: give fewer");
  for (const stimulus& s : what.stimuli) {
    if (s.axis > 2) throw bad_input("a stimulus' axis is " + std::to_string(s.axis) + ": give 0, 1 or 2");
    require_number(s.length > 0, s.length, "a stimulus' length", "a positive number of ms");
    require_number(true, s.strength, "a stimulus' strength", "a number of pA/pF");
    if (!(s.start >= 0) || !(s.start + s.length <= what.t_end))
      throw bad_input("a stimulus from " + text_of(s.start) + " to " + text_of(s.start + s.length) +
                      " ms is outside the time simulated: give one within " + text_of(what.t_end) + " ms");
  }
}

problem sphere_problem(int subdivisions, const protocol& what) {
  require_sense(what);
  return with_mesh(make_sphere(subdivisions), what);
}

problem single_cell_problem(const protocol& what) {
  require_sense(what);
  mesh m;
  m.position = {{0, 0, 0}};
  m.neighbours = {{0, 0, 0, 0, 0, 0}};
  m.weight = {{0, 0, 0, 0, 0, 0}};
  problem p = with_mesh(std::move(m), what);
  p.stimulated = {0xff};
  return p;
}

std::vector<int> recorded_cells(std::size_t cells) {
  constexpr double golden = 0.6180339887498949;
  std::vector<int> all;
  const std::size_t count = std::min<std::size_t>(cells, 100);
  for (std::size_t k = 0; k < count; ++k) {
    const double turns = (static_cast<double>(k) + .5) * golden;
    all.push_back(static_cast<int>(static_cast<double>(cells) * (turns - std::floor(turns))));
  }
  return all;
}

unsigned active_stimuli(const protocol& what, double t) {
  constexpr double slack = 1e-9;  // makes rounding irrelevant if t falls on an edge
  unsigned active = 0;
  for (std::size_t s = 0; s < what.stimuli.size(); ++s) {
    const double since = t + slack - what.stimuli[s].start;
    if (since >= 0 && since < what.stimuli[s].length) active |= 1U << s;
  }
  return active;
}

std::vector<double> edges_of(const protocol& what) {
  std::vector<double> edges;
  for (const stimulus& s : what.stimuli) edges.insert(edges.end(), {s.start, s.start + s.length});
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

double diffusive_step_limit(const problem& p) {
  const std::size_t cells = p.cells();
  std::vector<double> v(cells);
  std::vector<double> next(cells);
  for (std::size_t k = 0; k < cells; ++k) v[k] = std::sin(2.3 * static_cast<double>(k * k % 1009) + .7);
  double rate = 0;
  constexpr int iterations = 300;  // reaches a percent or two: the largest eigenvalues are close
  for (int n = 0; n < iterations; ++n) {
    double before = 0;
    double after = 0;
    for (std::size_t k = 0; k < cells; ++k) {
      double sum = 0;
      for (std::size_t slot = 0; slot < slots; ++slot)
        sum += p.mesh.weight[k][slot] * (v[k] - v[static_cast<std::size_t>(p.mesh.neighbours[k][slot])]);
      next[k] = sum;
      before += v[k] * v[k];
      after += sum * sum;
    }
    rate = std::sqrt(after / before);
    if (!(rate > 0)) return std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < cells; ++k) v[k] = next[k] / rate;
  }
  return 2 / (p.diffusion * rate);
}

std::string_view to_string(scheme s) {
  constexpr std::array<std::string_view, 8> names{
      "euler",    "midpoint",  "trapezoidal",          "bogacki_shampine",
      "fehlberg", "cash_karp", "exponential_midpoint", "black_box"};
  return names.at(static_cast<std::size_t>(s));
}

std::string_view to_string(gate_rule g) {
  return g == gate_rule::plain ? "plain" : "rush_larsen";
}

control fixed_steps(scheme method, gate_rule gates, double dt) {
  if (method == scheme::black_box) throw bad_input("a black box chooses its own steps: give tolerances");
  require_number(dt > 0, dt, "the step dt", "a positive number of ms");
  return {.method = method,
          .gates = gates,
          .is_adaptive = false,
          .dt = dt,
          .at = 1,
          .rt = 0,
          .least_dt = 0,
          .most_attempts = 1'000'000'000'000,
          .record_every = 0};
}

control adaptive_steps(scheme method, gate_rule gates, double at, double rt, double t_end) {
  if (method == scheme::black_box && gates == gate_rule::rush_larsen)
    throw bad_input("a black box does not tell the step that Rush-Larsen needs: give the plain rule");
  if (!is_pair(method) && method != scheme::black_box)
    throw bad_input(
        std::string(to_string(method)) +
        " has no error estimate: give trapezoidal, bogacki_shampine, fehlberg, cash_karp or black_box");
  require_number(at > 0, at, "the absolute tolerance", "a positive number");
  require_number(rt >= 0, rt, "the relative tolerance", "0 or a positive number");
  require_number(t_end > 0, t_end, "the end time", "a positive number of ms");
  // The explicit limit of the stiffest gates is about 200 steps per millisecond. A run makes no progress if
  // it needs ten times as many, or steps of a thousandth of that length.
  constexpr double steps_per_ms = 2000;
  return {.method = method,
          .gates = gates,
          .is_adaptive = true,
          .dt = .01,
          .at = at,
          .rt = rt,
          .least_dt = 5e-6,
          .most_attempts = static_cast<long long>(1000 + steps_per_ms * std::min(t_end, 1e12)),
          .record_every = 0};
}

}  // namespace reprise::atrium
