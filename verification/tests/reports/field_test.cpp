// SPDX-License-Identifier: MIT
// Tests fields: their files, and how they are thinned.
#include "reports/store/field.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "reports/store/files.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_field.hpp"
#include "verification/tests/support/made_up_run.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;

field small_field() {
  field f{"curvature/fig1", "curvature/cpu", "cpu", "double", "3x2", "evolution=mean, \"Neumann\"",
          "t=0.025"};
  f.nx = 3;
  f.ny = 2;
  f.x0 = -1;
  f.x1 = 1.5;
  f.y0 = 0;
  f.y1 = 0.1;
  f.values = {1, -0.123456, 1e-20, 3, 123456, 0};
  return f;
}

const std::string small_text =
    "experiment,variant,device,precision,size,parameter,name,nx,ny,x0,x1,y0,y1\n"
    "curvature/fig1,curvature/cpu,cpu,double,3x2,\"evolution=mean, "
    "\"\"Neumann\"\"\",t=0.025,3,2,-1,1.5,0,0.1\n"
    "1,-0.12346,1e-20\n"
    "3,1.2346e+05,0\n";

std::string with(const std::string& old_part, const std::string& new_part) {
  auto text = small_text;
  return text.replace(text.find(old_part), old_part.size(), new_part);
}

std::string complaint_about_text(const std::string& text) {
  return complaint_of<bad_input>([&] { parse_field("some/field.csv", text); });
}

}  // namespace

TEST_CASE("a field's file says what it is and has five digits of each value") {
  CHECK(to_csv(small_field()) == small_text);
}

TEST_CASE("a field reads back as it was written") {
  const auto f = parse_field("f.csv", small_text);

  CHECK(f.experiment == "curvature/fig1");
  CHECK(f.variant == "curvature/cpu");
  CHECK(f.device == "cpu");
  CHECK(f.precision == "double");
  CHECK(f.size == "3x2");
  CHECK(f.parameter == "evolution=mean, \"Neumann\"");
  CHECK(f.name == "t=0.025");
  CHECK(f.nx == 3);
  CHECK(f.ny == 2);
  CHECK(std::vector{f.x0, f.x1, f.y0, f.y1} == std::vector{-1.0, 1.5, 0.0, 0.1});
  CHECK(f.values == std::vector{1.0, -0.12346, 1e-20, 3.0, 123460.0, 0.0});
  CHECK(to_csv(f) == small_text);
}

TEST_CASE("a broken field is refused with its file and line") {
  const auto refused = [](const std::string& text, const char* line, const char* expected) {
    const auto complaint = complaint_about_text(text);
    CHECK_THAT(complaint, ContainsSubstring("some/field.csv"));
    CHECK_THAT(complaint, ContainsSubstring(line));
    CHECK_THAT(complaint, ContainsSubstring(expected));
    CHECK(complaint.find('\n') == std::string::npos);
  };

  refused("", "some/field.csv", "Correct the line or restore the file");
  refused(with("parameter,", "colour,"), "some/field.csv", "colour");
  refused(small_text.substr(0, small_text.find('\n') + 1), "line 2", "does not say what the field is");
  refused(with(",3,2,", ",3,3,"), "line 5", "2 lines of values where ny is 3");
  refused(with(",3,2,", ",3,1,"), "line 2", "no extent");
  refused(with(",3,2,", ",3,0,"), "line 2", "ny is 0, not between 1 and 1025");
  refused(with(",3,2,", ",1,2,"), "line 2", "nx is 1, not between 2 and 1025");
  refused(with(",3,2,-1", ",4,2,-1"), "line 3", "3 values where nx is 4");
  refused(with(",3,2,-1", ",1026,2,-1"), "line 2", "nx is 1026, not between 2 and 1025");
  refused(with(",3,2,-1", ",-3,2,-1"), "line 2", "nx is -3");
  refused(with(",3,2,-1", ",3000000000,2,-1"), "line 2", "is not a number");
  refused(with(",-1,1.5,", ",2,1.5,"), "line 2", "no extent");
  refused(with(",-1,1.5,", ",,1.5,"), "line 2", "no extent");
  refused(with(",-1,1.5,", ",-1,inf,"), "line 2", "no extent");
  refused(with("1e-20", "many"), "line 3", "value 3 is no finite number");
  refused(with("1e-20", "nan"), "line 3", "value 3 is no finite number");
  refused(with("1e-20", ""), "line 3", "value 3 is no finite number");
  refused(with("3,1.2346e+05", "3,1e999"), "line 4", "value 2 is no finite number");
  refused(small_text + "1,2,3\n", "line 5", "one more than ny, 2, says");
}

