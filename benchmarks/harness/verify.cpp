// SPDX-License-Identifier: MIT
// Checks variants against their references without timing them.
#include "benchmarks/harness/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "benchmarks/harness/lost_devices.hpp"
#include "benchmarks/harness/nearest.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/checkers/maximum.hpp"

namespace reprise::harness {
namespace {

double share_of_limit(const checkers::finding& f) {
  return f.limit > 0 ? f.value / f.limit : 0;
}

// Problems that were left out, by their reason. Reasons that differ in numbers only, as in a matrix's row,
// are one.
class omissions {
 public:
  void add(const verified_case& c) {
    std::string kind;
    for (const char letter : c.unavailable) {
      const bool is_digit = letter >= '0' && letter <= '9';
      if (!is_digit || kind.empty() || kind.back() != '#') kind += is_digit ? '#' : letter;
    }
    const auto known = std::ranges::find(all_, kind, &omission::kind);
    if (known == all_.end()) {
      all_.push_back({kind, c.name, c.unavailable, 1});
    } else {
      ++known->count;
    }
  }
  std::string text() const {
    std::string lines;
    for (const omission& o : all_)
      lines += o.count == 1
                   ? fmt::format("    left out: {}: {}\n", o.first, o.reason)
                   : fmt::format("    left out: {} and {} more: {}\n", o.first, o.count - 1, o.reason);
    return lines;
  }

 private:
  struct omission {
    std::string kind, first, reason;
    int count;
  };
  std::vector<omission> all_;
};

// Checks one variant on one device against all its problems. Prints a line, one more for each wrong answer,
// and one for each reason to leave problems out. Returns whether no answer was wrong.
bool verify_target(const family& f, const target& on, std::span<const grid_size> sizes, std::ostream& out,
                   run_outcome& outcome) {
  const std::string label = fmt::format("{:<33} {:<9} ", on.variant->id, on.device.id);
  int good = 0;
  int wrong = 0;
  double worst = 0;
  std::string complaints;
  omissions left_out;
  for (const verified_case& c : cases_of(f, on, sizes)) {
    const std::vector<std::string> found = complaints_about(c);
    for (const std::string& complaint : found) complaints += "    " + complaint + "\n";
    if (!c.unavailable.empty()) {
      left_out.add(c);
    } else if (found.empty()) {
      ++good;
      for (const auto& finding : c.findings) worst = checkers::larger(worst, share_of_limit(finding));
    } else {
      ++wrong;
    }
  }
  if (wrong > 0) {
    ++outcome.failed;
    out << label << fmt::format("wrong  {} of {} problems\n", wrong, good + wrong);
  } else if (good == 0) {
    ++outcome.skipped;
    out << label << "skipped\n";
  } else {
    ++outcome.measured;
    out << label << fmt::format("ok     {} problems, worst error {:.0f} % of its limit\n", good, 100 * worst);
  }
  out << complaints << left_out.text() << std::flush;
  return wrong == 0;
}

void skip(const std::string& id, const std::string& reason, std::ostream& out, run_outcome& outcome) {
  ++outcome.skipped;
  out << fmt::format("{:<43} skipped  {}\n", id, reason);
}

// The ids that match, in the manifest's order. Throws bad_input if a pattern matches none.
std::vector<std::string_view> chosen(const std::vector<std::string>& patterns) {
  std::vector<std::string_view> ids;
  for (const manifest_entry& e : manifest()) ids.push_back(e.id);
  for (const std::string& pattern : patterns)
    if (std::ranges::none_of(ids, [&](const auto id) { return matches(pattern, id); }))
      throw bad_input("no variant is called '" + pattern + "'" + nearest(pattern, {ids.begin(), ids.end()}) +
                      ": `reprise list` lists them");
  std::erase_if(ids, [&](const auto id) { return !reports::matches_any(patterns, id); });
  return ids;
}

// Parses the request's sizes as sizes of the families of these variants.
std::vector<grid_size> sizes_for(const std::vector<std::string_view>& ids, const verify_request& request) {
  std::set<const family*> families;
  for (const auto id : ids) families.insert(find_family(reports::family_of(id)));
  families.erase(nullptr);
  return parse_sizes(request.sizes, std::vector(families.begin(), families.end()));
}

}  // namespace

run_outcome verify_variants(const verify_request& request, std::ostream& out) {
  require_device_name(request.device_glob);
  run_outcome outcome;
  lost_devices lost;
  const std::vector<std::string_view> ids = chosen(request.variants);
  const std::vector<grid_size> sizes = sizes_for(ids, request);
  for (const std::string_view variant : ids) {
    const std::string id(variant);
    const family* const f = find_family(reports::family_of(id));
    for (const target& on : targets_of(id, request.device_glob, true)) {
      if (on.variant == nullptr || f == nullptr) {
        skip(id, on.reason, out, outcome);
      } else if (const std::string reason = lost.reason(on.device); !reason.empty()) {
        skip(id, reason, out, outcome);
      } else if (!verify_target(*f, on, sizes, out, outcome)) {
        lost.ask(on.device);
      }
    }
  }
  return outcome;
}

}  // namespace reprise::harness
