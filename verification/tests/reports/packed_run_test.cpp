// SPDX-License-Identifier: MIT
// Tests packed runs: they are read as before, nothing is lost, and each change of a packed file is found.
#include "reports/store/packed_run.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/harness/crate.hpp"
#include "reports/store/packed_fields.hpp"
#include "reports/store/packed_text.hpp"
#include "reports/store/run.hpp"
#include "reports/store/run_folder.hpp"
#include "verification/tests/support/made_up_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

std::map<std::string, std::string> contents_of(const fs::path& folder) {
  std::map<std::string, std::string> texts;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) texts[fs::relative(entry.path(), folder).string()] = text_in(entry.path());
  return texts;
}

// The contents of all fields, one after another in the order of their names.
std::string fields_in(const std::map<std::string, std::string>& contents) {
  std::string texts;
  for (const auto& [name, text] : contents)
    if (name.starts_with("fields/")) texts += text;
  return texts;
}

std::vector<std::vector<double>> values_of(const std::vector<field>& fields) {
  std::vector<std::vector<double>> values;
  for (const auto& f : fields) values.push_back(f.values);
  return values;
}

// Enough cases that packing makes their files smaller, the last two with a field, one of these with its array.
void make_long_run(const fs::path& path) {
  auto open = run_folder::create(path, run_description);
  std::vector<row> rows;
  std::vector<sample> samples;
  for (int i = 0; i < 50; ++i) {
    rows.push_back(timed_row(std::to_string(100 + i) + "x8", i == 49 ? 0.25 : 0.5));
    std::ranges::copy(samples_of(rows.back()), std::back_inserter(samples));
  }
  auto f = field_of(rows.back(), "t=1", 5, 5);
  f.exact = array_of(f);
  open.append(rows, samples, std::vector{field_of(rows[48], "t=1", 5, 5), f});
  open.finish("2026-01-31T12:00:00Z");
  put(path / "costs.csv", "class,variant\ncpu,jacobi/naive\n");
}

}  // namespace

TEST_CASE("a text is the same after packing and unpacking") {
  std::string long_text;
  for (int i = 0; i < 5000; ++i) long_text += std::to_string(i * i) + ",\n";
  for (const std::string& text : {std::string(), std::string("a"), std::string(1, '\0'), long_text}) {
    CHECK(unpacked("a.xz", packed(text), text.size()) == text);
    CHECK(packed(text) == packed(text));
  }
  CHECK(packed(long_text).size() < long_text.size() / 3);
}

TEST_CASE("each flipped bit, each cut and each addition of a packed text is found") {
  const std::string text = "run,experiment\na,jacobi/table1\n";
  const auto whole = packed(text);
  const auto complaint = [&](const std::string& bytes) {
    std::string got;
    const auto told = complaint_of<bad_input>([&] { got = unpacked("rows.csv.xz", bytes, text.size()); });
    CHECK(got.empty());
    CHECK(told.find('\n') == std::string::npos);
    return told;
  };
  for (std::size_t i = 0; i < 8 * whole.size(); ++i) {
    auto bytes = whole;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << i % 8));
    INFO("bit " << i);
    CHECK_THAT(complaint(bytes), ContainsSubstring("rows.csv.xz: is damaged"));
  }
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_THAT(complaint(whole.substr(0, length)), ContainsSubstring("its end is missing"));
  CHECK_THAT(complaint(whole + "x"), ContainsSubstring("after its end"));
  CHECK_THAT(complaint(whole + whole), ContainsSubstring("after its end"));
  CHECK_THAT(complaint(packed(text + "b")), ContainsSubstring("more than the 31 bytes"));
  CHECK_THAT(complaint(packed(std::string(std::size_t{1} << 20U, '0'))), ContainsSubstring("more than"));
}

