// SPDX-License-Identifier: MIT
// Makes the metadata from run.json: the folder is a data set, each file is a part of it, and the program's run is the
// action that made it.
#include "benchmarks/harness/crate.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/store/files.hpp"
#include "reports/store/packed_fields.hpp"
#include "reports/store/packed_text.hpp"
#include "reports/store/run_files.hpp"
#include "reports/store/sha256.hpp"

namespace reprise::harness {
namespace {

using nlohmann::json;

constexpr auto context = "https://w3id.org/ro/crate/1.1/context";
constexpr auto profile = "https://w3id.org/ro/crate/1.1";
constexpr auto program_id = "#reprise";

std::string text_of(const json& description, const char* key) {
  return description.value(key, "");
}

std::string meaning_of(const std::string& path) {
  if (path.starts_with("rows.csv")) return "the measured numbers, one a line";
  if (path.starts_with("samples.csv")) return "the single timings behind the numbers";
  if (path.starts_with("arrays/")) return "a field with all its nodes and digits, for NumPy";
  if (path == reports::packed_fields_name) return "all fields, one after another, as run.json lists them";
  return "the values of a field at the nodes of a grid";
}

std::string format_of(const std::string& path) {
  if (path.ends_with(reports::packed_ending)) return "application/x-xz";
  return path.ends_with(".npy") ? "application/x-npy" : "text/csv";
}

json file_entity(const std::string& path, const json& record) {
  return {{"@id", path},
          {"@type", "File"},
          {"name", path},
          {"description", meaning_of(path)},
          {"encodingFormat", format_of(path)},
          {"contentSize", std::to_string(record.at("bytes").get<std::size_t>())},
          {"sha256", record.at("sha256")}};
}

json reference_to(const std::string& id) {
  return {{"@id", id}};
}

json data_set(const json& description, const json& parts) {
  return {{"@id", "./"},
          {"@type", "Dataset"},
          {"name", fmt::format("Reprise run {}", text_of(description, "name"))},
          {"description", fmt::format("Experiments of GPU papers run again on {} by: {}",
                                      text_of(description, "host"), text_of(description, "command"))},
          {"datePublished", text_of(description, "finished")},
          {"hasPart", parts},
          {"mentions", reference_to("#run")}};
}

json action(const json& description, const json& results) {
  return {{"@id", "#run"},
          {"@type", "CreateAction"},
          {"name", text_of(description, "command")},
          {"startTime", text_of(description, "started")},
          {"endTime", text_of(description, "finished")},
          {"instrument", reference_to(program_id)},
          {"result", results}};
}

json program(const json& description) {
  return {{"@id", program_id},
          {"@type", "SoftwareApplication"},
          {"name", "Reprise"},
          {"softwareVersion",
           fmt::format("{} ({})", text_of(description, "reprise"), text_of(description, "git"))}};
}

json record_of(const std::filesystem::path& file) {
  const auto bytes = reports::read_text(file);
  return {{"bytes", bytes.size()}, {"sha256", reports::sha256_of(bytes)}};
}

// The entry of run.json about the files, with packed ones as they are stored.
json stored_files(const std::filesystem::path& folder, const json& files) {
  json stored = json::object();
  bool has_packed_fields = false;
  for (const auto& [path, record] : files.items()) {
    const auto file = reports::stored_path(folder / path);
    if (reports::is_packed_with_others(folder, path)) {
      has_packed_fields = true;
    } else if (file == folder / path) {
      stored[path] = record;
    } else {
      stored[reports::packed_path(path).string()] = record_of(file);
    }
  }
  if (has_packed_fields)
    stored[reports::packed_fields_name] = record_of(folder / reports::packed_fields_name);
  return stored;
}

}  // namespace

json crate_of(const json& description, const json& files) {
  json graph = json::array();
  json parts = json::array();
  graph.push_back({{"@id", crate_name},
                   {"@type", "CreativeWork"},
                   {"conformsTo", reference_to(profile)},
                   {"about", reference_to("./")}});
  for (const auto& [path, record] : files.items()) {
    graph.push_back(file_entity(path, record));
    parts.push_back(reference_to(path));
  }
  graph.push_back({{"@id", "run.json"},
                   {"@type", "File"},
                   {"name", "run.json"},
                   {"description", "machine, program, request and the hashes of the other files"},
                   {"encodingFormat", "application/json"}});
  parts.push_back(reference_to("run.json"));
  graph.push_back(data_set(description, parts));
  graph.push_back(action(description, parts));
  graph.push_back(program(description));
  return {{"@context", context}, {"@graph", graph}};
}

void write_crate(const std::filesystem::path& folder) {
  const json description = json::parse(reports::read_text(folder / reports::description_name));
  const auto crate = crate_of(description, stored_files(folder, description.at("files")));
  reports::replace_file(folder / crate_name, crate.dump(1) + "\n");
}

}  // namespace reprise::harness
