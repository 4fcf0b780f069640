// SPDX-License-Identifier: MIT
// Fuzz targets for every file that the program reads. An accepted input must survive
// being written and read again.
#include "verification/tests/fuzz/targets.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ranges>

#include "reports/accuracy/baseline.hpp"
#include "reports/compare/noise.hpp"
#include "reports/judging/bounds.hpp"
#include "reports/judging/claims.hpp"
#include "reports/judging/derived.hpp"
#include "reports/judging/judge.hpp"
#include "reports/page/paper.hpp"
#include "reports/store/field.hpp"
#include "reports/store/files.hpp"
#include "reports/store/packed_text.hpp"
#include "reports/store/row.hpp"
#include "reports/store/run.hpp"
#include "reports/store/run_folder.hpp"
#include "solvers/angiogenesis/problem.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace reprise::fuzz {
namespace {

using namespace reprise::reports;

void require(bool holds, const std::string& what) {
  if (!holds) throw let_through(what);
}

// A file in memory, for readers that open their file themselves.
class memory_file {
 public:
  explicit memory_file(std::string_view content) : file_(::memfd_create("input", MFD_CLOEXEC)) {
    write_all(file_, content, "input");
  }
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

 private:
  descriptor file_;
};

// What the reader makes of a file with this content.
template <class Read>
auto read_from(std::string_view content, Read read) {
  const memory_file file(content);
  return read(file.path());
}

// The same, of what is written again the same way.
template <class Read>
auto read_twice(std::string_view content, Read read) {
  const auto found = read_from(content, read);
  const auto written = to_csv(found);
  require(to_csv(read_from(written, read)) == written, "reads back as something else");
  return found;
}

// The number of non-empty lines, which is one for the header and one for each record.
std::ptrdiff_t lines_of(std::string_view text) {
  return std::ranges::count_if(text | std::views::split('\n'), [](const auto& line) {
    return !std::ranges::empty(line) && !std::ranges::equal(line, std::string_view("\r"));
  });
}

// Every line but the header is a record, and the records read back as they were written.
template <class Record, class Parse>
void take_records(std::string_view text, const std::string& header, Parse parse) {
  const std::vector<Record> records = parse("rows.csv", text);
  require(std::ssize(records) == std::max<std::ptrdiff_t>(0, lines_of(text) - 1), "a line is no record");
  const auto written = to_csv(std::span<const Record>(records));
  const std::vector<Record> again = parse("again", header + written);
  require(to_csv(std::span<const Record>(again)) == written, "reads back as something else");
}

void take_rows(std::string_view text) {
  take_records<row>(text, row_header(), parse_rows);
}

void take_samples(std::string_view text) {
  take_records<sample>(text, sample_header(), parse_samples);
}

void take_field(std::string_view text) {
  const auto f = parse_field("field.csv", text);
  require(flaw_of(f).empty(), "a field with a flaw: " + flaw_of(f));
  const auto written = to_csv(f);
  require(to_csv(parse_field("again", written)) == written, "reads back as something else");
  const auto name = file_name_of(f);
  require(name == safe_name(name), "the name of its file is not safe");
}

void take_packed(std::string_view bytes) {
  constexpr std::size_t most = 1 << 20;
  const auto text = unpacked("rows.csv.xz", bytes, most);
  require(text.size() <= most, "more than a run may hold");
  require(unpacked("again", packed(text), most) == text, "reads back as something else");
}

void take_published(std::string_view text) {
  const auto printed = read_from(text, read_printed);
  require(printed.rows.size() == printed.roundings.size(), "a row without its rounding");
  for (const double r : printed.roundings) require(r >= 0 && std::isfinite(r), "a rounding is no number");
}

const std::vector<row>& some_published() {
  static const auto rows =
      parse_rows("published", row_header() +
                                  "p,jacobi/table1,jacobi/cuda_2d,A,single,8x8,,time,2,s,,,0,published,\n"
                                  "p,jacobi/table1,jacobi/cuda_1d,A,single,8x8,,time,4,s,,,0,published,\n");
  return rows;
}

const bounds& some_bounds() {
  static const bounds all{
      {"about", {"about", bound_unit::times, {.5, 2}, "", "", {}}},
      {"faster", {"faster", bound_unit::value, {.low = 1, .excludes_low = true}, "", "", {}}},
      {"digit", {"digit", bound_unit::digits, {-.5, .5}, "", "", {}}}};
  return all;
}

void take_bounds(std::string_view text) {
  for (const auto& [id, b] : read_from(text, read_bounds)) {
    const auto r = b.around(2, .5);
    require(r.low <= r.high, "a range from high to low");
  }
}

void take_claims(std::string_view text) {
  const auto read = [](const std::filesystem::path& file) { return read_claims(file, some_bounds()); };
  for (const auto& c : read_from(text, read)) {
    require(!std::isinf(c.published), "a published number that is infinite");
    const auto j = judge(c, {"jacobi", "time", {}, some_published()});
    const bool is_literal =
        std::ranges::all_of(c.parts, [](const claim_part& p) { return p.expression.selectors.empty(); });
    require(j.outcome == verdict::undecided || !j.basis.empty() || is_literal,
            "a verdict that rests on nothing");
  }
}

void take_derived(std::string_view text) {
  const printed_rows paper{some_published(), {.5, .5}};
  for (const auto& cell : read_from(text, read_derived)) {
    require(std::isfinite(cell.printed) && std::isfinite(cell.rounding), "a printed number that is infinite");
    recompute(cell, "jacobi", "time", paper);
  }
}

void take_baseline(std::string_view text) {
  read_twice(text, read_baseline);
}

void take_noise(std::string_view text) {
  for (const auto& n : read_twice(text, read_noise))
    require(std::isfinite(n.spread) && n.spread >= 0 && std::isfinite(n.largest) && n.largest >= 0,
            "noise that is no number from 0 up");
}

void take_parameters(std::string_view text) {
  const auto with = angiogenesis::parse_parameters(text, "own.txt");
  require(std::isfinite(with.d_c) && std::isfinite(with.k1) && std::isfinite(with.eps),
          "a parameter that is no number");
}

// Reads a run with this run.json; the other files are always the same.
void take_description(std::string_view text) {
  static const testing::temporary_folder folder;
  write_file(folder / rows_name, row_header());
  write_file(folder / samples_name, sample_header());
  write_file(folder / description_name, text);
  const auto found = read_run(folder.path());
  require(found.rows.empty() && found.samples.empty() && found.fields.empty(), "rows from nowhere");
  name_of(found);
  const auto again = to_text(*found.description);
  require(parse_json("again", again) == parse_json("again", to_text(parse_json("again", again))),
          "reads back as something else");
}

}  // namespace

const std::vector<target>& file_targets() {
  static const std::vector<target> all{
      {"rows", take_rows},     {"samples", take_samples},       {"field", take_field},
      {"packed", take_packed}, {"published", take_published},   {"bounds", take_bounds},
      {"claims", take_claims}, {"derived", take_derived},       {"baseline", take_baseline},
      {"noise", take_noise},   {"parameters", take_parameters}, {"description", take_description}};
  return all;
}

std::string refusal_of(const target& one, std::string_view text) {
  try {
    one.take(text);
    return {};
  } catch (const bad_input& refusal) {
    std::string said = refusal.what();
    if (said.empty()) throw let_through("refused without a word");
    return said;
  }
}

}  // namespace reprise::fuzz
