// SPDX-License-Identifier: MIT
// How long threads ran and how long they waited for a processor, by the kernel's account in nanoseconds (schedstat).
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>

namespace reprise::harness {

// Seconds since the thread began.
struct thread_account {
  double ran{};
  double queued{};  // it was ready to run, but had no processor
};

// Reads the account of the thread whose folder is /proc/PROGRAM/task/THREAD. Returns nothing if the thread has ended.
std::optional<thread_account> read_thread_account(const std::filesystem::path& thread);

// The accounts of this program's threads.
std::map<pid_t, thread_account> read_thread_accounts();

// Sums how long the threads of this program waited for a processor. Returns nothing where the kernel keeps no account.
std::optional<double> seconds_queued();

}  // namespace reprise::harness
