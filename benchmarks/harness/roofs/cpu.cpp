// SPDX-License-Identifier: MIT
// The host's ceilings: copying with all cores past the caches or through them, whichever is faster, and
// chains of fused multiply-adds in the widest vectors of the processor.
#include <omp.h>

#include <algorithm>
#include <cstring>

#include "benchmarks/harness/roofs/probe.hpp"
#include "solvers/common/base/aligned.hpp"
#include "solvers/common/base/simd.hpp"
#include "solvers/common/base/stopwatch.hpp"

namespace reprise::harness {
namespace {

void stream_copy(const float* from, float* to, std::size_t count) {
  for (std::size_t i = 0; i + 4 <= count; i += 4) store_past_caches(to + i, from + i);
  finish_stores_past_caches();
}

REPRISE_SIMD_CLONES float sum(const float* values, std::size_t count) {
  using vector [[gnu::vector_size(64)]] = float;
  constexpr std::size_t lanes = 16;
  vector sums[4] = {};
  for (std::size_t i = 0; i + 4 * lanes <= count; i += 4 * lanes)
    for (std::size_t s = 0; s < 4; ++s) {
      vector v;
      std::memcpy(&v, values + i + s * lanes, sizeof v);
      sums[s] += v;
    }
  return (sums[0] + sums[1] + sums[2] + sums[3])[0];
}

// Twelve vectors of 64 bytes hide the latency of a fused multiply-add on today's cores. A template cannot
// have clones, so each precision has its function around this body.
constexpr int chains = 12;

template <class Real>
[[gnu::always_inline]] inline Real run_chains(long rounds) {
  using vector [[gnu::vector_size(64)]] = Real;
  vector v[chains];
  for (int c = 0; c < chains; ++c) v[c] = vector{} + static_cast<Real>(c + 1);
  for (long r = 0; r < rounds; ++r)
    for (int c = 0; c < chains; ++c) v[c] = v[c] * static_cast<Real>(.5) + static_cast<Real>(.25);
  Real sum = 0;
  for (int c = 0; c < chains; ++c) sum += v[c][0];
  return sum;
}

REPRISE_SIMD_CLONES float single_chains(long rounds) {
  return run_chains<float>(rounds);
}

REPRISE_SIMD_CLONES double double_chains(long rounds) {
  return run_chains<double>(rounds);
}

class cpu_probe final : public roof_probe {
 public:
  explicit cpu_probe(const device&) {}

  double copy_bytes_per_second(std::size_t bytes) override {
    const std::size_t count = bytes / sizeof(float);
    resize(count, count);
    const double elapsed = std::min(fastest(through_), fastest(past_));
    if (count > 0 && to_[count - 1] != from_[count - 1]) throw error("the copy probe did not copy");
    return 2.0 * static_cast<double>(bytes) / elapsed;
  }

  double read_bytes_per_second(std::size_t bytes) override {
    const std::size_t count = bytes / sizeof(float);
    resize(count, cache_line_floats * static_cast<std::size_t>(omp_get_max_threads()));
    const double elapsed = fastest(read_);
    if (count > 0 && !(to_[0] > 0)) throw error("the read probe did not read");
    return static_cast<double>(bytes) / elapsed;
  }

  double flops_per_second(precision p) override {
    constexpr long rounds = 2'000'000;
    const double lanes = p == precision::single ? 16 : 8;
    double checksum = 0;
    int threads = 0;  // that took part: a team may have fewer than were asked for
    clock_.start();
#pragma omp parallel reduction(+ : checksum, threads)
    {
      ++threads;
      checksum += p == precision::single ? static_cast<double>(single_chains(rounds)) : double_chains(rounds);
    }
    const double elapsed = clock_.stop();
    if (!(checksum > 0)) throw error("the multiply-add probe lost its chains");
    return 2.0 * chains * lanes * static_cast<double>(rounds) * threads / elapsed;
  }

  probe_cost cost() const override {
    return {(from_.size() + to_.size()) * sizeof(float), passes_};
  }

 private:
  static constexpr std::size_t cache_line_floats = cache_line_bytes / sizeof(float);

  using pass = void (cpu_probe::*)(std::size_t first, std::size_t last);

  // A way to pass over the arrays, and the shortest time seen of one pass by all threads and by one of them;
  // 0 before the first.
  struct timed_pass {
    pass over;
    double by_all{}, by_one{};
  };

  void copy_through(std::size_t first, std::size_t last) {
    std::memcpy(to_.data() + first, from_.data() + first, (last - first) * sizeof(float));
  }
  void copy_past(std::size_t first, std::size_t last) {
    stream_copy(from_.data() + first, to_.data() + first, last - first);
  }
  void read(std::size_t first, std::size_t last) {
    if (first == last) return;
    to_[cache_line_floats * static_cast<std::size_t>(omp_get_thread_num())] =
        sum(from_.data() + first, last - first);
  }

  // The old arrays go before the new ones come.
  void resize(std::size_t from, std::size_t to) {
    if (from_.size() == from && to_.size() == to) return;
    from_ = {};
    to_ = {};
    from_ = aligned_array<float>(from, 1.5F);
    to_ = aligned_array<float>(to, 0.0F);
    for (timed_pass* const p : {&through_, &past_, &read_}) p->by_all = p->by_one = 0;
  }

  // The calling thread's part of an array, in whole cache lines.
  static std::pair<std::size_t, std::size_t> my_share(std::size_t count) {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t share = (count / cache_line_floats + threads - 1) / threads * cache_line_floats;
    return {std::min(count, me * share), me + 1 == threads ? count : std::min(count, (me + 1) * share)};
  }

  double seconds(int repeats, pass over, int threads) {
    passes_ += repeats;
    clock_.start();
#pragma omp parallel num_threads(threads)
    {
      const auto [first, last] = my_share(from_.size());
      for (int r = 0; r < repeats; ++r) (this->*over)(first, last);
    }
    return clock_.stop();
  }

  // One pass over small arrays is shorter than waking the threads: it is repeated until it lasts. How often
  // that is follows from the shortest pass so far, since any single one may have been disturbed.
  double seconds_a_pass(pass over, double& shortest, int threads) {
    constexpr double long_enough = .02;
    constexpr double most = 1000;
    if (shortest == 0) shortest = seconds(1, over, threads);
    const int repeats = static_cast<int>(std::clamp(long_enough / std::max(shortest, 1e-9), 1.0, most));
    const double found = seconds(repeats, over, threads) / repeats;
    shortest = std::min(shortest, found);
    return found;
  }

  // On a busy machine threads that wait for a core make a team slower than one thread alone. Only arrays that
  // a core's own caches may hold are passed so quickly that this decides.
  double fastest(timed_pass& p) {
    constexpr std::size_t small = std::size_t{32} << 20U;
    const double by_all = seconds_a_pass(p.over, p.by_all, omp_get_max_threads());
    if (from_.size() * sizeof(float) > small) return by_all;
    return std::min(by_all, seconds_a_pass(p.over, p.by_one, 1));
  }

  aligned_array<float> from_, to_;
  timed_pass through_{&cpu_probe::copy_through}, past_{&cpu_probe::copy_past}, read_{&cpu_probe::read};
  long passes_{};
  steady_stopwatch clock_;
};

const roof_registration registered = probed_by<cpu_probe>(backend::cpu);

}  // namespace
}  // namespace reprise::harness
