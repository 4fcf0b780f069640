// SPDX-License-Identifier: MIT
// By how much a machine's timings differ from one process to the next when nothing was changed: memory lies
// elsewhere, clocks and neighbours are other ones. No number of samples of one process tells; runs of the
// same thing do.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/run_folder.hpp"

namespace reprise::reports {

// What was timed, on the device by its name.
struct timed_case {
  std::string device, experiment, variant, precision, size, parameter, metric;
  auto operator<=>(const timed_case&) const = default;
};

// The samples of each case, in the order in which they were taken.
std::map<timed_case, std::vector<double>> samples_by_case(const run& from);

struct case_noise {
  timed_case of;
  int runs{};
  double spread{};   // standard deviation of the logarithms of the runs' medians
  double largest{};  // difference between two of them
};

constexpr std::array<std::string_view, 10> noise_columns{"device", "experiment", "variant", "precision",
                                                         "size",   "parameter",  "metric",  "runs",
                                                         "spread", "largest"};

constexpr std::size_t fewest_noise_runs = 5;

// Of the cases that all of the runs have. Throws bad_input for fewer runs than five, and for runs that have
// no case in common.
std::vector<case_noise> learn_noise(std::span<const run> runs);

std::string to_csv(std::span<const case_noise> noise);
std::vector<case_noise> read_noise(const std::filesystem::path& file);

// The shift that is believed to be more than noise, as a logarithm, and where it comes from.
struct noise_floor {
  double shift{};
  std::string source;
};

// Where nothing was learned: more than what shared machines were seen to do.
constexpr double default_floor = .10;

// The floor of a case when `cases` of them are compared at once: the chance that any of them is called faster
// or slower by noise is half a percent. A case that the noise does not know has the highest floor of those on
// its device; without any noise of the device it is the default one.
noise_floor floor_of(const timed_case& of, std::span<const case_noise> noise, std::size_t cases);

}  // namespace reprise::reports
