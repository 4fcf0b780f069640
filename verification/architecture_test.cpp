// SPDX-License-Identifier: MIT
// The house keeps its shape: includes run one way, and every source file says under which licence it stands.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
const fs::path root = REPRISE_SOURCE_DIR;

struct include_line {
  std::string from;  // file, from the root
  std::string to;
};

std::vector<fs::path> sources() {
  std::vector<fs::path> found;
  for (const char* const folder : {"solvers", "reference", "verification", "benchmarks", "reports"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      if (std::set<std::string>{".hpp", ".cpp", ".cu", ".cl", ".frag"}.contains(extension))
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
  static const std::regex pattern(
      "verification/([a-z_]+_test\\.cpp|emulation_faults\\.cpp|ranks_(main|probe)\\.cpp|[a-z]+_ranks\\.cpp|"
      "(fuzz|misbehaving|soak|threads)/[a-z_]+\\.[ch]pp|(made_up_[a-z]+|every_variant)\\.hpp)");
  return std::regex_match(path, pattern);
}

bool allowed(const include_line& line) {
  const std::string from = folder_of(line.from);
  const std::string to = folder_of(line.to);
  if (is_test(line.from)) return true;  // a test may look everywhere
  static const std::map<std::string, std::set<std::string>> arrows{
      {"solvers", {"solvers"}},
      {"reference", {"reference", "solvers"}},
      {"verification", {"verification", "reference", "solvers"}},
      {"reports", {"reports", "solvers"}},
      {"benchmarks", {"benchmarks", "reports", "verification", "reference", "solvers"}}};
  if (!arrows.at(from).contains(to)) return false;
  if (from == "reference" && to == "solvers") return line.to.ends_with("/problem.hpp");
  if (from == "reports" && to == "solvers") return line.to == "solvers/common/error.hpp";
  if (from == "solvers") {  // its own family or what is common to all
    const auto family = [](const std::string& path) { return path.substr(8, path.find('/', 8) - 8); };
    return family(line.to) == "common" || family(line.to) == family(line.from);
  }
  return true;
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
  CHECK_FALSE(allowed({"reports/tables.cpp", "benchmarks/harness/runner.hpp"}));
  CHECK_FALSE(allowed({"verification/checkers/norms.cpp", "benchmarks/harness/runner.hpp"}));
}

TEST_CASE("every source file begins with its licence and a sentence") {
  for (const fs::path& file : sources()) {
    INFO(file);
    std::ifstream in(file);
    std::string first;
    std::string second;
    std::getline(in, first);
    if (first.starts_with("#version"))
      std::getline(in, first);  // GLSL wants its version before anything else
    std::getline(in, second);
    CHECK(first == "// SPDX-License-Identifier: MIT");
    CHECK(second.starts_with("// "));
  }
}
