// SPDX-License-Identifier: MIT
// A commit is built in the user's cache, in a folder named after it.
#include "benchmarks/harness/duel/programs.hpp"

#include <fmt/ranges.h>

#include <ostream>

#include "benchmarks/harness/duel/command.hpp"
#include "solvers/common/base/cache_folder.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::duels {
namespace {

namespace fs = std::filesystem;

fs::path program_in(const fs::path& folder) {
  return folder / "bin/reprise";
}

// The commit's full hash; empty if git does not know it.
std::string hash_of(const std::string& name, const fs::path& log) {
  if (name.starts_with('-')) return "";
  return succeeds({"git", "rev-parse", "--verify", "--quiet", name + "^{commit}"}, log) ? first_line_of(log)
                                                                                        : "";
}

void build(const std::string& hash, const fs::path& folder, const std::vector<std::string>& words) {
  const fs::path source = folder / "source";
  fs::create_directories(source);
  const auto step = [&](const char* what, std::vector<std::string> command) {
    const fs::path log = folder / (std::string(what) + ".log");
    if (!succeeds(std::move(command), log))
      throw bad_input(
          fmt::format("commit {} cannot be built: {} tells why", hash.substr(0, 12), log.string()));
  };
  const std::string archive = folder / "source.tar";
  step("archive", {"git", "archive", "--output", archive, hash});
  step("unpack", {"tar", "--extract", "--file", archive, "--directory", source});
  step("configure", {"cmake", "-S", source, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                     "-DBUILD_TESTING=OFF", fmt::format("-DREPRISE_PAPERS={}", fmt::join(words, ";"))});
  step("build", {"cmake", "--build", folder, "--target", "reprise"});
  fs::remove(archive);
}

}  // namespace

contestant find_contestant(const std::string& name, const std::vector<std::string>& words,
                           std::ostream& progress) {
  std::error_code code;
  if (fs::is_regular_file(name, code)) return {name, fs::absolute(name)};
  if (fs::is_directory(name, code)) {
    if (fs::is_regular_file(program_in(name), code)) return {name, fs::absolute(program_in(name))};
    throw bad_input(name + " has no bin/reprise: name a build's folder, an installed prefix, or a commit");
  }
  if (cache_folder().empty())
    throw bad_input("a commit is built in the user's cache: set REPRISE_CACHE to a folder");
  const fs::path builds = cache_folder() / "builds";
  fs::create_directories(builds, code);
  if (code) throw bad_input(builds.string() + " cannot be created: set REPRISE_CACHE to a folder of yours");
  const std::string hash = hash_of(name, builds / "git.log");
  if (hash.empty())
    throw bad_input(
        fmt::format("'{}' is no program, no folder with bin/reprise, and no commit of the repository in "
                    "this folder: name one of these",
                    name));
  const fs::path folder = builds / fmt::format("{}-{}", hash.substr(0, 12), fmt::join(words, "-"));
  if (!fs::exists(program_in(folder), code)) {
    progress << fmt::format("building {} in {}\n", name, folder.string()) << std::flush;
    build(hash, folder, words);
  }
  return {name, program_in(folder)};
}

}  // namespace reprise::duels
