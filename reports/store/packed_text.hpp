// SPDX-License-Identifier: MIT
// Packed files: texts of runs, shortened without loss. They have the ending ".xz" and can be unpacked with xz too.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace reprise::reports {

constexpr std::string_view packed_ending = ".xz";

// The file's name when it is packed.
std::filesystem::path packed_path(std::filesystem::path file);

// The path under which the file is there: packed only if it is not there unpacked.
std::filesystem::path stored_path(const std::filesystem::path& file);

std::string packed(std::string_view text);

// The text of a packed file, whose name is for messages. Throws bad_input if the file is damaged, continues after its
// end, or holds more than `most` bytes.
std::string unpacked(const std::filesystem::path& file, std::string_view bytes, std::size_t most);

}  // namespace reprise::reports
