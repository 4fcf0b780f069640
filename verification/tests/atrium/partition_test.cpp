// SPDX-License-Identifier: MIT
// Tests the partition of the sphere: every cell is in one part, parts agree on their neighbours' cells, and
// impossible partitions are refused.
#include "solvers/atrium/partition.hpp"
#include "verification/atrium/states.hpp"
#include "verification/tests/support/atrium_runs.hpp"

using namespace reprise::atrium::tests;

namespace {

bool has_metis() {
  return harness::targets_of("atrium/mpi_cpu", "*", false).front().variant != nullptr;
}

std::vector<part> cut(const problem& p, int parts) {
  return parts_of(p, owners_of(p.mesh, parts), parts);
}

// The numbers on the sphere of a part's own cells and of those in its halo.
std::vector<int> numbers(const std::vector<part>& parts, const part& mine) {
  std::vector<int> all = mine.number;
  for (const bordering& b : mine.beside) {
    const part& other = parts[static_cast<std::size_t>(b.rank)];
    const auto back = std::ranges::find_if(
        other.beside, [&](const bordering& o) { return &parts[static_cast<std::size_t>(o.rank)] == &mine; });
    REQUIRE(back != other.beside.end());
    REQUIRE(back->gives.size() == static_cast<std::size_t>(b.count));
    REQUIRE(static_cast<std::size_t>(b.first) == all.size());
    for (int given : back->gives) all.push_back(other.number[static_cast<std::size_t>(given)]);
  }
  return all;
}

void check_cells(const problem& p, const std::vector<part>& parts) {
  std::vector<int> seen(p.cells(), 0);
  std::vector<int> recorded(p.recorded.size(), 0);
  for (const part& mine : parts) {
    CHECK(mine.cells() > 0);
    for (std::size_t n = 0; n < mine.number.size(); ++n) {
      const auto k = static_cast<std::size_t>(mine.number[n]);
      ++seen[k];
      REQUIRE(mine.own.state0[n] == p.state0[k]);
      REQUIRE(mine.own.stimulated[n] == p.stimulated[k]);
      REQUIRE(mine.own.mesh.weight[n] == p.mesh.weight[k]);
    }
    for (std::size_t n = 0; n < mine.column.size(); ++n) {
      ++recorded[static_cast<std::size_t>(mine.column[n])];
      REQUIRE(mine.number[static_cast<std::size_t>(mine.own.recorded[n])] ==
              p.recorded[static_cast<std::size_t>(mine.column[n])]);
    }
  }
  CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  CHECK(std::all_of(recorded.begin(), recorded.end(), [](int times) { return times == 1; }));
}

// Checks that the voltage received at each place of the halo belongs to the cell expected there.
void check_neighbours(const problem& p, const std::vector<part>& parts) {
  for (const part& mine : parts) {
    const std::vector<int> number = numbers(parts, mine);
    REQUIRE(number.size() == mine.number.size() + static_cast<std::size_t>(mine.halo));
    for (std::size_t n = 0; n < mine.number.size(); ++n) {
      bool is_border = false;
      for (std::size_t slot = 0; slot < slots; ++slot) {
        const int near = mine.own.mesh.neighbours[n][slot];
        is_border |= near >= mine.cells();
        REQUIRE(number.at(static_cast<std::size_t>(near)) ==
                p.mesh.neighbours[static_cast<std::size_t>(mine.number[n])][slot]);
      }
      if (mine.interior < mine.cells()) REQUIRE(is_border == (n >= static_cast<std::size_t>(mine.interior)));
    }
  }
}

}  // namespace

TEST_CASE("a sphere in parts has every cell once and borders that match") {
  if (!has_metis()) SKIP("built without MPI or METIS");
  for (int subdivisions : {0, 2, 4}) {
    const problem p = verification::atrium::skew_problem(subdivisions);
    for (int count : {1, 2, 3, 5}) {
      INFO(p.cells() << " cells, " << count << " parts");
      const std::vector<part> parts = cut(p, count);
      REQUIRE(parts.size() == static_cast<std::size_t>(count));
      check_cells(p, parts);
      for (const part& mine : parts) CHECK((mine.interior == mine.cells()) == (count == 1));
      check_neighbours(p, parts);
    }
  }
}

