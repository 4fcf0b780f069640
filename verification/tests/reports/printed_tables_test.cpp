// SPDX-License-Identifier: MIT
// Tests that the layouts of the papers' tables hold every printed number exactly once, and that each stands beside its
// measured number or the reason why there is none.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "benchmarks/commands/gather.hpp"
#include "reports/page/printed_layout.hpp"
#include "reports/page/printed_tables.hpp"
#include "reports/page/printed_text.hpp"
#include "reports/store/case_id.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;

const std::filesystem::path home = REPRISE_SOURCE_DIR;

std::vector<family_layout> papers() {
  auto all = benchmarks::layouts();
  std::erase_if(all, [](const auto& f) {
    return !std::filesystem::exists(home / "reports/layouts" / (f.word + ".json"));
  });
  return all;
}

std::vector<printed_layout> layouts_of(const family_layout& family) {
  return read_printed_layouts(home / "reports/layouts" / (family.word + ".json"));
}

row_key key_of(const row& r) {
  return {r.experiment, std::string(short_name(r.variant)), r.device, r.precision,
          r.size,       sorted_parts(r.parameter),          r.metric};
}

TEST_CASE("the layouts hold every printed number of the five papers exactly once") {
  std::size_t printed = 0;
  for (const auto& family : papers()) {
    std::map<row_key, std::size_t> held;
    for (const auto& layout : layouts_of(family))
      for (const auto& line : layout.rows)
        for (const auto& cell : line.cells) ++held[cell.published];
    for (const auto& r : read_printed(home / "reference/published" / (family.word + ".csv")).rows) {
      INFO(case_text(r) << " " << std::string(r.metric));
      CHECK(held[key_of(r)] == 1);
      ++printed;
    }
  }
  CHECK(papers().size() == 5);
  CHECK(printed > 900);
}

TEST_CASE(
    "numbers of different definitions do not stand for each other, and one core has no share of all cores' "
    "roof") {
  const auto names = read_variant_names(home / "reports/layouts/variants.csv");
  for (const auto& family : papers())
    for (const auto& layout : layouts_of(family))
      for (const auto& line : layout.rows)
        for (const auto& cell : line.cells) {
          INFO(layout.id << " " << line.labels.front());
          CHECK(at(cell.measured, key_field::metric).find('|') == std::string::npos);
          const bool is_share = cell.over && is_roof(*cell.over) && cell.reason.empty();
          const auto variant = names.of(family.word + "/" + at(cell.measured, key_field::variant));
          CHECK_FALSE((is_share && variant.ends_with("(one core)")));
        }
}

TEST_CASE("each printed number stands beside its measured one or a reason, in every view") {
  const auto from = benchmarks::gather(home, benchmarks::recorded_runs(home));
  cell_count all;
  for (const auto& family : papers()) {
    const auto paper = read_printed(file_of(from.published_dir, family));
    const auto judged = assess(from, family, paper);
    const auto rows = shown_rows({}, from.runs);
    const auto tables = make_printed_tables(layouts_of(family), paper, rows, from.runs, judged);
    const auto count = count_cells(tables);
    INFO(family.word << ": " << count.measured << " of " << count.printed);
    CHECK(count.printed == paper.rows.size());
    all.printed += count.printed;
    all.measured += count.measured;
    for (const auto& table : tables)
      for (const auto& line : table.cells)
        for (const auto& cell : line)
          for (const auto& number : cell ? cell->numbers : std::vector<measured_number>()) {
            INFO(table.id << " " << case_text(*cell->published) << " " << number.reason);
            CHECK((number.from == nullptr) != number.reason.empty());
            CHECK((number.from == nullptr || !number.text.empty()));
          }
  }
  INFO(all.measured << " of " << all.printed << " printed numbers have a measured one");
  CHECK(all.measured >= 670);  // eight more once single kernels are measured by their present definitions
}

}  // namespace
