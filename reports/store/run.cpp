// SPDX-License-Identifier: MIT
// Reads a run's folder. run.json is read first: since row files only grow, its record of them remains valid
// even if another process appends meanwhile.
#include "reports/store/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "reports/store/files.hpp"
#include "reports/store/glob.hpp"
#include "reports/store/left_out.hpp"
#include "reports/store/packed_fields.hpp"
#include "reports/store/packed_text.hpp"
#include "reports/store/refusal.hpp"
#include "reports/store/seal.hpp"
#include "reports/store/sha256.hpp"
#include "reports/store/soundness.hpp"

namespace reprise::reports {
namespace {

using nlohmann::json;

file_record record_of(const json& document, const std::string& name, const std::filesystem::path& file) {
  const auto& entry = entry_of(entry_of(document, "files"), name);
  const auto& bytes = entry_of(entry, "bytes");
  if (!bytes.is_number_unsigned())
    refuse_file(file, "does not say how long {} is; restore the file or run again", name);
  const auto& announced = entry_of(entry, "announced");
  return {bytes.get<std::size_t>(), text_of(entry, "sha256"),
          announced.is_number_unsigned() ? announced.get<std::size_t>() : 0,
          text_of(entry, "announced_sha256")};
}

// The files must belong to the run: through a symbolic link, others would be written to or shown.
void require_own(const std::filesystem::path& path) {
  std::error_code code;
  if (std::filesystem::is_symlink(path, code))
    refuse_file(path, "is a symbolic link, which may lead out of the run's folder; restore it or run again");
}

std::string read_own_text(const std::filesystem::path& file) {
  require_own(file);
  return read_text(file);
}

// The contents of a file that may be packed, of which run.json records `most` bytes.
std::string read_stored_text(const std::filesystem::path& file, std::size_t most) {
  const auto stored = stored_path(file);
  auto text = read_own_text(stored);
  return stored == file ? text : unpacked(stored, text, most);
}

// How far a row file may reach beyond the part that run.json records.
enum class tail {
  none,       // of a finished run
  announced,  // by the rows that run.json announces
  any         // by whole lines: samples are not announced, nor were the rows of the first schema
};

void require_tail(const std::filesystem::path& file, std::string_view text, const file_record& known,
                  tail allowed) {
  if (text.size() == known.bytes || allowed == tail::any) return;
  const bool is_finished = allowed == tail::none;
  const bool is_announced = !is_finished && known.announced > 0 && text.size() <= known.announced;
  const bool is_whole = is_announced && text.size() == known.announced;
  if (!is_announced || (is_whole && sha256_of(text) != known.announced_sha256))
    refuse_file(
        file,
        "has {} bytes more than run.json records{}: something was appended to it; restore the file or "
        "run again",
        text.size() - known.bytes, is_finished ? " of the finished run" : "");
}

// The complete lines of a row file, after checking its recorded part.
std::string checked_lines(const std::filesystem::path& file, const file_record& known, tail allowed,
                          std::vector<std::string>& warnings) {
  auto text = read_stored_text(file, known.bytes);
  if (text.size() < known.bytes)
    refuse_file(file, "is truncated: {} bytes of the {} that run.json records; restore the file or run again",
                text.size(), known.bytes);
  const bool ends_a_line = known.bytes == 0 || text[known.bytes - 1] == '\n';
  if (sha256_of(std::string_view(text).substr(0, known.bytes)) != known.sha256 || !ends_a_line)
    refuse_file(file,
                "was changed after it was written: its SHA-256 is not the one in run.json; restore the file "
                "or run again");
  require_tail(file, text, known, allowed);
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

// A file longer than any of its kind is rejected without reading it.
void require_length(const std::filesystem::path& file, const file_record& known, std::size_t longest) {
  if (known.bytes > longest)
    refuse_file(file, "is {} bytes long, and no field is; restore the file or run again", known.bytes);
}

void require_unchanged(const std::filesystem::path& file, bool has_length, std::string_view text,
                       const file_record& known) {
  if (!has_length || sha256_of(text) != known.sha256)
    refuse_file(file,
                "was changed after it was written: its length or SHA-256 is not the one in run.json; restore "
                "the file or run again");
}

// The contents of a file that is written once as a whole.
std::string checked_text(const std::filesystem::path& file, const file_record& known) {
  const auto stored = stored_path(file);
  std::error_code code;
  const auto size = std::filesystem::file_size(stored, code);
  if (code == std::errc::no_such_file_or_directory)
    refuse_file(file, "belongs to the run, and there is no such file; restore it or run again");
  // read_text reports errors of file_size. What a packed file may hold is limited by what is recorded.
  const bool has_length = code || size == known.bytes || stored != file;
  auto text = has_length ? read_stored_text(file, known.bytes) : std::string();
  require_unchanged(file, has_length, text, known);
  return text;
}

// A header and the longest possible values.
constexpr std::size_t longest_field = 4096 + std::size_t{most_nodes} * most_nodes * 13;

std::string checked_field(packed_fields& together, const std::filesystem::path& folder,
                          const std::string& path, const file_record& known) {
  if (!is_packed_with_others(folder, path)) return checked_text(folder / path, known);
  require_own(together.file());
  auto text = together.text_of(path);
  require_unchanged(together.file(), true, text, known);
  return text;
}

field read_field(packed_fields& together, const std::filesystem::path& folder, const std::string& path,
                 const file_record& known) {
  // The name is text from a file, so it may become part of a path only if file_name_of could have made it.
  const auto name = path.substr(field_path({}).size());
  if (name != safe_name(name))
    refuse_file(folder / description_name, "\"{}\" is no field's file; restore the file or run again", path);
  const auto file = folder / fields_folder / name;
  auto f = parse_field(file, checked_field(together, folder, path, known));
  if (file_name_of(f) != name)
    refuse_file(file, "holds another field than its name says; restore the file or run again");
  return f;
}

// Checks the array beside a field, if there is one. Its numbers are for other programs.
void check_array(run_contents& all, const field& f) {
  const auto path = array_path(array_name_of(f));
  if (!entry_of(*all.description, "files").contains(path)) return;
  constexpr std::size_t longest = std::size_t{1} << 30U;
  require_own(all.folder / arrays_folder);
  auto known = record_of(*all.description, path, all.folder / description_name);
  require_length(all.folder / path, known, longest);
  checked_text(all.folder / path, known);
  all.field_records.emplace(path, std::move(known));
}

// Omits fields of cases without rows, which a kill can leave; those cases will be measured again.
void read_fields(run_contents& all) {
  require_own(all.folder / fields_folder);
  for (const auto& [path, entry] : entry_of(*all.description, "files").items()) {
    if (!path.starts_with(field_path({}))) continue;
    auto known = record_of(*all.description, path, all.folder / description_name);
    require_length(all.folder / path, known, longest_field);
    all.recorded_fields.emplace(path, std::move(known));
  }
  packed_fields together(all.folder, all.recorded_fields);
  for (const auto& [path, known] : all.recorded_fields) {
    auto f = read_field(together, all.folder, path, known);
    if (std::ranges::none_of(all.rows, [&](const row& r) { return same_case(f, r); })) continue;
    check_array(all, f);
    all.fields.push_back(std::move(f));
    all.field_records.emplace(path, known);
  }
}

// Throws bad_input for an entry that readers rely on and that has another type.
void require_types(const std::filesystem::path& file, const json& document) {
  const auto require = [&](const char* key, bool fits, const char* type) {
    if (!fits) refuse_file(file, "\"{}\" is not {}; restore the file or run again", key, type);
  };
  for (const char* key : {"name", "host", "node", "started", "finished", "git", "reprise", "build_type",
                          "command", "compiler", "flags", "system", "cuda", "cpu"}) {
    const auto& entry = entry_of(document, key);
    require(key, entry.is_null() || entry.is_string(), "a text");
  }
  const auto& devices = entry_of(document, "devices");
  const bool lists_objects = devices.is_array() && std::ranges::all_of(devices, &json::is_object);
  require("devices", devices.is_null() || lists_objects, "a list of devices");
  const auto& request = entry_of(document, "request");
  require("request", request.is_null() || request.is_object(), "an object");
  for (const char* key : {"experiments", "sizes"}) {
    const auto& list = entry_of(request, key);
    require(key, list.is_null() || (list.is_array() && std::ranges::all_of(list, &json::is_string)),
            "a list of texts");
  }
  for (const char* key : {"preset", "device"}) {
    const auto& text = entry_of(request, key);
    require(key, text.is_null() || text.is_string(), "a text");
  }
  const auto& settings = entry_of(request, "settings");
  require("settings",
          settings.is_null() || (settings.is_object() && std::ranges::all_of(settings, &json::is_number)),
          "an object of numbers");
  require("files", entry_of(document, "files").is_object(), "an object");
}

json parse_description(const std::filesystem::path& file, const std::string& text) {
  auto document = parse_json(file, text);
  const auto& schema = entry_of(document, "schema");
  if (!schema.is_number_integer()) refuse_file(file, "has no \"schema\"; name the folder of a run");
  if (schema != schema_version && schema != unsealed_schema)
    refuse_file(file,
                "schema {} where this program reads {} and {}; use the version of the program that wrote it",
                schema.dump(), unsealed_schema, schema_version);
  require_types(file, document);
  return document;
}

// A kill can leave samples of a case whose rows were never written.
void drop_orphans(run& interrupted) {
  std::unordered_set<case_id> measured;
  for (const auto& r : interrupted.rows) measured.insert(r);
  std::erase_if(interrupted.samples, [&](const sample& s) { return !measured.contains(s); });
}

}  // namespace

std::string field_path(const std::string& file_name) {
  return std::string(fields_folder) + "/" + file_name;
}

std::string array_path(const std::string& file_name) {
  return std::string(arrays_folder) + "/" + file_name;
}

void require_run_folder(const std::filesystem::path& folder) {
  std::error_code code;
  if (!std::filesystem::is_directory(folder, code))
    refuse_file(folder, "is not a folder; name the folder of a run");
  if (!std::filesystem::exists(folder / description_name, code))
    refuse_file(folder, "holds no run.json, so it is not a run; name the folder of a run");
}

run_contents read_contents(const std::filesystem::path& folder) {
  require_run_folder(folder);
  const auto file = folder / description_name;
  run_contents all;
  all.folder = folder;
  const auto text = read_own_text(file);
  all.description = parse_description(file, text);
  all.schema = entry_of(*all.description, "schema").get<int>();
  all.is_sealed = is_finished(all) && all.schema == schema_version;
  if (all.is_sealed) require_seal(folder, text, entry_of(*all.description, "files"));
  const auto rows = record_of(*all.description, rows_name, file);
  const auto samples = record_of(*all.description, samples_name, file);
  const auto tail_of_samples = is_finished(all) ? tail::none : tail::any;
  const auto tail_of_rows = all.schema == unsealed_schema ? tail_of_samples
                            : is_finished(all)            ? tail::none
                                                          : tail::announced;
  all.rows_text = checked_lines(folder / rows_name, rows, tail_of_rows, all.warnings);
  all.samples_text = checked_lines(folder / samples_name, samples, tail_of_samples, all.warnings);
  all.samples_recorded = static_cast<std::ptrdiff_t>(samples.bytes);
  all.rows = parse_rows(folder / rows_name, all.rows_text);
  all.samples = parse_samples(folder / samples_name, all.samples_text);
  read_fields(all);
  if (!is_finished(all)) drop_orphans(all);
  require_sound(folder, all.rows, all.samples);
  (*all.description).erase("schema");
  (*all.description).erase("files");
  return all;
}

run read_run(const std::filesystem::path& folder) {
  run_contents all = read_contents(folder);
  mark_too_many_left_out(all.rows);
  return std::move(static_cast<run&>(all));
}

bool is_finished(const run& r) {
  return !text_of(*r.description, "finished").empty();
}

bool has_changed_sources(const run& r) {
  return text_of(*r.description, "git").ends_with("-dirty");
}

std::vector<std::string> grave_reservations_about(const run& r) {
  std::vector<std::string> lines;
  if (!is_finished(r)) lines.emplace_back("unfinished: it has no end, so cases may be missing");
  if (has_changed_sources(r))
    lines.push_back(fmt::format("its program was built from changed sources ({}), which no commit holds",
                                text_of(*r.description, "git")));
  return lines;
}

std::vector<std::string> reservations_about(const run& r) {
  auto lines = grave_reservations_about(r);
  if (is_finished(r) && !r.is_sealed)
    lines.emplace_back("not sealed: it has no checksum of run.json, so later edits of it could go unnoticed");
  return lines;
}

const json& requested(const run& r, const std::string& key) {
  return entry_of(entry_of(*r.description, "request"), key);
}

bool was_requested(const run& r, const std::string& experiment) {
  const auto& globs = requested(r, "experiments");
  return !globs.is_array() || std::ranges::any_of(globs, [&](const json& glob) {
    return !glob.is_string() || matches(glob.get<std::string>(), experiment);
  });
}

std::string name_of(const run& r) {
  if (r.folder.empty()) return text_of(*r.description, "name");
  const auto absolute = std::filesystem::absolute(r.folder).lexically_normal();
  return (absolute.has_filename() ? absolute : absolute.parent_path()).filename().string();
}

}  // namespace reprise::reports
