// SPDX-License-Identifier: MIT
// Recognises earlier results by the JSON object that they hold.
#include "reports/store/replaceable.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/store/files.hpp"
#include "reports/store/json.hpp"
#include "reports/store/refusal.hpp"

namespace reprise::reports {
namespace {

namespace fs = std::filesystem;

bool holds_earlier(const fs::path& folder, const replaceable_kind& kind) {
  std::error_code code;
  const auto file = folder / kind.file;
  if (!fs::is_regular_file(file, code)) return false;
  try {
    const auto document = parse_json(file, read_text(file));
    return document.is_object() && kind.is_own(document);
  } catch (const bad_input&) {
    return false;
  }
}

bool is_inside(const fs::path& inner, const fs::path& outer) {
  std::error_code code;
  const auto path = fs::weakly_canonical(inner, code);
  const auto base = fs::weakly_canonical(outer, code);
  return !code && std::mismatch(base.begin(), base.end(), path.begin(), path.end()).first == base.end();
}

}  // namespace

void require_replaceable(const fs::path& folder, const replaceable_kind& kind,
                         std::span<const fs::path> runs) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_directory(folder, code))
    refuse_file(folder, "is a file; choose a folder for the {}", kind.name);
  if (fs::is_directory(folder, code) && !fs::is_empty(folder, code) && !holds_earlier(folder, kind))
    refuse_file(folder, "is not empty and no earlier {0}; choose another folder for the {0}", kind.name);
  // Parts of earlier results are removed, which must not delete a run.
  for (const auto& run : runs)
    if (is_inside(run, folder))
      refuse_file(run, "lies inside the {}'s folder {}; choose another folder for the {}", kind.name,
                  folder.string(), kind.name);
}

}  // namespace reprise::reports
