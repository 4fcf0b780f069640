// SPDX-License-Identifier: MIT
// One bout of a duel: both programs start anew, so that memory is placed anew, load a case and time it in turn or at the same
// moment. What favours one of two equal programs in a bout is drawn at random.
#pragma once

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/harness/duel/opponent.hpp"
#include "benchmarks/harness/duel/protocol.hpp"

namespace reprise::duels {

enum class mode { together, in_turn };
std::string_view to_string(mode m);

struct ring {
  std::array<std::filesystem::path, 2> programs;
  nlohmann::json request;  // as in run.json
  mode how{mode::in_turn};
  int threads{1};                                // of each side
  std::optional<std::array<int, 2>> processors;  // to which the sides are confined
  bool leaves_out_queueing{};                    // times are without what a side waited for a processor
};

// A program answered wrongly, or could not go on.
class foul : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How much work a sample has. Found in the first bout of a case.
struct sample_size {
  int repeats{};
  int calls{};
  int blocks{};  // in a bout
};

struct bout_case {
  offered_case what;
  std::array<std::size_t, 2> places{};  // among the cases of each side
  sample_size samples{};
};

struct bout_result {
  double pair{};                    // logarithm: how much longer the second program took
  std::array<double, 2> seconds{};  // medians of a repeat
  double waited{};                  // the share of both sides' time in which they waited for a processor
};

// What the program says of itself. Throws lost_side if it takes no part in duels.
nlohmann::json introduction_of(const std::filesystem::path& program);
std::vector<offered_case> cases_of(const std::filesystem::path& program, const nlohmann::json& request);

// The first bout of a case checks both answers before and after timing, and sets the sample size. Throws foul.
bout_result fight(const ring& in, bout_case& c, bool is_first, std::mt19937_64& random);

}  // namespace reprise::duels
