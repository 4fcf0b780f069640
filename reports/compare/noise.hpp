// SPDX-License-Identifier: MIT
// How much a machine's timings differ between processes if nothing was changed: memory is placed
// elsewhere, and clocks and other load differ. Samples of one process cannot show this, however
// many; only repeated runs can.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/store/run.hpp"

namespace reprise::reports {

// A timed metric of a case. The device is identified by its name, and is compared first.
struct timed_case : number_id {
  bool operator==(const timed_case&) const = default;
  std::strong_ordering operator<=>(const timed_case& other) const;
};

// Whether a sample is a time: positive and finite.
bool is_time(double sample);
// The samples of each case, in the order of measurement.
std::map<timed_case, std::vector<double>> all_samples_by_case(const run& from);
// The same without samples that are no times.
std::map<timed_case, std::vector<double>> samples_by_case(const run& from);

// The cases whose time something disturbed, with what disturbed it.
std::map<timed_case, shared_text> disturbed_cases(const run& from);

struct case_noise {
  timed_case of;
  int runs{};
  double spread{};   // standard deviation of the logarithms of the runs' medians
  double largest{};  // largest difference between two of these logarithms
};

constexpr std::array<std::string_view, 10> noise_columns{"device", "experiment", "variant", "precision",
                                                         "size",   "parameter",  "metric",  "runs",
                                                         "spread", "largest"};

constexpr std::size_t fewest_noise_runs = 5;

// Learns the noise of the cases that at least five runs have and nothing disturbed there. Throws bad_input for fewer than five
// runs, and for runs without such a case.
std::vector<case_noise> learn_noise(std::span<const run> runs);

std::string to_csv(std::span<const case_noise> noise);
std::vector<case_noise> read_noise(const std::filesystem::path& file);

// The smallest shift that counts as more than noise, as a logarithm, and its source.
struct noise_floor {
  double shift{};
  std::string source;
};

// The floor if no noise was learned: more than shared machines were observed to vary.
constexpr double default_floor = .10;

// The floors of cases if `cases` of them are compared at once. The probability that noise makes any of them
// faster or slower is half a per cent. A case without learned noise gets the highest floor on its device; a
// device without any gets the default floor.
class noise_floors {
 public:
  noise_floors(std::span<const case_noise> noise, std::size_t cases);
  const noise_floor& of(const timed_case& timed) const;

 private:
  std::map<timed_case, noise_floor> of_case_;
  std::map<shared_text, noise_floor> of_device_;
};

}  // namespace reprise::reports
