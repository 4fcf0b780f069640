// SPDX-License-Identifier: MIT
// Writes tables of counts, and a line and functions for each case that grew.
#include "benchmarks/harness/count/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "benchmarks/harness/count/operations.hpp"
#include "reports/text/table.hpp"

namespace reprise::counting {
namespace {

using nlohmann::json;

std::string or_dash(bool is_known, std::int64_t value) {
  return is_known ? std::to_string(value) : reports::no_number;
}

reports::table table_of(const counts& all) {
  reports::table t;
  t.columns = {"case",
               "instructions",
               "branches",
               "mispredicted",
               "misses of first cache",
               "misses of last cache",
               "allocations",
               "launches",
               "bytes copied",
               "clone",
               "remark"};
  t.text_columns = 1;
  for (const counted_case& c : all.cases) {
    const bool has = c.simulated.has_value();
    const callgrind_counts s = c.simulated.value_or(callgrind_counts{});
    const cuda::traffic moved = c.traffic.value_or(cuda::traffic{});
    const bool is_emulated = c.traffic.has_value();
    t.lines.push_back(
        {{case_text(c)},
         {or_dash(has, s.instructions)},
         {or_dash(has, s.branches)},
         {or_dash(has, s.mispredicted)},
         {or_dash(has, s.misses_of_first)},
         {or_dash(has, s.misses_of_last)},
         {or_dash(has, s.allocations)},
         {or_dash(is_emulated, moved.launches)},
         {or_dash(is_emulated, moved.bytes_to_device + moved.bytes_to_host + moved.bytes_on_device)},
         {clones_of(s)},
         {c.foul.empty() ? c.not_simulated : "FAILED: " + c.foul}});
  }
  return t;
}

// The four most frequent operations of a kernel.
std::string mix_of(const kernel_needs& k) {
  std::vector<std::pair<int, std::string>> parts;
  int sum = 0;
  for (const auto& [what, count] : k.instructions) {
    parts.emplace_back(count, what);
    sum += count;
  }
  std::ranges::sort(parts, std::greater{});
  std::string text = sum > 0 ? fmt::format("{}:", sum) : "";
  for (std::size_t i = 0; i < std::min<std::size_t>(4, parts.size()); ++i)
    text += fmt::format(" {} {}", parts[i].first, parts[i].second);
  return text;
}

reports::table kernels_table(const kernel_list& all) {
  reports::table t;
  t.columns = {"registers", "spilled bytes", "shared bytes", "instructions", "kernel"};
  t.text_columns = t.columns.size();
  for (const kernel_needs& k : all.kernels)
    t.lines.push_back({{std::to_string(k.registers)},
                       {std::to_string(k.spilled)},
                       {std::to_string(k.shared)},
                       {mix_of(k)},
                       {k.architecture + " " + k.name}});
  return t;
}

// The processor's own counters, once if all cases lack them for one reason.
std::string processor_text(const counts& all) {
  std::string text;
  std::string reason;
  for (const counted_case& c : all.cases) {
    const processor_counts& p = c.by_processor;
    if (p.missing.empty() && c.foul.empty())
      text += fmt::format("{}: {} instructions, {} branches, {} cache misses\n", case_text(c), p.instructions,
                          p.branches, p.cache_misses);
    else if (!p.missing.empty())
      reason = p.missing;
  }
  if (!text.empty()) return "The processor's own counters:\n" + text;
  return reason.empty() ? "" : "No counts by the processor: " + reason + "\n";
}

std::string operations_text() {
  std::string text = "Floating-point operations, counted with numbers that count:\n";
  for (const auto& [word, of] : all_operations()) {
    for (const counted_unit& u : of.units)
      text += fmt::format(
          "    {}: {}: {} counted{}, {} declared{}\n", word, u.unit, u.counted,
          u.elsewhere > 0 ? fmt::format(" and {} elsewhere", u.elsewhere) : "", u.declared,
          u.difference() == 0
              ? ""
              : fmt::format(": {:+} ({})", u.difference(),
                            u.difference() == u.known_difference ? u.why_different : "UNEXPECTED"));
    text += fmt::format("    {}: not counted: {}\n", word, of.not_counted);
  }
  return text;
}

std::string change_text(const case_change& c) {
  return fmt::format("{:+.3f} %", 100 * growth(c.before, c.after));
}

reports::table table_of(const comparison& all) {
  reports::table t;
  t.columns = {"case", "verdict", "before", "now", "growth", "remark"};
  t.text_columns = 2;
  for (const case_change& c : all.cases) {
    const bool has = c.after > 0;
    t.lines.push_back({{c.name},
                       {std::string(to_string(c.what))},
                       {or_dash(has, c.before)},
                       {or_dash(has, c.after)},
                       {has ? change_text(c) : ""},
                       {c.reason}});
  }
  return t;
}

std::string details_of(const comparison& all) {
  std::string text;
  for (const case_change& c : all.cases) {
    if (c.what != change::grew) continue;
    text += fmt::format("{} grew by {}, {} instructions:\n", c.name, change_text(c), c.after - c.before);
    for (const grown_function& f : c.functions)
      text += fmt::format("    {:+} ({:+.2f} % of itself) {}\n", f.after - f.before,
                          100 * growth(f.before, f.after), f.name);
  }
  for (const kernel_change& k : all.kernels)
    text += fmt::format("{} spills {} bytes, {} before; it has {} registers, {} before\n", k.name,
                        k.spilled_after, k.spilled_before, k.registers_after, k.registers_before);
  if (!all.no_kernels.empty()) text += "compiled kernels are not compared: " + all.no_kernels + "\n";
  for (const std::string& line : all.left_out) text += "left out: " + line + "\n";
  return text;
}

std::string head_of(const comparison& all) {
  std::string text;
  for (const std::string& line : all.differences) text += "not judged: " + line + "\n";
  if (!all.differences.empty()) text += "Count both builds in the same job, with the same compiler.\n";
  return text;
}

}  // namespace

std::string to_text(const counts& all) {
  std::string text;
  if (!all.made.processor.empty()) {
    text += fmt::format(
        "Counted by Callgrind of {} in one timed call with one thread, as on a processor of level {}",
        all.made.valgrind, all.made.processor);
    text += ". Valgrind hides AVX-512: no clone of a function that needs it is counted.\n";
  }
  text += "\n" + to_text(table_of(all)) + "\n" + processor_text(all);
  text += all.kernels.missing.empty() ? fmt::format("Kernels as compiled, by {}:\n{}\n", all.kernels.source,
                                                    to_text(kernels_table(all.kernels)))
                                      : "No compiled kernels: " + all.kernels.missing + "\n";
  if (!all.kernels.no_mix.empty()) text += "No instructions of kernels: " + all.kernels.no_mix + "\n";
  text += operations_text();
  for (const std::string& line : all.left_out) text += "left out: " + line + "\n";
  return text;
}

std::string to_text(const comparison& all) {
  return head_of(all) + to_text(table_of(all)) + "\n" + details_of(all);
}

std::string to_markdown(const comparison& all) {
  const std::string details = details_of(all);
  return head_of(all) + "\n" + to_markdown(table_of(all)) +
         (details.empty() ? "" : "\n```\n" + details + "```\n");
}

json to_json(const comparison& all) {
  json cases = json::array();
  for (const case_change& c : all.cases) {
    json functions = json::array();
    for (const grown_function& f : c.functions)
      functions.push_back({{"name", f.name}, {"before", f.before}, {"after", f.after}});
    cases.push_back({{"case", c.name},
                     {"verdict", to_string(c.what)},
                     {"before", c.before},
                     {"after", c.after},
                     {"reason", c.reason},
                     {"functions", functions}});
  }
  json kernels = json::array();
  for (const kernel_change& k : all.kernels)
    kernels.push_back({{"kernel", k.name},
                       {"spilled", {k.spilled_before, k.spilled_after}},
                       {"registers", {k.registers_before, k.registers_after}}});
  return {{"differences", all.differences},
          {"cases", cases},
          {"kernels", kernels},
          {"no_kernels", all.no_kernels},
          {"left_out", all.left_out}};
}

}  // namespace reprise::counting
