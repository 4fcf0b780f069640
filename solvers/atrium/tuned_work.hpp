// SPDX-License-Identifier: MIT
// What the steps on chip ask of the device.
#pragma once

#include "solvers/atrium/tuned_steps.hpp"

namespace reprise::atrium {
inline namespace REPRISE_CUDA_FLAVOUR {

// How often a cell's gates are followed in a stage, on average.
constexpr double follows_of_stage(const method_plan& p) {
  double follows = 0;
  for (int s = 0; s < p.stages; ++s)
    follows += (p.stage[s].over > 0 ? 1 : 0) + (p.stage[s].keeps_gates ? 1 : 0);
  return follows / p.stages;
}

// Per cell: its ring twice, weights and voltages around it, the table's quartets of the membrane and of each follow,
// and the next voltage; with several stages also the slopes of V and the beginning of the step.
constexpr double shared_bytes_of_stage(const method_plan& p) {
  constexpr double quartet_bytes = sizeof(quartet) * coefficients;
  constexpr double of_gates = quartet_bytes * (quartets - first_gate_quartet);
  const double of_all = sizeof(ring) + sizeof(unsigned) + 2 * slots * sizeof(float) +
                        quartet_bytes * first_gate_quartet + of_gates * follows_of_stage(p) + sizeof(float);
  if (p.stages == 1) return of_all;
  double slopes = 0;
  for (int s = 0; s < p.stages; ++s) slopes += p.stage[s].next.count + (p.stage[s].keeps_slope ? 1 : 0);
  return of_all + sizeof(float) * (slopes / p.stages + 2 + static_cast<double>(concentrations));
}

// A launch loads and stores the state once. Stages exchange voltages. A pair whose last stage is evaluated at the
// result also waits there for the decision; others compute meanwhile.
constexpr work work_of_step(const method_data& m, steps_kind kind) {
  work w = counted(m, gate_rule::rush_larsen, sizeof(float));
  const method_plan p = plan_of(m);
  const double of_table = rule_of(kind) == follow_by::rate ? functions_of_table_rates : 0;
  w.bytes_dram_once = counted(data_of(scheme::euler), gate_rule::rush_larsen, sizeof(float)).bytes_dram;
  w.bytes_dram = 0;
  w.bytes_shared = shared_bytes_of_stage(p);
  w.functions = functions_of_currents + follows_of_stage(p) * (functions_of_follow + of_table);
  w.exchanges = kind == steps_kind::adaptive && p.is_first_same_as_last ? 1 + 1.0 / p.advancing() : 1;
  return w;
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
