// SPDX-License-Identifier: MIT
// Takes a few samples of a probe and keeps the result for the rest of the process.
#include "benchmarks/harness/roofs/roofs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/harness/device_sensors.hpp"
#include "benchmarks/harness/disturbance.hpp"
#include "benchmarks/harness/sampling.hpp"
#include "solvers/common/base/device_calls.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/host_memory.hpp"

namespace reprise::harness {
namespace {

std::map<backend, std::unique_ptr<roof_probe> (*)(const device&)>& makers() {
  static std::map<backend, std::unique_ptr<roof_probe> (*)(const device&)> map;
  return map;
}

std::unique_ptr<roof_probe> probe_of(const device& d) {
  const auto maker = makers().find(d.kind);
  if (maker == makers().end())
    throw unavailable("no roof is measured on " + std::string(to_string(d.kind)) + " devices");
  use(d);
  return maker->second(d);
}

using roof_map = std::map<std::pair<std::string, std::size_t>, roof>;

// The probe, and with it its arrays, lives as long as the measurement.
template <class Sample>
roof measure(const device& d, Sample sample) {
  constexpr int samples = 7;
  auto probe = probe_of(d);
  sample(*probe);  // the first touches memory and compiles
  std::vector<double> values;
  for (int i = 0; i < samples; ++i) values.push_back(sample(*probe));
  const summary s = summarize(values);
  const probe_cost cost = probe->cost();
  probe.reset();
  return_freed_memory();
  return {*std::ranges::max_element(values), s.q1, s.q3, s.samples, cost};
}

template <class Sample>
const roof& measure_once(roof_map& known, std::size_t key, const device& d, Sample sample) {
  const auto found = known.find({d.id, key});
  if (found != known.end()) return found->second;
  try {
    return known[{d.id, key}] = measure(d, sample);
  } catch (const unavailable&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw unavailable("the roof was not measured: its arrays do not fit into the memory");
  } catch (const std::exception& failure) {
    throw unavailable(std::string("the roof was not measured: ") + failure.what());
  }
}

roof_map& copies() {
  static roof_map known;
  return known;
}

roof_map& reads() {
  static roof_map known;
  return known;
}

roof_map& chips() {
  static roof_map known;
  return known;
}

// Only arithmetic depends on the precision.
std::size_t key_of(chip_roof which, precision p) {
  const bool has_precision = which == chip_roof::multiply_adds || which == chip_roof::functions;
  return 2 * static_cast<std::size_t>(which) + (has_precision && p == precision::double_ ? 1 : 0);
}

std::string disturbance_since(const load_and_threads& before) {
  const load_counters now = read_load();
  const double others = share_of_others(before, {read_threads_beside_load(), now});
  return disturbance(before.load, now, worker::driver, others);
}

// Whatever else the machine does makes a roof lower, never higher: where more is claimed, forget it and ask again, later each
// time. What is claimed in spite of a single undisturbed measurement is impossible, also where disturbances are only noted.
template <class Forget, class Measure>
double measured_again(const device& d, double best, double claimed, Forget forget, Measure measure_best) {
  std::string disturbed;
  bool is_sure = disturbances_are_only_noted();
  for (int again = 1; again <= 4 && claimed > best; ++again) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100 * again));
    forget();
    const load_and_threads before{read_threads_beside_load(), read_load()};
    const auto sensors = sensors_of(d);
    best = std::max(best, measure_best());
    disturbed = d.on_host ? disturbance_since(before) : sensors->disturbed_by();
    is_sure |= disturbed.empty();
  }
  if (claimed > best && !is_sure) throw disturbed_roof(disturbed);
  return best;
}

// Below this size each thread's share fits into the first cache, and the probe would measure that.
constexpr std::size_t least_footprint = std::size_t{64} << 10U;

// Arrays of at least so many times the largest cache leave next to nothing in it from one pass to the next.
constexpr std::size_t times_beyond_cache = 4;

