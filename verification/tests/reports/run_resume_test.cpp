// SPDX-License-Identifier: MIT
// Tests a run that was killed or met a full disk: what is left is valid and can be continued.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "reports/store/run.hpp"
#include "reports/store/run_folder.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

// Starts a child process that appends cases until it is killed.
pid_t start_writer(const fs::path& folder) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    auto open = run_folder::resume(folder);
    for (auto next = open.rows().size();; ++next) append_with_field(open, std::to_string(next), 1);
  } catch (...) {
    std::_Exit(1);
  }
}

// Appends these rows in a child process that is killed when a file exceeds `last_byte` bytes.
void append_and_die(const fs::path& folder, const std::vector<row>& rows, std::size_t last_byte) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{last_byte, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_DFL);
    try {
      run_folder::resume(folder).append(rows, samples_of(rows.front()));
    } catch (...) {
    }
    std::_Exit(1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE((WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ));
}

// While one of these exists, no file may grow beyond this size, as on a full disk.
class full_disk {
 public:
  explicit full_disk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  full_disk(const full_disk&) = delete;
  full_disk& operator=(const full_disk&) = delete;
  ~full_disk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

// Makes run.json announce these lines of rows, as an append does before it writes them.
void announce(const fs::path& run, const std::string& lines) {
  const auto after = text_in(run / "rows.csv") + lines;
  edit_description(run, "/files/rows.csv/announced", after.size());
  edit_description(run, "/files/rows.csv/announced_sha256", hash_of(after));
}

std::vector<row> rows_of_sizes(int count) {
  std::vector<row> rows;
  for (int i = 0; i < count; ++i) rows.push_back(timed_row(std::to_string(100 + i), 2));
  return rows;
}

}  // namespace

TEST_CASE("rows that a kill left in a run of the first schema are kept, at whatever byte it came") {
  const temporary_folder folder;
  make_run(folder / "run");
  const auto recorded = text_in(folder / "run/rows.csv");
  const auto third = to_csv(std::vector{timed_row("513x1024", 0.75)});
  const auto fourth = to_csv(std::vector{timed_row("516x1024", 1)});
  for (const char* size : {"513x1024", "516x1024"})
    put_at_end(folder / "run/samples.csv", to_csv(samples_of(timed_row(size, size[2] == '3' ? 0.75 : 1))));

  make_unsealed(folder / "run");
  for (std::size_t length = 0; length <= fourth.size(); ++length) {
    put(folder / "run/rows.csv", recorded + third + fourth.substr(0, length));
    const auto r = read_run(folder / "run");
    INFO("killed after " << length << " bytes");
    REQUIRE(r.rows.size() == (length == fourth.size() ? 4 : 3));
    REQUIRE(r.rows[2].size == "513x1024");
    const bool is_cut = length > 0 && length < fourth.size();
    REQUIRE(r.warnings == (is_cut ? std::vector<std::string>{"interrupted: the last line of rows.csv was "
                                                             "incomplete and is left out"}
                                  : std::vector<std::string>{}));
  }
}

TEST_CASE("a broken whole line beyond the record is refused") {
  const temporary_folder folder;
  make_run(folder / "run");
  make_unsealed(folder / "run");
  put_at_end(folder / "run/rows.csv", "a,b,c\n");

  CHECK_THAT(complaint_about(folder / "run"), ContainsSubstring("Too few columns in line 4"));
}

TEST_CASE("a resumed run keeps every whole row, drops half a line and goes on") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_run(run);
  {
    auto open = run_folder::resume(run);
    append(open, "513x1024", 0.75);
    auto next = timed_row("514x1024", 1);
    announce(run, to_csv(std::vector{next}));
  }
  put_at_end(run / "samples.csv", "a,jac");
  put_at_end(run / "rows.csv", "a,jacobi/table1,jaco");
  {
    auto open = run_folder::resume(run);
    CHECK(open.rows().size() == 3);
    CHECK(open.description() == run_description);
    append(open, "516x1024", 1);
    CHECK(open.rows().size() == 4);
  }

  const auto r = read_run(run);

  REQUIRE(r.rows.size() == 4);
  CHECK(r.rows[2].size == "513x1024");
  CHECK(r.rows[3].size == "516x1024");
  CHECK(r.samples.size() == 8);
  CHECK(r.warnings.empty());
}