TEST_CASE("a packed run is read as before, is smaller, keeps its seal, and can be unpacked") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_long_run(run);
  const auto plain = contents_of(run);
  const auto before = read_run(run);

  const auto sizes = pack_run(run);

  CHECK(sizes.after < sizes.before / 2);
  CHECK_FALSE(fs::exists(run / "rows.csv"));
  for (const char* name : {"samples.csv", "costs.csv", "fields"}) CHECK_FALSE(fs::exists(run / name));
  for (const auto& [name, text] : contents_of(run)) {
    INFO(name);
    if (plain.contains(name))
      CHECK(text == plain.at(name));
    else if (name == packed_fields_name)
      CHECK(unpacked(name, text, SIZE_MAX) == fields_in(plain));
    else
      CHECK(unpacked(name, text, SIZE_MAX) == plain.at(name.substr(0, name.size() - packed_ending.size())));
  }
  const auto after = read_run(run);
  CHECK(after.is_sealed);
  CHECK(to_csv(after.rows) == to_csv(before.rows));
  CHECK(to_csv(after.samples) == to_csv(before.samples));
  REQUIRE(after.fields.size() == 2);
  CHECK(values_of(after.fields) == values_of(before.fields));
  CHECK(run_folder::resume(run).rows().size() == before.rows.size());

  const auto packed_once = contents_of(run);
  pack_run(run);
  CHECK(contents_of(run) == packed_once);
  unpack_run(run);
  CHECK(contents_of(run) == plain);
}

TEST_CASE("each change of a packed run is found") {
  const auto refused = [](const auto& attack, const std::string& expected) {
    const temporary_folder folder;
    const auto run = folder / "run";
    make_long_run(run);
    pack_run(run);
    REQUIRE(complaint_about(run).empty());
    attack(run);
    const auto text = complaint_about(run);
    CHECK_THAT(text, ContainsSubstring(expected));
    CHECK(text.find('\n') == std::string::npos);
  };
  const auto change = [](const char* name, const std::string& from, const std::string& to) {
    return [=](const fs::path& run) {
      auto text = unpacked(name, text_in(run / name), SIZE_MAX);
      put(run / name, packed(text.replace(text.find(from), from.size(), to)));
    };
  };
  refused(change("rows.csv.xz", "0.25,s", "0.15,s"), "was changed after it was written");
  refused(change("rows.csv.xz", "0.25,s", "0.2,s"), "is truncated");
  refused(change("rows.csv.xz", "0.25,s", "0.251,s"), "holds more than");
  refused(change("samples.csv.xz", "0.25", "0.15"), "was changed after it was written");
  refused([](const fs::path& run) { fs::remove(run / "samples.csv.xz"); }, "there is no such file");
  refused([](const fs::path& run) { put(run / "rows.csv.xz", "rows"); }, "is damaged");
  refused(
      [](const fs::path& run) {
        fs::rename(run / "rows.csv.xz", run / "elsewhere");
        fs::create_symlink(run / "elsewhere", run / "rows.csv.xz");
      },
      "is a symbolic link");
  refused(change("fields.csv.xz", "t=1", "t=2"), "fields.csv.xz: was changed after it was written");
  refused(change("fields.csv.xz", "t=1", "t="), "fields.csv.xz: was changed after it was written");
  refused(change("fields.csv.xz", "t=1", "t=10"), "holds more than");
  refused([](const fs::path& run) { put(run / "fields.csv.xz", packed("")); },
          "was changed after it was written");
  refused([](const fs::path& run) { put_at_end(run / "fields.csv.xz", "0"); }, "after its end");
  refused([](const fs::path& run) { fs::remove(run / "fields.csv.xz"); }, "there is no such file");
  refused(
      [](const fs::path& run) {
        fs::rename(run / "fields.csv.xz", run / "elsewhere");
        fs::create_symlink(run / "elsewhere", run / "fields.csv.xz");
      },
      "is a symbolic link");
  refused(
      [](const fs::path& run) {
        for (const auto& entry : fs::directory_iterator(run / "arrays")) put_at_end(entry.path(), "0");
      },
      "after its end");
}

