// SPDX-License-Identifier: MIT
// Packs the files of finished runs. run.json and the seal keep length and hash of the unpacked contents, so that packing
// changes neither.
#pragma once

#include <cstdint>
#include <filesystem>

namespace reprise::reports {

// Bytes of a run's folder before and after.
struct folder_sizes {
  std::uintmax_t before{}, after{};
};

// Packs or unpacks all files that run.json names. Checks the run first. A kill leaves a run that can be read, and packed
// again. Throws bad_input for an unfinished run, which still grows.
folder_sizes pack_run(const std::filesystem::path& folder);
folder_sizes unpack_run(const std::filesystem::path& folder);

}  // namespace reprise::reports
