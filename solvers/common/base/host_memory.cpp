// SPDX-License-Identifier: MIT
// Reads cache sizes and memory limits from /proc, /sys and control groups.
#include "solvers/common/base/host_memory.hpp"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "solvers/common/base/control_groups.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// Bytes in text such as "491520K"; nothing if the text is not a size.
std::optional<std::size_t> bytes_in(std::string_view text) {
  std::size_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{}) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  constexpr std::string_view units = "KMG";
  const std::size_t place = unit.size() == 1 ? units.find(unit) : units.npos;
  if (!unit.empty() && place == units.npos) return std::nullopt;
  const std::size_t power = unit.empty() ? 0 : place + 1;
  if (value > unlimited >> 10 * power) return std::nullopt;
  return value << 10 * power;
}

std::string first_word_of(const fs::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

// The number after `name` at the beginning of a line of the file; nothing if no line has one.
std::optional<std::size_t> number_after(const fs::path& file, const std::string& name) {
  std::ifstream in(file);
  for (std::string word; in >> word; in.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
    if (std::size_t value = 0; word == name && in >> value) return value;
  return std::nullopt;
}

// The files in which a version of control groups keeps the memory limit and the memory in use. The key names
// the part of the memory in use that the kernel reclaims when memory runs short.
struct group_files {
  const char* limit;
  const char* used;
  const char* reclaimable;
};
constexpr group_files version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr group_files version_2{"memory.max", "memory.current", "inactive_file"};

// Bytes that one group still allows; unlimited if the folder is not a group or its limit is "max".
std::size_t left_in(const fs::path& group, const group_files& files) {
  const auto limit = bytes_in(first_word_of(group / files.limit));
  const auto used = bytes_in(first_word_of(group / files.used));
  if (!limit || !used) return unlimited;
  const std::size_t reclaimable = number_after(group / "memory.stat", files.reclaimable).value_or(0);
  const std::size_t kept = *used - std::min(*used, reclaimable);
  return *limit - std::min(*limit, kept);
}

std::size_t left_in_groups(const fs::path& root) {
  std::size_t least = unlimited;
  for (const control_group& group : control_groups(root, "memory"))
    least = std::min(least, left_in(group.folder, group.is_version_2 ? version_2 : version_1));
  return least;
}

std::size_t left_of_address_space(const fs::path& root) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  std::size_t pages = 0;
  std::ifstream(root / "proc/self/statm") >> pages;
  const std::size_t used = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, used);
}

std::size_t reported_cache_bytes() {
  std::size_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    const auto size = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size";
    largest = std::max(largest, bytes_in(first_word_of(size)).value_or(0));
  }
  return largest;
}

}  // namespace

std::size_t parse_bytes(const std::string& text) {
  if (const auto bytes = bytes_in(text)) return *bytes;
  throw bad_input("'" + text +
                  "' is no size in bytes: give a whole number, with K, M or G for powers of 1024");
}

std::string bytes_text(std::size_t bytes) {
  constexpr std::size_t kib = 1024;
  if (bytes >= kib * kib) return std::to_string(bytes / kib / kib) + " MiB";
  return bytes >= kib ? std::to_string(bytes / kib) + " KiB" : std::to_string(bytes) + " bytes";
}

std::size_t host_cache_bytes() {
  const char* const told = std::getenv("REPRISE_HOST_CACHE");
  if (told == nullptr) return reported_cache_bytes();
  constexpr std::size_t most = std::size_t{1} << 40U;
  try {
    if (const std::size_t bytes = parse_bytes(told); bytes <= most) return bytes;
    throw bad_input("'" + std::string(told) + "' is more than any cache: give at most 1024G");
  } catch (const bad_input& problem) {
    throw bad_input(std::string("REPRISE_HOST_CACHE: ") + problem.what());
  }
}

std::size_t available_host_bytes(const fs::path& root) {
  constexpr std::size_t kib = 1024;
  const std::size_t available =
      number_after(root / "proc/meminfo", "MemAvailable:").value_or(unlimited / kib);
  return std::min({available * kib, left_in_groups(root), left_of_address_space(root)});
}

void return_freed_memory() {
#ifdef __GLIBC__
  constexpr std::size_t worth_the_time = std::size_t{64} << 20U;
  if (::mallinfo2().fordblks > worth_the_time) ::malloc_trim(0);
#endif
}

}  // namespace reprise
