// SPDX-License-Identifier: MIT
// Describes a finished run as an RO-Crate, so that archives can read what its folder holds.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace reprise::harness {

constexpr auto crate_name = "ro-crate-metadata.json";

// The metadata of RO-Crate 1.1 for a run with this description and this entry of run.json about its files.
nlohmann::json crate_of(const nlohmann::json& description, const nlohmann::json& files);

// Writes the metadata beside run.json. The seal does not cover them, because they only repeat what run.json says, and they can
// be written again. Throws error if they cannot be written.
void write_crate(const std::filesystem::path& folder);

}  // namespace reprise::harness
