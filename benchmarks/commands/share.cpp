// SPDX-License-Identifier: MIT
// Parses shares.
#include "benchmarks/commands/share.hpp"

#include <charconv>
#include <string_view>

#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {

double parse_share(const std::string& option, const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, number);
  const bool is_percent = rest != end && std::string_view(rest, end) == "%";
  if (is_percent) number /= 100;
  if (code != std::errc{} || (rest != end && !is_percent) || !(number > 0 && number < 1))
    throw bad_input(option + " is a share between 0 and 100 %, such as 1%, not '" + text + "'");
  return number;
}

}  // namespace reprise::benchmarks
