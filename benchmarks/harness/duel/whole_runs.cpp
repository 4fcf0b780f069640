// SPDX-License-Identifier: MIT
// Runs `reprise run` for the one case into a folder that is removed afterwards, and reads its row.
#include "benchmarks/harness/duel/whole_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/harness/duel/command.hpp"
#include "benchmarks/harness/duel/temporary_folder.hpp"
#include "reports/store/files.hpp"
#include "reports/store/run.hpp"

namespace reprise::duels {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> command_for(const ring& in, const offered_case& c, const fs::path& program,
                                     const fs::path& run) {
  std::vector<std::string> words{
      program.string(), "run",         c.experiment, "--preset", in.request.at("preset").get<std::string>(),
      "--variant",      c.variant,     "--device",   c.device,   "--precision",
      c.precision,      "--parameter", c.parameter,  "--size",   c.size,
      "--out",          run.string()};
  for (const auto& [name, value] : in.request.at("settings").items()) {
    words.emplace_back("--set");
    words.push_back(fmt::format("{}={:.17g}", name, value.get<double>()));
  }
  return words;
}

double seconds_of_run(const ring& in, const offered_case& c, std::size_t side) {
  const temporary_folder folder;
  const char name = side == 0 ? 'A' : 'B';
  const fs::path log = folder.path() / "log";
  const bool is_good = succeeds(command_for(in, c, in.programs[side], folder.path() / "run"), log);
  if (!is_good) throw foul(fmt::format("{}'s run failed: {}", name, last_line_of(log)));
  for (const reports::row& r : reports::read_run(folder.path() / "run").rows)
    if (without_experiment(r) == without_experiment(c)) {
      if (r.status == "ok" || r.status == "disturbed") return r.value;
      throw foul(fmt::format("{}: {}, {}", name, r.status, r.reason));
    }
  throw foul(fmt::format("{}'s run lacks the case", name));
}

}  // namespace

bout_result fight_by_runs(const ring& in, const bout_case& c, std::mt19937_64& random) {
  std::array<double, 2> seconds{};
  const std::size_t first = std::bernoulli_distribution(.5)(random) ? 1 : 0;
  for (const std::size_t side : {first, 1 - first}) seconds[side] = seconds_of_run(in, c.what, side);
  return {std::log(seconds[1] / seconds[0]), {seconds[0] / c.what.repeats, seconds[1] / c.what.repeats}};
}

}  // namespace reprise::duels
