// SPDX-License-Identifier: MIT
// What a run's folder holds, read and checked: shared by those who only read it and those who continue it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/field.hpp"
#include "reports/row.hpp"

namespace reprise::reports {

constexpr auto rows_name = "rows.csv";
constexpr auto samples_name = "samples.csv";
constexpr auto description_name = "run.json";
constexpr auto fields_folder = "fields";

// In run.json's record of the rows: how long they will be once the append is whole that was about to be made.
constexpr auto announced_key = "announced";

// How run.json calls the file of a field, and where that lies below the run's folder.
std::string field_path(const std::string& file_name);

// A field that run.json knows of.
struct recorded_field {
  std::string path;
  nlohmann::json record;
  field data;
};

struct run_contents {
  nlohmann::json description;  // without the keys "schema" and "files"
  std::string rows_text;       // whole lines only
  std::string samples_text;
  std::ptrdiff_t samples_recorded{};  // bytes of the samples that run.json knows of
  std::vector<row> rows;
  std::vector<sample> samples;
  std::vector<recorded_field> fields;  // of cases that have rows
  std::vector<std::string> warnings;
};

// Throws bad_input where there is no folder, or no run.json in it.
void require_run_folder(const std::filesystem::path& folder);

run_contents read_contents(const std::filesystem::path& folder);

// JSON for people, whatever bytes a driver put into a device's name.
std::string to_text(const nlohmann::json& document);

// Throws bad_input where the text is not JSON, or is nested deeper than anything that we write.
nlohmann::json parse_json(const std::filesystem::path& file, const std::string& text);

}  // namespace reprise::reports
