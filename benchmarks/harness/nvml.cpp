// SPDX-License-Identifier: MIT
// Loads NVML at run time. The library comes with the driver, and its header is not needed for the few calls
// below, whose binary interface has been stable for a decade.
#include "benchmarks/harness/nvml.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>

#include "solvers/common/base/error.hpp"
#include "solvers/common/base/late_library.hpp"

namespace reprise::harness {
namespace {

using board = void*;
constexpr int sm_clock = 1;
constexpr int memory_clock = 2;

const late_library& nvml() {
  static const late_library& started = []() -> const late_library& {
    static const late_library loaded({"libnvidia-ml.so.1"}, "NVML comes with NVIDIA's driver");
    if (const int code = loaded.find<int()>("nvmlInit_v2")(); code != 0)
      throw unavailable(fmt::format("NVML does not start (code {})", code));
    return loaded;
  }();
  return started;
}

board board_of(const device& d) {
  board found{};
  if (!d.pci.empty()) {
    if (nvml().find<int(const char*, board*)>("nvmlDeviceGetHandleByPciBusId_v2")(d.pci.c_str(), &found) == 0)
      return found;
    throw unavailable("NVML does not know the board at " + d.pci);
  }
  // OpenCL and OpenGL do not report the PCI slot, but with a single board there is no ambiguity.
  unsigned count = 0;
  const bool one = nvml().find<int(unsigned*)>("nvmlDeviceGetCount_v2")(&count) == 0 && count == 1;
  if (!one || d.name.find("NVIDIA") == std::string::npos ||
      nvml().find<int(unsigned, board*)>("nvmlDeviceGetHandleByIndex_v2")(0, &found) != 0)
    throw unavailable("no sensors are known for " + d.name);
  return found;
}

// The throttle reasons that mean less than full speed. Idling and application clocks are not among them.
std::string reasons_in_words(unsigned long long bits) {
  struct known {
    unsigned long long bit;
    const char* text;
  };
  constexpr std::array<known, 5> table{{{0x04, "software power cap"},
                                        {0x08, "hardware slowdown"},
                                        {0x20, "software thermal slowdown"},
                                        {0x40, "hardware thermal slowdown"},
                                        {0x80, "hardware power brake"}}};
  std::string words;
  for (const known& k : table)
    if ((bits & k.bit) != 0) words += (words.empty() ? "" : ", ") + std::string(k.text);
  return words;
}

class nvml_board final : public sensors {
 public:
  explicit nvml_board(const device& d) : board_(board_of(d)) {}

  double energy_joules() override {
    unsigned long long millijoules = 0;
    const int code = nvml().find<int(board, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption")(
        board_, &millijoules);
    if (code != 0) throw unavailable(fmt::format("NVML gives no energy for this board (code {})", code));
    return static_cast<double>(millijoules) * 1e-3;
  }

  clock_state clock() override {
    clock_state state;
    if (const auto mhz = clock_mhz("nvmlDeviceGetClockInfo", sm_clock)) state.mhz = *mhz;
    state.held_back = reasons_in_words(throttle_reasons());
    return state;
  }

  void watch_anew() override { begun_ = microseconds_now(); }

  // Older drivers lack some of the calls. Then nothing is known.
  std::string disturbed_by() override {
    try {
      return disturbance_or_throw();
    } catch (const unavailable&) {
      return "";
    }
  }

  nlohmann::json describe() override {
    nlohmann::json all = nlohmann::json::object();
    std::array<char, 96> text{};
    if (nvml().find<int(char*, unsigned)>("nvmlSystemGetDriverVersion")(text.data(), text.size()) == 0)
      all["driver_version"] = text.data();
    if (nvml().find<int(board, char*, unsigned)>("nvmlDeviceGetUUID")(board_, text.data(), text.size()) == 0)
      all["uuid"] = text.data();
    if (const auto mhz = clock_mhz("nvmlDeviceGetMaxClockInfo", sm_clock)) all["max_sm_clock_mhz"] = *mhz;
    if (const auto mhz = clock_mhz("nvmlDeviceGetMaxClockInfo", memory_clock))
      all["max_memory_clock_mhz"] = *mhz;
    unsigned milliwatts = 0;
    if (nvml().find<int(board, unsigned*)>("nvmlDeviceGetEnforcedPowerLimit")(board_, &milliwatts) == 0)
      all["power_limit_w"] = milliwatts / 1000.0;
    int current = 0;
    int pending = 0;
    if (nvml().find<int(board, int*, int*)>("nvmlDeviceGetEccMode")(board_, &current, &pending) == 0)
      all["ecc"] = current != 0;
    return all;
  }

