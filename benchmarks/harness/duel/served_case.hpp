// SPDX-License-Identifier: MIT
// The cases of a process that serves requests: offered, and one of them loaded and checked.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "benchmarks/harness/duel/protocol.hpp"
#include "benchmarks/harness/steps.hpp"
#include "benchmarks/harness/subject.hpp"

namespace reprise::duels {

class served_cases {
 public:
  // Chooses another place for a step before it is offered, or adds to its offer.
  using placing = std::function<void(harness::step&)>;
  using describing = std::function<void(const harness::step&, nlohmann::json&)>;
  explicit served_cases(placing place = {}, describing describe = {});

  // Answers "cases", "load", "verify" and "judge"; nothing for other requests. Throws for what cannot be done.
  std::optional<nlohmann::json> answer(const nlohmann::json& asked);

  // The case that is loaded, and the step that it is made of. Throw bad_input if there is none.
  harness::subject& loaded();
  const harness::step& step() const;

 private:
  nlohmann::json offer(const nlohmann::json& asked);
  void load(std::size_t which);
  void keep_apart_from(const harness::step& next);

  placing place_;
  describing describe_;
  std::vector<harness::step> steps_;
  std::size_t which_{};
  std::unique_ptr<harness::subject> subject_;
  std::vector<std::unique_ptr<harness::subject>> earlier_;  // their memory is not taken again
};

}  // namespace reprise::duels
