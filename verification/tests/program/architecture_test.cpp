// SPDX-License-Identifier: MIT
// Checks that includes run in one direction only, and that every source file begins with
// its licence and a description.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "verification/tests/support/source_dir.hpp"

namespace {

namespace fs = std::filesystem;
const fs::path root = reprise::testing::source_dir();

struct include_line {
  std::string from;  // file, from the root
  std::string to;
};

std::vector<fs::path> sources() {
  std::vector<fs::path> found;
  for (const char* const folder : {"solvers", "reference", "verification", "benchmarks", "reports"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      if (std::set<std::string>{".hpp", ".cpp", ".cu", ".cl", ".frag", ".comp"}.contains(extension))
        found.push_back(entry.path());
    }
  return found;
}

std::vector<include_line> includes() {
  static const std::regex pattern("^\\s*#include \"([^\"]+)\"");
  std::vector<include_line> found;
  for (const fs::path& file : sources()) {
    std::ifstream in(file);
    std::smatch match;
    for (std::string line; std::getline(in, line);)
      if (std::regex_search(line, match, pattern)) found.push_back({fs::relative(file, root), match[1]});
  }
  return found;
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.find('/'));
}

bool is_test(const std::string& path) {
  return path.starts_with("verification/tests/");
}

bool allowed(const include_line& line) {
  const std::string from = folder_of(line.from);
  const std::string to = folder_of(line.to);
  if (is_test(line.from)) return true;  // a test may include anything
  if (is_test(line.to)) return false;
  static const std::map<std::string, std::set<std::string>> arrows{
      {"solvers", {"solvers"}},
      {"reference", {"reference", "solvers"}},
      {"verification", {"verification", "reference", "solvers"}},
      {"reports", {"reports", "solvers"}},
      {"benchmarks", {"benchmarks", "reports", "verification", "reference", "solvers"}}};
  if (!arrows.at(from).contains(to)) return false;
  if (from == "reference" && to == "solvers") return line.to.ends_with("/problem.hpp");
  if (from == "reports" && to == "solvers") return line.to.starts_with("solvers/common/base/");
  if (from == "solvers") {  // its own family or common code
    const auto family = [](const std::string& path) { return path.substr(8, path.find('/', 8) - 8); };
    return family(line.to) == "common" || family(line.to) == family(line.from);
  }
  return true;
}

// A header and its source count as one part, named by their common path without extension.
std::string part_of(const std::string& path) {
  return path.substr(0, path.rfind('.'));
}

using part_graph = std::map<std::string, std::set<std::string>>;  // part -> the parts that it includes

part_graph parts_of(const std::vector<include_line>& lines) {
  part_graph graph;
  for (const include_line& line : lines)
    if (part_of(line.from) != part_of(line.to)) graph[part_of(line.from)].insert(part_of(line.to));
  return graph;
}

// The parts on a circle of includes that is reached from `part`, or empty. `path` holds the parts on the way
// there, `done` those known to lead to no circle.
std::vector<std::string> circle_from(const part_graph& graph, const std::string& part,
                                     std::vector<std::string>& path, std::set<std::string>& done) {
  if (const auto again = std::find(path.begin(), path.end(), part); again != path.end())
    return {again, path.end()};
  if (done.contains(part)) return {};
  path.push_back(part);
  if (const auto found = graph.find(part); found != graph.end())
    for (const std::string& next : found->second)
      if (auto circle = circle_from(graph, next, path, done); !circle.empty()) return circle;
  path.pop_back();
  done.insert(part);
  return {};
}

std::vector<std::string> circle_in(const part_graph& graph) {
  std::set<std::string> done;
  for (const auto& [part, included] : graph) {
    std::vector<std::string> path;
    if (auto circle = circle_from(graph, part, path, done); !circle.empty()) return circle;
  }
  return {};
}

// A registered variant, a family's experiments and a program's main are reached without a header.
bool may_lack_header(const std::string& path) {
  static const std::regex pattern(
      "solvers/[a-z]+/[a-z0-9_]+\\.cpp|benchmarks/([a-z]+/(experiments|operations)|main|harness/roofs/"
      "[a-z]+)\\.cpp|"
      "solvers/common/[a-z]+/[a-z_]+_device\\.cpp|verification/tests/.*");
  return std::regex_match(path, pattern);
}

}  // namespace

TEST_CASE("includes run one way") {
  const auto lines = includes();
  REQUIRE(lines.size() > 50);
  for (const include_line& line : lines) {
    INFO(line.from << " includes " << line.to);
    CHECK(allowed(line));
  }
}

TEST_CASE("an arrow that points back would be found") {
  CHECK_FALSE(allowed({"solvers/jacobi/openmp.cpp", "verification/checkers/norms.hpp"}));
  CHECK_FALSE(allowed({"solvers/jacobi/openmp.cpp", "solvers/tissue/problem.hpp"}));
  CHECK_FALSE(allowed({"reference/jacobi/reference.cpp", "solvers/jacobi/variant.hpp"}));
  CHECK_FALSE(allowed({"reports/page/tables.cpp", "benchmarks/harness/runner.hpp"}));
  CHECK_FALSE(allowed({"verification/checkers/norms.cpp", "benchmarks/harness/runner.hpp"}));
  CHECK_FALSE(allowed({"verification/jacobi/check.cpp", "verification/tests/support/every_variant.hpp"}));
}

