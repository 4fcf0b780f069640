// SPDX-License-Identifier: MIT
// Floating-point operations of kernels that are templates on their numbers, beside what variants declare. Rates of operations
// and shares of roofs are computed from what is declared.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::counting {

struct counted_unit {
  std::string unit;  // "a step of mean-curvature flow at a node"
  long counted{};    // in the kernels that are templates
  double declared{};
  double elsewhere{};         // declared for parts that each variant writes itself, for its own numbers
  double known_difference{};  // how many more are made than declared, for a reason that is known
  std::string why_different{};

  double difference() const { return static_cast<double>(counted) + elsewhere - declared; }
};

struct paper_operations {
  std::vector<counted_unit> units;
  std::string not_counted;  // which work cannot be counted so, and why
};

class operations_registration {
 public:
  operations_registration(std::string_view word, paper_operations (*count)());
};

// In the order of the papers' words.
std::vector<std::pair<std::string, paper_operations>> all_operations();

}  // namespace reprise::counting
