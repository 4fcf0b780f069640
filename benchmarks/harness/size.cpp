// SPDX-License-Identifier: MIT
// Parses sizes and refuses those that do not fit into this machine's memory.
#include "benchmarks/harness/size.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "solvers/common/base/device.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::harness {
namespace {

// Splits "512x1024" into its whole numbers. Empty if the text is anything else.
std::vector<int> sides_in(const std::string& text) {
  std::vector<int> sides;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data();; ++at) {
    const auto read = std::from_chars(at, end, sides.emplace_back());
    if (read.ec != std::errc() || (read.ptr != end && *read.ptr != 'x')) return {};
    at = read.ptr;
    if (at == end) return sides;
  }
}

std::size_t sides_of(size_form form) {
  return static_cast<std::size_t>(form);
}

void require_room(const std::string& text, const grid_size& size) {
  // Memory per node: the problem in single precision, and the reference's sparse
  // matrix and vectors in double.
  constexpr double bytes_per_node = 12 * 4 + 9 * 12 + 6 * 8;
  const double needed = bytes_per_node * size.width * size.height;
  const double present = static_cast<double>(devices_of(backend::cpu).devices.front().memory_bytes);
  if (needed > .8 * present)
    throw bad_input(
        fmt::format("size '{}' needs {:.0f} GiB of memory with its reference, this machine has {:.0f}: "
                    "give a smaller one",
                    text, needed / (1 << 30), present / (1 << 30)));
}

}  // namespace

std::string to_string(const grid_size& size) {
  return fmt::format("{}x{}", size.width, size.height);
}

std::vector<grid_size> squares(std::initializer_list<int> sides) {
  std::vector<grid_size> all;
  for (int side : sides) all.push_back({side, side});
  return all;
}

grid_size parse_size(const std::string& text, const size_grammar& taken, const std::string& who) {
  const std::vector<int> sides = sides_in(text);
  if (sides.empty() || sides.size() != sides_of(taken.form))
    throw bad_input(fmt::format("size '{}' is not one that {} takes: {}", text, who, taken.advice));
  if (*std::ranges::min_element(sides) <= 0)
    throw bad_input(fmt::format("size '{}' is not positive: a side is at least 1", text));
  const grid_size size{sides.front(), sides.size() == 2 ? sides.back() : 1};
  require_room(text, size);
  return size;
}

}  // namespace reprise::harness
