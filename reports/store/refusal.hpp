// SPDX-License-Identifier: MIT
// Throws bad_input for the user's input, with a message of one line: what is wrong, and what to do.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "solvers/common/base/error.hpp"

namespace reprise::reports {

template <class... Parts>
[[noreturn]] void refuse(fmt::format_string<Parts...> format, Parts&&... parts) {
  throw bad_input(fmt::format(format, std::forward<Parts>(parts)...));
}

// "FILE: what"
template <class... Parts>
[[noreturn]] void refuse_file(const std::filesystem::path& file, fmt::format_string<Parts...> format,
                              Parts&&... parts) {
  refuse("{}: {}", file.string(), fmt::format(format, std::forward<Parts>(parts)...));
}

}  // namespace reprise::reports
