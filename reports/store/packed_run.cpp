// SPDX-License-Identifier: MIT
// Packs a run file by file, and its fields into one: the packed one is complete before the plain ones are removed.
#include "reports/store/packed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reports/store/files.hpp"
#include "reports/store/packed_fields.hpp"
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

// The files of a checked run that are packed each on its own.
std::vector<fs::path> packable_files(const run_contents& run) {
  std::vector<fs::path> files{run.folder / rows_name, run.folder / samples_name};
  for (const auto& [path, record] : run.field_records)
    if (!path.starts_with(field_path({}))) files.push_back(run.folder / path);
  const auto costs = run.folder / costs_name;
  if (fs::is_regular_file(fs::symlink_status(stored_path(costs)))) files.push_back(costs);
  return files;
}

std::string stored_text(const fs::path& file) {
  const auto stored = stored_path(file);
  auto text = read_text(stored);
  return stored == file ? text : unpacked(stored, text, SIZE_MAX);
}

void write_packed(const fs::path& file, const std::string& text) {
  const auto bytes = packed(text);
  if (unpacked(file, bytes, text.size()) != text)
    throw error(fmt::format("{}: packing changed its contents", file.string()));
  replace_file(file, bytes);
}

void pack_file(const fs::path& file) {
  if (stored_path(file) != file) return;
  write_packed(packed_path(file), read_text(file));
  fs::remove(file);
}

void unpack_file(const fs::path& file) {
  const auto stored = stored_path(file);
  if (stored == file) return;
  replace_file(file, stored_text(file));
  fs::remove(stored);
}

void pack_fields(const run_contents& run) {
  const auto is_packed = [&](const auto& field) { return is_packed_with_others(run.folder, field.first); };
  if (std::ranges::all_of(run.recorded_fields, is_packed)) return;
  packed_fields together(run.folder, run.recorded_fields);
  std::string text;
  for (const auto& field : run.recorded_fields)
    text += is_packed(field) ? together.text_of(field.first) : stored_text(run.folder / field.first);
  write_packed(together.file(), text);
  for (const auto& [path, record] : run.recorded_fields) {
    fs::remove(run.folder / path);
    fs::remove(packed_path(run.folder / path));
  }
  if (fs::is_empty(run.folder / fields_folder)) fs::remove(run.folder / fields_folder);
}

void unpack_fields(const run_contents& run) {
  packed_fields together(run.folder, run.recorded_fields);
  make_folders(run.folder / fields_folder);
  for (const auto& [path, record] : run.recorded_fields) {
    if (is_packed_with_others(run.folder, path))
      replace_file(run.folder / path, together.text_of(path));
    else
      unpack_file(run.folder / path);
  }
  fs::remove(together.file());
}

using file_change = void (*)(const fs::path& file);
using fields_change = void (*)(const run_contents& run);

folder_sizes change_files(const fs::path& folder, file_change change_file, fields_change change_fields) {
  const auto run = read_contents(folder);
  if (!is_finished(run))
    refuse_file(folder, "is unfinished; finish it with `reprise run --resume --out {}`", folder.string());
  folder_sizes sizes{size_of(folder), 0};
  for (const auto& file : packable_files(run)) change_file(file);
  if (!run.recorded_fields.empty()) change_fields(run);
  sizes.after = size_of(folder);
  return sizes;
}

}  // namespace

folder_sizes pack_run(const fs::path& folder) {
  return change_files(folder, pack_file, pack_fields);
}

folder_sizes unpack_run(const fs::path& folder) {
  return change_files(folder, unpack_file, unpack_fields);
}

}  // namespace reprise::reports
