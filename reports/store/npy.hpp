// SPDX-License-Identifier: MIT
// Writes arrays of numbers in NumPy's format, version 1.0, which NumPy, ParaView (through its NumPy reader) and many
// other programs open.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace reprise::reports {

struct array {
  std::vector<std::size_t> shape;  // the last index is the fastest
  std::vector<double> values;
};

// The file's bytes: a header and little-endian doubles. Throws error if the shape does not fit the values.
std::string to_npy(const array& a);

}  // namespace reprise::reports