TEST_CASE("what a kill during packing leaves is read and packed again") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_long_run(run);
  const auto plain = contents_of(run);
  put(run / "rows.csv.xz", "half a fi");
  put(run / "samples.csv.xz.tmp", "half");

  CHECK(complaint_about(run).empty());
  pack_run(run);
  CHECK(unpacked("rows.csv.xz", text_in(run / "rows.csv.xz"), SIZE_MAX) == plain.at("rows.csv"));
  CHECK_FALSE(fs::exists(run / "rows.csv"));
}

TEST_CASE("fields that differ only in their variant take little more room than one") {
  const temporary_folder folder;
  const auto size_with = [&](int variants) {
    const auto run = folder / std::to_string(variants);
    auto open = run_folder::create(run, run_description);
    for (int i = 0; i < variants; ++i) {
      const auto r = timed_row(std::to_string(10 + i) + "x8", 0.5);
      auto f = field_of(r, "t=1", 40, 40);
      for (double angle = 0; double& value : f.values) value = std::sin(angle += 0.7);
      open.append(std::vector{r}, samples_of(r), std::vector{f});
    }
    open.finish("2026-01-31T12:00:00Z");
    pack_run(run);
    return static_cast<double>(fs::file_size(run / packed_fields_name));
  };
  CHECK(size_with(8) < 1.1 * size_with(1));
}

TEST_CASE("fields are read from where a kill during packing left them, and packed again") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_long_run(run);
  const auto plain = contents_of(run);
  const auto fields = read_run(run).fields;
  pack_run(run);
  const auto whole = contents_of(run);
  for (const auto& [name, text] : plain) {
    if (!name.starts_with("fields/")) continue;
    for (const bool is_alone_packed : {false, true}) {
      fs::create_directory(run / "fields");
      put(run / (is_alone_packed ? name + ".xz" : name), is_alone_packed ? packed(text) : text);
      CHECK(values_of(read_run(run).fields) == values_of(fields));
      pack_run(run);
      CHECK(contents_of(run) == whole);
    }
    put(run / name, text);
    unpack_run(run);
    CHECK(contents_of(run) == plain);
    pack_run(run);
  }
}

TEST_CASE("runs of which each field is packed alone are read, and packed together") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_long_run(run);
  const auto fields = read_run(run).fields;
  std::string last;
  for (const auto& [name, text] : contents_of(run)) {
    if (!name.starts_with("fields/")) continue;
    put(run / (name + ".xz"), packed(text));
    fs::remove(run / name);
    last = name + ".xz";
  }
  const auto bytes = text_in(run / last);
  put(run / last, packed("0"));
  CHECK_THAT(complaint_about(run), ContainsSubstring("was changed after it was written"));
  put(run / last, bytes);
  CHECK(values_of(read_run(run).fields) == values_of(fields));
  pack_run(run);
  CHECK(values_of(read_run(run).fields) == values_of(fields));
  CHECK_FALSE(fs::exists(run / "fields"));
}

TEST_CASE("runs that still grow or are damaged are not packed") {
  const temporary_folder folder;
  make_run(folder / "growing");
  const auto told = complaint_of<bad_input>([&] { pack_run(folder / "growing"); });
  CHECK_THAT(told, ContainsSubstring("is unfinished"));
  CHECK(fs::exists(folder / "growing/rows.csv"));

  make_long_run(folder / "damaged");
  put_at_end(folder / "damaged/rows.csv", "a");
  CHECK_THROWS_AS(pack_run(folder / "damaged"), bad_input);
  CHECK(fs::exists(folder / "damaged/rows.csv"));
}

TEST_CASE("the metadata of a packed run name its files as they are stored") {
  const temporary_folder folder;
  const auto run = folder / "run";
  make_long_run(run);
  pack_run(run);
  harness::write_crate(run);
  const auto crate = nlohmann::json::parse(text_in(run / harness::crate_name));
  for (const auto& entity : crate.at("@graph")) {
    if (entity.at("@type") != "File" || entity.at("@id") == "run.json") continue;
    const auto text = text_in(run / entity.at("@id").get<std::string>());
    CHECK(entity.at("sha256") == hash_of(text));
    CHECK(entity.at("encodingFormat") == "application/x-xz");
    CHECK(entity.at("description") != "");
  }
}
