// SPDX-License-Identifier: MIT
// Writes .npy files.
#include "reports/store/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "solvers/common/base/error.hpp"

namespace reprise::reports {
namespace {

static_assert(std::endian::native == std::endian::little, "the bytes of the values are written as they are");

// A tuple of Python: "(3,)", "(2, 3)".
std::string tuple_of(const std::vector<std::size_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace

std::string to_npy(const array& a) {
  std::size_t size = 1;
  for (const std::size_t n : a.shape) size *= n;
  if (a.shape.empty() || size != a.values.size())
    throw error(
        fmt::format("{} values do not fill an array of shape {}", a.values.size(), tuple_of(a.shape)));
  constexpr std::size_t alignment = 64, before_header = 10;  // magic, version, the header's length
  auto header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': {}, }}", tuple_of(a.shape));
  const std::size_t unaligned = before_header + header.size() + 1;
  header.append((alignment - unaligned % alignment) % alignment, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xFFU);
  bytes += static_cast<char>(header.size() >> 8U);
  bytes += header;
  const std::size_t begin = bytes.size();
  bytes.resize(begin + size * sizeof(double));
  if (size > 0) std::memcpy(bytes.data() + begin, a.values.data(), size * sizeof(double));
  return bytes;
}

}  // namespace reprise::reports
