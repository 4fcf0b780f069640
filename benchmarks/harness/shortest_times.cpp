// SPDX-License-Identifier: MIT
// Keeps the shortest times in lines of work and seconds, below a line that tells the start of the machine.
#include "benchmarks/harness/shortest_times.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "benchmarks/harness/build_info.hpp"
#include "solvers/common/base/cache_folder.hpp"

namespace reprise::harness {
namespace {

std::optional<std::pair<std::string, double>> parsed(std::string_view line) {
  const auto comma = line.rfind(',');
  if (comma == std::string_view::npos) return {};
  double seconds{};
  const char* const end = line.data() + line.size();
  const auto [rest, flaw] = std::from_chars(line.data() + comma + 1, end, seconds);
  if (flaw != std::errc() || rest != end || !(seconds > 0)) return {};
  return std::pair(std::string(line.substr(0, comma)), seconds);
}

void lower_in(std::map<std::string, double>& all, const std::string& work, double seconds) {
  const auto [at, is_new] = all.try_emplace(work, seconds);
  at->second = std::min(at->second, seconds);
}

}  // namespace

shortest_times::shortest_times(std::filesystem::path file, std::string start)
    : file_(std::move(file)), start_(std::move(start)), seconds_(read()) {}

// Lines that are none are left out: somebody else wrote them.
std::map<std::string, double> shortest_times::read() const {
  std::map<std::string, double> all;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file_, unknown)) return all;
  std::ifstream in(file_);
  std::string line;
  if (!std::getline(in, line) || line != start_) return all;
  while (std::getline(in, line))
    if (const auto known = parsed(line)) lower_in(all, known->first, known->second);
  return all;
}

double shortest_times::shortest(const std::string& work) const {
  const auto at = seconds_.find(work);
  return at == seconds_.end() ? std::numeric_limits<double>::infinity() : at->second;
}

double shortest_times::lower(const std::string& work, double seconds) {
  const auto at = seconds_.find(work);
  if (at != seconds_.end() && at->second <= seconds) return at->second;
  seconds_[work] = seconds;
  has_news_ = true;
  return seconds;
}

void shortest_times::keep() {
  if (file_.empty() || !has_news_) return;
  // Another run may have written meanwhile.
  for (const auto& [work, seconds] : read()) lower_in(seconds_, work, seconds);
  std::string text = start_ + "\n";
  for (const auto& [work, seconds] : seconds_)
    fmt::format_to(std::back_inserter(text), "{},{}\n", work, seconds);
  write_cache_file(file_, text);
  has_news_ = false;
}

std::filesystem::path file_of_this_machine(const std::string& kind) {
  const std::filesystem::path folder = cache_folder();
  std::array<char, 256> name{};
  if (folder.empty() || gethostname(name.data(), name.size() - 1) != 0) return {};
  return folder / fmt::format("{}_{}.csv", kind, name.data());
}

std::string start_of_this_machine() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string line;
  std::getline(in, line);
  return line;
}

shortest_times& shortest_times_here() {
  static shortest_times here(file_of_this_machine("shortest_times"), start_of_this_machine());
  return here;
}

}  // namespace reprise::harness
