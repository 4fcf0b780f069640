// SPDX-License-Identifier: MIT
// Holds the families, and finds out what of them can run here.
#include "benchmarks/harness/experiment.hpp"

#include <fmt/core.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "solvers/common/error.hpp"

namespace reprise::harness {
namespace {

constexpr std::array<std::string_view, 3> preset_names{"smoke", "quick", "paper"};

std::vector<family (*)()>& makers() {
  static std::vector<family (*)()> list;
  return list;
}

bool glob(std::string_view pattern, std::string_view text) {
  return fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), 0) == 0;
}

const manifest_entry* in_manifest(std::string_view id) {
  const auto& entries = manifest();
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const manifest_entry& e) { return e.id == id; });
  return found == entries.end() ? nullptr : &*found;
}

std::string why_not(std::string_view id, std::string_view device_glob) {
  const manifest_entry* entry = in_manifest(id);
  if (entry == nullptr) return "there is no such variant";
  if (!entry->not_built.empty()) return std::string(entry->not_built);
  const discovery& found = devices_of(entry->needs);
  if (found.devices.empty()) return found.reason;
  return fmt::format("no {} device matches --device '{}'", to_string(entry->needs), device_glob);
}

}  // namespace

family_registration::family_registration(family (*make)()) {
  makers().push_back(make);
}

const std::vector<family>& families() {
  static const std::vector<family> all = [] {
    std::vector<family> list;
    for (family (*make)() : makers()) list.push_back(make());
    std::sort(list.begin(), list.end(), [](const family& a, const family& b) { return a.word < b.word; });
    return list;
  }();
  return all;
}

const family* find_family(std::string_view word) {
  const auto found =
      std::find_if(families().begin(), families().end(), [&](const family& f) { return f.word == word; });
  return found == families().end() ? nullptr : &*found;
}

std::vector<std::string> variants_of(std::string_view word) {
  std::vector<std::string> names;
  for (const manifest_entry& entry : manifest())
    if (reports::family_of(entry.id) == word) names.emplace_back(reports::short_name(entry.id));
  return names;
}

verified_case verified(std::string what, const std::function<std::vector<checkers::finding>()>& check) {
  verified_case result{std::move(what), {}, "", ""};
  try {
    result.findings = check();
  } catch (const unavailable& missing) {
    result.unavailable = missing.what();
  } catch (const std::exception& failure) {
    result.failure = failure.what();
  }
  return result;
}

reports::row derived(reports::row from, const std::string& metric, double value, const std::string& unit,
                     const std::string& reason) {
  from.metric = metric;
  from.value = value;
  from.unit = unit;
  from.q1 = from.q3 = reports::no_value;
  from.samples = 0;
  from.reason = reason;
  return from;
}

std::string_view to_string(preset level) {
  return preset_names.at(static_cast<std::size_t>(level));
}

preset parse_preset(const std::string& name) {
  const auto found = std::find(preset_names.begin(), preset_names.end(), name);
  if (found == preset_names.end())
    throw bad_input("there is no preset '" + name + "': give smoke, quick or paper");
  return static_cast<preset>(found - preset_names.begin());
}

grid_size parse_size(const std::string& text) {
  grid_size size;
  const char* const end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  const bool split = width.ec == std::errc() && width.ptr != end && *width.ptr == 'x';
  const auto height = split ? std::from_chars(width.ptr + 1, end, size.height) : width;
  if (!split || height.ec != std::errc() || height.ptr != end)
    throw bad_input("size '" + text + "' is not a size: give WIDTHxHEIGHT, for example 512x1024");
  if (size.width <= 0 || size.height <= 0)
    throw bad_input("size '" + text + "' is not positive: give a width and a height of at least 1");
  // The problem in single precision, the reference's sparse matrix and vectors in double.
  constexpr double bytes_per_node = 12 * 4 + 9 * 12 + 6 * 8;
  const double needed = bytes_per_node * size.width * size.height;
  const double present = static_cast<double>(devices_of(backend::cpu).devices.front().memory_bytes);
  if (needed > .8 * present)
    throw bad_input(
        fmt::format("size '{}' needs {:.0f} GiB of memory with its reference, this machine has {:.0f}: "
                    "give a smaller one",
                    text, needed / (1 << 30), present / (1 << 30)));
  return size;
}

std::pair<std::string, double> parse_setting(const std::string& text) {
  const auto equals = text.find('=');
  double value = 0;
  if (equals != std::string::npos && equals > 0) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + equals + 1, end, value);
    if (read.ec == std::errc() && read.ptr == end) return {text.substr(0, equals), value};
  }
  throw bad_input("setting '" + text + "' is not a setting: give NAME=NUMBER, for example eps=1e-6");
}

bool is_on_ranks(std::string_view variant) {
  const std::string_view name = variant.substr(variant.find('/') + 1);
  return name.starts_with("mpi_") || name.ends_with("_multi");
}

bool matches(std::string_view pattern, std::string_view id) {
  if (glob(pattern, id)) return true;
  return pattern.find('/') == std::string_view::npos && glob(pattern, id.substr(id.find('/') + 1));
}

std::vector<target> targets_of(std::string_view variant_id, std::string_view device_glob,
                               bool with_emulator) {
  std::vector<target> found;
  const variant* emulated = nullptr;
  for (const auto& v : variants()) {
    if (v->id != variant_id) continue;
    if (v->runs_on == backend::emulated) {
      emulated = v.get();
      continue;
    }
    for (const device& d : devices_of(v->runs_on).devices)
      if (glob(device_glob, d.id)) found.push_back({v.get(), d, ""});
  }
  if (found.empty() && with_emulator && emulated != nullptr)
    for (const device& d : devices_of(backend::emulated).devices)
      if (glob(device_glob, d.id)) found.push_back({emulated, d, ""});
  if (found.empty()) found.push_back({nullptr, {}, why_not(variant_id, device_glob)});
  return found;
}

}  // namespace reprise::harness
