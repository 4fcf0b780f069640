// SPDX-License-Identifier: MIT
// Recorded times of which too many samples were left out.
#include "reports/store/left_out.hpp"

#include "verification/tests/support/measured_rows.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;

namespace {

row a_time(const std::string& reason, const std::string& size = "8x8") {
  row r = measured_row("jacobi/openmp", size, "", "time_1000_sweeps", 2);
  r.unit = "s";
  r.reason = reason;
  return r;
}

row after_marking(const std::string& reason) {
  std::vector<row> rows{a_time(reason)};
  mark_too_many_left_out(rows);
  return rows.front();
}

}  // namespace

TEST_CASE("a recorded time is disturbed if more than three fifths of its samples were left out") {
  CHECK(after_marking("scaled to 1000; 12 of 20 samples left out: the program was stopped").status == "ok");
  const row marked = after_marking("scaled to 1000; 13 of 20 samples left out: the program was stopped; x");
  CHECK(marked.status == "disturbed");
  CHECK(marked.reason ==
        "disturbed: 13 of 20 samples left out; scaled to 1000; 13 of 20 samples left out: the program was "
        "stopped; x");
  CHECK(marked.value == 2);
  CHECK(after_marking(left_out_note(9, 10, "steal")).status == "disturbed");
  CHECK(after_marking(
            "350 samples left out: this program took 2 times as long; 9 of 10 samples left out: steal")
            .status == "disturbed");
}

TEST_CASE("other reasons with numbers are no note of samples left out") {
  for (const char* reason :
       {"", " samples left out: ", "20 samples left out: this program took 2 times as long",
        "13 of samples left out: x", "x of 20 samples left out: x", "13 of 20 times samples left out: x",
        "99999999999999999999999 of 20 samples left out: x", "13 of 20 samples were good"})
    CHECK(after_marking(reason).status == "ok");
}

TEST_CASE("a disturbance that was only noted on purpose stays a note") {
  CHECK(after_marking("disturbed: 19 of 20 samples left out: the program was stopped").status == "ok");
}

TEST_CASE(
    "too many samples left out falsify all times of the case, and neither its answers nor other cases") {
  row rate = a_time(""), error = a_time("");
  rate.metric = "gflops";
  rate.unit = "GFLOP/s";
  error.metric = "error";
  error.unit = "1";
  std::vector<row> rows{a_time("19 of 20 samples left out: steal"), rate, error, a_time("", "9x9")};
  mark_too_many_left_out(rows);
  CHECK(rows[0].status == "disturbed");
  CHECK(rows[1].status == "disturbed");
  CHECK(rows[2].status == "ok");
  CHECK(rows[3].status == "ok");
}
