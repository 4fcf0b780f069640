// SPDX-License-Identifier: MIT
// Asks the processor by CPUID.
#include "benchmarks/harness/count/processor_level.hpp"

#if defined(__x86_64__)
#include <cpuid.h>

#include <array>
#include <cstring>
#endif

namespace reprise::counting {

#if defined(__x86_64__)
namespace {

std::string brand() {
  std::array<unsigned, 12> words{};
  for (unsigned part = 0; part < 3; ++part)
    if (__get_cpuid(0x80000002U + part, &words[4 * part], &words[4 * part + 1], &words[4 * part + 2],
                    &words[4 * part + 3]) == 0)
      return "unnamed";
  std::array<char, sizeof(words) + 1> text{};
  std::memcpy(text.data(), words.data(), sizeof(words));
  const std::string name = text.data();
  const auto first = name.find_first_not_of(' ');
  return first == std::string::npos ? "unnamed" : name.substr(first, name.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::string processor_level() {
  __builtin_cpu_init();
  const bool is_second = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool is_third = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  const bool is_fourth = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                         __builtin_cpu_supports("avx512vl");
  const std::string level = is_fourth && is_third ? "x86-64-v4"
                            : is_third            ? "x86-64-v3"
                            : is_second           ? "x86-64-v2"
                                                  : "x86-64";
  return level + " (" + brand() + ")";
}
#else
std::string processor_level() {
  return "not x86-64";
}
#endif

}  // namespace reprise::counting
