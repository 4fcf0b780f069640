// SPDX-License-Identifier: MIT
// Reads a file of records with unique ids.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reports/store/csv.hpp"
#include "reports/store/files.hpp"

namespace reprise::reports {

// Converts each record with to_thing(record, place). Throws bad_input for an empty or repeated id.
template <std::size_t Columns, class Conversion>
auto read_named(const std::filesystem::path& file, const std::array<std::string_view, Columns>& columns,
                Conversion to_thing) {
  std::vector<decltype(to_thing(csv::record<Columns>{}, csv::place{}))> things;
  std::set<std::string> ids;
  for (const auto& record : csv::parse(file, read_text(file), columns)) {
    const csv::place at{file, record.line};
    things.push_back(to_thing(record, at));
    const auto& id = things.back().id;
    if (id.empty() || !ids.insert(id).second) throw at.complaint("the id \"{}\" is not a new one", id);
  }
  return things;
}

}  // namespace reprise::reports
