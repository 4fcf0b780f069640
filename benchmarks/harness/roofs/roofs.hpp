// SPDX-License-Identifier: MIT
// The ceilings of a device, measured in the same run as the variants that are set against them, in arrays
// that the machine has room for.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/harness/roofs/probe.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/registry.hpp"

namespace reprise::harness {

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

// What bounds a kernel besides memory. All roofs are rates: bytes, operations, launches or exchanges per second.
enum class chip_roof { multiply_adds, shared_memory, functions, launches, exchanges };
const roof& roof_of(const device& d, chip_roof which, precision p);

// Work claims more than a roof whose every measurement was disturbed, so that neither can be believed.
class disturbed_roof : public unavailable {
 public:
  using unavailable::unavailable;
};

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

// What memory and caches deliver to work.
struct memory_limit {
  double fastest{};  // of the passes that were measured, copying or reading
  double most{};     // that no mix of reading and writing can exceed
};

// A host's caches read and write at once: at most they deliver what reading and the writing of a copy reach together. A claim
// above the limit is believed only after the roofs were measured again, up to four times, as the machine may have been
// busy, and at the work's own footprint, as the caches may be larger than reported. Infinite where no id of the memory has a
// roof of reading. Throws disturbed_roof, with the evidence, where more is claimed than busy machines deliver.
memory_limit governing_limit(const device& d, std::size_t footprint, double claimed, preset level);

// The fastest that the ids of the device's board reach; 0 if none of them measures it. If work claims more, it is measured
// again up to four times, as above, and throws disturbed_roof. Throws unavailable where a roof that can be measured was not.
double governing_rate(const device& d, chip_roof which, precision p, double claimed);

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
