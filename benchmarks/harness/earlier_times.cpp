// SPDX-License-Identifier: MIT
// Names the work of a case, and keeps its times in a file for each program.
#include "benchmarks/harness/earlier_times.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "benchmarks/harness/origin.hpp"
#include "reports/store/sha256.hpp"
#include "solvers/common/ranks/ranks.hpp"

namespace reprise::harness {
namespace {

constexpr std::string_view kind_of_file = "case_times";
constexpr std::size_t digits_of_hash = 12;

// OpenMP's, this program's and those of the libraries that it uses. Some only say where files are, or what is told.
bool changes_times(std::string_view variable) {
  constexpr std::array families{"OMP_",  "GOMP_",   "KMP_",     "OPENBLAS_", "REPRISE_", "POCL_",
                                "CUDA_", "CUBLAS_", "GALLIUM_", "LP_",       "NCCL_",    "MAGMA_"};
  constexpr std::array others{
      "REPRISE_HOME=", "REPRISE_CACHE=", "REPRISE_DISTURBANCE=", "POCL_CACHE_DIR=", "CUDA_CACHE_PATH="};
  const auto begins = [&](const char* with) { return variable.starts_with(with); };
  return std::ranges::any_of(families, begins) && std::ranges::none_of(others, begins);
}

std::string hash_of_environment() {
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at)
    if (changes_times(*at)) all.emplace_back(*at);
  std::ranges::sort(all);
  return reports::sha256_of(fmt::format("{}", fmt::join(all, "\n"))).substr(0, digits_of_hash);
}

void remove_old_files(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  constexpr std::chrono::hours month{24 * 30};
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    const auto written = fs::last_write_time(at->path(), unknown);
    const bool is_old = !unknown && fs::file_time_type::clock::now() - written > month;
    if (is_old && at->path().filename().string().starts_with(kind_of_file)) fs::remove(at->path(), unknown);
  }
}

}  // namespace

std::string work_of_case(const std::string& name, const case_plan& plan, const device& on) {
  return fmt::format("{} on {} with {} threads {} ranks settings {} environment {}", name, on.name,
                     omp_get_max_threads(), ranks::count(), plan.settings, hash_of_environment());
}

std::string slower_than_before(shortest_times& known, const std::string& work, double seconds) {
  constexpr double most_longer = 1.25;
  const double ratio = seconds / known.lower(work, seconds);
  if (!(ratio > most_longer)) return "";
  return fmt::format("this program took {:.2f} times as long as it did before on this machine", ratio);
}

shortest_times& case_times_here() {
  static shortest_times here(
      file_of_this_machine(fmt::format("{}_{}", kind_of_file, program_hash().substr(0, digits_of_hash))),
      start_of_this_machine());
  return here;
}

void keep_case_times() {
  case_times_here().keep();
  const auto folder = file_of_this_machine("").parent_path();
  if (!folder.empty()) remove_old_files(folder);
}

}  // namespace reprise::harness