TEST_CASE("a case whose rows were written in part is not there, at whatever byte the kill came") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_run(run);
  auto first = timed_row("8x8", 1);
  first.samples = 1;
  first.reason = std::string(3000, 'x');  // makes rows.csv the longest file, which meets the limit first
  run_folder::resume(run).append(std::vector{first}, {});
  auto second = timed_row("9x9", 1);
  auto third = second;
  third.metric = "max_relative_error";
  third.unit = "1";
  const auto before = text_in(run / "rows.csv").size();
  const auto whole = to_csv(std::vector{second, third}).size();

  for (std::size_t written = 1; written < whole; written += 5) {
    append_and_die(run, {second, third}, before + written);
    INFO(written << " bytes of " << whole);
    REQUIRE(text_in(run / "rows.csv").size() == before + written);
    const auto left = read_run(run);
    REQUIRE(left.rows.size() == 3);
    REQUIRE(left.warnings == std::vector<std::string>{
                                 "interrupted: the last case in rows.csv was incomplete and is left out"});
  }
  run_folder::resume(run).append(std::vector{second, third}, samples_of(second));
  const auto r = read_run(run);
  CHECK(r.rows.size() == 5);
  CHECK(r.samples.size() == 6);
  CHECK(r.warnings.empty());
}

TEST_CASE(
    "a run that was killed before it began can be started again, and nobody else's file is overwritten") {
  const temporary_folder folder;
  const auto run = folder / "run";
  fs::create_directory(run);
  put(run / ".lock", "");
  put(run / "rows.csv", row_header());
  put(run / "samples.csv", sample_header().substr(0, 9));
  put(run / "run.json.tmp", "{");
  const auto why_not = [&] {
    return complaint_of<bad_input>([&] { run_folder::create(run, run_description); });
  };

  SECTION("only what the start left is there") {
    CHECK(why_not().empty());
    CHECK(read_run(run).rows.empty());
    auto open = run_folder::resume(run);
    append_with_field(open, "8x8", 1);
    CHECK(read_run(run).rows.size() == 1);
  }
  SECTION("with rows") {
    put_at_end(run / "rows.csv", to_csv(std::vector{timed_row("8x8", 1)}));
    CHECK_THAT(why_not(), ContainsSubstring("is not empty"));
    CHECK(text_in(run / "rows.csv").size() > row_header().size());
  }
  SECTION("with a link to another folder's file") {
    put(folder / "other", "mine");
    fs::remove(run / "rows.csv");
    fs::create_symlink(folder / "other", run / "rows.csv");
    CHECK_THAT(why_not(), ContainsSubstring("is not empty"));
    CHECK(text_in(folder / "other") == "mine");
  }
}

TEST_CASE("samples whose rows were never written do not stay") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_run(run);
  put_at_end(run / "samples.csv", to_csv(samples_of(timed_row("513x1024", 0.75))));
  {
    auto open = run_folder::resume(run);
    CHECK(open.rows().size() == 2);
    append(open, "513x1024", 0.7);
  }

  const auto r = read_run(run);

  CHECK(r.rows.size() == 3);
  CHECK(r.samples.size() == 6);
  CHECK(r.samples.back().value == 0.7);
}

