// SPDX-License-Identifier: MIT
// Tests derived cells: a consistent table has no conflict, one with a wrong cell has one.
#include "reports/judging/derived.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

// A core takes 12.0 s, a GPU 0.35 s.
printed_rows made_up_paper() {
  const temporary_folder folder;
  const auto line = [](const std::string& variant, const std::string& value) {
    return "published,jacobi/table1,jacobi/" + variant + ",board,single,8x8,,time," + value +
           ",s,,,0,published,\n";
  };
  put(folder / "jacobi.csv", row_header() + line("cpu", "12.0") + line("gpu", "0.35"));
  return read_printed(folder / "jacobi.csv");
}

std::vector<derived_cell> cells_in(const std::string& lines) {
  const temporary_folder folder;
  put(folder / "jacobi.csv", "id,place,quantity,printed,rounding,reason\n" + lines);
  return read_derived(folder / "jacobi.csv");
}

const std::string cpu = "{cpu@8x8,source=published}", gpu = "{gpu@8x8,source=published}";

recomputation recomputed(const std::string& quantity, const std::string& printed,
                         const std::string& rounding) {
  const auto cells = cells_in("c,Table 1,\"" + quantity + "\"," + printed + "," + rounding + ",because\n");
  return recompute(cells.at(0), "jacobi", "time", made_up_paper());
}

}  // namespace

TEST_CASE("derived cells that follow from the printed ones agree") {
  const auto quotient = recomputed(cpu + "/" + gpu, "34.3", "0.05");

  CHECK(quotient.agrees);
  CHECK_THAT(quotient.value, WithinRel(12 / 0.35));
  CHECK_THAT(quotient.low, WithinRel(11.95 / 0.355));
  CHECK_THAT(quotient.high, WithinRel(12.05 / 0.345));
  CHECK(quotient.arithmetic == "12/0.35");
  CHECK(recomputed("100*" + gpu + "/" + cpu, "2.9", "0.05").agrees);
  CHECK(recomputed(cpu + "-" + gpu, "11.65", "0.005").agrees);
}

TEST_CASE("a derived cell that does not follow from the printed ones is found") {
  CHECK(!recomputed(cpu + "/" + gpu, "43.3", "0.05").agrees);
  CHECK(!recomputed("100*" + gpu + "/" + cpu, "3.1", "0.05").agrees);
  CHECK(!recomputed("log(" + cpu + "-100)", "1", "0.5").agrees);  // NaN
}

TEST_CASE("rounding is allowed for to its very edge and no further") {
  // From 11.95 / 0.355 = 33.66 to 12.05 / 0.345 = 34.93.
  CHECK(recomputed(cpu + "/" + gpu, "33.62", "0.05").agrees);
  CHECK(!recomputed(cpu + "/" + gpu, "33.60", "0.05").agrees);
  CHECK(recomputed(cpu + "/" + gpu, "34.97", "0.05").agrees);
  CHECK(!recomputed(cpu + "/" + gpu, "34.99", "0.05").agrees);
}

TEST_CASE("a cell that stands twice in a quantity is rounded once") {
  const auto one = recomputed(cpu + "/" + cpu, "1", "0");

  CHECK(one.low == 1);
  CHECK(one.high == 1);
  CHECK(one.agrees);
}

TEST_CASE("half a unit of the last digit is read off a number's text") {
  CHECK_THAT(half_unit_of("78.74"), WithinRel(0.005));
  CHECK_THAT(half_unit_of("12.0"), WithinRel(0.05));
  CHECK_THAT(half_unit_of("4480"), WithinRel(0.5));
  CHECK_THAT(half_unit_of("9e-3"), WithinRel(0.5e-3));
  CHECK_THAT(half_unit_of("1.58e-2"), WithinRel(0.5e-4));
  CHECK_THAT(half_unit_of("2.5E+3"), WithinRel(50.0));
}

TEST_CASE("a malformed derived cell is refused with its file and line") {
  const auto refused = [](const std::string& line, const char* expected) {
    const auto text = complaint_of<bad_input>([&] { cells_in(line + "\n"); });
    CHECK_THAT(text, ContainsSubstring("jacobi.csv, line 2"));
    CHECK_THAT(text, ContainsSubstring(expected));
  };

  refused("c,,1,,0.5,", "no printed number");
  refused("c,,1,1,,", "no rounding");
  refused("c,,1,1,-1,", "no rounding");
  refused("c,,{gpu@8x8},1,0.5,", "needs source=published");
  refused("c,,1+,1,0.5,", "is no expression");
  refused(",,1,1,0.5,", "not a new one");
}

TEST_CASE("a derived cell of no printed row, or of several, is refused") {
  const auto refusal = [](const std::string& quantity) {
    return complaint_of<bad_input>([&] { recomputed(quantity, "1", "0.5"); });
  };

  CHECK_THAT(refusal("{gpu@9x9,source=published}"),
             ContainsSubstring("line 2: {gpu@9x9,source=published} selects 0"));
  CHECK_THAT(refusal("max({*@8x8,source=published})"), ContainsSubstring("selects 2 published rows"));
}
