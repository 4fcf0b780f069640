// SPDX-License-Identifier: MIT
// Holds the registered variants and backends. Static objects register before main, so the
// lists are function-local statics.
#include "solvers/common/base/registry.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

#include "solvers/common/base/restart.hpp"

namespace reprise {
namespace {

std::vector<std::unique_ptr<variant>>& registered() {
  static std::vector<std::unique_ptr<variant>> list;
  return list;
}

std::map<backend, discovery (*)()>& discoverers() {
  static std::map<backend, discovery (*)()> map;
  return map;
}

// Asks a backend for its devices. A driver may crash when it is asked. The program then restarts with the
// reason in its environment, and skips this backend.
discovery ask(backend kind, discovery (*discover)()) {
  const std::string name(to_string(kind));
  const std::string variable = "REPRISE_CRASHED_" + name;
  if (const char* const said = std::getenv(variable.c_str())) return {{}, said};
  if (kind == backend::cpu || kind == backend::emulated) return discover();
  const restart_on_crash guard(
      variable, "a driver of " + name + " crashed when it was asked for its devices: repair or remove it" +
                    (kind == backend::opencl ? " (its .icd file is in /etc/OpenCL/vendors)" : ""));
  return discover();
}

}  // namespace

std::string_view to_string(backend kind) {
  constexpr std::array<std::string_view, 5> names{"cpu", "cuda", "emulated", "opencl", "opengl"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string_view to_string(precision p) {
  return p == precision::single ? "single" : "double";
}

std::string_view to_string(determinism d) {
  constexpr std::array<std::string_view, 3> names{"bitwise", "bounded", "none"};
  return names.at(static_cast<std::size_t>(d));
}

void add_variant(std::unique_ptr<variant> v) {
  auto& list = registered();
  const auto place = std::upper_bound(list.begin(), list.end(), v, [](const auto& a, const auto& b) {
    return std::tie(a->id, a->runs_on) < std::tie(b->id, b->runs_on);
  });
  list.insert(place, std::move(v));
}

const std::vector<std::unique_ptr<variant>>& variants() {
  return registered();
}

backend_registration::backend_registration(backend kind, discovery (*discover)()) {
  discoverers()[kind] = discover;
}

const discovery& devices_of(backend kind) {
  static std::map<backend, discovery> found;
  const auto known = found.find(kind);
  if (known != found.end()) return known->second;
  const auto discoverer = discoverers().find(kind);
  return found[kind] = discoverer == discoverers().end() ? discovery{} : ask(kind, discoverer->second);
}

std::vector<device> all_devices() {
  std::vector<device> all;
  for (backend kind : {backend::cuda, backend::opencl, backend::opengl, backend::cpu, backend::emulated}) {
    const auto& devices = devices_of(kind).devices;
    all.insert(all.end(), devices.begin(), devices.end());
  }
  return all;
}

}  // namespace reprise
