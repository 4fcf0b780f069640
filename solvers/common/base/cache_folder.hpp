// SPDX-License-Identifier: MIT
// The folder in which the program keeps what it can make again.
#pragma once

#include <filesystem>

namespace reprise {

// REPRISE_CACHE, or else reprise in XDG_CACHE_HOME, or else .cache/reprise in HOME; empty if none of these is set.
std::filesystem::path cache_folder();

}  // namespace reprise
