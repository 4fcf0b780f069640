// SPDX-License-Identifier: MIT
// Makes the tables of a comparison.
#include "reports/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/judging/assessment.hpp"
#include "reports/store/files.hpp"
#include "reports/store/glob.hpp"

namespace reprise::reports {
namespace {

bool has_any(const compared_table& t, std::size_t column, double compared_cell::*part) {
  return std::ranges::any_of(t.lines, [&](const auto& l) { return !std::isnan(l.cells[column].*part); });
}

cell number_cell(double value, const std::string& unit = "") {
  return std::isnan(value) ? cell{no_number} : cell{"", value, unit};
}

// The machine's rows with those of the column's device first, because claims are judged by the first device
// that has the numbers. A claim may still involve the machine's other devices.
row_index seen_from(const device_column& column, const compared& owner) {
  return {owner.runs, [&column](const std::string& id) { return column.has(id); }};
}

bool rests_on(const judgement& j, const device_column& column) {
  return std::ranges::any_of(j.rows, [&](const row* r) { return column.has(r->device); });
}

double times_as_fast(const compared_cell& fast, const compared_cell& slow) {
  return fast.value > 0 ? slow.value / fast.value : no_value;
}

// Adds the ratios of the times of devices, the one that is faster in this table first.
void add_ratios(table& to, const compared_table& t, std::span<const device_column> columns) {
  for (const auto& speed : speeds_of(t, columns)) {
    const auto fast = speed.faster, slow = speed.slower;
    to.columns.push_back(columns[fast].label + ", times as fast as " + columns[slow].label);
    for (std::size_t k = 0; k < t.lines.size(); ++k) {
      const auto& cells = t.lines[k].cells;
      to.lines[k].push_back(
          number_cell(t.lines[k].unit == "s" ? times_as_fast(cells[fast], cells[slow]) : no_value));
    }
  }
}

struct family_claims {
  std::string_view family;
  std::string metric;
  std::vector<row> published;
  std::vector<claim> conclusions;
};

std::vector<family_claims> conclusions_of(const comparison_sources& from) {
  std::vector<family_claims> all;
  for (const auto& family : from.families) {
    all.push_back({family.word, usual_metric(family), read_rows(file_of(from.published_dir, family)),
                   claims_of(from.claims_dir, family)});
    std::erase_if(all.back().conclusions, [](const claim& c) { return c.kind != claim_class::conclusion; });
  }
  return all;
}

}  // namespace

std::vector<compared_claim> compare_claims(std::span<const compared> all,
                                           std::span<const device_column> columns,
                                           const comparison_sources& from) {
  const auto families = conclusions_of(from);
  std::vector<compared_claim> claims;
  for (const auto& f : families) {
    for (const auto& c : f.conclusions) claims.push_back({std::string(f.family), c.id, c.text, {}});
  }
  // One device after the other, because each needs an index of its machine's rows.
  for (const auto& column : columns) {
    const auto seen = seen_from(column, all[column.owner]);
    auto next = claims.begin();
    for (const auto& f : families) {
      const evidence known{f.family, f.metric, seen, f.published};
      for (const auto& c : f.conclusions) {
        const auto j = judge(c, known);
        (next++)->outcomes.push_back(rests_on(j, column) ? j.outcome : verdict::undecided);
      }
    }
  }
  std::erase_if(claims, [](const compared_claim& c) {
    return std::ranges::all_of(c.outcomes, [](verdict v) { return v == verdict::undecided; });
  });
  return claims;
}

table to_table(const compared_table& t, std::span<const device_column> columns) {
  table result{.id = safe_name(t.id), .title = fmt::format("{}: {}", t.id, t.title), .is_rounded = true};
  struct key {
    const char* name;
    shared_text compared_line::*part;
  };
  std::vector<key> keys{{"variant", &compared_line::variant}};
  for (const auto& k : {key{"precision", &compared_line::precision}, key{"size", &compared_line::size},
                        key{"parameter", &compared_line::parameter}, key{"metric", &compared_line::metric}}) {
    // Properties common to all lines are stated once, in the title.
    const shared_text first = t.lines.front().*k.part;
    if (std::ranges::any_of(t.lines, [&](const auto& l) { return l.*k.part != first; })) {
      keys.push_back(k);
    } else if (!first.empty()) {
      result.title += ", " + first;
    }
  }
  for (const auto& k : keys) result.columns.emplace_back(k.name);
  result.columns.emplace_back("unit");
  for (const auto& l : t.lines) {
    auto& line = result.lines.emplace_back();
    for (const auto& k : keys) line.push_back({l.*k.part});
    line.front().text = short_name(l.variant);
    line.push_back({l.unit});
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto add = [&](const std::string& suffix, double compared_cell::*part) {
      if (!has_any(t, i, &compared_cell::value) || !has_any(t, i, part)) return;
      result.columns.push_back(columns[i].label + suffix);
      for (std::size_t k = 0; k < t.lines.size(); ++k) {
        const auto& c = t.lines[k].cells[i];
        result.lines[k].push_back(number_cell(c.*part, part == &compared_cell::share ? c.roof : ""));
      }
    };
    add("", &compared_cell::value);
    add(", % of roof", &compared_cell::share);
    add(", per J", &compared_cell::per_joule);
  }
  add_ratios(result, t, columns);
  result.text_columns = result.columns.size();
  return result;
}

table to_table(std::span<const compared_claim> claims, std::span<const device_column> columns) {
  table t{.id = "claims",
          .title = "Conclusions of the papers: which of them hold where",
          .columns = {"paper", "claim"}};
  for (const auto& c : columns) t.columns.push_back(c.label);
  t.text_columns = t.columns.size();
  for (const auto& c : claims) {
    auto& line = t.lines.emplace_back(std::vector<cell>{{c.family}, {c.id}});
    for (const auto v : c.outcomes)
      line.push_back({v == verdict::undecided ? no_number : std::string(to_string(v))});
  }
  return t;
}

device_comparison compare_devices(std::span<const compared> all, const comparison_sources& from,
                                  const std::string& glob, bool any_precision) {
  device_comparison c;
  c.columns = columns_of(all);
  c.roofs = compare_roofs(all, c.columns);
  c.tables = compare_tables(all, c.columns, from.families, any_precision);
  std::erase_if(c.tables, [&](const compared_table& t) { return !matches(glob, t.id); });
  for (const auto& paper : from.main_cases)
    c.times.push_back(compare_times(all, c.columns, paper, from.families, glob, any_precision));
  c.claims = compare_claims(all, c.columns, from);
  std::erase_if(c.claims, [&](const compared_claim& claim) {
    return std::ranges::none_of(c.tables, [&](const auto& t) { return family_of(t.id) == claim.family; });
  });
  return c;
}

std::vector<table> to_tables(const device_comparison& c) {
  std::vector<table> tables;
  if (!c.roofs.lines.empty()) {
    tables.push_back(to_table(c.roofs, c.columns));
    tables.back().id = "roofs";
  }
  for (const auto& t : c.tables) tables.push_back(to_table(t, c.columns));
  if (!c.claims.empty()) tables.push_back(to_table(c.claims, c.columns));
  return tables;
}

void write_tables(const std::filesystem::path& folder, std::span<const table> tables) {
  make_folders(folder);
  for (const auto& t : tables) {
    write_text(folder / (t.id + ".md"), to_markdown(t));
    write_text(folder / (t.id + ".csv"), to_csv(t));
  }
}

}  // namespace reprise::reports
