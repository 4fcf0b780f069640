// SPDX-License-Identifier: MIT
// Collects what the papers register.
#include "benchmarks/harness/count/operations.hpp"

#include <map>

namespace reprise::counting {
namespace {

std::map<std::string, paper_operations (*)(), std::less<>>& counters() {
  static std::map<std::string, paper_operations (*)(), std::less<>> all;
  return all;
}

}  // namespace

operations_registration::operations_registration(std::string_view word, paper_operations (*count)()) {
  counters().emplace(word, count);
}

std::vector<std::pair<std::string, paper_operations>> all_operations() {
  std::vector<std::pair<std::string, paper_operations>> all;
  for (const auto& [word, count] : counters()) all.emplace_back(word, count());
  return all;
}

}  // namespace reprise::counting
