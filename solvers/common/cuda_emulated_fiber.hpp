// SPDX-License-Identifier: MIT
// Stacks for emulated threads: each worker is a fiber that runs one thread after another.
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

  // Gives it work, which begins with the next resume().
  void assign(void (*run)(const void*), const void* what);

  // From the scheduler: runs until the work suspends or ends.
  void resume();

  // From the work: back to the scheduler until the next resume().
  void suspend();

  // Unwinds the stack of work that has not ended.
  void abandon();

  bool finished() const { return run_ == nullptr; }
  std::exception_ptr failure() const { return failure_; }  // what the work threw

 private:
  // What AddressSanitizer must know of a stack before it is switched to.
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

// Workers that wait for work; made when first needed, kept for the next launch.
class worker_pool {
 public:
  fiber_worker* take();
  void give_back(fiber_worker* idle) { idle_.push_back(idle); }

 private:
  std::vector<std::unique_ptr<fiber_worker>> all_;
  std::vector<fiber_worker*> idle_;
};

// The calling thread's own.
worker_pool& fiber_pool();

}  // namespace reprise::cuda_emulated
