// SPDX-License-Identifier: MIT
// The ceilings of a device, measured in the same run as the variants that are set against them, in arrays
// that the machine has room for.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/registry.hpp"

namespace reprise::harness {

// The cost of a probe: the bytes of the arrays that it holds now, and its passes over them so far.
struct probe_cost {
  std::size_t bytes{};
  long passes{};
};

class roof_probe {
 public:
  virtual ~roof_probe() = default;
  // One sample of copying `bytes` bytes from one array to another: 2 `bytes` by the device's own clock.
  virtual double copy_bytes_per_second(std::size_t bytes) = 0;
  // One sample of reading an array of `bytes` bytes and writing next to nothing. Reading alone can be faster
  // than copying, so it bounds a sweep that mostly reads. A probe that cannot measure it returns 0.
  virtual double read_bytes_per_second(std::size_t) { return 0; }
  // One sample of independent chains of fused multiply-adds, two flops each. Throws unavailable if the
  // device does not support this precision.
  virtual double flops_per_second(precision p) = 0;
  virtual probe_cost cost() const { return {}; }
};

class roof_registration {
 public:
  roof_registration(backend kind, std::unique_ptr<roof_probe> (*make)(const device&));
};

// Registers a probe that is constructed from the device alone.
template <class Probe>
roof_registration probed_by(backend kind) {
  return {kind, [](const device& d) -> std::unique_ptr<roof_probe> { return std::make_unique<Probe>(d); }};
}

// Doubles the work of a sample, up to `most`, until it takes long compared with the clock's resolution and
// the cost of a launch. Done once; these first samples also warm the device up.
template <class Seconds>
int enough_work(int most, Seconds seconds_of) {
  constexpr double sample_seconds = 0.01;
  int work = 1;
  while (seconds_of(work) < sample_seconds && work < most) work *= 2;
  return work;
}

struct roof {
  double value{};  // the best sample: whatever disturbs a sample only makes it slower
  double q1{}, q3{};
  int samples{};
  probe_cost cost{};
};

// Measured on first use and remembered. `bytes` is the size of all arrays: a copy has two of half the size,
// reading has one. Every failure is thrown as unavailable, because a roof that cannot be measured does not make an answer wrong.
const roof& copy_roof(const device& d, std::size_t bytes);
const roof& read_roof(const device& d, std::size_t bytes);
const roof& flops_roof(const device& d, precision p);

// The largest cache of the device, the same for all its ids. If it is unknown, the largest that such a device
// may have.
std::size_t cache_bytes(const device& d);

// The ids through which the device's memory is reached: the device itself first, then the one that reaches it
// most directly. The roofs of all of them count for a case on the device.
std::vector<device> same_memory(const device& d);

// The most that the arrays of a roof may take together. In the host's memory that is 256 MiB in smoke and 512
// MiB in quick, but never more than a quarter of what is available; elsewhere a quarter of the device's.
std::size_t roof_limit(const device& d, preset level);

// The size of the arrays for the roof of a device's memory: eight times the largest cache, at least 256 MiB in
// the host's memory and 2 GiB on a GPU, at most the limit above.
std::size_t memory_roof_bytes(const device& d, preset level);

// Whether the caches may serve work that touches so many bytes again and again. Its speed then says nothing
// of the memory's.
bool fits_caches(const device& d, std::size_t bytes);

// The copy ceiling for work that touches `footprint` bytes again and again: of the memory where the caches
// cannot hold it, of the caches where they can. It is the memory's: of several ids of one board, the fastest
// gives it. Throws unavailable where the arrays that the limit allows may be served by the caches, and the
// work's may not.
double governing_copy_roof(const device& d, std::size_t footprint, preset level);
// The most that memory and caches can deliver to it in any mix of reading and writing. A rate above it is
// believed only after the roofs were measured again, up to four times, as the machine may have been busy, and
// at the work's own footprint, as the caches may be larger than reported. Infinite where no id of the memory
// has a roof of reading.
double governing_limit(const device& d, std::size_t footprint, double claimed, preset level);

// The caches still hold what they held.
class flush_failure : public unavailable {
 public:
  using unavailable::unavailable;
};

// Displaces what the caches of a device hold, by copying more than they can. Holds its arrays as long as it
// lives. Both throw flush_failure, the constructor also where the limit leaves too little room.
class cache_flush {
 public:
  cache_flush(const device& d, preset level);
  void operator()();

 private:
  std::size_t bytes_;
  std::unique_ptr<roof_probe> probe_;
};

}  // namespace reprise::harness
