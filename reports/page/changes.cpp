// SPDX-License-Identifier: MIT
// Compares the runs of a report with earlier ones.
#include "reports/page/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "reports/store/csv.hpp"
#include "reports/store/devices.hpp"

namespace reprise::reports {
namespace {

bool has_interval(const row& r) {
  return r.status == "ok" && std::isfinite(r.q1) && std::isfinite(r.q3) && r.q1 < r.q3;
}

// The rows that can change, by what they are a number of. The first run that has one counts, as for claims.
std::map<number_id, const row*> numbers_of(const std::vector<run>& runs) {
  std::map<number_id, const row*> numbers;
  for (const auto& from : runs)
    for (const auto& r : from.rows) {
      if (!has_interval(r) && r.status != "failed") continue;
      number_id id = r;
      id.device = device_name(from, r.device);
      numbers.try_emplace(id, &r);
    }
  return numbers;
}

std::optional<changed_number> change_of(const number_id& id, const row& before, const row& after) {
  const bool is_apart =
      has_interval(before) && has_interval(after) && (before.q3 < after.q1 || after.q3 < before.q1);
  if (before.status == after.status && !is_apart) return std::nullopt;
  return changed_number{
      id,          after.unit.empty() ? before.unit : after.unit, before.value, after.value, before.status,
      after.status};
}

std::vector<changed_verdict> changed_verdicts(const report_input& before, const report_input& now,
                                              std::span<const assessment> judged) {
  std::vector<changed_verdict> changed;
  for (std::size_t f = 0; f < now.families.size(); ++f) {
    const auto& family = now.families[f];
    const auto earlier = assess(before, family, read_printed(file_of(now.published_dir, family)));
    for (std::size_t i = 0; i < earlier.claims.size(); ++i) {
      const auto& claim = earlier.claims[i];
      const auto& old = earlier.judgements[i];
      const auto& is = judged[f].judgements[i];
      if (old.outcome == is.outcome) continue;
      changed.push_back({family.word, claim.id, claim.text, old.outcome, is.outcome, old.measured.value,
                         is.measured.value, claim.unit});
    }
  }
  return changed;
}

std::string value_text(double value, const std::string& status) {
  return std::isnan(value) ? status : fmt::format("{:.4g}", value);
}

bool became_wrong(const changed_number& n) {
  return n.status_before == "ok" && n.status_after == "failed";
}

}  // namespace

double changed_number::size() const {
  const double logarithm = std::abs(std::log(after / before));
  return std::isfinite(logarithm) ? logarithm : std::numeric_limits<double>::infinity();
}

std::size_t changes::newly_failed() const {
  return static_cast<std::size_t>(std::ranges::count_if(numbers, became_wrong));
}

changes changes_since(const report_input& before, const report_input& now,
                      std::span<const assessment> judged) {
  changes c;
  for (const auto& r : before.runs) c.against.push_back(name_of(r));
  c.verdicts = changed_verdicts(before, now, judged);
  const auto known = numbers_of(before.runs);
  for (const auto& [id, after] : numbers_of(now.runs)) {
    const auto at = known.find(id);
    if (at == known.end()) continue;
    ++c.compared;
    if (family_of(id.experiment) != "harness") ++c.cases;
    if (auto change = change_of(id, *at->second, *after)) c.numbers.push_back(*std::move(change));
  }
  std::ranges::stable_sort(c.numbers, std::ranges::greater{}, &changed_number::size);
  for (const auto& b : before.runs)
    for (const auto& n : now.runs)
      if (*b.description == *n.description) c.twice.push_back(name_of(n));
  return c;
}

nlohmann::json to_json(const changes& c) {
  nlohmann::json verdicts = nlohmann::json::array(), numbers = nlohmann::json::array();
  for (const auto& v : c.verdicts)
    verdicts.push_back({{"word", v.word},
                        {"id", v.id},
                        {"claim", v.text},
                        {"before", to_string(v.before)},
                        {"after", to_string(v.after)},
                        {"value_before", v.value_before},
                        {"value_after", v.value_after},
                        {"unit", v.unit}});
  for (const auto& n : c.numbers)
    numbers.push_back({{"case", case_text(n.of)},
                       {"metric", n.of.metric.str()},
                       {"unit", n.unit},
                       {"before", value_text(n.before, n.status_before)},
                       {"after", value_text(n.after, n.status_after)},
                       {"ratio", n.after / n.before}});
  return {{"against", c.against}, {"verdicts", verdicts}, {"numbers", numbers}, {"compared", c.compared}};
}

std::string to_csv(const changes& c) {
  auto text = csv::line({"kind", "what", "metric", "unit", "before", "after", "value_before", "value_after"});
  for (const auto& v : c.verdicts)
    text += csv::cells("verdict", v.word + "/" + v.id, "", v.unit, to_string(v.before), to_string(v.after),
                       v.value_before, v.value_after);
  for (const auto& n : c.numbers)
    text += csv::cells("number", case_text(n.of), n.of.metric, n.unit, n.status_before, n.status_after,
                       n.before, n.after);
  return text;
}

std::string to_text(const changes& c) {
  std::string text;
  for (const auto& run : c.twice) text += fmt::format("{} is on both sides\n", run);
  if (c.cases == 0)
    text += fmt::format("no case in common with {}: only verdicts and roofs can be compared\n",
                        fmt::join(c.against, ", "));
  for (const auto& n : c.numbers)
    if (became_wrong(n)) text += fmt::format("newly wrong: {}\n", case_text(n.of));
  for (const auto& v : c.verdicts)
    text += fmt::format("{}/{}: {} -> {}\n", v.word, v.id, to_string(v.before), to_string(v.after));
  return text +
         fmt::format("against {}: {}{} verdicts changed, {} of {} numbers moved beyond their intervals\n",
                     fmt::join(c.against, ", "),
                     c.newly_failed() == 0 ? "" : fmt::format("{} cases newly wrong, ", c.newly_failed()),
                     c.verdicts.size(), c.numbers.size() - c.newly_failed(), c.compared);
}

}  // namespace reprise::reports