// Of all presets the same for the whole run, whatever the cases take meanwhile.
std::size_t host_limit(preset level) {
  static const std::size_t available = available_host_bytes();
  constexpr std::size_t mib = std::size_t{1} << 20U;
  return std::min(by_preset(level, 256 * mib, 512 * mib, available), available / 4);
}

}  // namespace

roof_registration::roof_registration(backend kind, std::unique_ptr<roof_probe> (*make)(const device&)) {
  makers()[kind] = make;
}

const roof& copy_roof(const device& d, std::size_t bytes) {
  bytes = std::max(bytes, least_footprint);
  return measure_once(copies(), bytes, d,
                      [bytes](roof_probe& p) { return p.copy_bytes_per_second(bytes / 2); });
}

const roof& read_roof(const device& d, std::size_t bytes) {
  bytes = std::max(bytes, least_footprint);
  return measure_once(reads(), bytes, d, [bytes](roof_probe& p) { return p.read_bytes_per_second(bytes); });
}

const roof& flops_roof(const device& d, precision p) {
  return roof_of(d, chip_roof::multiply_adds, p);
}

const roof& roof_of(const device& d, chip_roof which, precision p) {
  return measure_once(chips(), key_of(which, p), d, [which, p](roof_probe& probe) -> double {
    switch (which) {
      case chip_roof::multiply_adds:
        return probe.flops_per_second(p);
      case chip_roof::shared_memory:
        return probe.shared_bytes_per_second();
      case chip_roof::functions:
        return probe.functions_per_second(p);
      case chip_roof::launches:
        return probe.launches_per_second();
      case chip_roof::exchanges:
        return probe.exchanges_per_second();
    }
    return 0;
  });
}

// One memory has several ids: a board through CUDA, OpenCL and OpenGL, the host through PoCL and llvmpipe.
// What CUDA has lost OpenCL may still reach.
std::vector<device> same_memory(const device& d) {
  const auto is_same = [&d](const device& other) {
    if (d.on_host || other.on_host) return d.on_host && other.on_host;
    // OpenGL does not always know its slot, but puts more words around the same name.
    return d.pci.empty() ? d.name.find(other.name) != std::string::npos : d.pci == other.pci;
  };
  std::vector<device> same{d};
  for (const backend direct : {backend::cuda, backend::cpu})
    for (const device& other : devices_of(direct).devices)
      if (other.id != d.id && is_same(other) && why_lost(other).empty()) same.push_back(other);
  return same;
}

// OpenCL and OpenGL know less of a board's caches than CUDA does, and PoCL nothing that the host does not.
std::size_t cache_bytes(const device& d) {
  constexpr std::size_t unknown_on_host = std::size_t{1} << 30U;
  constexpr std::size_t unknown_on_gpu = std::size_t{512} << 20U;
  std::size_t largest = d.on_host ? host_cache_bytes() : 0;
  if (!d.on_host)
    for (const device& same : same_memory(d)) largest = std::max(largest, same.cache_bytes);
  if (largest > 0) return largest;
  return d.on_host ? unknown_on_host : unknown_on_gpu;
}

std::size_t roof_limit(const device& d, preset level) {
  const std::size_t own = d.memory_bytes == 0 ? std::numeric_limits<std::size_t>::max() : d.memory_bytes / 4;
  return d.in_host_memory ? std::min(own, host_limit(level)) : own;
}

std::size_t memory_roof_bytes(const device& d, preset level) {
  constexpr std::size_t least_in_host_memory = std::size_t{256} << 20U;
  constexpr std::size_t least_on_gpu = std::size_t{2} << 30U;
  const std::size_t least = d.in_host_memory ? least_in_host_memory : least_on_gpu;
  return std::min(std::max(2 * times_beyond_cache * cache_bytes(d), least), roof_limit(d, level));
}

