// SPDX-License-Identifier: MIT
// The seal of a finished run: the length and hash of each of its files, run.json included. It shows that a file was
// changed, lost or added to later. It holds no secret, so that it is no proof against a forger who makes a new seal.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace reprise::reports {

// The seal of a run with this text of run.json. `files` is the entry of run.json about its other files.
std::string seal_text(std::string_view description, const nlohmann::json& files);

// Throws bad_input unless the folder's seal is the one of this run.json.
void require_seal(const std::filesystem::path& folder, std::string_view description,
                  const nlohmann::json& files);

}  // namespace reprise::reports