TEST_CASE("a field with a flaw is not written") {
  auto f = small_field();
  CHECK(flaw_of(f).empty());

  SECTION("values missing") {
    f.values.pop_back();
    CHECK(flaw_of(f) == "it has 5 values at 3 by 2 nodes");
  }
  SECTION("one node a line") {
    f.nx = 1;
    CHECK(flaw_of(f) == "it has 1 by 2 nodes, and needs two a side");
  }
  SECTION("one line of nodes with an extent") {
    f.ny = 1;
    f.values.resize(3);
    CHECK(flaw_of(f) == "it has no extent");
  }
  SECTION("no extent") {
    f.y1 = f.y0;
    CHECK(flaw_of(f) == "it has no extent");
  }
  SECTION("not a number") {
    f.values[1] = no_value;
    CHECK(flaw_of(f) == "its value 1 is nan");
  }
  SECTION("so large that its five digits are none") {
    f.values[1] = -std::numeric_limits<double>::max();
    CHECK_FALSE(flaw_of(f).empty());
  }

  CHECK_THROWS_AS(to_csv(f), error);
}

TEST_CASE("a thinned field keeps both ends where every k-th node allows it") {
  const auto f = field_of(a_row("fig1", "a", "cpu", "", 1), "z", 129, 257);

  const auto thin = thinned(f);

  CHECK(thin.nx == 65);
  CHECK(thin.ny == 65);  // every third of 256 cells would miss the end, every fourth does not
  CHECK(thin.x1 == f.x1);
  CHECK(thin.y1 == f.y1);
  CHECK(thin.values.size() == 65 * 65);
  CHECK(thin.values.back() == f.values.back());
  CHECK(thin.values[1] == f.values[2]);
  CHECK(thin.values[65] == f.values[4 * 129]);
  CHECK(same_case(thin, a_row("fig1", "a", "cpu", "", 1)));
}

TEST_CASE("a field whose cells no k divides ends at the last node kept") {
  const auto f = field_of(a_row("fig1", "a", "cpu", "", 1), "z", 384, 97);

  const auto thin = thinned(f);

  CHECK(thin.nx == 96);  // nodes 0, 4, ..., 380 of 0 to 383
  CHECK(thin.x1 == -4 + 8.0 * 380 / 383);
  CHECK(thin.values[95] == f.values[380]);
  CHECK(thin.ny == 97);
  CHECK(thin.y1 == f.y1);
}

TEST_CASE("no field is more than 97 nodes a side once thinned, and none loses a side") {
  for (int n = 2; n <= 3000; ++n) {
    field f;
    f.nx = n;
    f.ny = 2;
    f.x1 = f.y1 = 1;
    f.values.assign(2 * static_cast<std::size_t>(n), 1);
    const auto thin = thinned(f);
    INFO(n << " nodes");
    REQUIRE(thin.nx <= 97);
    REQUIRE(thin.nx >= std::min(n, 49));
    REQUIRE(flaw_of(thin).empty());
  }
}

TEST_CASE("a field's file has a name that is safe and its own") {
  auto f = small_field();
  const auto name = file_name_of(f);
  CHECK(name ==
        "curvature_fig1_curvature_cpu_cpu_double_3x2_evolution_mean___Neumann__-ae419425c856296d.csv");
  CHECK(safe_name(name) == name);
  CHECK(file_name_of(parse_field("f.csv", to_csv(f))) == name);

  f.name = "t_0.025";  // has the same safe name
  CHECK(file_name_of(f) != name);

  f.experiment = "../../../etc/passwd";
  f.name.assign(1000, 'n').append("\n/\0x", 4);
  const auto hostile = file_name_of(f);
  CHECK(hostile.starts_with("_._.._.._etc_passwd"));
  CHECK(safe_name(hostile) == hostile);
  CHECK(hostile.size() <= 100);
}

TEST_CASE("a profile has one line of values and is thinned less than a map") {
  field profile = field_of(measured_row("jacobi/v", "8x8", "", "m", 1), "C", 900, 2);
  profile.ny = 1;
  profile.y1 = profile.y0;
  profile.values.resize(900);
  CHECK(flaw_of(profile).empty());
  CHECK(thinned(profile).nx == 900);
  const auto back = parse_field("f.csv", to_csv(profile));
  CHECK(back.ny == 1);
  CHECK(back.values.size() == 900);
  profile.y1 = profile.y0 + 1;
  CHECK_FALSE(flaw_of(profile).empty());
}

TEST_CASE("arrays are written as NumPy reads them") {
  const auto bytes = to_npy({{2, 3}, {1, 2, 3, 4, 5, 6}});
  REQUIRE(bytes.size() == 128 + 6 * sizeof(double));
  CHECK(bytes.substr(1, 5) == "NUMPY");
  CHECK(bytes.find("'shape': (2, 3)") != std::string::npos);
  CHECK(bytes[127] == '\n');
  double last = 0;
  std::memcpy(&last, bytes.data() + bytes.size() - sizeof(double), sizeof(double));
  CHECK(last == 6);
  CHECK(to_npy({{3}, {1, 2, 3}}).find("(3,)") != std::string::npos);
  CHECK_THROWS_AS(to_npy({{2, 2}, {1}}), error);
}
