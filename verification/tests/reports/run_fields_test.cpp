// SPDX-License-Identifier: MIT
// Tests the fields in a run's folder: what is written, and which damage is found.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "reports/store/run.hpp"
#include "reports/store/run_folder.hpp"
#include "reports/store/sha256.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

// Makes a finished run with a field in its only case. Returns the field's file.
fs::path make_run_with_field(const fs::path& path) {
  auto folder = run_folder::create(path, run_description);
  append_with_field(folder, "8x8", 1);
  return path / "fields" / file_name_of(field_of(timed_row("8x8", 1), "t=1", 5, 5));
}

}  // namespace

TEST_CASE("a run reads back with its fields, thinned, and run.json knows their files") {
  const temporary_folder folder;
  const auto r = timed_row("8x8", 1);
  const auto small = field_of(r, "t=1", 5, 5);
  {
    auto open = run_folder::create(folder / "run", run_description);
    append(open, "4x4", 1);
    CHECK_FALSE(fs::exists(folder / "run/fields"));
    open.append(std::vector{r}, samples_of(r), std::vector{small, field_of(r, "t=2", 384, 129)});
    append(open, "16x16", 1);
  }

  const auto found = read_run(folder / "run");

  REQUIRE(found.fields.size() == 2);
  const auto& first = found.fields[found.fields[0].name == "t=1" ? 0 : 1];
  const auto& second = found.fields[found.fields[0].name == "t=1" ? 1 : 0];
  CHECK(to_csv(first) == to_csv(small));
  CHECK(same_case(first, r));
  CHECK(second.nx == 96);
  CHECK(second.ny == 65);
  const auto files = nlohmann::json::parse(text_in(folder / "run/run.json"))["files"];
  CHECK(files.size() == 4);
  const auto text = text_in(folder / "run/fields" / file_name_of(small));
  CHECK(files["fields/" + file_name_of(small)]["bytes"] == text.size());
  CHECK(text == to_csv(small));
  CHECK(std::distance(fs::directory_iterator(folder / "run/fields"), {}) == 2);
}

TEST_CASE("fields that do not fit their case are the caller's mistake and write nothing") {
  const temporary_folder folder;
  auto open = run_folder::create(folder / "run", run_description);
  append_with_field(open, "4x4", 1);
  const auto r = timed_row("8x8", 1);
  const auto fits = field_of(r, "t=1", 5, 5);
  const auto refused = [&](const std::vector<field>& fields, const char* expected) {
    CHECK_THAT(complaint_of<error>([&] { open.append(std::vector{r}, samples_of(r), fields); }),
               ContainsSubstring(expected));
  };
  const auto before = text_in(folder / "run/run.json");

  auto other_case = fits;
  other_case.parameter = "h=1";
  refused({other_case}, "none of the rows is of its case");
  refused({fits, fits}, "it is recorded already");
  auto broken = fits;
  broken.name = "t=2";
  broken.values[3] = no_value;
  refused({fits, broken}, "its value 3 is nan");
  CHECK(text_in(folder / "run/run.json") == before);
  CHECK(text_in(folder / "run/rows.csv").find("8x8") == std::string::npos);
  const auto known = timed_row("4x4", 1);
  CHECK_THROWS_AS(open.append(std::vector{known}, {}, std::vector{field_of(known, "t=1", 5, 5)}), error);

  open.append(std::vector{r}, samples_of(r), std::vector{fits});
  CHECK(read_run(folder / "run").fields.size() == 2);
}

TEST_CASE("a field that was damaged or lost is found") {
  const temporary_folder folder;
  const auto run = folder / "run";
  const auto file = make_run_with_field(run);
  const auto good = text_in(file);
  REQUIRE(complaint_about(run).empty());
  const auto refused = [&](const char* expected) {
    const auto text = complaint_about(run);
    CHECK_THAT(text, ContainsSubstring(file.string()));
    CHECK_THAT(text, ContainsSubstring(expected));
    CHECK(text.find('\n') == std::string::npos);
  };

  SECTION("one flipped bit anywhere") {
    for (std::size_t i = 0; i < good.size(); ++i) {
      auto bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 1);
      put(file, bad);
      REQUIRE_THAT(complaint_about(run), ContainsSubstring("was changed after it was written"));
    }
  }
  SECTION("cut off") {
    put(file, good.substr(0, good.size() - 1));
    refused("was changed after it was written");
  }
  SECTION("longer") {
    put_at_end(file, "\n");
    refused("was changed after it was written");
  }
  SECTION("lost") {
    fs::remove(file);
    refused("no such file");
  }
  SECTION("a folder in its place") {
    fs::remove(file);
    fs::create_directory(file);
    refused("not a regular file");
  }
}

