// SPDX-License-Identifier: MIT
// One problem on several ranks: how much faster (scale/strong), how much more in the same time (scale/weak),
// and what more ranks than these would do (scale/prediction). On as many ranks as mpirun started, and on
// fewer of them: one, two, four and so on, so that an efficiency is a ratio of times of one run.
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/scale_cases.hpp"
#include "benchmarks/scale_rows.hpp"
#include "benchmarks/scale_surfaces.hpp"
#include "solvers/common/error.hpp"
#include "solvers/common/ranks.hpp"

namespace reprise::harness {
namespace {

using namespace scale;
using reports::layout;

const std::vector<std::string> variants_on_ranks{"atrium/cuda_multi", "atrium/mpi_cpu"};

// One alone first: the others are held against it.
std::set<int> counts_of_ranks() {
  const int all = ranks::count();
  std::set<int> counts{all};
  for (int n = 1; n < all; n *= 2) counts.insert(n);
  return counts;
}

std::vector<stepping> steppings() {
  return {{atrium::scheme::euler, .05, 0, 0}, {atrium::scheme::bogacki_shampine, 0, .1, .1}};
}

bool is_for_gpus(const std::string& variant) {
  return variant == "atrium/cuda_multi";
}

// The finest sphere of a preset.
int finest(const std::string& variant, const plan_request& request) {
  if (is_for_gpus(variant)) return request.level == preset::smoke ? 7 : 10;
  return request.level == preset::smoke ? 3 : request.level == preset::quick ? 5 : 7;
}

std::set<int> asked_or(const plan_request& request, const std::set<int>& usual) {
  if (!request.sizes.empty())
    throw bad_input("a sphere has no width and height: give a number of subdivisions, subdivisions=9");
  const auto asked = request.settings.find("subdivisions");
  if (asked == request.settings.end()) return usual;
  const double number = asked->second;
  if (!(number >= 0 && number <= 12) || number != std::floor(number))
    throw bad_input("the number of subdivisions must be a whole number from 0 to 12");
  atrium::require_room(static_cast<int>(number));
  return {static_cast<int>(number)};
}

// All cases of a sphere after each other: it is made once, and ranks are compared with one.
std::vector<case_plan> strong_cases(const plan_request& request) {
  std::vector<case_plan> plans;
  for (const std::string& variant : variants_on_ranks) {
    const int most = finest(variant, request);
    const std::set<int> spheres = asked_or(request, {most - 2, most - 1, most});
    for (int subdivisions : spheres)
      for (precision arithmetic : {precision::single, precision::double_}) {
        // In double precision the coarsest alone, as millions of cells take minutes to be set up.
        if (arithmetic == precision::double_ && subdivisions != *spheres.begin()) continue;
        for (const stepping& how : steppings())
          for (int ranks : counts_of_ranks())
            plans.push_back(plan_sphere(variant, how, arithmetic, subdivisions, ranks));
      }
  }
  return plans;
}

// Spheres are four times as large from one to the next: on 4 and 16 ranks each has as much as one alone, on 2
// and 8 twice as much.
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

// Cells a side.
int side(const plan_request& request, int usual) {
  const auto asked = request.settings.find("cells");
  if (asked == request.settings.end()) return request.level == preset::smoke ? 2048 : usual;
  if (!(asked->second >= 2 && asked->second <= 32768) || asked->second != std::floor(asked->second))
    throw bad_input("the number of cells a side must be a whole number from 2 to 32768");
  return static_cast<int>(asked->second);
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

using planner = std::vector<case_plan> (*)(const plan_request&);

auto both(planner spheres, planner surfaces) {
  return [=](const plan_request& request) {
    std::vector<case_plan> plans = spheres(request);
    for (case_plan& plan : surfaces(request)) plans.push_back(std::move(plan));
    return plans;
  };
}

experiment table(const std::string& name, const std::string& title, const std::string& note,
                 std::vector<std::string> metrics,
                 std::function<std::vector<case_plan>(const plan_request&)> plan,
                 std::function<std::vector<reports::row>(std::span<const reports::row>)> derive) {
  layout l{.id = "scale/" + name,
           .title = title,
           .note = note,
           .shape = layout::kind::table,
           .metrics = std::move(metrics)};
  return {std::move(l), std::move(plan), std::move(derive)};
}

std::vector<experiment> experiments() {
  return {
      table(
          "strong", "Strong scaling: one sphere, or one surface, on more ranks",
          "Seconds a step, and where they go; the efficiency is one rank's time over the ranks' times their "
          "number. Under mpirun the run has every number of ranks; without it one alone.",
          {"time_step", "efficiency", "exposed_communication", "compute_time", "exchange_time", "wait_time",
           "cells_per_second", "accepted_steps"},
          both(strong_cases, strong_surfaces), strong_efficiency),
      table(
          "weak", "Weak scaling: larger spheres and surfaces on more ranks",
          "Spheres are four times as large from one to the next, so that on 2 and 8 ranks each has twice as "
          "many cells as one alone: the efficiency compares a rank's cells in a second. Surfaces have as "
          "many "
          "nodes a rank whatever their number.",
          {"time_step", "weak_efficiency", "exposed_communication", "cells_per_second"},
          both(weak_cases, weak_surfaces), weak_efficiency),
      table("prediction", "What 8 to 1024 ranks would do: a prediction",
            "From lines through the spheres of scale/strong: a rank computes in proportion to its cells, an "
            "exchange takes a latency and a time in proportion to the root of them, beside the computation. "
            "Nothing of this table was measured.",
            {"predicted_time_step", "predicted_efficiency", "least_efficiency", "most_efficiency"},
            strong_cases, predictions)};
}

const family_registration registered([] {
  return family{.word = "scale",
                .title = "One problem on several ranks",
                .experiments = experiments(),
                .settings = {"subdivisions", "cells"},
                .verify = [](const variant&, const device&, std::span<const grid_size>) {
                  return std::vector<verified_case>{};  // no variant has this word
                }};
});

}  // namespace
}  // namespace reprise::harness
