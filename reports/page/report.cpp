// SPDX-License-Identifier: MIT
// Builds a report in memory first, so that bad input leaves nothing half written, and then writes it.
#include "reports/page/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "reports/page/case_links.hpp"
#include "reports/page/devices.hpp"
#include "reports/page/efficiency.hpp"
#include "reports/page/front.hpp"
#include "reports/page/json.hpp"
#include "reports/page/limits.hpp"
#include "reports/page/paper.hpp"
#include "reports/page/printed_latex.hpp"
#include "reports/page/printed_text.hpp"
#include "reports/page/tables.hpp"
#include "reports/store/csv.hpp"
#include "reports/store/files.hpp"
#include "reports/store/main_cases.hpp"
#include "reports/store/replaceable.hpp"
#include "reports/text/latex_table.hpp"

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
    missing.push_back(
        {r.variant, std::string(short_name(r.data->variant)), r.device, r.data->status, r.data->reason});
  }
  return missing;
}

item make_item(const layout& shape, std::span<const shown_row> rows, std::span<const run> runs) {
  switch (shape.shape) {
    case layout::kind::table:
      return make_table(shape, rows);
    case layout::kind::figure:
      return make_figure(shape, rows);
    case layout::kind::fields:
      break;
  }
  return make_field_figure(shape, rows, runs);
}

// What all papers of a report share.
struct shared_parts {
  std::string assumptions;  // of all papers
  variant_names names;
  std::vector<paper_name> papers;
  std::vector<shown_row> measured;  // of all runs; roofs too, which belong to no paper
};

shared_parts make_shared_parts(const report_request& request) {
  shared_parts parts{read_text(request.assumptions), {}, {}, {}};
  if (!request.layouts_dir.empty()) {
    parts.names = read_variant_names(request.layouts_dir / "variants.csv");
    parts.papers = read_paper_names(request.layouts_dir / "papers.csv");
  }
  parts.measured = shown_rows({}, request.runs, parts.names);
  return parts;
}

std::vector<printed_table> printed_tables(const report_request& request, const family_layout& family,
                                          const paper& p, const shared_parts& shared) {
  const auto file = request.layouts_dir / (safe_name(family.word) + ".json");
  if (request.layouts_dir.empty() || !fs::exists(file)) return {};
  return make_printed_tables(read_printed_layouts(file), p.published, shared.measured, request.runs, p.judged,
                             shared.names);
}

paper make_paper(const report_request& request, const family_layout& family, const shared_parts& shared) {
  paper p;
  p.word = family.word;
  p.title = family.title;
  const auto named = std::ranges::find(shared.papers, family.word, &paper_name::id);
  if (named != shared.papers.end())
    std::tie(p.name, p.about, p.cited) = std::tie(named->name, named->about, named->cited);
  p.published = read_printed(file_of(request.published_dir, family));
  p.rows = shown_rows(p.published.rows, {}, shared.names);
  std::ranges::copy_if(shared.measured, std::back_inserter(p.rows),
                       [&](const shown_row& r) { return family_of(r.data->experiment) == family.word; });
  for (const auto& shape : family.items) p.items.push_back(make_item(shape, p.rows, request.runs));
  for (auto* const make : {make_roofline, make_work_precision, make_front}) {
    if (auto extra = make(family.word, p.rows, request.runs)) p.items.emplace_back(*std::move(extra));
  }
  if (auto last = make_final_state(family, p.rows, request.runs)) p.items.emplace_back(*std::move(last));
  p.judged = assess(request, family, p.published);
  p.printed = printed_tables(request, family, p, shared);
  p.assumptions = section_of(shared.assumptions, family.word);
  p.missing = without_number(p.rows);
  return p;
}

std::string verdicts_csv(std::span<const paper> papers) {
  auto text = csv::line({"family", "id", "headline", "place", "claim", "class", "quantity", "published",
                         "measured", "low", "high", "unit", "bound", "verdict", "basis", "reason", "takes"});
  for (const auto& p : papers) {
    for (std::size_t i = 0; i < p.judged.claims.size(); ++i) {
      const auto& c = p.judged.claims[i];
      const auto& j = p.judged.judgements[i];
      text += csv::cells(p.word, c.id, c.headline, c.place, c.text, to_string(c.kind), c.quantity_text,
                         c.published, j.measured.value, j.measured.low, j.measured.high, c.unit,
                         c.limit ? c.limit->id : std::string(), to_string(j.outcome),
                         fmt::format("{}", fmt::join(j.basis, "; ")), j.reason, j.takes);
    }
  }
  return text;
}

// A safe and unique folder name for each run.
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

bool is_report(const nlohmann::json& document) {
  return document.contains("papers") && document.contains("schema");
}

void require_usable(const report_request& request) {
  std::vector<fs::path> runs;
  for (const auto& r : request.runs) runs.push_back(r.folder);
  require_replaceable(request.out, {"report", report_name, is_report}, runs);
}

void make_empty_folder(const fs::path& folder) {
  std::error_code code;
  fs::remove_all(folder, code);
  make_folders(folder);
}

// The path of an item's file without its extension.
std::string stem_of(const fs::path& folder, const paper& p, const std::string& id) {
  return folder / safe_name(p.word + "_" + std::string(short_name(id)));
}

