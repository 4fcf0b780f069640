// SPDX-License-Identifier: MIT
// How long threads ran and how long they waited for a processor, by the kernel's account in nanoseconds (schedstat).
#pragma once

#include <filesystem>
#include <optional>

namespace reprise::harness {

// Seconds since the thread began.
struct thread_account {
  double ran{};
  double queued{};  // it was ready to run, but had no processor
};

// Of a folder in /proc/PROGRAM/task. Empty if the thread has ended.
std::optional<thread_account> read_thread_account(const std::filesystem::path& thread);

// Of all threads of this program. Empty where the kernel does not tell.
std::optional<double> seconds_queued();

}  // namespace reprise::harness