TEST_CASE("parts are of equal size, and their borders short") {
  if (!has_metis()) SKIP("built without MPI or METIS");
  const problem p = sphere_problem(5);
  for (int count : {2, 4, 8}) {
    const double fair = static_cast<double>(p.cells()) / count;
    for (const part& mine : cut(p, count)) {
      CHECK(mine.cells() < 1.03 * fair);
      CHECK(mine.halo < 5 * std::sqrt(fair));
    }
  }
}

TEST_CASE("parts of consecutive cells have every cell once, in order, and borders that match") {
  for (int subdivisions : {0, 2, 4}) {
    const problem p = verification::atrium::skew_problem(subdivisions);
    for (int count : {1, 2, 3, 5}) {
      INFO(p.cells() << " cells, " << count << " parts");
      const std::vector<part> parts =
          parts_of(p, owners_in_order(p.mesh, count), count, numbering::as_on_sphere);
      check_cells(p, parts);
      for (const part& mine : parts) {
        CHECK(mine.interior == mine.cells());
        CHECK(std::ranges::is_sorted(mine.number));
        CHECK(mine.number.back() - mine.number.front() + 1 == mine.cells());
        CHECK(std::abs(mine.cells() - parts.front().cells()) <= 1);
      }
      check_neighbours(p, parts);
    }
  }
  CHECK_THROWS_WITH(owners_in_order(sphere_problem(0).mesh, 13), "13 ranks for 12 cells: start fewer ranks");
}

TEST_CASE("patches of a fine sphere are all of it") {
  const mesh m = sphere_problem(8).mesh;  // more cells than are passed to METIS directly
  const graph g = patches_of(m);
  REQUIRE(g.vertex_weight.size() < m.cells());
  const auto sum = [](const auto& weights) { return std::accumulate(weights.begin(), weights.end(), 0LL); };
  CHECK(sum(g.vertex_weight) == static_cast<long long>(m.cells()));
  const std::size_t size = static_cast<std::size_t>(g.vertex_weight.front());
  long long crossing = 0;
  for (std::size_t k = 0; k < m.cells(); ++k)
    for (int other : m.neighbours[k]) crossing += static_cast<std::size_t>(other) / size != k / size ? 1 : 0;
  CHECK(sum(g.edge_weight) == crossing);
}

TEST_CASE("more parts than cells, and a part without any, are refused") {
  const mesh m = sphere_problem(0).mesh;
  CHECK_THROWS_WITH(owners_of(m, 13), "13 ranks for 12 cells: start fewer ranks");
  CHECK_THROWS_WITH(require_parts({0, 2, 2, 0}, 3),
                    "rank 1 of 3 would have none of the 4 cells: start fewer ranks");
  CHECK_NOTHROW(require_parts({0, 2, 1, 0}, 3));
}

TEST_CASE("a part arrives as it was sent, and half of one is refused") {
  if (!has_metis()) SKIP("built without MPI or METIS");
  const problem p = verification::atrium::skew_problem(1);
  for (const part& sent : cut(p, 3)) {
    ranks::message m;
    put(m, sent);
    ranks::message half = m;
    const part got = part_in(m);
    CHECK(got.number == sent.number);
    CHECK(got.column == sent.column);
    CHECK(got.interior == sent.interior);
    CHECK(got.halo == sent.halo);
    CHECK(got.own.cells() == sent.number.size());
    CHECK(got.own.mesh.neighbours == sent.own.mesh.neighbours);
    CHECK(got.own.mesh.weight == sent.own.mesh.weight);
    CHECK(got.own.state0 == sent.own.state0);
    CHECK(got.own.recorded == sent.own.recorded);
    CHECK(got.own.protocol.t_end == p.protocol.t_end);
    CHECK(got.own.diffusion == p.diffusion);
    REQUIRE(got.beside.size() == sent.beside.size());
    for (std::size_t n = 0; n < got.beside.size(); ++n) CHECK(got.beside[n].gives == sent.beside[n].gives);
    half.bytes().resize(half.bytes().size() / 2);
    CHECK_THROWS_WITH(part_in(half), ContainsSubstring("does not hold what is expected"));
  }
}
