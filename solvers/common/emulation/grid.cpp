// SPDX-License-Identifier: MIT
// The rounds of an emulated launch: which thread runs next, which threads wait for each other, and
// the report when none can go on.
#include "solvers/common/emulation/grid.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "solvers/common/base/error.hpp"
#include "solvers/common/emulation/devices.hpp"

namespace reprise::cuda_emulated {

namespace {

// A launch that makes no progress for this many rounds counts as deadlocked. Threads that only wait for each
// other make none from the first round on. A wait that will end takes one round for each step of the thread
// that it waits for, and that thread needs few steps before it shows progress.
constexpr int quiet_rounds = 10'000;
constexpr std::byte poison{0xFF};

constexpr unsigned char open_mark = 0x5A;

void require_open(const mailbox& box) {
  if (box.opened != open_mark) throw error("a mailbox is used that nobody has opened");
}

uint3 index_in(dim3 shape, std::size_t rank) {
  return {static_cast<unsigned>(rank % shape.x), static_cast<unsigned>(rank / shape.x % shape.y),
          static_cast<unsigned>(rank / shape.x / shape.y)};
}

std::string name_of(const block& b) {
  return "block (" + std::to_string(b.index.x) + ", " + std::to_string(b.index.y) + ", " +
         std::to_string(b.index.z) + ")";
}

// Counts bytes that have arrived, and ends the phase if it is complete.
void arrive(mailbox& box, int bytes) {
  require_open(box);
  box.missing -= bytes;
  if (!box.has_expectation || box.missing != 0) return;
  box.has_expectation = false;
  ++box.phases;
}

}  // namespace

void open_mailbox(mailbox* box) {
  *box = {0, 0, false, open_mark};
}

void expect(mailbox* box, unsigned bytes) {
  require_open(*box);
  if (box->has_expectation) throw error("a mailbox is told twice in one phase how many bytes to expect");
  box->has_expectation = true;
  arrive(*box, -static_cast<int>(bytes));
  ++signs_of_life;
}

bool has_ended(const mailbox* box, unsigned parity) {
  require_open(*box);
  return (box->phases & 1U) != parity;
}

grid_run::grid_run(const launch_shape& shape, void (*run_thread)(const void*), const void* kernel)
    : shape_(shape),
      run_thread_(run_thread),
      kernel_(kernel),
      code_waits_(code_on(current_device()).waits_for_preceding()) {
  const std::size_t together = shape.resident ? volume(shape.grid) : shape.cluster;
  const std::size_t size = volume(shape.block);
  blocks_.resize(together);
  threads_.resize(together * size);
  for (std::size_t b = 0; b < together; ++b) {
    blocks_[b].rank_in_cluster = static_cast<unsigned>(b % shape.cluster);
    blocks_[b].cluster = std::span(blocks_).subspan(b / shape.cluster * shape.cluster, shape.cluster);
    blocks_[b].threads = std::span(threads_).subspan(b * size, size);
    blocks_[b].dynamic = std::make_unique_for_overwrite<std::byte[]>(shape.shared_bytes);
  }
  blockDim = shape.block;
  gridDim = shape.grid;
}

grid_run::~grid_run() {
  // After a failure, threads may still be inside their kernels; this unwinds their stacks.
  for (thread& t : threads_)
    if (t.on != nullptr) {
      t.on->abandon();
      fiber_pool().give_back(t.on);
    }
}

void grid_run::run() {
  // Blocks that run together are consecutive.
  std::vector<std::size_t> order(volume(shape_.grid) / blocks_.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k * blocks_.size();
  shuffle_(order);
  for (const std::size_t first : order) {
    for (std::size_t slot = 0; slot < blocks_.size(); ++slot) place(slot, first + slot);
    run_placed();
  }
}

// Gives a block its index in the grid and fresh shared memory, and schedules its threads.
void grid_run::place(std::size_t slot, std::size_t rank) {
  block& b = blocks_[slot];
  b.index = index_in(shape_.grid, rank);
  b.waiting = b.waiting_in_cluster = 0;
  for (shared_memory& m : b.arrays) std::fill_n(m.data.get(), m.bytes, poison);
  std::fill_n(b.dynamic.get(), shape_.shared_bytes, poison);
  for (std::size_t i = 0; i < b.threads.size(); ++i) {
    thread& t = b.threads[i];
    t.home = &b;
    t.index = index_in(shape_.block, i);
    t.rank = static_cast<unsigned>(i);
    t.has_waited = false;
    wake(t);
  }
}

void grid_run::run_placed() {
  int quiet = 0;
  while (!next_.empty()) {
    const unsigned long long signs_before = signs_of_life;
    round();
    quiet = signs_of_life == signs_before ? quiet + 1 : 0;
    if (quiet == quiet_rounds) report_quiet();
  }
  const bool all_ended = std::ranges::all_of(threads_, [](const thread& t) { return t.now == doing::ended; });
  if (!all_ended) report_stuck();
}

void grid_run::round() {
  turn_.swap(next_);
  next_.clear();
  shuffle_(turn_);
  for (thread* t : turn_) step(*t);
  if (!on_their_way_.empty()) deliver();
}

// Delivers about half of the messages that are on their way.
void grid_run::deliver() {
  shuffle_(on_their_way_);
  for (std::size_t left = (on_their_way_.size() + 1) / 2; left > 0; --left) {
    const message m = on_their_way_.back();
    on_their_way_.pop_back();
    const block& home = home_of(m.to);
    if (std::ranges::all_of(home.threads, [](const thread& t) { return t.now == doing::ended; }))
      throw error("a message arrives in " + name_of(home) + ", whose threads have all ended");
    std::copy_n(m.from != nullptr ? m.from : m.value.data(), m.bytes, m.to);
    arrive(*m.box, static_cast<int>(m.bytes));
    ++signs_of_life;
  }
}

const block& grid_run::home_of(const std::byte* address) const {
  const auto home = std::ranges::find_if(blocks_, [&](const block& b) {
    return address >= b.dynamic.get() && address < b.dynamic.get() + shape_.shared_bytes;
  });
  if (home == blocks_.end())
    throw error("a message is sent to memory that is not the dynamic shared memory of a block");
  return *home;
}

std::byte* grid_run::in_block(const void* here, unsigned rank) const {
  const block& home = *current_->home;
  const std::ptrdiff_t offset = static_cast<const std::byte*>(here) - home.dynamic.get();
  if (offset < 0 || static_cast<std::size_t>(offset) >= shape_.shared_bytes)
    throw error("only dynamic shared memory has the same place in other blocks of a cluster");
  if (rank >= home.cluster.size())
    throw error("block " + std::to_string(rank) + " of a cluster of " + std::to_string(home.cluster.size()));
  return home.cluster[rank].dynamic.get() + offset;
}

void grid_run::send(const message& m) {
  home_of(m.to);
  home_of(reinterpret_cast<const std::byte*>(m.box));
  on_their_way_.push_back(m);
  ++signs_of_life;
}

void grid_run::step(thread& t) {
  if (t.on == nullptr) {
    t.on = fiber_pool().take();
    t.on->assign(run_thread_, kernel_);
  }
  threadIdx = t.index;
  blockIdx = t.home->index;
  current_ = &t;
  t.on->resume();
  if (!t.on->finished()) return;
  const std::exception_ptr failure = t.on->failure();
  fiber_pool().give_back(std::exchange(t.on, nullptr));
  t.now = doing::ended;
  ++signs_of_life;
  if (failure) std::rethrow_exception(failure);
  if (shape_.overlapped && !t.has_waited)
    throw error(
        "a thread of an overlapped launch ended without waiting for the preceding launch, whose "
        "results it may have read too early");
}

void grid_run::wake(thread& t) {
  t.now = doing::running;
  next_.push_back(&t);
}

void grid_run::wait(doing what, std::source_location where) {
  current_->now = what;
  current_->where = where;
  current_->on->suspend();
}

void grid_run::pause() {
  next_.push_back(current_);
  current_->on->suspend();
}

// As on a device, code for an older architecture does not wait.
void grid_run::wait_for_preceding() {
  current_->has_waited = code_waits_;
}

void grid_run::barrier(std::source_location where) {
  block& home = *current_->home;
  if (home.waiting == 0) home.barrier = where;
  if (home.barrier.line() != where.line() || home.barrier.column() != where.column())
    throw error("threads of " + name_of(home) + " wait at different barriers, one of them in line " +
                    std::to_string(home.barrier.line()),
                where);
  if (++home.waiting == home.threads.size()) {
    home.waiting = 0;
    ++signs_of_life;
    for (thread& other : home.threads)
      if (&other != current_) wake(other);
    return pause();
  }
  wait(doing::at_barrier, where);
}

// The barrier at which the current thread arrives. Threads count one by one, as a device counts those of a warp that
// arrive apart.
partial_barrier& grid_run::reached_barrier(std::size_t which, unsigned count, std::source_location where) {
  partial_barrier& met = current_->home->named.at(which);
  if (met.waiting.empty() && met.gone_on == 0) met.expected = count;
  if (met.expected != count)
    throw error("threads of " + name_of(*current_->home) + " expect " + std::to_string(met.expected) +
                    " and " + std::to_string(count) + " threads at named barrier " + std::to_string(which),
                where);
  return met;
}

// Opens the barrier if the current thread is the last one that it needs.
bool grid_run::open_barrier(partial_barrier& met) {
  if (met.waiting.size() + met.gone_on + 1 < met.expected) return false;
  for (thread* other : met.waiting) wake(*other);
  met.waiting.clear();
  met.gone_on = 0;
  ++signs_of_life;
  return true;
}

void grid_run::named_barrier(std::size_t which, unsigned count, std::source_location where) {
  partial_barrier& met = reached_barrier(which, count, where);
  if (open_barrier(met)) return pause();
  met.waiting.push_back(current_);
  wait(doing::at_named_barrier, where);
}

void grid_run::arrive_at_barrier(std::size_t which, unsigned count, std::source_location where) {
  partial_barrier& met = reached_barrier(which, count, where);
  if (!open_barrier(met)) ++met.gone_on;
}

void grid_run::cluster_barrier(std::source_location where) {
  const std::span<block> cluster = current_->home->cluster;
  std::size_t& waiting = cluster.front().waiting_in_cluster;
  if (++waiting < cluster.size() * volume(shape_.block)) return wait(doing::at_cluster_barrier, where);
  waiting = 0;
  ++signs_of_life;
  for (const block& b : cluster)
    for (thread& other : b.threads)
      if (&other != current_) wake(other);
  pause();
}

std::uint64_t grid_run::meet(warp_operation kind, unsigned mask, std::uint64_t bits, int source,
                             std::source_location where) {
  thread& self = *current_;
  if ((mask >> (self.rank % warpSize) & 1U) == 0)
    throw error("a warp operation's mask does not name the lane that makes it", where);
  self.operation = kind;
  self.mask = mask;
  self.bits = bits;
  self.source = source;
  if (complete(self)) {
    finish_warp_operation(self);
    pause();
  } else {
    wait(doing::in_warp, where);
  }
  return self.result;
}

bool grid_run::complete(const thread& arriving) const {
  for (unsigned i = 0; i < warpSize; ++i) {
    const thread* t = arriving.home->lane(arriving.rank / warpSize, i);
    if ((arriving.mask >> i & 1U) == 0 || t == nullptr || t == &arriving) continue;
    if (t->now != doing::in_warp || t->mask != arriving.mask || t->operation != arriving.operation)
      return false;
  }
  return true;
}

void grid_run::finish_warp_operation(const thread& arriving) {
  const unsigned warp = arriving.rank / warpSize;
  const auto participant = [&](int i) {
    return (arriving.mask >> i & 1U) != 0 ? arriving.home->lane(warp, static_cast<unsigned>(i)) : nullptr;
  };
  std::uint64_t votes = 0;
  for (int i = 0; i < warpSize; ++i)
    if (const thread* t = participant(i)) votes |= (t->bits & 1U) << i;
  for (int i = 0; i < warpSize; ++i) {
    thread* t = participant(i);
    if (t == nullptr) continue;
    const thread* source = participant(t->source);
    t->result = arriving.operation == warp_operation::vote ? votes : source != nullptr ? source->bits : ~0ULL;
    if (t != &arriving) wake(*t);
  }
  ++signs_of_life;
}

void* grid_run::shared_array(const void* site, std::size_t bytes) {
  std::vector<shared_memory>& arrays = current_->home->arrays;
  std::size_t total = shape_.shared_bytes + bytes;
  for (const shared_memory& m : arrays) {
    if (m.site == site) return m.data.get();
    total += m.bytes;
  }
  if (total > shared_bytes_optin)
    throw error("a block has " + std::to_string(total) + " bytes of shared memory, a device has " +
                std::to_string(shared_bytes_optin));
  arrays.push_back({site, bytes, std::make_unique_for_overwrite<std::byte[]>(bytes)});
  shared_memory& added = arrays.back();
  std::fill_n(added.data.get(), bytes, poison);
  return added.data.get();
}

void grid_run::report_stuck() const {
  for (const thread& t : threads_) {
    const auto in_state = [&t](doing what) {
      return std::to_string(std::ranges::count(t.home->threads, what, &thread::now)) + " of " +
             std::to_string(t.home->threads.size());
    };
    if (t.now == doing::at_barrier)
      throw error("barrier not reached by all threads of " + name_of(*t.home) + ": " +
                      in_state(doing::at_barrier) + " wait at it, " + in_state(doing::ended) + " have ended",
                  t.where);
    if (t.now == doing::at_named_barrier || t.now == doing::at_cluster_barrier)
      throw error(std::string(t.now == doing::at_cluster_barrier ? "the cluster's" : "a named") +
                      " barrier is not reached by all that it is for; of " + name_of(*t.home) + " " +
                      in_state(t.now) + " wait at it, " + in_state(doing::ended) + " have ended",
                  t.where);
    if (t.now == doing::in_warp)
      throw error("warp operation not reached by all lanes of its mask in " + name_of(*t.home) + ": " +
                      in_state(doing::in_warp) + " threads wait in one, " + in_state(doing::ended) +
                      " have ended",
                  t.where);
  }
  throw error("a launch ended with threads that have not");
}

void grid_run::report_quiet() const {
  const auto waiting = std::ranges::count_if(
      threads_, [](const thread& t) { return t.now != doing::running && t.now != doing::ended; });
  throw error("deadlock: for " + std::to_string(quiet_rounds) + " rounds no thread did more than wait; " +
              std::to_string(next_.size()) + " threads spin in pause(), the first in " +
              name_of(*next_.front()->home) + ", and " + std::to_string(waiting) +
              " wait at a barrier or in their warp" +
              (shape_.resident ? "" : " (blocks that wait for each other need launch_resident)"));
}

}  // namespace reprise::cuda_emulated
