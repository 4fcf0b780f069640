// SPDX-License-Identifier: MIT
// The folder in which the program keeps what it can make again.
#pragma once

#include <filesystem>
#include <string_view>

namespace reprise {

// REPRISE_CACHE, or else reprise in XDG_CACHE_HOME, or else .cache/reprise in HOME; empty if none of these is set.
std::filesystem::path cache_folder();

// Replaces the file at once, so that other processes never read half of it. Failures are ignored: then there is no cache.
void write_cache_file(const std::filesystem::path& file, std::string_view text);

}  // namespace reprise
