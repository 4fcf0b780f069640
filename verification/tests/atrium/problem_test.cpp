// SPDX-License-Identifier: MIT
// Tests the sphere of atrial cells: its mesh against counts and areas by Euler and
// Archimedes, its stimuli, and refusals.
#include "verification/tests/support/atrium_runs.hpp"

using namespace reprise::atrium::tests;

namespace {

std::size_t neighbours_at(const mesh& m, std::size_t k) {
  return static_cast<std::size_t>(std::ranges::count_if(m.weight[k], [](double w) { return w > 0; }));
}

double chord(const mesh& m, std::size_t a, std::size_t b) {
  return std::hypot(m.position[a][0] - m.position[b][0], m.position[a][1] - m.position[b][1],
                    m.position[a][2] - m.position[b][2]);
}

}  // namespace

TEST_CASE("an atrium of seven subdivisions has the paper's 163842 cells") {
  CHECK(cells_of(7) == 163842);
  CHECK(cells_of(0) == 12);
  for (int s = 0; s <= 4; ++s) CHECK(static_cast<double>(sphere_problem(s).cells()) == cells_of(s));
}

TEST_CASE("twelve cells of a sphere have five neighbours, all others six, and edges are symmetric") {
  for (int s = 0; s <= 3; ++s) {
    const mesh m = sphere_problem(s).mesh;
    int with_five = 0;
    for (std::size_t k = 0; k < m.cells(); ++k) {
      const std::size_t count = neighbours_at(m, k);
      with_five += count == 5;
      CHECK((count == 5 || count == 6));
      CHECK(std::is_sorted(m.neighbours[k].begin(), m.neighbours[k].begin() + static_cast<long>(count)));
      for (std::size_t slot = 0; slot < slots; ++slot) {
        const auto other = static_cast<std::size_t>(m.neighbours[k][slot]);
        if (slot >= count) {
          CHECK(other == k);
          continue;
        }
        const auto& back = m.neighbours[other];
        const auto found = std::find(back.begin(), back.end(), static_cast<int>(k));
        REQUIRE(found != back.end());
        CHECK(m.weight[other][static_cast<std::size_t>(found - back.begin())] == m.weight[k][slot]);
        CHECK_THAT(m.weight[k][slot] * chord(m, k, other) * chord(m, k, other), WithinRel(1, 1e-12));
      }
    }
    CHECK(with_five == 12);
  }
}

TEST_CASE("a sphere has its poles on the z axis, its radius everywhere and the spacing of every other") {
  const mesh m = sphere_problem(4).mesh;
  double highest = 0;
  double lowest = 0;
  double edges = 0;
  double length = 0;
  for (std::size_t k = 0; k < m.cells(); ++k) {
    const auto& p = m.position[k];
    CHECK_THAT(std::hypot(p[0], p[1], p[2]), WithinRel(m.radius, 1e-14));
    highest = std::max(highest, p[2]);
    lowest = std::min(lowest, p[2]);
    for (std::size_t slot = 0; slot < neighbours_at(m, k); ++slot, ++edges)
      length += chord(m, k, static_cast<std::size_t>(m.neighbours[k][slot]));
  }
  CHECK(highest == m.radius);
  CHECK(lowest == -m.radius);
  CHECK_THAT(length / edges, WithinAbs(.134, .002));
  CHECK_THAT(radius_of(7), WithinAbs(14.15, 1e-12));
}

TEST_CASE("neighbours are numbered close to each other, and the same every time") {
  const mesh m = sphere_problem(5).mesh;
  std::size_t close = 0;
  for (std::size_t k = 0; k < m.cells(); ++k)
    for (int other : m.neighbours[k]) close += std::abs(other - static_cast<int>(k)) < 64;
  // In the order of subdivision fewer than one neighbour in ten would be close.
  CHECK(static_cast<double>(close) > .7 * static_cast<double>(slots * m.cells()));
  CHECK(sphere_problem(5).mesh.neighbours == m.neighbours);
  CHECK(sphere_problem(5).mesh.position == m.position);
}

