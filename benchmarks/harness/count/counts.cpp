// SPDX-License-Identifier: MIT
// Counts as JSON.
#include "benchmarks/harness/count/counts.hpp"

#include <fmt/ranges.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "reports/store/files.hpp"
#include "reports/store/json.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::counting {
namespace {

using nlohmann::json;

constexpr int version = 1;
constexpr std::string_view clone_mark = "[clone .arch_";

json to_json(const circumstances& c) {
  return {{"compiler", c.compiler},   {"flags", c.flags},       {"build_type", c.build_type},
          {"c_library", c.c_library}, {"valgrind", c.valgrind}, {"processor", c.processor},
          {"cuda", c.cuda},           {"version", c.version},   {"git", c.git}};
}

circumstances circumstances_in(const json& j) {
  const auto text = [&](const char* name) { return j.at(name).get<std::string>(); };
  return {text("compiler"),  text("flags"), text("build_type"), text("c_library"), text("valgrind"),
          text("processor"), text("cuda"),  text("version"),    text("git")};
}

json to_json(const callgrind_counts& c) {
  return {{"instructions", c.instructions},
          {"branches", c.branches},
          {"mispredicted", c.mispredicted},
          {"misses_of_first_cache", c.misses_of_first},
          {"misses_of_last_cache", c.misses_of_last},
          {"allocations", c.allocations},
          {"functions", c.functions}};
}

callgrind_counts simulated_in(const json& j) {
  const auto number = [&](const char* name) { return j.at(name).get<std::int64_t>(); };
  return {number("instructions"),
          number("branches"),
          number("mispredicted"),
          number("misses_of_first_cache"),
          number("misses_of_last_cache"),
          number("allocations"),
          j.at("functions").get<std::map<std::string, std::int64_t>>()};
}

json to_json(const counted_case& c) {
  json one = duels::to_json(static_cast<const duels::offered_case&>(c));
  if (c.simulated)
    one["callgrind"] = to_json(*c.simulated);
  else
    one["no_callgrind"] = c.not_simulated;
  if (c.by_processor.missing.empty())
    one["processor"] = {{"instructions", c.by_processor.instructions},
                        {"branches", c.by_processor.branches},
                        {"cache_misses", c.by_processor.cache_misses}};
  else
    one["no_processor"] = c.by_processor.missing;
  if (c.traffic)
    one["traffic"] = {{"launches", c.traffic->launches},
                      {"bytes_to_device", c.traffic->bytes_to_device},
                      {"bytes_to_host", c.traffic->bytes_to_host},
                      {"bytes_on_device", c.traffic->bytes_on_device}};
  if (!c.foul.empty()) one["foul"] = c.foul;
  return one;
}

counted_case case_in(const json& j) {
  counted_case c{duels::offered_in(j), {}, j.value("no_callgrind", ""), {}, {}, j.value("foul", "")};
  if (j.contains("callgrind")) c.simulated = simulated_in(j["callgrind"]);
  c.by_processor.missing = j.value("no_processor", "");
  if (j.contains("processor")) {
    const json& p = j["processor"];
    c.by_processor = {p.at("instructions"), p.at("branches"), p.at("cache_misses"), ""};
  }
  if (j.contains("traffic")) {
    const json& t = j["traffic"];
    c.traffic = {t.at("launches"), t.at("bytes_to_device"), t.at("bytes_to_host"), t.at("bytes_on_device")};
  }
  return c;
}

}  // namespace

json to_json(const counts& all) {
  json cases = json::array();
  for (const counted_case& c : all.cases) cases.push_back(to_json(c));
  return {{"counts", version},
          {"made", to_json(all.made)},
          {"cases", cases},
          {"kernels", to_json(all.kernels)},
          {"left_out", all.left_out}};
}

bool is_counts_file(const std::filesystem::path& file) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(file, code)) return false;
  char first = 0;
  std::ifstream(file) >> first;
  return first == '{';
}

counts read_counts(const std::filesystem::path& file) {
  const json document = reports::parse_json(file, reports::read_text(file));
  try {
    if (document.at("counts").get<int>() != version)
      throw bad_input(fmt::format("{} has counts of version {}, not {}: count again", file.string(),
                                  document["counts"].get<int>(), version));
    counts all;
    all.made = circumstances_in(document.at("made"));
    for (const json& c : document.at("cases")) all.cases.push_back(case_in(c));
    all.kernels = kernels_in(document.at("kernels"));
    all.left_out = document.at("left_out").get<std::vector<std::string>>();
    return all;
  } catch (const json::exception&) {
    throw bad_input(file.string() + " has no counts: name a file that `reprise count --out` wrote");
  }
}

std::string clones_of(const callgrind_counts& counted) {
  std::set<std::string> levels;
  for (const auto& [name, cost] : counted.functions)
    if (const auto at = name.find(clone_mark); at != std::string::npos) {
      std::string level = name.substr(at + clone_mark.size());
      level = level.substr(0, level.find_first_of("].'"));
      for (char& c : level)
        if (c == '_') c = '-';
      if (level.starts_with("x86-64")) level[3] = '-';
      levels.insert(level);
    } else if (name.find("[clone .default") != std::string::npos) {
      levels.insert("default");
    }
  return fmt::format("{}", fmt::join(levels, ", "));
}

}  // namespace reprise::counting
