// SPDX-License-Identifier: MIT
// Stacks for emulated threads. Each worker is a fiber that runs one thread after another.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <exception>
#include <memory>
#include <vector>

namespace reprise::cuda_emulated {

class fiber_worker {
 public:
  fiber_worker();
  fiber_worker(const fiber_worker&) = delete;
  fiber_worker& operator=(const fiber_worker&) = delete;
  ~fiber_worker();

  // Assigns work, which begins at the next resume().
  void assign(void (*run)(const void*), const void* what);

  // Called by the scheduler: runs the work until it suspends or ends.
  void resume();

  // Called by the work: returns to the scheduler until the next resume().
  void suspend();

  // Unwinds the stack of work that has not ended.
  void abandon();

  bool finished() const { return run_ == nullptr; }
  std::exception_ptr failure() const { return failure_; }  // what the work threw, if anything

 private:
  // What AddressSanitizer must know about a stack before a switch to it.
  struct stack_bounds {
    const void* bottom{};
    std::size_t bytes{};
  };

  boost::context::fiber serve(boost::context::fiber&& scheduler);
  void run_assigned();
  void switch_back();

  boost::context::fiber self_;
  boost::context::fiber scheduler_;
  stack_bounds own_stack_;
  stack_bounds scheduler_stack_;
  void (*run_)(const void*){};
  const void* what_{};
  std::exception_ptr failure_;
  bool abandoned_{};
  bool retired_{};
};

// Idle workers. They are created on first use and kept for later launches.
class worker_pool {
 public:
  fiber_worker* take();
  void give_back(fiber_worker* idle) { idle_.push_back(idle); }

 private:
  std::vector<std::unique_ptr<fiber_worker>> all_;
  std::vector<fiber_worker*> idle_;
};

// The pool of the calling thread.
worker_pool& fiber_pool();

}  // namespace reprise::cuda_emulated