 private:
  std::string disturbance_or_throw() const {
    if (numbers_listed().size() > 1) wait_for_a_sample();
    if (const int others = busy_others(); others > 0)
      return fmt::format("{} other program{} used this GPU", others, others > 1 ? "s" : "");
    // A power cap is the board's usual state under load, and no disturbance.
    constexpr unsigned long long unusual = 0x08 | 0x20 | 0x40 | 0x80;
    const std::string slowdown = reasons_in_words(throttle_reasons() & unusual);
    return slowdown.empty() ? "" : "the GPU was held back: " + slowdown;
  }

  // As bits; none where the driver does not tell.
  unsigned long long throttle_reasons() const {
    unsigned long long bits = 0;
    const auto ask =
        nvml().find<int(board, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
    return ask(board_, &bits) == 0 ? bits : 0;
  }

  // The number of programs besides this one that computed since `begun_`.
  int busy_others() const {
    const auto others = others_among(busy_since(begun_), numbers_listed(), static_cast<unsigned>(getpid()));
    return others ? *others : busy_while_this_one_rests();
  }

  // The first sample may have begun before the rest.
  int busy_while_this_one_rests() const {
    constexpr std::chrono::microseconds a_sample{sample_period};
    std::this_thread::sleep_for(a_sample);
    const auto since = microseconds_now();
    std::this_thread::sleep_for(a_sample);
    return static_cast<int>(busy_since(since).size());
  }

  std::set<unsigned> busy_since(unsigned long long since) const {
    struct use {
      unsigned pid;
      unsigned long long microseconds;
      unsigned sm, memory, encoder, decoder;
    };
    std::array<use, 256> uses{};
    auto count = static_cast<unsigned>(uses.size());
    const auto ask =
        nvml().find<int(board, use*, unsigned*, unsigned long long)>("nvmlDeviceGetProcessUtilization");
    std::set<unsigned> busy;
    if (ask(board_, uses.data(), &count, since) != 0) return busy;
    for (unsigned i = 0; i < count; ++i)
      if (uses[i].sm > 0) busy.insert(uses[i].pid);
    return busy;
  }

  // Of the programs that have a context on the board, this one among them.
  std::set<unsigned> numbers_listed() const {
    struct process {
      unsigned pid;
      unsigned long long memory_bytes;
      unsigned gpu_instance, compute_instance;
    };
    std::array<process, 256> all{};
    auto count = static_cast<unsigned>(all.size());
    const auto ask = nvml().find<int(board, unsigned*, process*)>("nvmlDeviceGetComputeRunningProcesses_v3");
    std::set<unsigned> numbers;
    if (ask(board_, &count, all.data()) != 0) return numbers;
    for (unsigned i = 0; i < count; ++i) numbers.insert(all[i].pid);
    return numbers;
  }

  static constexpr unsigned long long sample_period = 1'200'000;  // microseconds

  // The driver samples what programs use about once a second. A case may be shorter.
  void wait_for_a_sample() const {
    const unsigned long long passed = microseconds_now() - begun_;
    if (passed < sample_period)
      std::this_thread::sleep_for(std::chrono::microseconds(sample_period - passed));
  }

  std::optional<double> clock_mhz(const char* name, int which) const {
    unsigned mhz = 0;
    if (nvml().find<int(board, int, unsigned*)>(name)(board_, which, &mhz) != 0) return std::nullopt;
    return mhz;
  }

  static unsigned long long microseconds_now() {
    using namespace std::chrono;
    return static_cast<unsigned long long>(
        duration_cast<microseconds>(system_clock::now().time_since_epoch()).count());
  }

  board board_;
  unsigned long long begun_{microseconds_now()};
};

}  // namespace

std::optional<int> others_among(std::set<unsigned> busy, const std::set<unsigned>& listed, unsigned own) {
  const auto all = static_cast<int>(busy.size());
  const auto of_this_one = static_cast<int>(busy.erase(own));
  if (of_this_one > 0 || listed.contains(own)) return all - of_this_one;
  if (all == 1 && listed.size() > 1) return std::nullopt;
  return std::max(0, all - 1);
}

std::unique_ptr<sensors> nvml_sensors(const device& d) {
  return std::make_unique<nvml_board>(d);
}

}  // namespace reprise::harness