TEST_CASE("a field whose rows were never written does not count, and its file is written anew") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_run(run);
  const auto rows = text_in(run / "rows.csv");
  const auto samples = text_in(run / "samples.csv");
  const auto description = text_in(run / "run.json");
  const auto files = nlohmann::json::parse(description)["files"];
  {
    auto open = run_folder::resume(run);
    append_with_field(open, "513x1024", 0.75);
  }
  REQUIRE(read_run(run).fields.size() == 1);
  put(run / "rows.csv", rows);

  SECTION("killed before run.json knew of it") {
    put(run / "samples.csv", samples);
    put(run / "run.json", description);
    put(run / "fields/half.csv.tmp", "experiment,var");
  }
  SECTION("killed before the samples") {
    put(run / "samples.csv", samples);
    auto document = nlohmann::json::parse(text_in(run / "run.json"));
    document["files"].update(files);
    put(run / "run.json", document.dump());
  }
  SECTION("killed before the rows") {
    auto document = nlohmann::json::parse(text_in(run / "run.json"));
    document["files"].update(files);
    put(run / "run.json", document.dump());
  }

  CHECK(read_run(run).fields.empty());
  {
    auto open = run_folder::resume(run);
    CHECK(open.rows().size() == 2);
    CHECK(nlohmann::json::parse(text_in(run / "run.json"))["files"].size() == 2);
    append_with_field(open, "513x1024", 0.7, 9);
  }
  const auto r = read_run(run);
  CHECK(r.rows.size() == 3);
  CHECK(r.samples.size() == 6);
  REQUIRE(r.fields.size() == 1);
  CHECK(r.fields[0].nx == 9);
}

TEST_CASE("no row is written before run.json knows of its fields") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_run(run);
  auto open = run_folder::resume(run);
  const auto rows = text_in(run / "rows.csv");
  fs::create_directory(run / "run.json.tmp");  // blocks the next replacement of run.json

  CHECK_THROWS_AS(append_with_field(open, "513x1024", 1), error);

  CHECK(text_in(run / "rows.csv") == rows);
  fs::remove(run / "run.json.tmp");
  append_with_field(open, "513x1024", 1);
  CHECK(read_run(run).fields.size() == 1);
}

TEST_CASE("a resumed run keeps its fields") {
  const temporary_folder folder;
  const auto run = folder / "run";
  {
    auto open = run_folder::create(run, run_description);
    append_with_field(open, "8x8", 1);
  }
  {
    auto open = run_folder::resume(run);
    append_with_field(open, "9x9", 1);
    const auto known = timed_row("8x8", 1);
    CHECK_THROWS_AS(open.append(std::vector{known}, {}, std::vector{field_of(known, "t=1", 5, 5)}), error);
  }

  CHECK(read_run(run).fields.size() == 2);
}

TEST_CASE("a run survives being killed again and again") {
  const temporary_folder folder;
  const auto run = folder / "run";
  run_folder::create(run, run_description);
  std::size_t known = 0;

  // Uses longer lives if the disk is so slow that nothing is written in short ones.
  for (useconds_t lifetime = 1000; lifetime < 40000 || (known == 0 && lifetime < 1000000); lifetime += 1500) {
    const pid_t writer = start_writer(run);
    ::usleep(lifetime);
    ::kill(writer, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(writer, &status, 0) == writer);
    REQUIRE(WIFSIGNALED(status));

    const auto r = read_run(run);
    REQUIRE(r.rows.size() >= known);
    REQUIRE(r.samples.size() >= 2 * r.rows.size());
    REQUIRE(r.fields.size() == r.rows.size());
    known = r.rows.size();
    for (std::size_t i = 0; i < known; ++i) REQUIRE(r.rows[i].size == std::to_string(i));
  }

  CHECK(known > 0);
  const auto rows = run_folder::resume(run).rows().size();
  CHECK(read_run(run).samples.size() == 2 * rows);
}

