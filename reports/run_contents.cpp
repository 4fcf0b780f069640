// SPDX-License-Identifier: MIT
// A run's folder as it is read. run.json is read first: the row files only grow, so that what it says of them
// still holds when another process appends meanwhile.
#include "reports/run_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/files.hpp"
#include "reports/run_folder.hpp"
#include "reports/sha256.hpp"
#include "solvers/common/error.hpp"

namespace reprise::reports {
namespace {

using nlohmann::json;

struct recorded {
  std::size_t bytes{};
  std::string hash;
  std::size_t announced{};  // the length once an append that had begun is whole; 0 where none had
};

recorded record_of(const json& document, const std::string& name, const std::filesystem::path& file) {
  const auto files = document.find("files");
  if (files != document.end() && files->is_object() && files->contains(name)) {
    const auto& entry = files->at(name);
    const auto bytes = entry.is_object() ? entry.find("bytes") : entry.end();
    if (bytes != entry.end() && bytes->is_number_unsigned()) {
      const auto announced = entry.find(announced_key);
      const bool has_begun = announced != entry.end() && announced->is_number_unsigned();
      return {bytes->get<std::size_t>(), text_of(entry, "sha256"),
              has_begun ? announced->get<std::size_t>() : 0};
    }
  }
  throw bad_input(
      fmt::format("{}: does not say how long {} is; restore the file or run again", file.string(), name));
}

// The files of a run are its own: one that only leads elsewhere would be written to, or shown, as if it were.
void require_own(const std::filesystem::path& path) {
  std::error_code code;
  if (std::filesystem::is_symlink(path, code)) {
    throw bad_input(
        fmt::format("{}: is a symbolic link, which may lead out of the run's folder; restore it or run again",
                    path.string()));
  }
}

std::string read_own_text(const std::filesystem::path& file) {
  require_own(file);
  return read_text(file);
}

// The whole lines of a row file, after its recorded part has been checked.
std::string checked_lines(const std::filesystem::path& file, const recorded& known,
                          std::vector<std::string>& warnings) {
  auto text = read_own_text(file);
  if (text.size() < known.bytes) {
    throw bad_input(
        fmt::format("{}: is truncated: {} bytes of the {} that run.json records; restore the file or run "
                    "again",
                    file.string(), text.size(), known.bytes));
  }
  sha256 hash;
  hash.update(std::string_view(text).substr(0, known.bytes));
  const bool ends_a_line = known.bytes == 0 || text[known.bytes - 1] == '\n';
  if (hash.hex() != known.hash || !ends_a_line) {
    throw bad_input(
        fmt::format("{}: was changed after it was written: its SHA-256 is not the one in run.json; restore "
                    "the file or run again",
                    file.string()));
  }
  if (text.size() > known.bytes && text.size() < known.announced) {
    warnings.push_back(fmt::format("interrupted: the last case in {} was incomplete and is left out",
                                   file.filename().string()));
    text.resize(known.bytes);
  }
  const auto whole = text.rfind('\n') + 1;  // npos + 1 is 0
  if (whole < text.size()) {
    warnings.push_back(fmt::format("interrupted: the last line of {} was incomplete and is left out",
                                   file.filename().string()));
    text.resize(whole);
  }
  return text;
}

// The file's text, which was written once and whole.
std::string checked_text(const std::filesystem::path& file, const recorded& known) {
  // A header and the longest values there are; more is not ours, and need not be read to know it.
  constexpr std::size_t longest = 4096 + std::size_t{most_nodes} * most_nodes * 13;
  if (known.bytes > longest) {
    throw bad_input(fmt::format("{}: is {} bytes long, and no field is; restore the file or run again",
                                file.string(), known.bytes));
  }
  std::error_code code;
  const auto size = std::filesystem::file_size(file, code);
  const bool has_length = code || size == known.bytes;  // what is no file has no length: read_text says more
  auto text = has_length ? read_own_text(file) : std::string();
  sha256 hash;
  hash.update(text);
  if (!has_length || hash.hex() != known.hash) {
    throw bad_input(
        fmt::format("{}: was changed after it was written: its length or SHA-256 is not the one in run.json; "
                    "restore the file or run again",
                    file.string()));
  }
  return text;
}

recorded_field read_field(const std::filesystem::path& folder, const json& document,
                          const std::string& path) {
  // The name is text from a file: only one that we could have made may become part of a path.
  const auto name = path.substr(field_path({}).size());
  if (name != safe_name(name)) {
    throw bad_input(fmt::format("{}: \"{}\" is no field's file; restore the file or run again",
                                (folder / description_name).string(), path));
  }
  const auto file = folder / fields_folder / name;
  const auto text = checked_text(file, record_of(document, path, folder / description_name));
  recorded_field found{path, document["files"][path], parse_field(file, text)};
  if (file_name_of(found.data) != name) {
    throw bad_input(fmt::format("{}: holds another field than its name says; restore the file or run again",
                                file.string()));
  }
  return found;
}

// A kill can leave a field of a case that has no rows yet; it will be measured again.
std::vector<recorded_field> read_fields(const std::filesystem::path& folder, const json& document,
                                        const std::vector<row>& rows) {
  std::vector<recorded_field> fields;
  require_own(folder / fields_folder);
  for (const auto& [path, entry] : document["files"].items()) {
    if (!path.starts_with(field_path({}))) continue;
    auto found = read_field(folder, document, path);
    const bool has_rows =
        std::any_of(rows.begin(), rows.end(), [&](const row& r) { return is_of_case(found.data, r); });
    if (has_rows) fields.push_back(std::move(found));
  }
  return fields;
}

json read_description(const std::filesystem::path& file) {
  auto document = parse_json(file, read_own_text(file));
  const auto schema = document.is_object() ? document.find("schema") : document.end();
  if (schema == document.end() || !schema->is_number_integer()) {
    throw bad_input(fmt::format("{}: has no \"schema\"; name the folder of a run", file.string()));
  }
  if (*schema != schema_version) {
    throw bad_input(
        fmt::format("{}: schema {} where this program reads {}; use the version of the program that wrote it",
                    file.string(), schema->dump(), schema_version));
  }
  return document;
}

}  // namespace

std::string field_path(const std::string& file_name) {
  return std::string(fields_folder) + "/" + file_name;
}

void require_run_folder(const std::filesystem::path& folder) {
  std::error_code code;
  if (!std::filesystem::is_directory(folder, code)) {
    throw bad_input(fmt::format("{}: is not a folder; name the folder of a run", folder.string()));
  }
  if (!std::filesystem::exists(folder / description_name, code)) {
    throw bad_input(
        fmt::format("{}: holds no run.json, so it is not a run; name the folder of a run", folder.string()));
  }
}

run_contents read_contents(const std::filesystem::path& folder) {
  require_run_folder(folder);
  const auto file = folder / description_name;
  run_contents found;
  found.description = read_description(file);
  const auto rows = record_of(found.description, rows_name, file);
  const auto samples = record_of(found.description, samples_name, file);
  found.rows_text = checked_lines(folder / rows_name, rows, found.warnings);
  found.samples_text = checked_lines(folder / samples_name, samples, found.warnings);
  found.samples_recorded = static_cast<std::ptrdiff_t>(samples.bytes);
  found.rows = parse_rows(folder / rows_name, found.rows_text);
  found.samples = parse_samples(folder / samples_name, found.samples_text);
  found.fields = read_fields(folder, found.description, found.rows);
  found.description.erase("schema");
  found.description.erase("files");
  return found;
}

std::string to_text(const json& document) {
  return document.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

json parse_json(const std::filesystem::path& file, const std::string& text) {
  constexpr int deepest = 64;  // copies and writers recurse
  const auto limit_depth = [&](int depth, json::parse_event_t, json&) {
    if (depth > deepest) {
      throw bad_input(fmt::format("{}: is nested more than {} deep; restore the file or run again",
                                  file.string(), deepest));
    }
    return true;
  };
  try {
    return json::parse(text, limit_depth);
  } catch (const json::exception& problem) {
    throw bad_input(
        fmt::format("{}: is not JSON; restore the file or run again ({})", file.string(), problem.what()));
  }
}

run read_run(const std::filesystem::path& folder) {
  auto found = read_contents(folder);
  run r{folder, std::move(found.description), std::move(found.rows), std::move(found.samples),
        {},     std::move(found.warnings)};
  for (auto& f : found.fields) r.fields.push_back(std::move(f.data));
  return r;
}

std::string text_of(const json& object, const std::string& key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string name_of(const run& r) {
  auto name = text_of(r.description, "name");
  if (!name.empty()) return name;
  const auto absolute = std::filesystem::absolute(r.folder).lexically_normal();
  return (absolute.has_filename() ? absolute : absolute.parent_path()).filename().string();
}

}  // namespace reprise::reports
