// SPDX-License-Identifier: MIT
// Sensors of the host processor, and the choice of a device's sensors.
#include "benchmarks/harness/device_sensors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "benchmarks/harness/nvml.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::harness {
namespace {

namespace fs = std::filesystem;

std::optional<double> number_in(const fs::path& file) {
  std::ifstream in(file);
  double value{};
  if (in >> value) return value;
  return std::nullopt;
}

// The packages' counters wrap at max_energy_range_uj; a wrap makes the difference
// negative, which callers detect.
class cpu_sensors final : public sensors {
 public:
  double energy_joules() override {
    double sum = 0;
    bool any = false;
    for (int package = 0; package < 16; ++package) {
      const fs::path zone = "/sys/class/powercap/intel-rapl:" + std::to_string(package);
      if (const auto microjoules = number_in(zone / "energy_uj")) {
        sum += *microjoules * 1e-6;
        any = true;
      }
    }
    if (!any)
      throw unavailable(
          "no readable RAPL counter in /sys/class/powercap (root may be needed, virtual machines have none)");
    return sum;
  }

  clock_state clock() override {
    const auto khz = number_in("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq");
    return {khz ? std::optional(*khz / 1e3) : std::nullopt, ""};
  }

  nlohmann::json describe() override {
    nlohmann::json all = nlohmann::json::object();
    std::ifstream governor("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    if (std::string name; governor >> name) all["governor"] = name;
    if (const auto mhz = clock().mhz) all["clock_mhz"] = *mhz;
    return all;
  }
};

class no_sensors final : public sensors {
 public:
  explicit no_sensors(std::string reason) : reason_(std::move(reason)) {}
  double energy_joules() override { throw unavailable(reason_); }
  clock_state clock() override { return {}; }
  nlohmann::json describe() override { return {{"sensors", reason_}}; }

 private:
  std::string reason_;
};

}  // namespace

std::unique_ptr<sensors> sensors_of(const device& d) {
  if (d.kind == backend::cpu) return std::make_unique<cpu_sensors>();
  try {
    return nvml_sensors(d);
  } catch (const unavailable& missing) {
    return std::make_unique<no_sensors>(missing.what());
  }
}

std::string clock_change(const clock_state& before, const clock_state& after) {
  if (!after.held_back.empty()) return "held back while sampling: " + after.held_back;
  if (before.mhz && after.mhz && std::abs(*after.mhz - *before.mhz) > .05 * *before.mhz)
    return fmt::format("clock moved from {:.0f} to {:.0f} MHz while sampling", *before.mhz, *after.mhz);
  return "";
}

}  // namespace reprise::harness
