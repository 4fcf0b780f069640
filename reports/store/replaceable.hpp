// SPDX-License-Identifier: MIT
// Protects a folder that the user names for results from being overwritten.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>

namespace reprise::reports {

// Results that may replace earlier ones of the same kind.
struct replaceable_kind {
  const char* name;                       // "report"
  const char* file;                       // the JSON object by which such a folder is recognised
  bool (*is_own)(const nlohmann::json&);  // whether that object is one of this kind
};

// Throws bad_input unless the folder is missing, empty or holds earlier results of this kind, and if one of the runs
// lies inside it.
void require_replaceable(const std::filesystem::path& folder, const replaceable_kind& kind,
                         std::span<const std::filesystem::path> runs);

}  // namespace reprise::reports
