// SPDX-License-Identifier: MIT
// One problem on several ranks: the speed-up at constant size (scale/strong), at constant size per rank
// (scale/weak), and a prediction for more ranks (scale/prediction). Cases run on all ranks that mpirun
// started and on 1, 2, 4, ... of them, so that an efficiency is a ratio of times of one run.
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/atrium/sphere.hpp"
#include "benchmarks/scale/cases.hpp"
#include "benchmarks/scale/rows.hpp"
#include "benchmarks/scale/surfaces.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/ranks/ranks.hpp"

namespace reprise::harness {
namespace {

using namespace scale;

const std::vector<std::string> variants_on_ranks{"atrium/cuda_multi", "atrium/cuda_tuned_multi",
                                                 "atrium/mpi_cpu"};

// One rank comes first, because the other cases are compared with it.
std::set<int> counts_of_ranks() {
  const int all = ranks::count();
  std::set<int> counts{all};
  for (int n = 1; n < all; n *= 2) counts.insert(n);
  return counts;
}

std::vector<stepping> steppings() {
  return {{atrium::scheme::euler, .05, 0, 0}, {atrium::scheme::bogacki_shampine, 0, .1, .1}};
}

// The number of subdivisions of the preset's finest sphere.
int finest(const std::string& variant, const plan_request& request) {
  if (is_on_chip(variant)) return request.level == preset::smoke || ranks::count() < 4 ? 7 : 8;
  if (variant == "atrium/cuda_multi") return request.level == preset::smoke ? 7 : 10;
  return request.level == preset::smoke ? 3 : request.level == preset::quick ? 5 : 7;
}

std::set<int> asked_or(const plan_request& request, const std::set<int>& usual) {
  const auto asked = atrium_cases::asked_subdivisions(request);
  return asked ? std::set<int>{*asked} : usual;
}

// All cases of a sphere follow each other, so that it is made once and ranks are compared with one rank.
std::vector<case_plan> strong_cases(const plan_request& request) {
  std::vector<case_plan> plans;
  for (const std::string& variant : variants_on_ranks) {
    const int most = finest(variant, request);
    const std::set<int> spheres = asked_or(request, {most - 2, most - 1, most});
    for (int subdivisions : spheres)
      for (precision arithmetic : {precision::single, precision::double_}) {
        // Only the coarsest sphere in double precision, because millions of cells take minutes to set up.
        if (arithmetic == precision::double_ && subdivisions != *spheres.begin()) continue;
        for (const stepping& how : steppings()) {
          if (is_on_chip(variant) && (how.is_adaptive() || arithmetic == precision::double_)) continue;
          for (int ranks : counts_of_ranks())
            plans.push_back(plan_sphere(variant, how, arithmetic, subdivisions, ranks));
        }
      }
  }
  return plans;
}

// Each subdivision level has four times as many cells as the one before. On 4 and 16 ranks each rank has as
// many cells as a single rank alone, on 2 and 8 twice as many.
int levels_above(int ranks) {
  int levels = 0;
  for (int n = 1; n < ranks; n *= 4) ++levels;
  return levels;
}

std::vector<case_plan> weak_cases(const plan_request& request) {
  std::vector<case_plan> plans;
  for (const std::string& variant : variants_on_ranks) {
    const int coarsest =
        *asked_or(request, {finest(variant, request) - levels_above(ranks::count())}).begin();
    for (int ranks : counts_of_ranks())
      plans.push_back(plan_sphere(variant, steppings().front(), precision::single,
                                  coarsest + levels_above(ranks), ranks));
  }
  return plans;
}

// Number of cells per side.
int side(const plan_request& request, int usual) {
  const auto asked = request.setting("cells");
  if (!asked) return request.level == preset::smoke ? 2048 : usual;
  if (!(*asked >= 2 && *asked <= 32768) || *asked != std::floor(*asked))
    throw bad_input("the number of cells a side must be a whole number from 2 to 32768");
  return static_cast<int>(*asked);
}

std::vector<case_plan> strong_surfaces(const plan_request& request) {
  std::vector<case_plan> plans;
  for (int cells : std::set<int>{side(request, 8192), side(request, 16384)})
    for (int ranks : counts_of_ranks())
      plans.push_back(plan_surface("curvature/cuda_multi", {cells, cells}, ranks));
  return plans;
}

// Every rank has half a square.
std::vector<case_plan> weak_surfaces(const plan_request& request) {
  std::vector<case_plan> plans;
  const int cells = side(request, 8192);
  for (int ranks : counts_of_ranks())
    plans.push_back(plan_surface("curvature/cuda_multi", {cells, cells / 2 * ranks}, ranks));
  return plans;
}

auto both(const planner& spheres, const planner& surfaces) {
  return [=](const plan_request& request) {
    std::vector<case_plan> plans = spheres(request);
    for (case_plan& plan : surfaces(request)) plans.push_back(std::move(plan));
    return plans;
  };
}

std::vector<experiment> experiments() {
  return {
      table(
          "scale/strong", "Strong scaling: one sphere, or one surface, on more ranks",
          "Seconds a step, and where they go; the efficiency is one rank's time over the ranks' times their "
          "number. Under mpirun the run has every number of ranks; without it one alone.",
          {"time_step", "efficiency", "exposed_communication", "compute_time", "exchange_time", "wait_time",
           "cells_per_second", "accepted_steps"},
          both(strong_cases, strong_surfaces), strong_efficiency),
      table(
          "scale/weak", "Weak scaling: larger spheres and surfaces on more ranks",
          "Spheres are four times as large from one to the next, so that on 2 and 8 ranks each has twice as "
          "many cells as one alone: the efficiency compares a rank's cells in a second. Surfaces have as "
          "many "
          "nodes a rank whatever their number.",
          {"time_step", "weak_efficiency", "exposed_communication", "cells_per_second"},
          both(weak_cases, weak_surfaces), weak_efficiency),
      table("scale/prediction", "What 8 to 1024 ranks would do: a prediction",
            "From lines through the spheres of scale/strong: a rank computes in proportion to its cells, an "
            "exchange takes a latency and a time in proportion to the root of them, beside the computation. "
            "Nothing of this table was measured.",
            {"predicted_time_step", "predicted_efficiency", "least_efficiency", "most_efficiency"},
            strong_cases, predictions)};
}

const family_registration registered([] {
  return family{
      .word = "scale",
      .title = "One problem on several ranks",
      .experiments = experiments(),
      .settings = {"subdivisions", "cells"},
      .verify =
          [](const variant&, const device&, std::span<const grid_size>) {
            return std::vector<verified_case>{};  // no variant has this word
          },
      .sizes = {size_form::nothing, "of a sphere give --set subdivisions=10, of a surface --set cells=8192"}};
});

}  // namespace
}  // namespace reprise::harness