template <class Table>
void write_table(const std::string& stem, const Table& t) {
  write_file(stem + ".md", to_markdown(t));
  write_file(stem + ".csv", to_csv(t));
  write_file(stem + ".tex", to_latex(t));
}

void write_item(const fs::path& out, const paper& p, const table& t, const std::vector<std::string>&) {
  write_table(stem_of(out / "tables", p, t.id), t);
}

void write_printed(const fs::path& out, const paper& p, const printed_table& t) {
  write_table(stem_of(out / "tables", p, t.id) + "_as_printed", t);
}

void write_item(const fs::path& out, const paper& p, const figure& f, const std::vector<std::string>&) {
  write_file(stem_of(out / "figures", p, f.id) + ".csv", to_csv(f));
}

void write_item(const fs::path& out, const paper& p, const field_figure& f,
                const std::vector<std::string>& folders) {
  if (!f.lines.empty()) write_file(stem_of(out / "figures", p, f.id) + ".csv", to_csv(f, folders));
}

void write_device(const fs::path& out, const device_summary& d) {
  write_table((out / "tables" / safe_name(d.nearest.id)).string(), d.nearest);
  if (d.roofline)
    write_file((out / "figures" / safe_name(d.roofline->id)).string() + ".csv", to_csv(*d.roofline));
}

// The limits of the papers that this report has.
std::vector<paper_limits> limits_in(const report_request& request, const shared_parts& shared) {
  if (request.layouts_dir.empty()) return {};
  auto cases = read_main_cases(request.layouts_dir / "main_cases.csv");
  std::erase_if(cases, [&](const main_case& c) {
    return std::ranges::find(request.families, c.id, &family_layout::word) == request.families.end();
  });
  return limits_of(cases, shared.measured, request.runs);
}

void write_limits(const fs::path& out, std::span<const paper_limits> limits) {
  if (limits.empty()) return;
  const auto whole = table_of(limits);
  write_file(out / "limits.csv", to_csv(whole));
  write_file(out / "limits.md", to_markdown(whole));
}

void guard(shared_text& text) {
  if (auto safe = csv::without_formula(text); text != safe) text = safe;
}

void guard(number_id& id) {
  for (auto* text :
       {&id.experiment, &id.variant, &id.device, &id.precision, &id.size, &id.parameter, &id.metric})
    guard(*text);
}

// The copies are for spreadsheets too, which would execute a text that begins like a formula.
std::vector<row> guarded(std::vector<row> rows) {
  for (auto& r : rows) {
    guard(r);
    for (auto* text : {&r.run, &r.unit, &r.status, &r.reason}) guard(*text);
  }
  return rows;
}

std::vector<sample> guarded(std::vector<sample> samples) {
  for (auto& s : samples) {
    guard(s);
    guard(s.run);
  }
  return samples;
}

std::optional<changes> changes_in(const report_request& request, std::span<const paper> papers) {
  if (request.against.empty()) return std::nullopt;
  report_input before = request;
  before.runs = request.against;
  std::vector<assessment> judged;
  for (const auto& p : papers) judged.push_back(p.judged);
  return changes_since(before, request, judged);
}

void write_run(const fs::path& folder, const run& r) {
  make_folders(folder);
  write_file(folder / rows_name, row_header() + to_csv(guarded(r.rows)));
  write_file(folder / samples_name, sample_header() + to_csv(guarded(r.samples)));
  if (!r.fields.empty()) make_folders(folder / fields_folder);
  for (const auto& f : r.fields) write_file(folder / fields_folder / file_name_of(f), to_csv(f));
}

}  // namespace

std::optional<changes> write_report(const report_request& request) {
  require_usable(request);
  const auto shared = make_shared_parts(request);
  std::vector<paper> papers;
  for (const auto& family : request.families) papers.push_back(make_paper(request, family, shared));
  const auto folders = folder_names(request.runs);
  const auto links = link_cases(request.runs, folders);
  const auto devices = summarise_devices(shared.measured, request.runs);
  const auto since = changes_in(request, papers);
  auto contents = to_json(request.runs, folders, papers, devices, links);
  const auto limits = limits_in(request, shared);
  contents["limits"] = to_json(limits, links);
  if (since) contents["changes"] = to_json(*since);
  const auto document = to_text(contents);

  const auto& out = request.out;
  for (const auto* part : {"tables", "figures", "rows"}) make_empty_folder(out / part);
  // Written first, so that after a kill the folder is recognised as a report and can be overwritten.
  replace_file(out / report_name, document);
  if (request.document_is_written) request.document_is_written();
  write_file(out / "verdicts.csv", verdicts_csv(papers));
  write_limits(out, limits);
  std::error_code code;  // of an earlier report, which compared with other runs
  fs::remove(out / "changes.csv", code);
  if (since) write_file(out / "changes.csv", to_csv(*since));
  for (const auto& p : papers) {
    for (const auto& i : p.items) std::visit([&](const auto& one) { write_item(out, p, one, folders); }, i);
    for (const auto& t : p.printed) write_printed(out, p, t);
  }
  for (const auto& d : devices) write_device(out, d);
  for (std::size_t i = 0; i < request.runs.size(); ++i) write_run(out / "rows" / folders[i], request.runs[i]);
  return since;
}

}  // namespace reprise::reports
