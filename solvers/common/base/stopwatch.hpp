// SPDX-License-Identifier: MIT
// Timers for a solver's work, by the clock of the device that does the work.
#pragma once

#include <chrono>

namespace reprise {

class stopwatch {
 public:
  virtual ~stopwatch() = default;
  // Marks the beginning, in the order of the device's own work.
  virtual void start() = 0;
  // Marks the end, waits for the device to reach it, and returns the seconds between the two marks.
  virtual double stop() = 0;
};

class steady_stopwatch final : public stopwatch {
 public:
  void start() override { begin_ = std::chrono::steady_clock::now(); }
  double stop() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace reprise
