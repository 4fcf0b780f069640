// SPDX-License-Identifier: MIT
// What a backend implements so that the roofs of its devices can be measured. nvcc compiles it, so it needs no
// library.
#pragma once

#include <cstddef>
#include <memory>

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
  // The following are roofs of a GPU's own parts. A probe that cannot measure one returns 0.
  // One sample of reading shared memory without bank conflicts, by the widest accesses.
  virtual double shared_bytes_per_second() { return 0; }
  // One sample of independent chains of exponentials: the device's own in single precision, the library's in double.
  virtual double functions_per_second(precision) { return 0; }
  // One sample of starting empty kernels one after the other, as fast as it goes.
  virtual double launches_per_second() { return 0; }
  // One sample of blocks, one on each multiprocessor, that send both their neighbours a value and wait for theirs, again
  // and again.
  virtual double exchanges_per_second() { return 0; }
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

}  // namespace reprise::harness
