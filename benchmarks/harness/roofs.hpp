// SPDX-License-Identifier: MIT
// The ceilings of a device, measured in the same run as the variants that are set against them.
#pragma once

#include <cstddef>
#include <memory>

#include "solvers/common/registry.hpp"

namespace reprise::harness {

class roof_probe {
 public:
  virtual ~roof_probe() = default;
  // One sample of copying `bytes` bytes: read and written bytes counted together, over the device's own
  // clock.
  virtual double copy_bytes_per_second(std::size_t bytes) = 0;
  // One sample of reading `bytes` bytes and writing next to nothing. Reading alone can be faster than
  // copying, so it is the bound of a sweep that mostly reads. 0 where the probe has none.
  virtual double read_bytes_per_second(std::size_t) { return 0; }
  // One sample of independent chains of fused multiply-adds, two flops each. Throws unavailable where the
  // device has not this precision.
  virtual double flops_per_second(precision p) = 0;
};

class roof_registration {
 public:
  roof_registration(backend kind, std::unique_ptr<roof_probe> (*make)(const device&));
};

struct roof {
  double value{};  // the best sample: whatever disturbs a sample only makes it slower
  double q1{}, q3{};
  int samples{};
};

// Measure on first use and remember. `bytes` in all: half read and half written by a copy.
const roof& copy_roof(const device& d, std::size_t bytes);
const roof& read_roof(const device& d, std::size_t bytes);
const roof& flops_roof(const device& d, precision p);

// A copy so large that no cache of the device helps it.
std::size_t beyond_caches(const device& d);

// The copy ceiling for work that touches `footprint` bytes again and again: of the memory where the caches
// cannot hold it, of the caches where they can. It is the memory's: of several ids of one board, the fastest
// gives it.
double governing_copy_roof(const device& d, std::size_t footprint);
// The most that memory and caches can deliver to it in any mix of reading and writing. A rate above it is
// believed only after the roofs were measured again, up to four times, as the machine may have been busy.
double governing_limit(const device& d, std::size_t footprint, double claimed);

// Sweeps the caches of the device by a copy beyond them.
void flush_caches(const device& d);

}  // namespace reprise::harness
