// SPDX-License-Identifier: MIT
// Selects and orders the rows of tables and figures.
#include "reports/page/shown_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>

#include "reports/store/devices.hpp"

namespace reprise::reports {
namespace {

struct shown_device {
  shared_text name;
  std::size_t rank{};
};

// What make(text) returns, made once for each text: rows are many, and their devices and variants few.
template <class Thing, class Make>
const Thing& made_once(std::unordered_map<shared_text, Thing>& known, const shared_text& text, Make make) {
  const auto found = known.find(text);
  return found != known.end() ? found->second : known.emplace(text, make(text)).first->second;
}

}  // namespace

std::vector<shown_row> shown_rows(std::span<const row> published, std::span<const run> runs,
                                  const variant_names& names) {
  std::unordered_map<shared_text, shared_text> variants;
  const auto name_variant = [&](const row& r) {
    return made_once(variants, r.variant, [&](const shared_text& id) -> shared_text { return names.of(id); });
  };
  std::vector<shown_row> rows;
  for (const auto& r : published) rows.push_back({&r, true, r.device, name_variant(r), 0, 0});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto suffix = runs.size() > 1 ? " (" + name_of(runs[i]) + ")" : std::string();
    std::unordered_map<shared_text, shown_device> devices;
    const auto name_device = [&](const shared_text& id) {
      return shown_device{id.empty() ? std::string() : device_on_page(runs[i], id) + suffix,
                          device_rank(runs[i], id)};
    };
    const auto first = rows.size();
    for (const auto& r : runs[i].rows) {
      const auto& on = made_once(devices, r.device, name_device);
      rows.push_back({&r, false, on.name, name_variant(r), i, on.rank});
    }
    std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                     [](const shown_row& a, const shown_row& b) { return a.device_rank < b.device_rank; });
  }
  return rows;
}

bool has_value(const shown_row& r) {
  return (r.data->status == "ok" || r.data->status == "published") && std::isfinite(r.data->value);
}

std::vector<shown_row> rows_of(const layout& shape, std::span<const shown_row> rows) {
  std::vector<shown_row> chosen;
  for (const auto& r : rows) {
    const bool has_metric =
        std::find(shape.metrics.begin(), shape.metrics.end(), r.data->metric) != shape.metrics.end();
    const bool is_own = r.data->experiment == shape.id || (r.published && !shape.published_in.empty() &&
                                                           r.data->experiment == shape.published_in);
    if (is_own && (has_metric || (r.data->metric.empty() && !has_value(r)))) {
      chosen.push_back(r);
    }
  }
  return chosen;
}

distinctions distinctions_between(std::span<const shown_row> rows) {
  std::set<std::string> precisions, parameters, sizes;
  std::array<std::set<std::string>, 2> parameters_of_source;
  for (const auto& r : rows) {
    precisions.insert(r.data->precision);
    parameters.insert(r.data->parameter);
    sizes.insert(r.data->size);
    if (has_value(r)) parameters_of_source[r.published ? 1 : 0].insert(r.data->parameter);
  }
  // A row with an empty field does not differ from one with a value ...
  const auto differ = [](std::set<std::string>& values) {
    values.erase("");
    return values.size() > 1;
  };
  // ... except that a number with a parameter must not be mistaken for one without that stands beside it.
  const bool some_lack_it = parameters_of_source[0].size() > 1 || parameters_of_source[1].size() > 1;
  return {differ(precisions), differ(parameters) || some_lack_it, differ(sizes)};
}

std::string unit_of(const std::string& metric, std::span<const shown_row> rows) {
  for (const auto& r : rows) {
    if (r.data->metric == metric && has_value(r) && !r.data->unit.empty()) return r.data->unit;
  }
  return {};
}

}  // namespace reprise::reports
