// SPDX-License-Identifier: MIT
// Reads the known boards from CSV.
#include "reports/compare/boards.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "reports/store/named_records.hpp"

namespace reprise::reports {
namespace {

constexpr std::array<std::string_view, 6> columns{
    "id", "aliases", "year", "bandwidth_gb_s", "single_gflops", "double_gflops"};

}  // namespace

std::string plain_name(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) letters += static_cast<char>(std::tolower(byte));
  }
  return letters;
}

const known_board* board_names::find(std::string_view name) const {
  const auto wanted = plain_name(name);
  const auto is_it = [&](const std::string& other) { return plain_name(other) == wanted; };
  const auto at = std::ranges::find_if(
      boards_, [&](const known_board& b) { return is_it(b.id) || std::ranges::any_of(b.aliases, is_it); });
  return at == boards_.end() ? nullptr : &*at;
}

std::string board_names::id_of(const std::string& name) const {
  const auto* known = find(name);
  return known == nullptr ? name : known->id;
}

board_names read_boards(const std::filesystem::path& file) {
  return board_names(
      read_named(file, columns, [](const csv::record<columns.size()>& record, const csv::place& at) {
        const auto& [id, aliases, year, bandwidth, single_rate, double_rate] = record.fields;
        return known_board{id,
                           csv::to_list(aliases),
                           csv::to_count(year, "year", at),
                           csv::to_number(bandwidth, "bandwidth_gb_s", at),
                           csv::to_number(single_rate, "single_gflops", at),
                           csv::to_number(double_rate, "double_gflops", at)};
      }));
}

}  // namespace reprise::reports
