// SPDX-License-Identifier: MIT
// Judges the papers' conclusions once for each device.
#include <algorithm>

#include "reports/comparison.hpp"
#include "reports/files.hpp"
#include "reports/ledger.hpp"

namespace reprise::reports {
namespace {

bool is_of(const device_column& c, const std::string& id) {
  return std::find(c.ids.begin(), c.ids.end(), id) != c.ids.end();
}

// The machine's runs with the column's device as the one that counts most: a conclusion may set it against
// the machine's other devices.
std::vector<run> seen_from(const device_column& column, const compared& owner) {
  std::vector<run> runs;
  for (const auto& whole : owner.runs) {
    auto& r = runs.emplace_back();  // without samples and fields, of which no claim is
    r.folder = whole.folder;
    r.description = whole.description;
    r.rows = whole.rows;
    const auto listed = r.description.find("devices");
    if (listed == r.description.end() || !listed->is_array()) continue;
    auto devices = listed->get<std::vector<nlohmann::json>>();
    std::stable_partition(devices.begin(), devices.end(),
                          [&](const nlohmann::json& d) { return is_of(column, text_of(d, "id")); });
    *listed = devices;
  }
  return runs;
}

// A basis ends with the id of its row's device.
bool rests_on(const judgement& j, const device_column& column) {
  return std::any_of(j.basis.begin(), j.basis.end(), [&](const std::string& basis) {
    return std::any_of(column.ids.begin(), column.ids.end(),
                       [&](const std::string& id) { return basis.ends_with(" " + id); });
  });
}

}  // namespace

std::vector<compared_claim> compare_claims(std::span<const compared> all,
                                           std::span<const device_column> columns,
                                           const comparison_sources& from) {
  std::vector<std::vector<run>> views;
  for (const auto& c : columns) views.push_back(seen_from(c, all[c.owner]));
  std::vector<compared_claim> compared_claims;
  for (const auto& family : from.families) {
    const auto file = safe_name(family.word) + ".csv";
    const auto published = read_rows(from.published_dir / file);
    const auto metric = usual_metric(family);
    for (const auto& c : read_claims(from.claims_dir / file)) {
      if (c.kind != claim_class::shape) continue;
      compared_claim one{family.word, c.id, c.text, {}};
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto j = judge(c, {family.word, metric, views[i], published});
        one.outcomes.push_back(rests_on(j, columns[i]) ? j.outcome : verdict::not_run_here);
      }
      const bool is_judged = std::any_of(one.outcomes.begin(), one.outcomes.end(),
                                         [](verdict v) { return v != verdict::not_run_here; });
      if (is_judged) compared_claims.push_back(std::move(one));
    }
  }
  return compared_claims;
}

}  // namespace reprise::reports