TEST_CASE("a field's record that does not fit is refused in one line") {
  const temporary_folder folder;
  const auto run = folder / "run";
  const auto file = make_run_with_field(run);
  const auto entry = [&](const char* key) { return "/files/fields~1" + file.filename().string() + key; };
  const auto record_as = [&](const fs::path& at, const std::string& text) {
    put(at, text);
    sha256 hash;
    hash.update(text);
    const auto key = "/files/fields~1" + at.filename().string();
    edit_description(run, key.c_str(), {{"bytes", text.size()}, {"sha256", hash.hex()}});
  };
  const auto refused = [&](const std::string& expected) {
    const auto text = complaint_about(run);
    CHECK_THAT(text, ContainsSubstring(expected));
    CHECK(text.find('\n') == std::string::npos);
  };

  SECTION("no length") {
    edit_description(run, entry("/bytes").c_str(), "long");
    refused("does not say how long fields/" + file.filename().string() + " is");
  }
  SECTION("longer than any field") {
    edit_description(run, entry("/bytes").c_str(), 18446744073709551615U);
    refused("no field is");
  }
  SECTION("a hash of another type") {
    edit_description(run, entry("/sha256").c_str(), 1);
    refused("was changed");
  }
  SECTION("names that lead elsewhere") {
    put(folder / "secret.csv", text_in(file));
    for (const auto* name : {"..~1..~1secret.csv", "..", "", ".hidden", "a~1b.csv", "a b.csv", "a\\b.csv"}) {
      const auto intact = text_in(run / "run.json");
      edit_description(run, (std::string("/files/fields~1") + name).c_str(), {{"bytes", 1}, {"sha256", ""}});
      INFO(name);
      refused("is no field's file");
      put(run / "run.json", intact);
    }
  }
  SECTION("what is no field, with a hash that fits") {
    record_as(file, "a,b\n");
    refused(file.string());
  }
  SECTION("another field under its name") {
    record_as(file, to_csv(field_of(timed_row("8x8", 1), "t=2", 5, 5)));
    refused("holds another field than its name says");
  }
}

TEST_CASE("an array beside a field belongs to the run") {
  const temporary_folder folder;
  const auto r = timed_row("8x8", 1);
  auto f = field_of(r, "t=1", 300, 5);
  f.exact = array_of(f);
  {
    auto open = run_folder::create(folder / "run", run_description);
    open.append(std::vector{r}, samples_of(r), std::vector{f});
    open.finish("2026-01-01T00:00:00Z");
  }
  const auto file = folder / "run/arrays" / array_name_of(f);
  CHECK(text_in(file) == to_npy(*f.exact));
  CHECK(read_run(folder / "run").is_sealed);

  auto bytes = text_in(file);
  bytes.back() ^= 1;
  put(file, bytes);
  CHECK_THAT(complaint_of<bad_input>([&] { read_run(folder / "run"); }), ContainsSubstring("SHA-256"));
}

TEST_CASE("a resumed run keeps its arrays") {
  const temporary_folder folder;
  const auto r = timed_row("8x8", 1);
  auto f = field_of(r, "t=1", 5, 5);
  f.exact = array_of(f);
  run_folder::create(folder / "run", run_description).append(std::vector{r}, samples_of(r), std::vector{f});

  run_folder::resume(folder / "run").finish("2026-01-01T00:00:00Z");

  const auto files = nlohmann::json::parse(text_in(folder / "run/run.json"))["files"];
  CHECK(files.contains("arrays/" + array_name_of(f)));
}
