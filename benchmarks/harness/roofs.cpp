// SPDX-License-Identifier: MIT
// Takes a few samples of a probe and keeps the result for the rest of the process.
#include "benchmarks/harness/roofs.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/harness/sampling.hpp"
#include "solvers/common/device_calls.hpp"
#include "solvers/common/error.hpp"

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

template <class Sample>
roof measure(const device& d, Sample sample) {
  constexpr int samples = 7;
  const auto probe = probe_of(d);
  sample(*probe);  // the first touches memory and compiles
  std::vector<double> values;
  for (int i = 0; i < samples; ++i) values.push_back(sample(*probe));
  const summary s = summarize(values);
  return {*std::max_element(values.begin(), values.end()), s.q1, s.q3, s.samples};
}

template <class Sample>
const roof& measure_once(roof_map& known, std::size_t key, const device& d, Sample sample) {
  const auto found = known.find({d.id, key});
  if (found != known.end()) return found->second;
  return known[{d.id, key}] = measure(d, sample);
}

roof_map& copies() {
  static roof_map known;
  return known;
}

roof_map& reads() {
  static roof_map known;
  return known;
}

// Shared among hundreds of threads less is no array any more, and it is as fast as the cache next to a core.
constexpr std::size_t least_footprint = std::size_t{64} << 10U;

// One memory has several ids: a board through CUDA, OpenCL and OpenGL, the host through PoCL and llvmpipe.
// The device itself comes first, then the one that reaches its memory most directly. What CUDA has lost
// OpenCL may still reach.
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

// OpenCL and OpenGL know less of a board's caches than CUDA does.
std::size_t cache_bytes(const device& d) {
  std::size_t largest = 0;
  for (const device& same : same_memory(d)) largest = std::max(largest, same.cache_bytes);
  return largest;
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
  static roof_map known;
  return measure_once(known, static_cast<std::size_t>(p), d,
                      [p](roof_probe& probe) { return probe.flops_per_second(p); });
}

std::size_t beyond_caches(const device& d) {
  constexpr std::size_t least_on_host = std::size_t{256} << 20U;
  constexpr std::size_t least_on_gpu = std::size_t{2} << 30U;
  const std::size_t wanted = std::max(8 * cache_bytes(d), d.on_host ? least_on_host : least_on_gpu);
  return d.memory_bytes == 0 ? wanted : std::min(wanted, d.memory_bytes / 4);
}

double governing_copy_roof(const device& d, std::size_t footprint) {
  double best = 0;
  for (const device& same : same_memory(d)) {
    best = std::max(best, copy_roof(same, beyond_caches(same)).value);
    if (footprint < 4 * cache_bytes(d)) best = std::max(best, copy_roof(same, footprint).value);
  }
  return best;
}

void flush_caches(const device& d) {
  static std::map<std::string, std::unique_ptr<roof_probe>> probes;
  auto& probe = probes[d.id];
  if (probe == nullptr) probe = probe_of(d);
  probe->copy_bytes_per_second(2 * std::max(cache_bytes(d), std::size_t{32} << 20U));
}

double governing_limit(const device& d, std::size_t footprint, double claimed) {
  const auto limit = [&] {
    double best = governing_copy_roof(d, footprint);
    for (const device& same : same_memory(d)) {
      best = std::max(best, read_roof(same, beyond_caches(same)).value);
      if (footprint < 4 * cache_bytes(d)) best = std::max(best, read_roof(same, footprint).value);
    }
    return best;
  };
  double best = limit();
  // Whatever else the machine does makes a roof lower, never higher: ask again, later each time.
  for (int again = 1; again <= 4 && claimed > best; ++again) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100 * again));
    for (roof_map* known : {&copies(), &reads()})
      for (const device& same : same_memory(d))
        std::erase_if(*known, [&](const auto& entry) { return entry.first.first == same.id; });
    best = std::max(best, limit());
  }
  return best;
}

}  // namespace reprise::harness
