// SPDX-License-Identifier: MIT
// Describes this machine and this build.
#include "benchmarks/harness/environment.hpp"

#include <fmt/chrono.h>
#include <sys/utsname.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "benchmarks/harness/build_info.hpp"
#include "benchmarks/harness/device_sensors.hpp"
#include "solvers/common/base/device_calls.hpp"
#include "solvers/common/base/host_processors.hpp"

namespace reprise::harness {
namespace {

std::string distribution() {
  std::ifstream release("/etc/os-release");
  for (std::string line; std::getline(release, line);)
    if (line.starts_with("PRETTY_NAME=\"")) return line.substr(13, line.size() - 14);
  return "unknown";
}

nlohmann::json describe_device(const device& d) {
  nlohmann::json all{{"id", d.id},
                     {"name", d.name},
                     {"backend", to_string(d.kind)},
                     {"driver", d.driver},
                     {"memory_bytes", d.memory_bytes},
                     {"cache_bytes", d.cache_bytes},
                     {"fp64", d.fp64},
                     {"on_host", d.on_host}};
  const device_code code = code_of(d);
  if (!code.runs.empty()) all["code"] = code.runs;
  if (!code.remark.empty()) all["code_remark"] = code.remark;
  all.update(sensors_of(d)->describe());
  return all;
}

std::string utc(std::string_view format) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format(fmt::runtime(format), fmt::gmtime(now));
}

}  // namespace

nlohmann::json describe_machine(std::span<const device> devices, const std::string& command) {
  utsname system{};
  uname(&system);
  const build_info& build = this_build();
  nlohmann::json all{{"started", utc_now()},
                     {"command", command},
                     {"host", system.nodename},
                     {"system", distribution() + ", Linux " + system.release},
                     {"hardware_threads", allowed_processors().size()},
                     {"reprise", build.version},
                     {"git", build.git},
                     {"compiler", build.compiler},
                     {"flags", build.flags},
                     {"build_type", build.build_type},
                     {"cuda", build.cuda},
                     {"devices", nlohmann::json::array()}};
  if (const char* const node = std::getenv("REPRISE_NODE"); node != nullptr) all["node"] = node;
  for (const device& d : devices) {
    all["devices"].push_back(describe_device(d));
    if (d.kind == backend::cpu) all["cpu"] = d.name;
  }
  return all;
}

std::string utc_now() {
  return utc("{:%Y-%m-%dT%H:%M:%SZ}");
}

std::string utc_stamp() {
  return utc("{:%Y%m%dT%H%M%SZ}");
}

}  // namespace reprise::harness
