// SPDX-License-Identifier: MIT
// Describes and compares the origin of numbers. The program is identified by the hash of its file, because a commit
// does not tell builds apart.
#include "benchmarks/harness/origin.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "reports/store/files.hpp"
#include "reports/store/json.hpp"
#include "reports/store/refusal.hpp"
#include "reports/store/sha256.hpp"
#include "solvers/common/ranks/ranks.hpp"

namespace reprise::harness {
namespace {

// Variables that change what is measured.
constexpr std::array variables{"OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND", "REPRISE_HOST_CACHE"};

nlohmann::json devices_in(const nlohmann::json& description) {
  nlohmann::json devices = nlohmann::json::array();
  for (const auto& d : reports::entry_of(description, "devices"))
    devices.push_back(fmt::format("{} {}", reports::text_of(d, "id"), reports::text_of(d, "name")));
  return devices;
}

void require_same(const reports::run_folder& begun, const char* what, const nlohmann::json& then,
                  const nlohmann::json& now) {
  if (then == now) return;
  const auto shown = [](const nlohmann::json& value) { return value.is_null() ? "none" : value.dump(); };
  reports::refuse_file(
      begun.path(),
      "was begun with another {}: {} then, {} now; continue it with the same, or start a new run", what,
      shown(then), shown(now));
}

}  // namespace

const std::string& program_hash() {
  static const std::string hash = reports::sha256_of(reports::read_text("/proc/self/exe"));
  return hash;
}

nlohmann::json describe_origin(const std::vector<std::string>& engine_flags) {
  nlohmann::json set = nlohmann::json::object();
  for (const char* name : variables)
    if (const char* const value = std::getenv(name); value != nullptr) set[name] = value;
  return {{"program", program_hash()},
          {"ranks", ranks::count()},
          {"environment", set},
          {"engine_flags", engine_flags}};
}

void require_same_origin(const reports::run_folder& begun, const nlohmann::json& now) {
  const auto& then = reports::entry_of(begun.description(), "origin");
  const auto& own = reports::entry_of(now, "origin");
  for (const auto& [key, what] : {std::pair("ranks", "number of ranks"), std::pair("program", "program"),
                                  std::pair("environment", "environment"),
                                  std::pair("engine_flags", "choice of flags for Google Benchmark")})
    require_same(begun, what, reports::entry_of(then, key), reports::entry_of(own, key));
  require_same(begun, "set of devices", devices_in(begun.description()), devices_in(now));
}

}  // namespace reprise::harness
