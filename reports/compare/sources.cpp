// SPDX-License-Identifier: MIT
// Resolves a name: a run's folder, a recorded device, or a paper's board.
#include "reports/compare/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "reports/store/files.hpp"
#include "reports/store/refusal.hpp"

namespace reprise::reports {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view paper_prefix = "paper:";

std::vector<fs::path> runs_below(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    std::error_code ignored;
    if (fs::exists(at->path() / description_name, ignored)) folders.push_back(at->path());
  }
  std::ranges::sort(folders);
  return folders;
}

std::vector<std::string> recorded_devices(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    if (!runs_below(at->path()).empty()) names.push_back(at->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

compared read_all(const std::string& name, const std::vector<fs::path>& folders) {
  compared c{name, false, {}};
  for (const auto& folder : folders) c.runs.push_back(read_run(folder));
  return c;
}

// The rows that papers printed for a board, in the form of a run. A board has one name, however a paper calls it.
compared read_board(const std::string& name, const comparison_sources& from) {
  const auto wanted = plain_name(from.boards.id_of(name.substr(paper_prefix.size())));
  run printed;
  std::set<std::string> boards, printed_names;
  for (const auto& family : from.families) {
    for (auto& r : read_rows(from.published_dir / (safe_name(family.word) + ".csv"))) {
      if (r.device.empty()) continue;
      const auto board = from.boards.id_of(r.device);
      boards.insert(board);
      if (plain_name(board) != wanted) continue;
      if (printed_names.insert(r.device).second)
        (*printed.description)["devices"].push_back({{"id", r.device}, {"name", board}});
      r.status = "ok";
      printed.rows.push_back(std::move(r));
    }
  }
  if (printed.rows.empty())
    refuse("{}: no paper has such a board; there are: {}", name, fmt::join(boards, "; "));
  printed.folder = name;
  (*printed.description)["name"] = name;
  return {name, true, {std::move(printed)}};
}

}  // namespace

compared read_compared(const std::string& name, const comparison_sources& from) {
  if (name.starts_with(paper_prefix)) return read_board(name, from);
  std::error_code code;
  const fs::path folder = name;
  if (fs::exists(folder / description_name, code)) return read_all(name, {folder});
  if (const auto below = runs_below(folder); !below.empty()) return read_all(name, below);
  if (name == safe_name(name)) {
    if (const auto recorded = runs_below(from.recorded_dir / name); !recorded.empty()) {
      return read_all(name, recorded);
    }
  }
  if (fs::is_directory(folder, code)) require_run_folder(folder);
  refuse(
      "{}: is neither the folder of a run nor a recorded device ({}); a paper's board is written like "
      "paper:GTX280",
      name, fmt::join(recorded_devices(from.recorded_dir), ", "));
}

}  // namespace reprise::reports
