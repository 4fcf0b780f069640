// SPDX-License-Identifier: MIT
// Fibers of Boost.Context that announce every stack switch to AddressSanitizer.
#include "solvers/common/emulation/fiber.hpp"

#include <boost/context/protected_fixedsize_stack.hpp>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace reprise::cuda_emulated {
namespace {

namespace context = boost::context;

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t stack_bytes = 256 * 1024;  // instrumented frames are several times larger

void before_switch(void** frames_of_this_stack, const void* bottom, std::size_t bytes) {
  __sanitizer_start_switch_fiber(frames_of_this_stack, bottom, bytes);
}
void after_switch(void* frames_of_this_stack, const void** bottom_left, std::size_t* bytes_left) {
  __sanitizer_finish_switch_fiber(frames_of_this_stack, bottom_left, bytes_left);
}
#else
constexpr std::size_t stack_bytes = 64 * 1024;

void before_switch(void**, const void*, std::size_t) {}
void after_switch(void*, const void**, std::size_t*) {}
#endif

// Thrown into work that will not be resumed, to unwind its stack.
struct abandonment {};

}  // namespace

fiber_worker::fiber_worker() {
  context::protected_fixedsize_stack stacks(stack_bytes);
  context::stack_context stack = stacks.allocate();
  own_stack_ = {static_cast<const char*>(stack.sp) - stack.size, stack.size};
  // Constructing a fiber already enters its stack and comes back. The sanitizer takes the switch back for one
  // to the new stack. A third announcement, without a real switch, tells it which stack we are on.
  void* frames = nullptr;
  stack_bounds here;
  before_switch(&frames, own_stack_.bottom, own_stack_.bytes);
  self_ = context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack), stacks,
                         [this](context::fiber&& scheduler) { return serve(std::move(scheduler)); });
  after_switch(frames, &here.bottom, &here.bytes);
  before_switch(&frames, here.bottom, here.bytes);
  after_switch(frames, nullptr, nullptr);
}

fiber_worker::~fiber_worker() {
  retired_ = true;
  resume();
}

void fiber_worker::assign(void (*run)(const void*), const void* what) {
  run_ = run;
  what_ = what;
  failure_ = nullptr;
  abandoned_ = false;
}

void fiber_worker::resume() {
  void* frames = nullptr;
  before_switch(&frames, own_stack_.bottom, own_stack_.bytes);
  self_ = std::move(self_).resume();
  after_switch(frames, nullptr, nullptr);
}

void fiber_worker::suspend() {
  switch_back();
  if (abandoned_) throw abandonment();
}

void fiber_worker::abandon() {
  abandoned_ = true;
  resume();
}

void fiber_worker::switch_back() {
  void* frames = nullptr;
  before_switch(&frames, scheduler_stack_.bottom, scheduler_stack_.bytes);
  scheduler_ = std::move(scheduler_).resume();
  after_switch(frames, &scheduler_stack_.bottom, &scheduler_stack_.bytes);
}

context::fiber fiber_worker::serve(context::fiber&& scheduler) {
  after_switch(nullptr, &scheduler_stack_.bottom, &scheduler_stack_.bytes);
  scheduler_ = std::move(scheduler);
  while (!retired_) {
    run_assigned();
    switch_back();
  }
  // The frames that return from here were entered during a switch, so the sanitizer tracks none of them.
  before_switch(nullptr, scheduler_stack_.bottom, scheduler_stack_.bytes);
  return std::move(scheduler_);
}

void fiber_worker::run_assigned() {
  try {
    run_(what_);
  } catch (const abandonment&) {
  } catch (...) {
    failure_ = std::current_exception();
  }
  run_ = nullptr;
}

fiber_worker* worker_pool::take() {
  if (idle_.empty()) {
    all_.push_back(std::make_unique<fiber_worker>());
    return all_.back().get();
  }
  fiber_worker* worker = idle_.back();
  idle_.pop_back();
  return worker;
}

worker_pool& fiber_pool() {
  thread_local worker_pool pool;
  return pool;
}

}  // namespace reprise::cuda_emulated
