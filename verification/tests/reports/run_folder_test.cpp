// SPDX-License-Identifier: MIT
// Tests a run's folder: its files, and which damage is found.
#include "reports/store/run_folder.hpp"
#include "reports/store/run.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <string>

#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

}  // namespace

TEST_CASE("the files of a run look as schema 2 says") {
  const temporary_folder folder;
  make_run(folder / "run");

  CHECK(
      text_in(folder / "run/rows.csv") ==
      "run,experiment,variant,device,precision,size,parameter,metric,value,unit,q1,q3,samples,status,reason\n"
      "a,jacobi/table1,jacobi/cuda_2d,cuda:0,single,508x1024,,time_1000_sweeps,0.5,s,0.5,0.5,2,ok,\n"
      "a,jacobi/table1,jacobi/cuda_2d,cuda:0,single,512x1024,,time_1000_sweeps,0.25,s,0.25,0.25,2,ok,\n");
  CHECK(text_in(folder / "run/samples.csv") ==
        "run,experiment,variant,device,precision,size,parameter,metric,index,value\n"
        "a,jacobi/table1,jacobi/cuda_2d,cuda:0,single,508x1024,,time_1000_sweeps,0,0.5\n"
        "a,jacobi/table1,jacobi/cuda_2d,cuda:0,single,508x1024,,time_1000_sweeps,1,0.5\n"
        "a,jacobi/table1,jacobi/cuda_2d,cuda:0,single,512x1024,,time_1000_sweeps,0,0.25\n"
        "a,jacobi/table1,jacobi/cuda_2d,cuda:0,single,512x1024,,time_1000_sweeps,1,0.25\n");
  const auto document = nlohmann::json::parse(text_in(folder / "run/run.json"));
  const nlohmann::json expected = {
      {"schema", 2},
      {"name", "a"},
      {"host", "here"},
      {"devices", nlohmann::json::array()},
      {"files",
       {{"rows.csv",
         {{"bytes", 288}, {"sha256", "283b93fa0d2a28d90fd4a23b775229179c984aedf2590736e86a9b0f734e544a"}}},
        {"samples.csv",
         {{"bytes", 388}, {"sha256", "5f73e0435d18e22a880895280415c0666d91e7a2cd14da6453e473e99e99e3e2"}}}}}};
  CHECK(document == expected);
}

TEST_CASE("a run reads back with its run_description, rows and samples") {
  const temporary_folder folder;
  make_run(folder / "run");

  const auto r = read_run(folder / "run");

  CHECK(*r.description == run_description);
  CHECK(r.rows.size() == 2);
  CHECK(r.samples.size() == 4);
  CHECK(r.warnings.empty());
  CHECK(name_of(r) == "run");  // and not "a", the name of the folder in which it was written
}

TEST_CASE("a run is called like its folder") {
  const temporary_folder folder;
  run_folder::create(folder / "quick", nullptr);

  CHECK(name_of(read_run(folder / "quick")) == "quick");
  CHECK(name_of(read_run(folder / "quick/")) == "quick");
}

TEST_CASE("describing merges into the description and leaves rows and hashes valid") {
  const temporary_folder folder;
  {
    auto open =
        run_folder::create(folder / "run", {{"roofs", {{"cuda:0", 1}}}, {"old", true}, {"schema", 7}});
    append(open, "8x8", 1);
    open.describe({{"roofs", {{"cpu", 2}}}, {"old", nullptr}, {"schema", 9}, {"files", "none"}});
    CHECK_THROWS_AS(open.describe("text"), error);
  }

  const auto r = read_run(folder / "run");

  CHECK(*r.description == nlohmann::json{{"roofs", {{"cuda:0", 1}, {"cpu", 2}}}});
  CHECK(r.rows.size() == 1);
}

TEST_CASE("a device's name with broken bytes does not stop a run") {
  const temporary_folder folder;
  auto open = run_folder::create(folder / "run", {{"cpu", "Gr\xfc\xdf"}});

  append(open, "8x8", 1);

  CHECK(read_run(folder / "run").rows.size() == 1);
}

