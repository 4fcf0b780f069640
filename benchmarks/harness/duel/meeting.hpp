// SPDX-License-Identifier: MIT
// The point at which the two sides of a duel meet, so that they start at the same moment. It lies in shared memory.
#pragma once

#include <atomic>
#include <cstdint>

namespace reprise::duels {

// Memory that processes started from now on can map.
class shared_memory {
 public:
  shared_memory();
  ~shared_memory();
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;
  int file() const { return file_; }

 private:
  int file_;
};

class meeting_point {
 public:
  explicit meeting_point(int file);
  ~meeting_point();
  meeting_point(const meeting_point&) = delete;
  meeting_point& operator=(const meeting_point&) = delete;

  // Waits until both sides have come to the meeting of this number. Throws error after half a minute.
  void meet(std::uint32_t number);

 private:
  std::atomic<std::uint32_t>* arrived_;  // sides, over all meetings
};

}  // namespace reprise::duels