TEST_CASE("rows that a kill left beyond the record count only if run.json announced exactly these") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_run(run);
  const auto next = to_csv(std::vector{timed_row("513x1024", 0.75)});
  const auto other = to_csv(std::vector{timed_row("513x1024", 0.25)});

  SECTION("announced and whole") {
    announce(run, next);
    put_at_end(run / "rows.csv", next);
    put_at_end(run / "samples.csv", to_csv(samples_of(timed_row("513x1024", 0.75))));
    CHECK(read_run(run).rows.size() == 3);
    CHECK(run_folder::resume(run).rows().size() == 3);
  }
  SECTION("other rows than the announced ones") {
    announce(run, next);
    put_at_end(run / "rows.csv", other);
    CHECK_THAT(complaint_about(run), ContainsSubstring("something was appended to it"));
  }
  SECTION("nothing announced") {
    put_at_end(run / "rows.csv", next);
    CHECK_THAT(complaint_about(run), ContainsSubstring("something was appended to it"));
  }
  CHECK_THAT(complaint_about(run), !ContainsSubstring("\n"));
}

TEST_CASE("an interrupted run of the first schema is not continued, and so never gets a seal") {
  const temporary_folder folder;
  make_run(folder / "run");
  make_unsealed(folder / "run");

  const auto why = complaint_of<bad_input>([&] { run_folder::resume(folder / "run"); });

  CHECK_THAT(why, ContainsSubstring("was begun by an older program (schema 1)"));
  CHECK(read_run(folder / "run").rows.size() == 2);
}

TEST_CASE("a damaged run is not resumed, and stays as it is") {
  const temporary_folder folder;
  make_run(folder / "run");
  auto rows = text_in(folder / "run/rows.csv");
  rows.back() = ' ';
  put(folder / "run/rows.csv", rows);

  CHECK_THROWS_AS(run_folder::resume(folder / "run"), bad_input);
  CHECK(text_in(folder / "run/rows.csv") == rows);
}

TEST_CASE("a full disk costs the case that met it and nothing else") {
  const temporary_folder folder;
  auto open = run_folder::create(folder / "run", run_description);
  append(open, "8x8", 1);
  const auto before = text_in(folder / "run/rows.csv");
  const auto samples_before = text_in(folder / "run/samples.csv");
  std::string message;

  SECTION("while a field is written") {
    const full_disk until_here(20000);
    message = complaint_of<bad_input>([&] { append_with_field(open, "10x10", 2, 97); });
    CHECK_THAT(message, ContainsSubstring("fields/jacobi_table1"));
  }
  SECTION("while rows are written after a field") {
    const auto many = rows_of_sizes(50);
    const full_disk until_here(before.size() + 2000);
    message = complaint_of<bad_input>([&] {
      open.append(many, samples_of(many.front()), std::vector{field_of(many.front(), "t=1", 5, 5)});
    });
    CHECK_THAT(message, ContainsSubstring("rows.csv"));
    CHECK(read_run(folder / "run").fields.empty());
  }
  SECTION("while samples are written") {
    const full_disk until_here(samples_before.size() + 20);
    message = complaint_of<bad_input>([&] { append(open, "9x9", 2); });
    CHECK_THAT(message, ContainsSubstring("samples.csv"));
  }
  SECTION("while rows are written") {
    const auto many = rows_of_sizes(50);
    const full_disk until_here(before.size() + 2000);
    message = complaint_of<bad_input>([&] { open.append(many, samples_of(many.front())); });
    CHECK_THAT(message, ContainsSubstring("rows.csv"));
  }

  CHECK_THAT(message, ContainsSubstring("free space") && !ContainsSubstring(".cpp:"));
  CHECK_THAT(message, ContainsSubstring("EFBIG, File too large"));
  CHECK(text_in(folder / "run/rows.csv") == before);
  CHECK(text_in(folder / "run/samples.csv") == samples_before);
  CHECK(open.rows().size() == 1);
  append_with_field(open, "10x10", 3);
  const auto r = read_run(folder / "run");
  CHECK(r.rows.size() == 2);
  CHECK(r.samples.size() == 4);
  CHECK(r.fields.size() == 1);
}

TEST_CASE("a row with a status that no reader knows is not written") {
  const temporary_folder folder;
  auto open = run_folder::create(folder / "run", run_description);
  auto r = timed_row("8x8", 1);
  r.status = "fine";

  CHECK_THROWS_AS(open.append(std::vector{r}, {}), error);
  CHECK(read_run(folder / "run").rows.empty());
}
