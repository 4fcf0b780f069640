// SPDX-License-Identifier: MIT
// Compares two builds' counts case by case.
#include "benchmarks/harness/count/gate.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "benchmarks/harness/duel/shared_cases.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::counting {
namespace {

using duels::offered_case;

constexpr std::size_t shown_functions = 5;

// A kernel that is a small part of its case is judged too: if it grew by this share of itself, is at least this share of the case,
// and the case grew by at least half as much, so that the kernel's work has not only moved between functions.
constexpr double grown_kernel = .005;
constexpr double least_part = .01;

std::vector<std::string> differences(const circumstances& before, const circumstances& after) {
  std::vector<std::string> all;
  const auto compare_text = [&](const char* what, const std::string& a, const std::string& b) {
    if (a != b)
      all.push_back(
          fmt::format("another {}: {} before, {} now", what, a.empty() ? "none" : a, b.empty() ? "none" : b));
  };
  compare_text("compiler", before.compiler, after.compiler);
  compare_text("set of flags", before.flags, after.flags);
  compare_text("build type", before.build_type, after.build_type);
  compare_text("C library", before.c_library, after.c_library);
  compare_text("version of Valgrind", before.valgrind, after.valgrind);
  // Where one side counted no case, its processor is unknown.
  if (!before.processor.empty() && !after.processor.empty())
    compare_text("processor", before.processor, after.processor);
  return all;
}

// All functions, those that grew most first.
std::vector<grown_function> grown_functions(const callgrind_counts& before, const callgrind_counts& after) {
  std::vector<grown_function> grown;
  for (const auto& [name, cost] : after.functions) {
    const auto old = before.functions.find(name);
    const std::int64_t was = old == before.functions.end() ? 0 : old->second;
    if (cost > was) grown.push_back({name, was, cost});
  }
  std::ranges::stable_sort(grown, std::greater{}, [](const grown_function& f) { return f.after - f.before; });
  return grown;
}

bool is_grown_kernel(const grown_function& f, const callgrind_counts& before, const callgrind_counts& after) {
  const auto in_all = static_cast<double>(after.instructions - before.instructions);
  const auto own = static_cast<double>(f.after - f.before);
  return f.before > 0 &&
         static_cast<double>(f.before) >= least_part * static_cast<double>(before.instructions) &&
         growth(f.before, f.after) > grown_kernel && in_all >= own / 2;
}

std::int64_t bytes_of(const cuda::traffic& t) {
  return t.bytes_to_device + t.bytes_to_host + t.bytes_on_device;
}

// What the case asks the C library or an emulated device for more often than before; empty if nothing.
std::string more_requests(const counted_case& before, const counted_case& after) {
  std::vector<std::string> more;
  const auto compare_number = [&](const char* what, std::int64_t was, std::int64_t is) {
    if (is > was) more.push_back(fmt::format("{} {}, {} before", is, what, was));
  };
  compare_number("allocations", before.simulated->allocations, after.simulated->allocations);
  if (before.traffic && after.traffic) {
    compare_number("launches", before.traffic->launches, after.traffic->launches);
    compare_number("bytes copied", bytes_of(*before.traffic), bytes_of(*after.traffic));
  }
  return fmt::format("{}", fmt::join(more, "; "));
}

case_change judged(const counted_case& before, const counted_case& after, const growth_rule& rule) {
  case_change c{case_text(after), change::not_judged, 0, 0, "", {}};
  for (const auto& [which, one] : {std::pair{"before", &before}, {"now", &after}})
    if (!one->foul.empty()) {
      c.what = change::failed;
      c.reason = fmt::format("{}: {}", which, one->foul);
      return c;
    }
  for (const auto& [which, one] : {std::pair{"before", &before}, {"now", &after}})
    if (!one->simulated) {
      c.reason = fmt::format("{}: {}", which, one->not_simulated);
      return c;
    }
  c.before = before.simulated->instructions;
  c.after = after.simulated->instructions;
  const double more = growth(c.before, c.after);
  const auto functions = grown_functions(*before.simulated, *after.simulated);
  const auto kernel = std::ranges::find_if(functions, [&](const grown_function& f) {
    return is_grown_kernel(f, *before.simulated, *after.simulated);
  });
  c.reason = more_requests(before, after);
  c.what = more > rule.margin || kernel != functions.end() || !c.reason.empty() ? change::grew
           : more < -rule.margin                                                ? change::shrank
                                                                                : change::same;
  if (c.what == change::grew)
    c.functions = {functions.begin(), functions.begin() + static_cast<std::ptrdiff_t>(
                                                              std::min(shown_functions, functions.size()))};
  return c;
}

void compare_kernels(const counts& before, const counts& after, comparison& all) {
  if (!after.kernels.missing.empty() || !before.kernels.missing.empty()) {
    all.no_kernels = after.kernels.missing.empty() ? before.kernels.missing : after.kernels.missing;
    return;
  }
  if (before.made.cuda != after.made.cuda || before.kernels.source != after.kernels.source) {
    all.no_kernels = fmt::format("{} by {} before, {} by {} now", before.made.cuda, before.kernels.source,
                                 after.made.cuda, after.kernels.source);
    return;
  }
  std::map<std::pair<std::string, std::string>, const kernel_needs*> old;
  for (const kernel_needs& k : before.kernels.kernels) old[{k.architecture, k.name}] = &k;
  for (const kernel_needs& k : after.kernels.kernels) {
    const auto was = old.find({k.architecture, k.name});
    if (was != old.end() && k.spilled > was->second->spilled)
      all.kernels.push_back({k.name + " for " + k.architecture, was->second->spilled, k.spilled,
                             was->second->registers, k.registers});
  }
}

std::vector<offered_case> offers_of(const counts& all) {
  return {all.cases.begin(), all.cases.end()};
}

}  // namespace

