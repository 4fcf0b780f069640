// SPDX-License-Identifier: MIT
// Puts a report together, first in memory, so that bad input leaves nothing half written, then on disk.
#include "reports/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "reports/case_pages.hpp"
#include "reports/csv.hpp"
#include "reports/efficiency.hpp"
#include "reports/files.hpp"
#include "reports/paper.hpp"
#include "reports/report_json.hpp"
#include "reports/run_contents.hpp"
#include "solvers/common/error.hpp"

namespace reprise::reports {
namespace {

namespace fs = std::filesystem;
constexpr auto report_name = "report.json";

std::vector<not_run> without_number(std::span<const shown_row> rows) {
  std::vector<not_run> missing;
  std::set<std::tuple<std::string, std::string, std::string>> known;
  for (const auto& r : rows) {
    if (r.data->status != "skipped" && r.data->status != "failed") continue;
    if (!known.emplace(r.data->variant, r.device, r.data->reason).second) continue;
    missing.push_back({std::string(short_name(r.data->variant)), r.device, r.data->status, r.data->reason});
  }
  return missing;
}

// A figure that no layout of the family asks for.
void add_figure(paper& p, std::optional<figure> extra) {
  if (!extra) return;
  layout item;
  item.id = extra->id;
  item.title = extra->title;
  item.shape = layout::kind::figure;
  p.items.push_back(std::move(item));
  p.figures.push_back(*std::move(extra));
}

paper make_paper(const report_request& request, const family_layout& family, const std::string& assumptions) {
  paper p;
  p.word = family.word;
  p.title = family.title;
  p.items = family.items;
  p.published = read_printed(file_of(request.published_dir, family));
  p.rows = shown_rows(p.published.rows, request.runs);
  std::erase_if(p.rows, [&](const shown_row& r) { return family_of(r.data->experiment) != family.word; });
  for (const auto& item : family.items) {
    switch (item.shape) {
      case layout::kind::table:
        p.tables.push_back(make_table(item, p.rows));
        break;
      case layout::kind::figure:
        p.figures.push_back(make_figure(item, p.rows));
        break;
      case layout::kind::fields:
        p.field_figures.push_back(make_field_figure(item, p.rows, request.runs));
        break;
    }
  }
  add_figure(p, make_roofline(family.word, p.rows, request.runs));
  add_figure(p, make_work_precision(family.word, p.rows, request.runs));
  p.judged = make_ledger(request, family, p.published);
  p.assumptions = section_of(assumptions, family.word);
  p.missing = without_number(p.rows);
  return p;
}

std::string verdicts_csv(std::span<const paper> papers) {
  auto text = csv::line({"family", "id", "place", "claim", "class", "quantity", "published", "measured",
                         "unit", "verdict", "basis", "reason"});
  for (const auto& p : papers) {
    for (std::size_t i = 0; i < p.judged.claims.size(); ++i) {
      const auto& c = p.judged.claims[i];
      const auto& j = p.judged.judgements[i];
      text += csv::line({csv::cell(p.word), csv::cell(c.id), csv::cell(c.place), csv::cell(c.text),
                         std::string(to_string(c.kind)), csv::cell(c.quantity_text), csv::number(c.published),
                         csv::number(j.measured), csv::cell(c.unit), std::string(to_string(j.outcome)),
                         csv::cell(fmt::format("{}", fmt::join(j.basis, "; "))), csv::cell(j.reason)});
    }
  }
  return text;
}

// One folder's name for each run, safe and unlike the others.
std::vector<std::string> folder_names(std::span<const run> runs) {
  std::vector<std::string> names;
  for (const auto& r : runs) {
    const auto plain = safe_name(name_of(r));
    auto name = plain;
    for (int n = 2; std::find(names.begin(), names.end(), name) != names.end(); ++n) {
      name = fmt::format("{}-{}", plain, n);
    }
    names.push_back(name);
  }
  return names;
}

bool is_report(const fs::path& folder) {
  std::error_code code;
  const auto file = folder / report_name;
  if (!fs::is_regular_file(file, code)) return false;
  try {
    const auto document = parse_json(file, read_text(file));
    return document.is_object() && document.contains("papers") && document.contains("schema");
  } catch (const bad_input&) {
    return false;
  }
}

bool is_inside(const fs::path& inner, const fs::path& outer) {
  std::error_code code;
  const auto path = fs::weakly_canonical(inner, code);
  const auto base = fs::weakly_canonical(outer, code);
  return !code && std::mismatch(base.begin(), base.end(), path.begin(), path.end()).first == base.end();
}

void require_usable(const report_request& request) {
  const auto& out = request.out;
  std::error_code code;
  if (fs::exists(out, code) && !fs::is_directory(out, code)) {
    throw bad_input(fmt::format("{}: is a file; choose a folder for the report", out.string()));
  }
  if (fs::is_directory(out, code) && !fs::is_empty(out, code) && !is_report(out)) {
    throw bad_input(fmt::format(
        "{}: is not empty and no earlier report; choose another folder for the report", out.string()));
  }
  // An earlier report's folders are removed, and a run must not go with them.
  for (const auto& r : request.runs) {
    if (is_inside(r.folder, out)) {
      throw bad_input(
          fmt::format("{}: lies inside the report's folder {}; choose another folder for the report",
                      r.folder.string(), out.string()));
    }
  }
}

void make_empty_folder(const fs::path& folder) {
  std::error_code code;
  fs::remove_all(folder, code);
  make_folders(folder);
}

void write_items(const fs::path& out, const paper& p, const std::vector<std::string>& folders) {
  const auto name = [&](const std::string& id) {
    return safe_name(p.word + "_" + std::string(short_name(id)));
  };
  for (const auto& t : p.tables) {
    write_file(out / "tables" / (name(t.id) + ".md"), to_markdown(t));
    write_file(out / "tables" / (name(t.id) + ".csv"), to_csv(t));
    write_file(out / "tables" / (name(t.id) + ".tex"), to_latex(t));
  }
  for (const auto& f : p.figures) write_file(out / "figures" / (name(f.id) + ".csv"), to_csv(f));
  for (const auto& f : p.field_figures) {
    if (!f.lines.empty()) write_file(out / "figures" / (name(f.id) + ".csv"), to_csv(f, folders));
  }
}

}  // namespace

void write_report(const report_request& request) {
  require_usable(request);
  const auto assumptions = read_text(request.assumptions);
  std::vector<paper> papers;
  for (const auto& family : request.families) papers.push_back(make_paper(request, family, assumptions));
  const auto folders = folder_names(request.runs);
  const auto cases = make_case_pages(request.runs, folders);
  const auto document = to_text(to_json(request.runs, folders, papers, cases.links));

  const auto& out = request.out;
  for (const auto* part : {"tables", "figures", "rows"}) make_empty_folder(out / part);
  // First, so that after a kill the folder is known as a report and can be overwritten.
  replace_file(out / report_name, document);
  write_file(out / "verdicts.csv", verdicts_csv(papers));
  for (const auto& p : papers) write_items(out, p, folders);
  for (std::size_t i = 0; i < request.runs.size(); ++i) {
    const auto folder = out / "rows" / folders[i];
    make_folders(folder);
    make_folders(folder / "cases");
    write_file(folder / rows_name, row_header() + to_csv(request.runs[i].rows));
    write_file(folder / samples_name, sample_header() + to_csv(request.runs[i].samples));
    if (!request.runs[i].fields.empty()) make_folders(folder / fields_folder);
    for (const auto& f : request.runs[i].fields) {
      write_file(folder / fields_folder / file_name_of(f), to_csv(f));
    }
  }
  for (const auto& page : cases.pages) write_file(out / page.path, page.text);
}

}  // namespace reprise::reports