bool fits_caches(const device& d, std::size_t bytes) {
  return bytes < times_beyond_cache * cache_bytes(d);
}

double governing_copy_roof(const device& d, std::size_t footprint, preset level) {
  double best = 0;
  for (const device& same : same_memory(d)) {
    const std::size_t in_memory = memory_roof_bytes(same, level);
    if (!fits_caches(same, in_memory)) best = std::max(best, copy_roof(same, in_memory).value);
    if (fits_caches(same, footprint) && footprint <= roof_limit(same, level))
      best = std::max(best, copy_roof(same, footprint).value);
  }
  if (best > 0) return best;
  throw unavailable(
      fmt::format("no share of the copy roof: it may be served by the cache, with arrays of {} where a cache "
                  "of {} is reported",
                  bytes_text(memory_roof_bytes(d, level)), bytes_text(cache_bytes(d))));
}

memory_limit governing_limit(const device& d, std::size_t footprint, double claimed, preset level) {
  memory_limit best;
  bool can_read = false;
  const auto pass_over = [&](const device& same, std::size_t bytes) {
    const double copy = copy_roof(same, bytes).value;
    double read = 0;
    try {
      read = read_roof(same, bytes).value;
      can_read = true;
    } catch (const unavailable&) {
    }
    const bool reads_and_writes_at_once = same.on_host && fits_caches(same, bytes);
    best.fastest = std::max({best.fastest, copy, read});
    best.most = std::max({best.most, best.fastest, reads_and_writes_at_once ? read + copy / 2 : 0});
  };
  const auto most = [&](bool at_footprint) {
    for (const device& same : same_memory(d)) {
      const std::size_t in_memory = memory_roof_bytes(same, level);
      pass_over(same, in_memory);
      if (at_footprint || fits_caches(same, footprint)) pass_over(same, std::min(footprint, in_memory));
    }
    return can_read ? best.most : std::numeric_limits<double>::infinity();
  };
  const auto forget = [&] {
    for (roof_map* known : {&copies(), &reads()})
      for (const device& same : same_memory(d))
        std::erase_if(*known, [&](const auto& entry) { return entry.first.first == same.id; });
  };
  best.most = measured_again(d, most(false), claimed, forget, [&] { return most(true); });
  return best;
}

double governing_rate(const device& d, chip_roof which, precision p, double claimed) {
  const std::vector<device> same = same_memory(d);
  const auto fastest = [&] {
    double best = 0;
    std::string why_not;
    for (const device& one : same) {
      try {
        best = std::max(best, roof_of(one, which, p).value);
      } catch (const unavailable& missing) {
        if (why_not.empty()) why_not = missing.what();
      }
    }
    if (best == 0 && !why_not.empty()) throw unavailable(why_not);
    return best;
  };
  const double best = fastest();
  if (best == 0) return 0;
  const auto forget = [&] {
    for (const device& one : same) chips().erase({one.id, key_of(which, p)});
  };
  return measured_again(d, best, claimed, forget, fastest);
}

cache_flush::cache_flush(const device& d, preset level) {
  constexpr std::size_t least_cache = std::size_t{32} << 20U;
  bytes_ = times_beyond_cache * std::max(cache_bytes(d), least_cache);
  if (const std::size_t most = roof_limit(d, level); bytes_ > most)
    throw flush_failure(fmt::format("the caches were not flushed: that takes {}, and the limit is {}",
                                    bytes_text(bytes_), bytes_text(most)));
  try {
    probe_ = probe_of(d);
  } catch (const std::exception& failure) {
    throw flush_failure(std::string("the caches were not flushed: ") + failure.what());
  }
}

void cache_flush::operator()() {
  try {
    probe_->copy_bytes_per_second(bytes_ / 2);
  } catch (const std::exception& failure) {
    throw flush_failure(std::string("the caches were not flushed: ") + failure.what());
  }
}

}  // namespace reprise::harness
