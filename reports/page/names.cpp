// SPDX-License-Identifier: MIT
// Reads the names of variants and papers from CSV.
#include "reports/page/names.hpp"

#include <array>
#include <set>
#include <utility>

#include "reports/store/case_id.hpp"
#include "reports/store/named_records.hpp"

namespace reprise::reports {
namespace {

constexpr std::array<std::string_view, 2> columns{"id", "name"};
constexpr std::array<std::string_view, 4> columns_of_papers{"id", "name", "about", "cited"};

struct named_variant {
  std::string id, name;
};

}  // namespace

std::string variant_names::of(std::string_view id) const {
  const auto known = by_id_.find(id);
  return known == by_id_.end() ? std::string(short_name(id)) : known->second;
}

variant_names read_variant_names(const std::filesystem::path& file) {
  std::map<std::string, std::string, std::less<>> by_id;
  std::set<std::pair<std::string, std::string>> taken;  // by paper
  const auto named =
      read_named(file, columns, [&](const csv::record<columns.size()>& record, const csv::place& at) {
        const auto& [id, name] = record.fields;
        if (name.empty()) throw at.complaint("{} has no name", id);
        if (!taken.emplace(family_of(id), name).second)
          throw at.complaint("another variant of {} is called \"{}\" too", family_of(id), name);
        return named_variant{id, name};
      });
  for (const auto& one : named) by_id.emplace(one.id, one.name);
  return variant_names(std::move(by_id));
}

std::vector<paper_name> read_paper_names(const std::filesystem::path& file) {
  return read_named(file, columns_of_papers,
                    [](const csv::record<columns_of_papers.size()>& record, const csv::place& at) {
                      const auto& [id, name, about, cited] = record.fields;
                      if (name.empty()) throw at.complaint("{} has no name", id);
                      return paper_name{id, name, about, cited};
                    });
}

}  // namespace reprise::reports
