// SPDX-License-Identifier: MIT
// One emulated launch: its threads, their blocks and shared memory, and the rounds in which they run. In each
// round every thread that can run does so once, in a shuffled order, until it ends or waits. Messages between the blocks
// of a cluster arrive in a shuffled order too, some rounds after they were sent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <utility>
#include <vector>

#include "solvers/common/emulation/fiber.hpp"
#include "solvers/common/emulation/launch.hpp"

namespace reprise::cuda_emulated {

enum class doing : unsigned char {
  running,
  at_barrier,
  at_named_barrier,
  at_cluster_barrier,
  in_warp,
  ended
};

struct block;

struct thread {
  block* home{};
  uint3 index{};
  unsigned rank{};
  doing now{doing::running};
  fiber_worker* on{};
  std::source_location where;  // place of the call in which it waits
  warp_operation operation{};
  unsigned mask{};
  int source{};
  std::uint64_t bits{};
  std::uint64_t result{};
  bool has_waited{};  // for the preceding launch
};

struct shared_memory {
  const void* site;
  std::size_t bytes;
  std::unique_ptr<std::byte[]> data;
};

// One of a block's barriers at which only some of its threads meet.
struct partial_barrier {
  std::vector<thread*> waiting;
  unsigned gone_on{};  // number of threads that have arrived without waiting
  unsigned expected{};
};
constexpr std::size_t partial_barriers = 16;

struct block {
  uint3 index{};
  unsigned rank_in_cluster{};
  std::span<block> cluster;
  std::span<thread> threads;
  std::size_t waiting{};             // number of threads at the barrier
  std::size_t waiting_in_cluster{};  // the same at the cluster's barrier; of its first block
  std::array<partial_barrier, partial_barriers> named;
  std::source_location barrier;  // the barrier at which they wait
  std::vector<shared_memory> arrays;
  std::unique_ptr<std::byte[]> dynamic;

  thread* lane(unsigned warp, unsigned lane) const {
    const std::size_t rank = warp * warpSize + lane;
    return rank < threads.size() ? &threads[rank] : nullptr;
  }
};

// Bytes on their way to the shared memory of a block of the cluster.
struct message {
  std::byte* to{};
  std::size_t bytes{};
  const std::byte* from{};  // null if the value is in the message
  std::array<std::byte, 16> value{};
  mailbox* box{};
};

// Shuffles with the same seed for each launch, so that a wrong answer is reproducible.
class shuffler {
 public:
  template <class T>
  void operator()(std::vector<T>& items) {
    for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(left)]);
  }

  std::size_t below(std::size_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>((state_ >> 32) * limit >> 32);
  }

 private:
  std::uint64_t state_{20240229};
};

inline std::size_t volume(dim3 d) {
  return std::size_t{d.x} * d.y * d.z;
}

class grid_run {
 public:
  grid_run(const launch_shape& shape, void (*run_thread)(const void*), const void* kernel);
  grid_run(const grid_run&) = delete;
  grid_run& operator=(const grid_run&) = delete;
  ~grid_run();

  void run();

  void barrier(std::source_location where);
  void named_barrier(std::size_t which, unsigned count, std::source_location where);
  void arrive_at_barrier(std::size_t which, unsigned count, std::source_location where);
  void cluster_barrier(std::source_location where);
  unsigned rank_in_cluster() const { return current_->home->rank_in_cluster; }
  // The same place in the dynamic shared memory of another block of the cluster.
  std::byte* in_block(const void* here, unsigned rank) const;
  void send(const message& m);
  std::uint64_t meet(warp_operation kind, unsigned mask, std::uint64_t bits, int source,
                     std::source_location where);
  void pause();
  void wait_for_preceding();
  void* shared_array(const void* site, std::size_t bytes);
  void* dynamic_shared() { return current_->home->dynamic.get(); }
  unsigned rank() const { return current_->rank; }
  // What a lane of the current warp gave to its last warp operation.
  std::uint64_t bits_of(int lane) const {
    return current_->home->lane(current_->rank / warpSize, static_cast<unsigned>(lane))->bits;
  }

 private:
  void place(std::size_t slot, std::size_t rank);
  void run_placed();
  void round();
  void step(thread& t);
  void wait(doing what, std::source_location where);
  partial_barrier& reached_barrier(std::size_t which, unsigned count, std::source_location where);
  bool open_barrier(partial_barrier& met);
  void wake(thread& t);
  void deliver();
  const block& home_of(const std::byte* address) const;
  bool complete(const thread& arriving) const;
  void finish_warp_operation(const thread& arriving);
  [[noreturn]] void report_stuck() const;
  [[noreturn]] void report_quiet() const;

  launch_shape shape_;
  void (*run_thread_)(const void*);
  const void* kernel_;
  bool code_waits_;  // whether wait_for_preceding() does anything
  shuffler shuffle_;
  std::vector<block> blocks_;  // the blocks that run at the same time
  std::vector<thread> threads_;
  std::vector<thread*> turn_;  // threads of the current round
  std::vector<thread*> next_;
  std::vector<message> on_their_way_;
  thread* current_{};
};

}  // namespace reprise::cuda_emulated
