// SPDX-License-Identifier: MIT
// Packs the files of finished runs without loss. A packed file has the ending ".xz" and can be unpacked with xz too.
// run.json and the seal keep length and hash of the unpacked contents, so that packing changes neither.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Bytes of a run's folder before and after.
struct folder_sizes {
  std::uintmax_t before{}, after{};
};

// Packs or unpacks all files that run.json names. Checks the run first. A kill leaves a run that can be read, and packed
// again. Throws bad_input for an unfinished run, which still grows.
folder_sizes pack_run(const std::filesystem::path& folder);
folder_sizes unpack_run(const std::filesystem::path& folder);

}  // namespace reprise::reports
