// SPDX-License-Identifier: MIT
// Tests figures of fields: which fields they show, in which order, and what they say if there are none.
#include "reports/page/field_figure.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_field.hpp"
#include "verification/tests/support/made_up_run.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using texts = std::vector<std::string>;

layout fields_layout(const texts& names) {
  layout l;
  l.id = "jacobi/fig1";
  l.title = "Figure 1";
  l.shape = layout::kind::fields;
  l.columns = names;
  return l;
}

field_figure made(const layout& l, const std::vector<run>& runs) {
  return make_field_figure(l, shown_rows({}, runs), runs);
}

}  // namespace

TEST_CASE("a figure of fields has a line for each case, in the order of devices") {
  const auto on_cpu = a_row("fig1", "openmp", "cpu", "5x5", 1);
  const auto on_gpu = a_row("fig1", "cuda", "cuda:0", "5x5", 1);
  auto r = a_run({on_cpu, with_metric(on_cpu, "steps", "1"), on_gpu});
  r.fields = {field_of(on_cpu, "t=1", 5, 5), field_of(on_cpu, "t=0", 5, 5), field_of(on_gpu, "t=1", 5, 5)};

  const auto f = made(fields_layout({"t=0", "t=1"}), {r});

  CHECK(f.has_surfaces);
  CHECK(f.names == texts{"t=0", "t=1"});
  CHECK(f.reason.empty());
  CHECK(f.left_out.empty());
  REQUIRE(f.lines.size() == 2);
  CHECK(f.lines[0].label == "NVIDIA H200, cuda");
  CHECK_FALSE(f.lines[0].panels[0].has_value());
  REQUIRE(f.lines[0].panels[1].has_value());
  CHECK(f.lines[1].label == "EPYC, openmp");
  CHECK(f.lines[1].panels[0]->name == "t=0");
  CHECK(f.lines[1].panels[1]->name == "t=1");
}

TEST_CASE("the data of a figure of fields names the file of each panel drawn") {
  const auto on_gpu = a_row("fig1", "cuda", "cuda:0", "5x5", 1);
  auto r = a_run({on_gpu});
  r.fields = {field_of(on_gpu, "t=1", 5, 5)};

  const auto text = to_csv(made(fields_layout({"t=0", "t=1"}), {r}), {"my_run"});

  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK(text.find("t=1") != std::string::npos);
  CHECK(text.find("rows/my_run/fields/" + file_name_of(r.fields[0])) != std::string::npos);
}

TEST_CASE("a figure of fields shows two lines and names those beyond") {
  run r = a_run({});
  for (const auto* parameter : {"h=1", "h=2", "h=3"}) {
    r.rows.push_back(a_row("fig1", "openmp", "cpu", "5x5", 1));
    r.rows.back().parameter = parameter;
    r.fields.push_back(field_of(r.rows.back(), "z", 5, 5));
  }

  const auto f = made(fields_layout({"z"}), {r});

  REQUIRE(f.lines.size() == 2);
  CHECK(f.lines[1].label == "EPYC, openmp, h=2");
  CHECK(f.left_out == texts{"EPYC, openmp, h=3"});
}

TEST_CASE("a figure of fields may join the cases of a variant into panels") {
  auto karma = a_row("fig1", "cuda", "cuda:0", "5x5", 1);
  karma.parameter = "model=karma";
  auto other = a_row("fig1", "cuda", "cuda:0", "7x7", 1);
  other.parameter = "model=other";
  auto lone = a_row("fig1", "openmp", "cpu", "5x5", 1);
  lone.parameter = "model=karma";
  auto r = a_run({lone, karma, other});
  r.fields = {field_of(lone, "u", 5, 5), field_of(karma, "u", 5, 5), field_of(other, "u", 7, 7)};
  auto shape = fields_layout({"u"});
  shape.panel_by = "model";

  const auto f = made(shape, {r});

  CHECK(f.names == texts{"karma", "other"});
  REQUIRE(f.lines.size() == 2);
  CHECK(f.lines[0].label == "NVIDIA H200, cuda");
  CHECK(f.lines[0].panels[1]->nx == 7);
  CHECK_FALSE(f.lines[1].panels[1].has_value());
}

TEST_CASE("a figure without fields says why") {
  const auto row = a_row("fig1", "openmp", "cpu", "5x5", 1);
  const auto why = [&](const run& r) {
    const auto f = made(fields_layout({"z"}), {r});
    CHECK(f.lines.empty());
    return f.reason;
  };

  CHECK(why(a_run({})).empty());
  CHECK(why(a_run({row})) == "its cases ran without recording a field");
  CHECK(why(a_run({without_value(row, "skipped", "no GPU"), without_value(row, "skipped", "no GPU"),
                   without_value(row, "failed", "error 3")})) == "no GPU; error 3");

  auto wrong = a_run({row, without_value(with_metric(row, "error", "1"), "failed", "error 3")});
  wrong.fields = {field_of(row, "z", 5, 5)};
  CHECK(why(wrong) == "error 3");

  auto unnamed = a_run({row});
  unnamed.fields = {field_of(row, "other", 5, 5)};
  CHECK(why(unnamed) == "its cases ran without recording a field");
}

TEST_CASE("a layout of fields names them") {
  CHECK_THROWS_AS(made(fields_layout({}), {}), error);
}

TEST_CASE("the final state of a case that is no figure of fields is shown once for its paper") {
  const auto timed = a_row("table1", "openmp", "cpu", "5x5", 1);
  const auto other = a_row("table1", "cuda", "cuda:0", "5x5", 1);
  auto r = a_run({timed, other});
  r.fields = {field_of(timed, "x", 5, 5), field_of(other, "x", 5, 5)};
  const family_layout jacobi{"jacobi", "A paper", {fields_layout({"x"}), table1()}};
  const std::vector runs{r};

  const auto f = make_final_state(jacobi, shown_rows({}, runs), runs);

  REQUIRE(f.has_value());
  CHECK(f->id == "jacobi/final_state");
  CHECK(f->names == texts{"x"});
  CHECK(f->lines.size() == 1);
  CHECK_FALSE(f->has_surfaces);

  const std::vector without{a_run({timed})};
  CHECK_FALSE(make_final_state(jacobi, shown_rows({}, without), without).has_value());
}
