// SPDX-License-Identifier: MIT
// Chooses for a kernel and a device how many values a work-item computes at once, how many items form a group, and how
// many steps a launch makes. A short search measures the candidates. The choice is kept in a file, so that each device
// is searched once.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/common/base/device.hpp"
#include "solvers/common/base/device_choice.hpp"
#include "solvers/common/base/stopwatch.hpp"

namespace reprise {

struct opencl_shape {
  int lanes{1};          // values that an item computes as one vector: 1, 2, 4, 8 or 16
  std::size_t items{1};  // of a work-group
  int steps{1};          // of a launch: of time, or stages of one

  bool operator==(const opencl_shape&) const = default;
};

// "4 lanes an item, 64 items a group"; with ", 2 steps a launch" if there are several
std::string to_string(const opencl_shape& shape);

// What the device's compiler says of itself, and how many steps a launch of the kernel can make, one first.
struct opencl_limits {
  std::size_t native_lanes{1};  // of a vector of the kernel's numbers
  std::size_t most_items{1};    // of a work-group
  std::vector<int> steps{1};    // of a launch
};
opencl_limits opencl_limits_of(const device& d, std::size_t word_bytes);

// Searches the number of lanes first, then the number of items, then that of steps: single values and vectors as wide as
// the device's and twice as wide, in groups of 16, 64 and 256, and as many steps a launch as the kernel can make.
//
// REPRISE_OPENCL_SHAPE=4x64 or, with at most two steps a launch, 4x64x2 replaces the search. Otherwise the file opencl_shapes.csv in the cache folder is asked,
// which is REPRISE_CACHE, or else reprise in XDG_CACHE_HOME, or else in ~/.cache. A file that cannot be read or
// written costs a search in each process. Throws bad_input for a wrong REPRISE_OPENCL_SHAPE.
opencl_shape fastest_shape(const device& d, std::string_view kernel, const opencl_limits& limits,
                           const std::function<double(const opencl_shape&)>& seconds);

// As above for a kernel whose items compute one value each: searches the number of items of a group only.
opencl_shape fastest_group(const device& d, std::string_view kernel,
                           const std::function<double(const opencl_shape&)>& seconds);

// A second base of a solver that has a shape.
class chooses_shape : public chooses_for_device {
 public:
  std::string choice() const override { return has_shape() ? to_string(shape_) : ""; }

 protected:
  bool has_shape() const { return shape_.items > 0; }

  opencl_shape shape_{1, 0};  // no items: not chosen yet
};

// For such a search: the shortest time of one of `tries` calls of `work`, after one that may compile.
double shortest_seconds(stopwatch& clock, int tries, const std::function<void()>& work);

}  // namespace reprise
