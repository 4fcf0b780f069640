// SPDX-License-Identifier: MIT
// Reads the times of all threads from Linux's /proc.
#include "benchmarks/harness/other_programs.hpp"

#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "benchmarks/harness/scheduling.hpp"

namespace reprise::harness {
namespace {

namespace fs = std::filesystem;

// Reading a thread takes some ten microseconds. With more threads than this, it is left alone.
constexpr std::size_t most_threads = 4000;

std::optional<long> number_in(const std::string& name) {
  long number{};
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

// The kernel's own first thread is seen where no namespace of processes and no option of the file system hides any.
bool sees_all_programs() {
  static const bool sees = [] {
    std::string name;
    std::ifstream("/proc/2/comm") >> name;
    return name == "kthreadd";
  }();
  return sees;
}

void add_threads(thread_times& to, const fs::path& program, bool is_own) {
  std::error_code ended;  // programs and threads may end while they are listed
  for (const auto& thread : fs::directory_iterator(program / "task", ended))
    if (const auto number = number_in(thread.path().filename().string()))
      to.seconds[*number] = is_own ? 0 : read_thread_account(thread.path()).value_or(thread_account{}).ran;
}

long created_so_far() {
  std::ifstream in("/proc/stat");
  for (std::string word; in >> word;)
    if (long count{}; word == "processes" && in >> count) return count;
  return 0;
}

}  // namespace

thread_times read_thread_times() {
  thread_times now;
  if (!sees_all_programs()) return now;
  now.created = created_so_far();
  std::error_code failed;
  for (const auto& program : fs::directory_iterator("/proc", failed)) {
    const auto number = number_in(program.path().filename().string());
    if (!number) continue;
    add_threads(now, program.path(), *number == getpid());
    if (now.seconds.size() > most_threads) return now;
  }
  now.is_complete = !failed;
  return now;
}

std::optional<double> seconds_of_others(const thread_times& from, const thread_times& to) {
  if (!from.is_complete || !to.is_complete) return std::nullopt;
  double sum = 0;
  std::size_t known = 0;
  for (const auto& [thread, seconds] : to.seconds) {
    const auto before = from.seconds.find(thread);
    if (before != from.seconds.end()) ++known;
    sum += seconds - (before == from.seconds.end() ? 0 : before->second);
  }
  const bool all_remained = known == from.seconds.size();
  const bool all_new_are_seen = std::cmp_equal(to.seconds.size() - known, to.created - from.created);
  if (!all_remained || !all_new_are_seen) return std::nullopt;
  return sum;
}

}  // namespace reprise::harness
