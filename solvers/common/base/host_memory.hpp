// SPDX-License-Identifier: MIT
// The host's memory: its largest cache, and what this process may still take or gives back.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace reprise {

// Bytes in "491520K", "480M", "1G" or "1024". Throws bad_input for anything else.
std::size_t parse_bytes(const std::string& text);

// "480 MiB", "64 KiB" or "12 bytes", rounded down.
std::string bytes_text(std::size_t bytes);

// The host's largest cache: what REPRISE_HOST_CACHE says ("32M"), else what the system reports; 0 where
// neither says it. A virtual machine may report the cache of the whole host, of which it gets a share.
// Throws bad_input where the variable is no size, or more than 1024G.
std::size_t host_cache_bytes();

// What this process may still take without being killed for it: what the system calls available, or less
// where a control group (version 1 or 2, its own or one above) or the limit of its address space leaves less.
// `root` is the folder that holds /proc and /sys, other than "/" in tests.
std::size_t available_host_bytes(const std::filesystem::path& root = "/");

// Gives freed memory back to the system, if it is much. A library may have told the allocator to keep it, and then the
// arrays of the largest case and of the roofs would count for all later ones.
void return_freed_memory();

}  // namespace reprise
