// SPDX-License-Identifier: MIT
// An action that all ranks must finish before they wait for each other.
#pragma once

#include <exception>
#include <string>

#include "solvers/common/base/error.hpp"
#include "solvers/common/ranks/communicator.hpp"

namespace reprise::ranks {

// Runs `action` on all ranks. If it throws on any of them, throws unavailable on all, with the
// reason of the lowest such rank.
template <class Action>
void agreed(communicator& all, Action action) {
  std::string reason;
  try {
    action();
  } catch (const std::exception& failure) {
    reason = failure.what();
  }
  reason = all.first_of(reason);
  if (!reason.empty()) throw unavailable(reason);
}

}  // namespace reprise::ranks
