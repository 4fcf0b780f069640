// SPDX-License-Identifier: MIT
// How the referee of a duel talks with its two sides: JSON documents, a line each. The side tells its version first, then
// answers one request after the other. Every answer that holds "error" means that the request failed.
//   {"do":"cases","request":R}         -> {"cases":[...]}     R as in run.json
//   {"do":"load","case":K}             -> {}                  K counts the side's own cases
//   {"do":"verify"}                    -> {}
//   {"do":"run","repeats":N,"calls":C,"meet":M} -> {"seconds":S,"queued":Q}  waits at the meeting point first, unless M is 0;
//                                         Q of S passed without a processor; it may lack
//   {"do":"judge","repeats":N}         -> {}                  the timed work, after its last sample
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/store/case_id.hpp"

namespace reprise::duels {

constexpr int protocol_version = 1;
constexpr auto side_command = "duel-side";
// Names the file descriptor of the meeting point in the side's environment.
constexpr auto meeting_variable = "REPRISE_DUEL_MEETING";

// A case as a side offers it. Two sides time the same work only if all of this is equal.
struct offered_case : reports::number_id {
  std::string device_name;
  int repeats{};
  double units{};  // of work in a repeat
  bool on_host{};
  std::string unavailable{};  // why the side cannot run it; empty if it can
};

nlohmann::json to_json(const offered_case& c);
offered_case offered_in(const nlohmann::json& j);  // throws nlohmann::json::exception

}  // namespace reprise::duels