TEST_CASE("stimuli reach the caps that they name, in the steps whose middle they cover") {
  const problem p = sphere_problem(3);
  std::array<int, 2> reached{};
  for (std::size_t k = 0; k < p.cells(); ++k)
    for (std::size_t s = 0; s < 2; ++s) {
      const bool gets = (p.stimulated[k] >> s & 1U) != 0;
      reached.at(s) += gets;
      CHECK(gets == (p.mesh.position[k][s == 0 ? 2 : 0] >= .9 * p.mesh.radius));
    }
  // A cap above 0.9 R covers a twentieth of the surface.
  for (int count : reached) CHECK_THAT(count / 642.0, WithinAbs(.05, .015));

  CHECK(active_stimuli(p.protocol, .999) == 0);
  CHECK(active_stimuli(p.protocol, 1) == 1);
  CHECK(active_stimuli(p.protocol, 2.999) == 1);
  CHECK(active_stimuli(p.protocol, 3) == 0);
  CHECK(active_stimuli(p.protocol, 251) == 2);
  CHECK(edges_of(p.protocol) == std::vector<double>{1, 3, 250, 252});
}

TEST_CASE("a hundred cells are recorded, each once, or all of them where there are fewer") {
  const auto many = recorded_cells(163842);
  CHECK(std::set<int>(many.begin(), many.end()).size() == 100);
  CHECK(*std::min_element(many.begin(), many.end()) >= 0);
  CHECK(*std::max_element(many.begin(), many.end()) < 163842);
  CHECK(many[0] == 50629);
  CHECK(recorded_cells(1) == std::vector<int>{0});
  CHECK(recorded_cells(42).size() == 42);
}

TEST_CASE("diffusion limits the step on the icosahedron as its eigenvalues say") {
  const problem p = sphere_problem(0);
  // The largest eigenvalue of the icosahedron's graph is 5 + sqrt(5), and all edges have the same length.
  CHECK_THAT(diffusive_step_limit(p),
             WithinRel(2 / (p.diffusion * p.mesh.weight[0][0] * (5 + std::sqrt(5.0))), 1e-6));
  CHECK(std::isinf(diffusive_step_limit(single_cell_problem())));
}

TEST_CASE("an atrium that makes no sense is refused in one line") {
  const auto complaint = [](auto make) {
    const std::string text = complaint_of<bad_input>(make);
    CHECK(text.find('\n') == std::string::npos);
    return text;
  };
  for (const auto& [subdivisions, said] : {std::pair{-1, "give 0 or more"},
                                           {12, "GiB of memory"},
                                           {13, "at most 12"},
                                           {2'000'000'000, "at most 12"}})
    CHECK_THAT(complaint([s = subdivisions] { sphere_problem(s); }), ContainsSubstring(said));
  struct refused {
    stimulus s;
    double t_end;
    const char* said;
  };
  for (const auto& [s, t_end, said] :
       {refused{{1, 2, 40, 2, .9}, 2, "outside the time simulated"},
        refused{{-1, 2, 40, 2, .9}, 9, "outside the time simulated"},
        refused{{not_a_number, 2, 40, 2, .9}, 9, "outside the time simulated"},
        refused{{1, 0, 40, 2, .9}, 9, "length"}, refused{{1, 2, not_a_number, 2, .9}, 9, "strength"},
        refused{{1, 2, 40, 2, .9}, 0, "end time"}, refused{{1, 1, 1, 3, .9}, 9, "axis"}})
    CHECK_THAT(complaint([p = protocol{{s}, t_end}] { sphere_problem(0, p); }), ContainsSubstring(said));
  const protocol nine{std::vector<stimulus>(9, {1, 1, 1, 2, .9}), 9};
  CHECK_THAT(complaint([&] { sphere_problem(0, nine); }), ContainsSubstring("more than 8"));
}

TEST_CASE("steps and tolerances of an atrium that make no sense are refused in one line") {
  for (double dt : {0.0, -1.0, not_a_number, infinity})
    CHECK_THAT(complaint_of<bad_input>([&] { fixed_steps(scheme::euler, rl, dt); }),
               ContainsSubstring("the step dt"));
  const auto complaint = [](double at, double rt, double t_end, scheme method = scheme::fehlberg) {
    return complaint_of<bad_input>([&] { adaptive_steps(method, rl, at, rt, t_end); });
  };
  for (double at : {0.0, -1.0, not_a_number})
    CHECK_THAT(complaint(at, .1, 300), ContainsSubstring("the absolute tolerance"));
  for (double rt : {-1.0, not_a_number})
    CHECK_THAT(complaint(1, rt, 300), ContainsSubstring("the relative tolerance"));
  CHECK_THAT(complaint(1, 0, 300, scheme::midpoint), ContainsSubstring("no error estimate"));
  CHECK_THAT(complaint(1, 0, 0), ContainsSubstring("the end time"));
}
