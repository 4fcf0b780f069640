// SPDX-License-Identifier: MIT
// Messages of failures as users see them.
#pragma once

#include <string>
#include <string_view>

namespace reprise {

// The message without the source location that `error` appends, which tells users nothing.
std::string without_location(std::string_view message);

}  // namespace reprise
