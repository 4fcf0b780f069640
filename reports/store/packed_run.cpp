// SPDX-License-Identifier: MIT
// Packs a run file by file: the packed one is complete before the plain one is removed.
#include "reports/store/packed_run.hpp"

#include <fmt/format.h>

#include <functional>
#include <vector>

#include "reports/store/files.hpp"
#include "reports/store/packed_text.hpp"
#include "reports/store/refusal.hpp"
#include "reports/store/run.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::reports {
namespace {

namespace fs = std::filesystem;

std::uintmax_t size_of(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

// The files of a checked run that are stored packed or can be.
std::vector<fs::path> packable_files(const run_contents& run) {
  std::vector<fs::path> files{run.folder / rows_name, run.folder / samples_name};
  for (const auto& [path, record] : run.field_records) files.push_back(run.folder / path);
  return files;
}

folder_sizes change_files(const fs::path& folder, const std::function<void(const fs::path&)>& change) {
  const auto run = read_contents(folder);
  if (!is_finished(run))
    refuse_file(folder, "is unfinished; finish it with `reprise run --resume --out {}`", folder.string());
  folder_sizes sizes{size_of(folder), 0};
  for (const auto& file : packable_files(run)) change(file);
  sizes.after = size_of(folder);
  return sizes;
}

}  // namespace

folder_sizes pack_run(const fs::path& folder) {
  return change_files(folder, [](const fs::path& file) {
    if (stored_path(file) != file) return;
    const auto text = read_text(file);
    const auto bytes = packed(text);
    if (unpacked(packed_path(file), bytes, text.size()) != text)
      throw error(fmt::format("{}: packing changed its contents", file.string()));
    replace_file(packed_path(file), bytes);
    fs::remove(file);
  });
}

folder_sizes unpack_run(const fs::path& folder) {
  return change_files(folder, [](const fs::path& file) {
    const auto stored = stored_path(file);
    if (stored == file) return;
    replace_file(file, unpacked(stored, read_text(stored), SIZE_MAX));
    fs::remove(stored);
  });
}

}  // namespace reprise::reports
