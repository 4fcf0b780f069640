// SPDX-License-Identifier: MIT
// What the atrium's tests share: solvers that are ready to run, a stimulus, and distances between voltages.
#pragma once

#include "verification/atrium/check.hpp"
#include "verification/atrium/states.hpp"
#include "verification/tests/support/every_variant.hpp"

namespace reprise::atrium::tests {

using namespace reprise;
using namespace reprise::atrium;
namespace check = verification::atrium;
namespace ref = reference::atrium;

inline constexpr auto rl = gate_rule::rush_larsen;
inline constexpr auto plain = gate_rule::plain;

// Starts an action potential, at z >= 0 or only near the pole.
inline protocol one_stimulus(double t_end, double from_share = 0) {
  return {{{.start = 1, .length = 2, .strength = 40, .axis = 2, .from_share = from_share}}, t_end};
}

inline const std::vector<std::string> processor_codes{"atrium/cpu_serial", "atrium/openmp_aos",
                                                      "atrium/openmp"};
inline const std::vector<std::string> deciding_gpu_codes{"atrium/cuda_stages", "atrium/cuda_device_control",
                                                         "atrium/cuda_multi"};
inline const std::vector<std::string> gpu_codes{"atrium/cuda_stages", "atrium/cuda_device_control",
                                                "atrium/cuda_tuned",  "atrium/cuda_streamed",
                                                "atrium/cuda_multi",  "atrium/cuda_tuned_multi"};

inline problem with_bad_cell(problem p, std::size_t cell) {
  p.state0.at(cell)[at_cai] = not_a_number;
  return p;
}

inline control recording_every(int steps, control c) {
  c.record_every = steps;
  return c;
}

inline control with_attempts(int most, control c) {
  c.most_attempts = most;
  return c;
}

inline std::unique_ptr<solver> started(const problem& p, const control& c,
                                       precision arithmetic = precision::double_,
                                       const std::string& id = "atrium/cpu_serial") {
  auto s = verification::on_host<solver>(id);
  s->load(p, arithmetic);
  s->reset(c);
  return s;
}

inline double voltage_distance(const std::vector<cell_state>& a, const std::vector<cell_state>& b) {
  double most = 0;
  for (std::size_t k = 0; k < b.size(); ++k) most = std::max(most, std::abs(a.at(k)[at_v] - b[k][at_v]));
  return most;
}

// A variant on each of its devices.
inline std::vector<std::unique_ptr<solver>> made_everywhere(const std::string& id) {
  std::vector<std::unique_ptr<solver>> solvers;
  for (const harness::target& on : harness::targets_of(id, "*", true))
    if (on.variant != nullptr) solvers.push_back(verification::made<solver>(on));
  REQUIRE(!solvers.empty());
  return solvers;
}

struct answer {
  std::string id;
  progress end;
  std::vector<cell_state> state;
  recording recorded;
};

// Runs from t = 0, to each of the stops.
inline answer answer_of(solver& s, const problem& p, const control& c, precision arithmetic,
                        const std::vector<double>& stops, const std::string& id = "") {
  s.load(p, arithmetic);
  s.reset(c);
  progress end;
  for (double stop : stops) end = s.advance(stop);
  return {id, end, s.state(), s.recorded()};
}

// The answers of these variants, each on all of its devices.
inline std::vector<answer> answers(const std::vector<std::string>& ids, const problem& p, const control& c,
                                   precision arithmetic, const std::vector<double>& stops) {
  std::vector<answer> found;
  for (const std::string& id : ids)
    for (const auto& s : made_everywhere(id)) found.push_back(answer_of(*s, p, c, arithmetic, stops, id));
  return found;
}

}  // namespace reprise::atrium::tests
