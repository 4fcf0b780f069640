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

#include "reports/accuracy/baseline.hpp"
#include "reports/compare/noise.hpp"
#include "reports/judging/claims.hpp"
#include "reports/judging/derived.hpp"
#include "reports/page/paper.hpp"
#include "reports/store/field.hpp"
#include "reports/store/files.hpp"
#include "reports/store/row.hpp"
#include "reports/store/run.hpp"
#include "reports/store/run_folder.hpp"
#include "solvers/angiogenesis/problem.hpp"
#include "solvers/common/base/error.hpp"

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

// The number of non-empty lines, which is one for the header and one for each record.
std::ptrdiff_t lines_of(std::string_view text) {
  std::ptrdiff_t lines = 0;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    lines += line.empty() || line == "\r" ? 0 : 1;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

template <class Record, class Parse>
void require_round_trip(const std::vector<Record>& records, const std::string& header, Parse parse) {
  const auto written = to_csv(std::span<const Record>(records));
  const std::vector<Record> again = parse("again", header + written);
  require(to_csv(std::span<const Record>(again)) == written, "reads back as something else");
}

void take_rows(std::string_view text) {
  const auto rows = parse_rows("rows.csv", text);
  require(std::ssize(rows) == std::max<std::ptrdiff_t>(0, lines_of(text) - 1), "a line is no row");
  require_round_trip(rows, row_header(), parse_rows);
}

void take_samples(std::string_view text) {
  const auto samples = parse_samples("samples.csv", text);
  require(std::ssize(samples) == std::max<std::ptrdiff_t>(0, lines_of(text) - 1), "a line is no sample");
  require_round_trip(samples, sample_header(), parse_samples);
}

void take_field(std::string_view text) {
  const auto f = parse_field("field.csv", text);
  require(flaw_of(f).empty(), "a field with a flaw: " + flaw_of(f));
  const auto written = to_csv(f);
  require(to_csv(parse_field("again", written)) == written, "reads back as something else");
  const auto name = file_name_of(f);
  require(name == safe_name(name), "the name of its file is not safe");
}

void take_published(std::string_view text) {
  const memory_file file(text);
  const auto printed = read_printed(file.path());
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

void take_claims(std::string_view text) {
  const memory_file file(text);
  for (const auto& c : read_claims(file.path())) {
    require(!std::isinf(c.published), "a published number that is infinite");
    const auto j = judge(c, {"jacobi", "time", {}, some_published()});
    require(j.outcome != verdict::reproduced || !j.basis.empty() || c.expression.selectors.empty(),
            "a verdict that rests on nothing");
  }
}

void take_derived(std::string_view text) {
  const memory_file file(text);
  const printed_rows paper{some_published(), {.5, .5}};
  for (const auto& cell : read_derived(file.path())) {
    require(std::isfinite(cell.printed) && std::isfinite(cell.rounding), "a printed number that is infinite");
    recompute(cell, "jacobi", "time", paper);
  }
}

void take_baseline(std::string_view text) {
  const memory_file file(text);
  const auto entries = read_baseline(file.path());
  const auto written = to_csv(entries);
  const memory_file again(written);
  require(to_csv(read_baseline(again.path())) == written, "reads back as something else");
}

void take_noise(std::string_view text) {
  const memory_file file(text);
  const auto noise = read_noise(file.path());
  for (const auto& n : noise)
    require(std::isfinite(n.spread) && n.spread >= 0 && std::isfinite(n.largest) && n.largest >= 0,
            "noise that is no number from 0 up");
  const memory_file again(to_csv(noise));
  require(to_csv(read_noise(again.path())) == to_csv(noise), "reads back as something else");
}

void take_parameters(std::string_view text) {
  const auto with = angiogenesis::parse_parameters(text, "own.txt");
  require(std::isfinite(with.d_c) && std::isfinite(with.k1) && std::isfinite(with.eps),
          "a parameter that is no number");
}

// Reads a run with this run.json; the other files are always the same.
void take_description(std::string_view text) {
  static const auto folder = [] {
    auto name = (std::filesystem::temp_directory_path() / "reprise_fuzz_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw_errno("mkdtemp", name);
    return std::filesystem::path(name);
  }();
  write_file(folder / rows_name, row_header());
  write_file(folder / samples_name, sample_header());
  write_file(folder / description_name, text);
  const auto found = read_run(folder);
  require(found.rows.empty() && found.samples.empty() && found.fields.empty(), "rows from nowhere");
  name_of(found);
  const auto again = to_text(*found.description);
  require(parse_json("again", again) == parse_json("again", to_text(parse_json("again", again))),
          "reads back as something else");
}

}  // namespace

const std::vector<target>& file_targets() {
  static const std::vector<target> all{{"rows", take_rows},
                                       {"samples", take_samples},
                                       {"field", take_field},
                                       {"published", take_published},
                                       {"claims", take_claims},
                                       {"derived", take_derived},
                                       {"baseline", take_baseline},
                                       {"noise", take_noise},
                                       {"parameters", take_parameters},
                                       {"description", take_description}};
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
