// SPDX-License-Identifier: MIT
// Tests the search for the fastest shape of an OpenCL kernel, and the file that keeps what it found.
#include "solvers/common/opencl/shape.hpp"

#include <set>

#include "verification/tests/support/temporary_folder.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;

namespace {

// A cache folder for one test.
class cache_folder : public reprise::testing::temporary_folder {
 public:
  cache_folder() { setenv("REPRISE_CACHE", path().c_str(), 1); }
  ~cache_folder() { unsetenv("REPRISE_CACHE"); }
};

device made_up_board() {
  device d;
  d.kind = backend::opencl;
  d.name = "Board, with a comma";
  d.driver = "1.0";
  return d;
}
const device board = made_up_board();

// Counts what is measured. The fastest shape is the wanted one, the next ones have the same number of lanes.
struct measurements {
  opencl_shape fastest;
  std::vector<opencl_shape> made{};

  double operator()(const opencl_shape& shape) {
    made.push_back(shape);
    if (shape == fastest) return 1;
    return shape.lanes == fastest.lanes ? 2 : 3;
  }
};

opencl_shape search(measurements& m, const opencl_limits& limits) {
  return fastest_shape(board, "kernel", limits, [&](const opencl_shape& shape) { return m(shape); });
}

}  // namespace

TEST_CASE("the fastest shape is found and measured once") {
  const cache_folder cache;
  for (const opencl_shape wanted : {opencl_shape{1, 256}, {4, 64}, {8, 16}}) {
    const opencl_limits limits{4, 1000 + wanted.items};  // another key for each shape
    measurements m{wanted};
    CHECK(search(m, limits) == wanted);
    CHECK(m.made.size() <= 5);
    const std::size_t before = m.made.size();
    CHECK(search(m, limits) == wanted);
    CHECK(m.made.size() == before);
  }
}

TEST_CASE("a device without vectors is searched for groups only") {
  const cache_folder cache;
  measurements m{{1, 16}};
  CHECK(search(m, {1, 4096}) == opencl_shape{1, 16});
  for (const opencl_shape& made : m.made) CHECK(made.lanes == 1);
}

TEST_CASE("no group is larger than the device's largest") {
  const cache_folder cache;
  measurements m{{1, 1}};
  CHECK(search(m, {8, 1}).items == 1);
  for (const opencl_shape& made : m.made) CHECK(made.items == 1);
}

TEST_CASE("launches of several steps are measured where a kernel can make them") {
  const cache_folder cache;
  for (const std::vector<int>& steps : {std::vector{1}, {1, 5}, {1, 2, 4}}) {
    measurements m{{4, 64, 4}};
    const opencl_limits limits{4, 300, steps};
    const opencl_shape found = search(m, limits);
    CHECK(found == opencl_shape{4, 64, steps.back() == 4 ? 4 : 1});
    std::set<int> made;
    for (const opencl_shape& shape : m.made) made.insert(shape.steps);
    CHECK(std::vector<int>(made.begin(), made.end()) == steps);
    const std::size_t before = m.made.size();
    CHECK(search(m, limits) == found);
    CHECK(m.made.size() == before);
  }
}

TEST_CASE(
    "a shape that was told has as many steps a launch as the kernel can make, and no more than were told") {
  setenv("REPRISE_OPENCL_SHAPE", "4x64x3", 1);
  measurements m{{1, 16}};
  CHECK(search(m, {4, 256, {1, 2, 4}}) == opencl_shape{4, 64, 2});
  CHECK(search(m, {4, 256, {1, 5}}) == opencl_shape{4, 64, 1});
  CHECK(search(m, {4, 32}) == opencl_shape{4, 32, 1});
  CHECK(m.made.empty());
  unsetenv("REPRISE_OPENCL_SHAPE");
}

TEST_CASE("what was found is kept in the file, and what is no shape in it is measured again") {
  const std::string key = "Board, with a comma; 1.0; kernel; 4; 512";
  const auto with_file = [&](const std::string& text) {
    const cache_folder cache;
    std::ofstream(cache / "opencl_shapes.csv") << text;
    measurements m{{4, 64}};
    const opencl_shape found = search(m, {4, 512});
    return std::pair(found, m.made.empty());
  };
  CHECK(with_file(key + ",8x16\n") == std::pair(opencl_shape{8, 16}, true));
  for (const char* shape :
       {"", "8", "x", "3x16", "8x0", "8x16x", "8x1000", "99999999999999999999x4", "8x16x0", "8x16x2"})
    CHECK(with_file(key + "," + shape + "\n") == std::pair(opencl_shape{4, 64}, false));
  CHECK(with_file("another " + key + ",8x16\n") == std::pair(opencl_shape{4, 64}, false));
}

TEST_CASE("a file that cannot be written costs a search") {
  const cache_folder cache;
  std::ofstream(cache / "in_the_way") << "a file";
  setenv("REPRISE_CACHE", (cache / "in_the_way").c_str(), 1);
  measurements m{{4, 64}};
  CHECK(search(m, {4, 128}) == opencl_shape{4, 64});
  CHECK_FALSE(m.made.empty());
}

TEST_CASE("other lines of the file survive") {
  const cache_folder cache;
  std::ofstream(cache / "opencl_shapes.csv") << "other,2x16\n";
  measurements m{{4, 64}};
  search(m, {4, 200});
  const std::string text = reprise::testing::text_in(cache / "opencl_shapes.csv");
  CHECK_THAT(text, ContainsSubstring("other,2x16\n"));
  CHECK_THAT(text, ContainsSubstring("; 4; 200,4x64\n"));
}
