// SPDX-License-Identifier: MIT
// Holds the registered families and finds the devices on which their variants can run.
#include "benchmarks/harness/experiment.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "solvers/common/base/device_calls.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/message.hpp"

namespace reprise::harness {
namespace {

constexpr std::array<std::string_view, 3> preset_names{"smoke", "quick", "paper"};

std::vector<family (*)()>& makers() {
  static std::vector<family (*)()> list;
  return list;
}

const manifest_entry* in_manifest(std::string_view id) {
  const auto& entries = manifest();
  const auto found = std::ranges::find_if(entries, [&](const manifest_entry& e) { return e.id == id; });
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
    std::ranges::sort(list, [](const family& a, const family& b) { return a.word < b.word; });
    return list;
  }();
  return all;
}

const family* find_family(std::string_view word) {
  const auto found = std::ranges::find_if(families(), [&](const family& f) { return f.word == word; });
  return found == families().end() ? nullptr : &*found;
}

std::vector<std::string> variants_of(std::string_view word) {
  std::vector<std::string> names;
  for (const manifest_entry& entry : manifest())
    if (reports::family_of(entry.id) == word) names.emplace_back(reports::short_name(entry.id));
  return names;
}

verified_case verified(std::string name, const std::function<std::vector<checkers::finding>()>& check) {
  verified_case result{std::move(name), {}, "", ""};
  try {
    result.findings = check();
  } catch (const unavailable& missing) {
    result.unavailable = missing.what();
  } catch (const std::exception& failure) {
    result.failure = without_location(failure.what());
  }
  return result;
}

std::vector<verified_case> cases_of(const family& f, const target& on, std::span<const grid_size> sizes) {
  try {
    use(on.device);
    return f.verify(*on.variant, on.device, sizes);
  } catch (const bad_input&) {
    throw;
  } catch (...) {
    return {verified("to begin", []() -> std::vector<checkers::finding> { throw; })};
  }
}

std::vector<std::string> complaints_about(const verified_case& c) {
  if (!c.unavailable.empty()) return {};
  if (!c.failure.empty()) return {fmt::format("failed: {}: {}", c.name, c.failure)};
  if (c.findings.empty()) return {fmt::format("wrong: {}: nothing was checked", c.name)};
  std::vector<std::string> complaints;
  for (const checkers::finding& found : c.findings)
    if (!found.good()) complaints.push_back(fmt::format("wrong: {}: {}", c.name, checkers::describe(found)));
  return complaints;
}

std::vector<grid_size> parse_sizes(const std::vector<std::string>& typed,
                                   std::span<const family* const> families) {
  std::vector<grid_size> sizes(typed.size());
  for (std::size_t i = 0; i < typed.size(); ++i)
    for (const family* f : families) sizes[i] = parse_size(typed[i], f->sizes, f->word);
  return sizes;
}

experiment table(const std::string& id, const std::string& title, const std::string& note,
                 std::vector<std::string> metrics, planner plan, deriver derive) {
  reports::layout shown{.id = id, .title = title, .note = note, .metrics = std::move(metrics)};
  return {std::move(shown), std::move(plan), std::move(derive)};
}

std::vector<experiment> joined(std::initializer_list<std::vector<experiment>> parts) {
  std::vector<experiment> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::optional<double> plan_request::setting(const std::string& name) const {
  const auto at = settings.find(name);
  return at == settings.end() ? std::nullopt : std::optional(at->second);
}

std::vector<grid_size> plan_request::sizes_or(std::vector<grid_size> usual) const {
  return sizes.empty() ? usual : sizes;
}

std::string_view to_string(preset level) {
  return preset_names.at(static_cast<std::size_t>(level));
}

preset parse_preset(const std::string& name) {
  const auto found = std::ranges::find(preset_names, name);
  if (found == preset_names.end())
    throw bad_input("there is no preset '" + name + "': give smoke, quick or paper");
  return static_cast<preset>(found - preset_names.begin());
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

void require_device_name(const std::string& glob) {
  std::vector<std::string> here;
  for (const device& d : all_devices()) here.push_back(d.id);
  constexpr int most = 64;
  for (const backend kind :
       {backend::cpu, backend::cuda, backend::emulated, backend::opencl, backend::opengl}) {
    if (reports::matches_glob(glob, to_string(kind))) return;
    for (int n = 0; n < most; ++n)
      if (reports::matches_glob(glob, fmt::format("{}:{}", to_string(kind), n))) return;
  }
  throw bad_input(
      fmt::format("--device {} names no device: this machine has {}", glob, fmt::join(here, ", ")));
}

std::vector<target> targets_of(std::string_view variant_id, const std::string& device_glob,
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
      if (reports::matches_glob(device_glob, d.id)) found.push_back({v.get(), d, ""});
  }
  if (found.empty() && with_emulator && emulated != nullptr)
    for (const device& d : devices_of(backend::emulated).devices)
      if (reports::matches_glob(device_glob, d.id)) found.push_back({emulated, d, ""});
  if (found.empty()) found.push_back({nullptr, {}, why_not(variant_id, device_glob)});
  return found;
}

}  // namespace reprise::harness