std::string_view to_string(change c) {
  switch (c) {
    case change::same:
      return "SAME";
    case change::grew:
      return "GREW";
    case change::shrank:
      return "SHRANK";
    case change::failed:
      return "FAILED";
    case change::not_judged:
      break;
  }
  return "NOT JUDGED";
}

double growth(std::int64_t before, std::int64_t after) {
  if (before == after) return 0;
  return before <= 0 ? 1 : static_cast<double>(after - before) / static_cast<double>(before);
}

bool comparison::has(change what) const {
  return std::ranges::count(cases, what, &case_change::what) > 0;
}

comparison compare(const counts& before, const counts& after, const growth_rule& rule) {
  comparison all;
  all.differences = differences(before.made, after.made);
  const auto offered_before = offers_of(before);
  const auto offered_after = offers_of(after);
  const auto old = duels::places_of(offered_before);
  const auto now = duels::places_of(offered_after);
  for (const auto& [id, place] : now) {
    const auto was = old.find(id);
    std::string why = was == old.end() ? duels::why_alone(offered_after[place], 'B', offered_before)
                                       : duels::difference(offered_before[was->second], offered_after[place]);
    if (!why.empty()) {
      all.left_out.push_back(case_text(offered_after[place]) + ": " + why);
      continue;
    }
    case_change c = judged(before.cases[was->second], after.cases[place], rule);
    if (!all.differences.empty() && c.what != change::failed) {
      c.what = change::not_judged;
      c.functions.clear();
    }
    all.cases.push_back(std::move(c));
  }
  for (const auto& [id, place] : old)
    if (!now.contains(id))
      all.left_out.push_back(case_text(offered_before[place]) + ": " +
                             duels::why_alone(offered_before[place], 'A', offered_after));
  if (all.cases.empty())
    throw bad_input(fmt::format("the two builds share no case{}: choose other cases",
                                all.left_out.empty() ? "" : ", for example " + all.left_out.front()));
  compare_kernels(before, after, all);
  return all;
}

}  // namespace reprise::counting
