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

namespace fs = std::filesystem;

constexpr std::string_view kind_of_file = "case_times";
constexpr std::size_t digits_of_hash = 12;

// OpenMP's, this program's, and those of the libraries that it uses and of their loader. Some only say where files are, or what is
// told.
bool changes_times(std::string_view variable) {
  constexpr std::array families{"OMP_",     "GOMP_", "KMP_",           "OPENBLAS_", "REPRISE_", "POCL_",
                                "CUDA_",    "NCCL_", "CUBLAS_",        "MAGMA_",    "GALLIUM_", "LP_",
                                "OCL_ICD_", "LD_",   "GLIBC_TUNABLES", "MALLOC_",   "MESA_",    "__GL_"};
  constexpr std::array others{
      "REPRISE_HOME=", "REPRISE_CACHE=", "REPRISE_DISTURBANCE=", "POCL_CACHE_DIR=", "CUDA_CACHE_PATH="};
  const auto begins = [&](const char* with) { return variable.starts_with(with); };
  return std::ranges::any_of(families, begins) && std::ranges::none_of(others, begins);
}

// Changes with each library that is installed, a GPU's driver included.
std::string time_of_libraries() {
  std::error_code unknown;
  const auto written = fs::last_write_time("/etc/ld.so.cache", unknown);
  return unknown ? "" : fmt::format("{}", written.time_since_epoch().count());
}

std::string hash_of_environment() {
  std::vector<std::string> all{time_of_libraries()};
  for (char** at = environ; *at != nullptr; ++at)
    if (changes_times(*at)) all.emplace_back(*at);
  std::ranges::sort(all);
  return reports::sha256_of(fmt::format("{}", fmt::join(all, "\n"))).substr(0, digits_of_hash);
}

fs::path file_of_program(std::string_view hash) {
  return file_of_this_machine(fmt::format("{}_{}", kind_of_file, hash));
}

fs::path file_of_this_program() {
  return file_of_program(std::string_view(program_hash()).substr(0, digits_of_hash));
}

bool is_of_some_program(const fs::path& file) {
  const std::string name = file.filename().string();
  const std::size_t from = kind_of_file.size() + 1;
  return name.size() > from + digits_of_hash &&
         name == file_of_program(name.substr(from, digits_of_hash)).filename();
}

void remove_old_files(const fs::path& folder) {
  constexpr std::chrono::hours month{24 * 30};
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    if (!at->is_regular_file(unknown) || !is_of_some_program(at->path())) continue;
    const auto written = fs::last_write_time(at->path(), unknown);
    if (!unknown && fs::file_time_type::clock::now() - written > month) fs::remove(at->path(), unknown);
  }
}

}  // namespace

std::string work_of_case(const std::string& name, const case_plan& plan, const device& on) {
  if (plan.is_on_ranks && ranks::count() > 1) return "";
  return fmt::format("{} on {} with {} threads settings {} environment {}", name, on.name,
                     omp_get_max_threads(), plan.settings, hash_of_environment());
}

std::string slower_than_before(const shortest_times& known, const std::string& work, double seconds) {
  constexpr double most_longer = 1.25;
  const double ratio = seconds / known.shortest(work);
  if (!(ratio > most_longer)) return "";
  return fmt::format("this program took {:.2f} times as long as it did before on this machine", ratio);
}

shortest_times& case_times_here() {
  static shortest_times here(file_of_this_program(), start_of_this_machine());
  return here;
}

void keep_case_times() {
  case_times_here().keep();
  const fs::path own = file_of_this_program();
  if (own.empty()) return;
  std::error_code missing;
  fs::last_write_time(own, fs::file_time_type::clock::now(), missing);
  remove_old_files(own.parent_path());
}

}  // namespace reprise::harness