TEST_CASE("a new run needs a folder that is empty and can be written") {
  const temporary_folder folder;
  fs::create_directory(folder / "empty");
  put(folder / "file", "");
  fs::create_directory(folder / "full");
  put(folder / "full/letter", "");
  const auto why_not = [&](const char* name) {
    return complaint_of<bad_input>([&] { run_folder::create(folder / name, run_description); });
  };

  CHECK(why_not("empty").empty());
  CHECK(why_not("deep/er").empty());
  CHECK_THAT(why_not("file"), ContainsSubstring("cannot be made"));
  CHECK_THAT(why_not("file/below"), ContainsSubstring("cannot be made"));
  CHECK_THAT(why_not("full"), ContainsSubstring("is not empty"));
  CHECK_FALSE(fs::exists(folder / "full/.lock"));
  CHECK_THAT(why_not("empty"), ContainsSubstring("is not empty"));
}

TEST_CASE("a second writer is kept out until the first has gone") {
  const temporary_folder folder;
  {
    const auto first = run_folder::create(folder / "run", run_description);
    CHECK_THAT(complaint_of<bad_input>([&] { run_folder::resume(folder / "run"); }),
               ContainsSubstring("another process"));
  }
  CHECK_NOTHROW(run_folder::resume(folder / "run"));
}

TEST_CASE("rows.csv cut off at any byte is found") {
  const temporary_folder folder;
  make_run(folder / "run");
  const auto rows = text_in(folder / "run/rows.csv");

  for (std::size_t length = 0; length < rows.size(); ++length) {
    put(folder / "run/rows.csv", rows.substr(0, length));
    INFO("cut after " << length << " bytes");
    REQUIRE_THAT(complaint_about(folder / "run"), ContainsSubstring("rows.csv: is truncated"));
  }
}

TEST_CASE("one flipped bit anywhere in the rows or samples is found") {
  const temporary_folder folder;
  make_run(folder / "run");

  for (const auto* name : {"run/rows.csv", "run/samples.csv"}) {
    const auto good = text_in(folder / name);
    for (std::size_t i = 0; i < good.size(); ++i) {
      auto bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 1);
      put(folder / name, bad);
      INFO(name << ", byte " << i);
      REQUIRE_THAT(complaint_about(folder / "run"), ContainsSubstring("was changed after it was written"));
    }
    put(folder / name, good);
  }
  CHECK(complaint_about(folder / "run").empty());
}

TEST_CASE("a faster time written in by hand is found") {
  const temporary_folder folder;
  make_run(folder / "run");
  auto rows = text_in(folder / "run/rows.csv");
  put(folder / "run/rows.csv", rows.replace(rows.find(",0.5,"), 5, ",0.1,"));

  CHECK_THAT(complaint_about(folder / "run"),
             ContainsSubstring("rows.csv: was changed after it was written"));
}