TEST_CASE("no parts include each other in a circle") {
  std::string circle;
  for (const std::string& part : circle_in(parts_of(includes()))) circle += part + " -> ";
  CHECK(circle.empty());
  CHECK(circle_in({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}).size() == 2);
  CHECK(circle_in({{"a", {"b", "c"}}, {"b", {"c"}}}).empty());
}

// Standard maxima and minima, and Eigen's unless they say what becomes of a NaN, may lose one.
bool may_lose_nan(std::string line) {
  static const std::regex pattern(
      "\\bstd::(ranges::)?(max|min|minmax|max_element|min_element|minmax_element|fmax|fmin)\\b|"
      "\\b(max|min)Coeff\\(|\\bcwise(Max|Min)\\(|lpNorm<Eigen::Infinity>");
  line = line.substr(0, line.find("//"));
  return std::regex_search(line, pattern);
}

TEST_CASE("no check uses a maximum that may lose a NaN") {
  for (const fs::path& file : sources()) {
    const std::string path = fs::relative(file, root);
    if (!path.starts_with("verification/") || is_test(path)) continue;
    std::ifstream in(file);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      INFO(path << ":" << number << ": " << line);
      CHECK_FALSE(may_lose_nan(line));
    }
  }
  for (const char* const line :
       {"std::max(a, b)", "*std::ranges::max_element(v)", "x.maxCoeff()", "std::min<double>(a, b)"})
    CHECK(may_lose_nan(line));
  for (const char* const line :
       {"x.template maxCoeff<Eigen::PropagateNaN>()", "// std::max skips it", "raise(a, b)"})
    CHECK_FALSE(may_lose_nan(line));
}

// What a kernel can do is decided by the architecture for which it was compiled. Code that asks the device instead
// is wrong where a driver compiles the PTX of an older architecture.
TEST_CASE("a device's compute capability is only asked for to be named") {
  static const std::regex pattern("ComputeCapability|[pP]roperties\\.(major|minor)|prop\\.(major|minor)");
  for (const fs::path& file : sources()) {
    const std::string path = fs::relative(file, root);
    if (path.starts_with("solvers/common/emulation/") || path == "solvers/common/cuda/device_calls.hpp" ||
        is_test(path))
      continue;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      INFO(path << ": " << line);
      CHECK_FALSE(std::regex_search(line, pattern));
    }
  }
}

using file_graph =
    std::map<std::string, std::set<std::string>>;  // file -> the files and library headers it names

file_graph files_and_libraries() {
  static const std::regex pattern("^\\s*#include [\"<]([^\">]+)[\">]");
  file_graph graph;
  for (const fs::path& file : sources()) {
    std::ifstream in(file);
    std::smatch match;
    for (std::string line; std::getline(in, line);)
      if (std::regex_search(line, match, pattern)) graph[fs::relative(file, root)].insert(match[1]);
  }
  return graph;
}

// The library headers that compilers of device code may reject, with the includes that lead there from `file`.
std::vector<std::string> host_libraries_of(const file_graph& graph, const std::string& file,
                                           std::set<std::string>& done) {
  static const std::regex library("^(fmt|nlohmann|toml\\+\\+|boost|Eigen|CLI|benchmark)/");
  std::vector<std::string> found;
  const auto named = graph.find(file);
  if (named == graph.end() || !done.insert(file).second) return found;
  for (const std::string& header : named->second) {
    if (std::regex_search(header, library)) found.push_back(file + " -> " + header);
    for (const std::string& way : host_libraries_of(graph, header, done))
      found.push_back(file + " -> " + way);
  }
  return found;
}

// A version of nvcc and a version of a library that a distribution ships often do not go together.
TEST_CASE("CUDA code includes no library of the host, not even through a header") {
  const file_graph graph = files_and_libraries();
  for (const auto& [file, headers] : graph) {
    if (!file.ends_with(".cu")) continue;
    std::set<std::string> done;
    for (const std::string& way : host_libraries_of(graph, file, done)) FAIL_CHECK(way);
  }
  std::set<std::string> done;
  CHECK(host_libraries_of({{"a.cu", {"b.hpp"}}, {"b.hpp", {"fmt/core.h"}}}, "a.cu", done) ==
        std::vector<std::string>{"a.cu -> b.hpp -> fmt/core.h"});
}

TEST_CASE("every source has its header") {
  for (const fs::path& file : sources()) {
    const std::string path = fs::relative(file, root);
    if (file.extension() != ".cpp" || may_lack_header(path)) continue;
    INFO(path);
    CHECK(fs::exists(fs::path(file).replace_extension(".hpp")));
  }
}

TEST_CASE("every source file begins with its licence and a sentence") {
  for (const fs::path& file : sources()) {
    INFO(file);
    std::ifstream in(file);
    std::string first;
    std::string second;
    std::getline(in, first);
    if (first.starts_with("#version"))
      std::getline(in, first);  // GLSL requires its version line before everything else
    std::getline(in, second);
    CHECK(first == "// SPDX-License-Identifier: MIT");
    CHECK(second.starts_with("// "));
  }
}
