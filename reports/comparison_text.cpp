// SPDX-License-Identifier: MIT
// Lays comparisons out.
#include "reports/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/csv.hpp"
#include "reports/files.hpp"
#include "reports/pivot.hpp"
#include "reports/quantity.hpp"
#include "reports/tables.hpp"

namespace reprise::reports {
namespace {

struct parts {
  bool share{}, per_joule{};
};

parts parts_of(const compared_table& t, std::size_t column) {
  parts p;
  for (const auto& l : t.lines) {
    p.share = p.share || !std::isnan(l.cells[column].share);
    p.per_joule = p.per_joule || !std::isnan(l.cells[column].per_joule);
  }
  return p;
}

std::string number(double value) {
  return to_text(cell{value, "", true});
}

// What all lines share is said once, in the title.
bool differs(const compared_table& t, std::string compared_line::*part) {
  return std::any_of(t.lines.begin(), t.lines.end(),
                     [&](const compared_line& l) { return l.*part != t.lines.front().*part; });
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Device names are long, and the numbers below them short.
std::vector<std::string> wrapped(const std::string& text) {
  constexpr std::size_t wanted = 16;
  std::vector<std::string> rows{""};
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(' '), rest.size());
    const auto word = rest.substr(0, end);
    if (!rows.back().empty() && rows.back().size() + 1 + word.size() > wanted) rows.emplace_back();
    rows.back() += (rows.back().empty() ? "" : " ") + std::string(word);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return rows;
}

}  // namespace

grid to_grid(const compared_table& t, std::span<const device_column> columns) {
  grid g{fmt::format("{}: {}", t.id, t.title), {}, {}};
  struct key {
    const char* name;
    std::string compared_line::*part;
  };
  std::vector<key> keys{{"variant", &compared_line::variant}};
  for (const auto& k : {key{"precision", &compared_line::precision}, key{"size", &compared_line::size},
                        key{"parameter", &compared_line::parameter}, key{"metric", &compared_line::metric}}) {
    if (differs(t, k.part)) {
      keys.push_back(k);
    } else if (!(t.lines.front().*k.part).empty()) {
      g.title += ", " + t.lines.front().*k.part;
    }
  }
  for (const auto& k : keys) g.header.emplace_back(k.name);
  g.header.emplace_back("unit");
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool has_numbers = std::any_of(t.lines.begin(), t.lines.end(), [&](const compared_line& l) {
      return !std::isnan(l.cells[i].value);
    });
    if (!has_numbers) continue;
    used.push_back(i);
    g.header.push_back(columns[i].label);
    if (parts_of(t, i).share) g.header.push_back(columns[i].label + ", % of roof");
    if (parts_of(t, i).per_joule) g.header.push_back(columns[i].label + ", per J");
  }
  for (const auto& l : t.lines) {
    auto& line = g.lines.emplace_back();
    for (const auto& k : keys) {
      const bool is_variant = k.part == &compared_line::variant;
      line.push_back(is_variant ? std::string(short_name(l.variant)) : l.*k.part);
    }
    line.push_back(l.unit);
    for (const auto i : used) {
      const auto& c = l.cells[i];
      line.push_back(number(c.value));
      if (parts_of(t, i).share) line.push_back(std::isnan(c.share) ? "–" : number(c.share) + " " + c.roof);
      if (parts_of(t, i).per_joule) line.push_back(number(c.per_joule));
    }
  }
  return g;
}

grid to_grid(std::span<const compared_claim> claims, std::span<const device_column> columns) {
  grid g{"Conclusions about shapes: which of them hold where", {"paper", "claim"}, {}};
  for (const auto& c : columns) g.header.push_back(c.label);
  for (const auto& c : claims) {
    auto& line = g.lines.emplace_back(std::vector{c.family, c.id});
    for (const auto v : c.outcomes) {
      line.emplace_back(v == verdict::not_run_here ? std::string_view("–") : to_string(v));
    }
  }
  return g;
}

std::vector<named_grid> comparison_grids(std::span<const compared> all, const comparison_sources& from,
                                         const std::string& glob, bool any_precision) {
  const auto columns = columns_of(all);
  std::vector<named_grid> grids;
  const auto roofs = compare_roofs(all, columns);
  if (!roofs.lines.empty()) grids.push_back({"roofs", to_grid(roofs, columns)});
  for (const auto& t : compare_tables(all, columns, from.families, any_precision)) {
    if (matches_glob(glob, t.id)) grids.push_back({safe_name(t.id), to_grid(t, columns)});
  }
  const auto claims = compare_claims(all, columns, from);
  if (!claims.empty()) grids.push_back({"claims", to_grid(claims, columns)});
  return grids;
}

std::string to_text(const grid& g) {
  std::vector<std::vector<std::string>> header;
  std::size_t height = 0;
  for (const auto& h : g.header) {
    header.push_back(wrapped(h));
    height = std::max(height, header.back().size());
  }
  std::vector<std::size_t> widths(g.header.size());
  for (std::size_t i = 0; i < widths.size(); ++i) {
    for (const auto& part : header[i]) widths[i] = std::max(widths[i], width(part));
    for (const auto& line : g.lines) widths[i] = std::max(widths[i], width(line[i]));
  }
  const auto padded = [&](const std::string& text, std::size_t i) {
    return text + std::string(widths[i] - width(text) + (i + 1 < widths.size() ? 2 : 0), ' ');
  };
  const auto trimmed = [](std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
  };
  auto text = g.title + '\n';
  for (std::size_t row = 0; row < height; ++row) {
    std::string line;
    for (std::size_t i = 0; i < header.size(); ++i) {
      line += padded(row < header[i].size() ? header[i][row] : std::string(), i);
    }
    text += trimmed(line);
  }
  for (const auto& cells : g.lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) line += padded(cells[i], i);
    text += trimmed(line);
  }
  return text;
}

std::string to_markdown(const grid& g) {
  const auto line_of = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const auto& c : cells) text += " " + for_markdown(c) + " |";
    return text + '\n';
  };
  auto text = fmt::format("**{}**\n\n{}|", for_markdown(g.title), line_of(g.header));
  for (std::size_t i = 0; i < g.header.size(); ++i) text += " --- |";
  text += '\n';
  for (const auto& line : g.lines) text += line_of(line);
  return text;
}

std::string to_csv(const grid& g) {
  const auto line_of = [](std::vector<std::string> cells) {
    for (auto& c : cells) c = csv::cell(c);
    return csv::line(cells);
  };
  auto text = line_of(g.header);
  for (const auto& line : g.lines) text += line_of(line);
  return text;
}

void write_grids(const std::filesystem::path& folder, std::span<const named_grid> grids) {
  make_folders(folder);
  for (const auto& [name, content] : grids) {
    write_text(folder / (name + ".md"), to_markdown(content));
    write_text(folder / (name + ".csv"), to_csv(content));
  }
}

}  // namespace reprise::reports