namespace {

// Checks that reading the run ends with one line that contains the text.
void check_refused(const fs::path& run, const char* expected) {
  const auto text = complaint_about(run);
  CHECK_THAT(text, ContainsSubstring(expected));
  CHECK(text.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("a description that does not fit is refused in one line") {
  struct edit {
    const char* pointer;
    nlohmann::json value;
    const char* expected;
  };
  for (const edit& e :
       {edit{"/schema", 3, "schema 3 where this program reads 1 and 2"},
        {"/schema", "1", "has no \"schema\""},
        {"/name", 7, "\"name\" is not a text"},
        {"/devices", "cpu", "\"devices\" is not a list of devices"},
        {"/devices", {1}, "\"devices\" is not a list of devices"},
        {"/finished", true, "\"finished\" is not a text"},
        {"/request", "all", "\"request\" is not an object"},
        {"/request", {{"experiments", {1}}}, "\"experiments\" is not a list of texts"},
        {"/request", {{"preset", 1}}, "\"preset\" is not a text"},
        {"/request", {{"settings", {{"eps", "small"}}}}, "\"settings\" is not an object of numbers"},
        {"/files/rows.csv", 3, "does not say how long rows.csv is"},
        {"/files/rows.csv/bytes", -1, "does not say how long rows.csv is"},
        {"/files/rows.csv/bytes", 18446744073709551615U, "is truncated"},
        {"/files/rows.csv/sha256", 1, "was changed"}}) {
    INFO(e.pointer << " = " << e.value);
    const temporary_folder folder;
    make_run(folder / "run");
    edit_description(folder / "run", e.pointer, e.value);
    check_refused(folder / "run", e.expected);
  }
  for (const auto& [text, expected] : {std::pair<std::string, const char*>{"{}", "has no \"schema\""},
                                       {"{\"schema\": 1,\n", "is not JSON"},
                                       {"[1]", "has no \"schema\""},
                                       {std::string(100000, '['), "is nested more than"}}) {
    const temporary_folder folder;
    make_run(folder / "run");
    put(folder / "run/run.json", text);
    check_refused(folder / "run", expected);
  }
}

TEST_CASE("a run that lacks a file is refused in one line") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_run(run);
  SECTION("no description") {
    fs::remove(run / "run.json");
    check_refused(run, "holds no run.json");
  }
  SECTION("no rows") {
    fs::remove(run / "rows.csv");
    check_refused(run, "no such file");
  }
  SECTION("a folder in the place of samples") {
    fs::remove(run / "samples.csv");
    fs::create_directory(run / "samples.csv");
    check_refused(run, "not a regular file");
  }
}

TEST_CASE("a run cut short within run.json at any byte is refused") {
  const temporary_folder folder;
  make_run(folder / "run");
  const auto whole = text_in(folder / "run/run.json");

  for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
    put(folder / "run/run.json", whole.substr(0, length));
    REQUIRE_THAT(complaint_about(folder / "run"), ContainsSubstring("is not JSON"));
  }
}

TEST_CASE("no symbolic link in a run leads out of its folder, to be read or written") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_run(run);
  {
    auto open = run_folder::resume(run);
    append_with_field(open, "8x8", 1);
  }
  const std::string field = fs::directory_iterator(run / "fields")->path().filename();
  const auto name =
      GENERATE_COPY(std::string("rows.csv"), "samples.csv", "run.json", "fields", "fields/" + field);
  INFO(name);
  fs::rename(run / name, folder / "outside");
  fs::create_symlink(folder / "outside", run / name);
  const bool is_folder = fs::is_directory(folder / "outside");
  const auto before = is_folder ? std::string() : text_in(folder / "outside");

  CHECK_THAT(complaint_about(run), ContainsSubstring("is a symbolic link"));
  CHECK_THROWS_AS(run_folder::resume(run), bad_input);
  CHECK_THAT(complaint_of<bad_input>([&] { run_folder::create(run, run_description); }),
             ContainsSubstring("is not empty"));
  if (!is_folder) CHECK(text_in(folder / "outside") == before);
}

TEST_CASE("a link where the next run.json or the lock would be written is not followed") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_run(run);
  put(folder / "outside", "mine");

  SECTION("run.json.tmp") {
    fs::create_symlink(folder / "outside", run / "run.json.tmp");
    CHECK_THROWS_AS(run_folder::resume(run), error);
  }
  SECTION(".lock") {
    fs::remove(run / ".lock");
    fs::create_symlink(folder / "outside", run / ".lock");
    CHECK_THROWS_AS(run_folder::resume(run), bad_input);
  }

  CHECK(text_in(folder / "outside") == "mine");
  CHECK(read_run(run).rows.size() == 2);
}

TEST_CASE("a field's name in run.json that leads out of the folder is refused") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_run(run);
  put(folder / "outside.csv", "secret");
  for (const auto* name : {"../../outside.csv", "/etc/passwd", "..", ".", "", "a/b.csv", "a\\b\n.csv"}) {
    auto document = nlohmann::json::parse(text_in(run / "run.json"));
    const auto before = document;
    document["files"]["fields/" + std::string(name)] = {{"bytes", 6}, {"sha256", "0"}};
    put(run / "run.json", document.dump());
    INFO(name);
    CHECK_THAT(complaint_about(run), ContainsSubstring("is no field's file"));
    CHECK_THROWS_AS(run_folder::resume(run), bad_input);
    put(run / "run.json", before.dump());
  }
}

TEST_CASE("what is no folder is no run") {
  const temporary_folder folder;
  put(folder / "file", "");

  CHECK_THAT(complaint_about(folder / "none"), ContainsSubstring("is not a folder"));
  CHECK_THAT(complaint_about(folder / "file"), ContainsSubstring("is not a folder"));
  CHECK_THAT(complaint_about(folder.path()), ContainsSubstring("holds no run.json"));
}
