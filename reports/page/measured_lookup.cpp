// SPDX-License-Identifier: MIT
// An index of measured rows by experiment and metric, because a report has a million rows and its tables a thousand cells.
#include "reports/page/measured_lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "reports/store/devices.hpp"

namespace reprise::reports {
namespace {

std::vector<std::string> alternatives(const std::string& selector) {
  std::vector<std::string> all;
  for (std::size_t from = 0;;) {
    const auto end = std::min(selector.find('|', from), selector.size());
    all.push_back(selector.substr(from, end - from));
    if (end == selector.size()) return all;
    from = end + 1;
  }
}

template <class Same>
std::optional<std::size_t> place_among(const std::string& selector, Same same) {
  if (selector.find('|') == std::string::npos)
    return selector == "*" || same(selector) ? std::optional<std::size_t>(0) : std::nullopt;
  std::size_t place = 0;
  for (const auto& text : alternatives(selector)) {
    if (text == "*" || same(text)) return place;
    ++place;
  }
  return std::nullopt;
}

using fit = std::array<std::size_t, key_names.size()>;

// The place of each field among the selector's alternatives, the least preferable deviation first; nothing if the row
// does not match.
std::optional<fit> fit_of(const measured_lookup::found& r, const row_key& selector) {
  const auto text_of = [&](key_field field) -> std::string_view {
    switch (field) {
      case key_field::experiment:
        return r.data->experiment;
      case key_field::variant:
        return short_name(r.data->variant);
      case key_field::device:
        return r.data->device;
      case key_field::precision:
        return r.data->precision;
      case key_field::size:
        return r.data->size;
      case key_field::parameter:
        return r.parameter;
      case key_field::metric:
        break;
    }
    return r.data->metric;
  };
  fit places{};
  std::size_t i = 0;
  for (const auto field : {key_field::metric, key_field::device, key_field::parameter, key_field::variant,
                           key_field::precision, key_field::size, key_field::experiment}) {
    const auto text = text_of(field);
    const auto place = place_among(at(selector, field), [&](const std::string& wanted) {
      if (field == key_field::device) return text.starts_with(wanted);
      return field == key_field::parameter ? text == sorted_parts(wanted) : text == wanted;
    });
    if (!place) return std::nullopt;
    places[i++] = *place;
  }
  return places;
}

}  // namespace

measured_lookup::measured_lookup(std::span<const printed_layout> layouts, std::span<const shown_row> rows,
                                 std::span<const run> runs) {
  std::set<std::string> experiments;
  const auto want = [&](const row_key& selector) {
    for (const auto& experiment : alternatives(at(selector, key_field::experiment)))
      for (const auto& metric : alternatives(at(selector, key_field::metric))) {
        rows_.try_emplace({experiment, metric});
        experiments.insert(experiment);
      }
  };
  for (const auto& layout : layouts)
    for (const auto& line : layout.rows)
      for (const auto& cell : line.cells) {
        want(cell.measured);
        if (cell.over) want(*cell.over);
      }
  std::vector<bool> has_reserve;
  for (const auto& r : runs) has_reserve.push_back(!reservations_about(r).empty());
  std::map<std::pair<std::size_t, std::string>, std::string> labels;
  for (const auto& r : rows) {
    const std::string& experiment = r.data->experiment;
    if (r.published || !experiments.contains(experiment)) continue;
    const std::string& device = r.data->device;
    auto& label = labels[{r.run_rank, device}];
    if (label.empty() && !device.empty()) label = device_on_page(runs[r.run_rank], device);
    const auto keep = [&](std::vector<found>& among) {
      among.push_back({r.data, label, sorted_parts(r.data->parameter), r.run_rank, r.device_rank,
                       has_reserve[r.run_rank]});
    };
    if (!has_value(r)) {
      keep(failures_[experiment]);
      continue;
    }
    devices_of_runs_.emplace(r.run_rank, label);
    const auto wanted = rows_.find({experiment, r.data->metric});
    if (wanted == rows_.end()) continue;
    keep(wanted->second);
    if (family_of(experiment) != "harness") own_runs_.insert(r.run_rank);
  }
}

std::vector<const measured_lookup::found*> measured_lookup::matching(const row_key& selector) const {
  std::vector<const found*> all;
  for (const auto& experiment : alternatives(at(selector, key_field::experiment)))
    for (const auto& metric : alternatives(at(selector, key_field::metric)))
      if (const auto known = rows_.find({experiment, metric}); known != rows_.end())
        for (const auto& r : known->second)
          if (fit_of(r, selector)) all.push_back(&r);
  std::ranges::stable_sort(all, [](const found* a, const found* b) {
    return std::pair(a->run_rank, a->device_rank) < std::pair(b->run_rank, b->device_rank);
  });
  return all;
}

const measured_lookup::found* measured_lookup::nearest(const row_key& selector,
                                                       const std::string& device) const {
  const auto distance = [&](const found* r) {
    return r->device == device ? 0 : devices_of_runs_.contains({r->run_rank, device}) ? 1 : 2;
  };
  const auto all = matching(selector);
  const auto best = std::ranges::min_element(all, {}, [&](const found* r) {
    return std::tuple(distance(r), !own_runs_.contains(r->run_rank), *fit_of(*r, selector), r->has_reserve,
                      r->run_rank, r->device_rank);
  });
  return best == all.end() ? nullptr : *best;
}

const measured_lookup::found* measured_lookup::beside(const row_key& selector, const found& other) const {
  const auto all = matching(selector);
  const auto best = std::ranges::min_element(all, {}, [&](const found* r) {
    return std::tuple(r->run_rank != other.run_rank, r->data->device != other.data->device,
                      r->device != other.device, *fit_of(*r, selector), r->has_reserve, r->run_rank,
                      r->device_rank);
  });
  return best == all.end() ? nullptr : *best;
}

std::vector<const measured_lookup::found*> measured_lookup::in_other_runs(const row_key& selector,
                                                                          const found& of) const {
  auto all = matching(selector);
  std::erase_if(all, [&](const found* r) {
    return r->run_rank == of.run_rank || r->device != of.device ||
           static_cast<const number_id&>(*r->data) != *of.data;
  });
  return all;
}

std::vector<std::string> measured_lookup::deviations(const row_key& selector, const found& of,
                                                     const variant_names& names) const {
  std::vector<std::string> all;
  const auto add = [&](key_field field, const std::string& actual, auto in_words) {
    const auto wanted = alternatives(at(selector, field));
    if (wanted.size() > 1 && wanted.front() != actual)
      all.push_back(fmt::format("{} in place of {}", in_words(actual), in_words(wanted.front())));
  };
  const auto as_it_is = [](const std::string& text) { return text; };
  add(key_field::variant, std::string(short_name(of.data->variant)), [&](const std::string& variant) {
    return names.of(fmt::format("{}/{}", family_of(of.data->variant), variant));
  });
  add(key_field::size, of.data->size, as_it_is);
  add(key_field::precision, of.data->precision, as_it_is);
  return all;
}

std::string measured_lookup::why_missing(const row_key& selector) const {
  const auto experiment = alternatives(at(selector, key_field::experiment)).front();
  const auto size = alternatives(at(selector, key_field::size)).front();
  const row* of_metric = nullptr;
  const row* of_case = nullptr;
  if (const auto known = failures_.find(experiment); known != failures_.end())
    for (const auto& r : known->second) {
      const auto is_variant = [&](const std::string& wanted) {
        return short_name(r.data->variant) == wanted;
      };
      const auto is_metric = [&](const std::string& wanted) { return r.data->metric == wanted; };
      const auto is_size = [&](const std::string& wanted) { return r.data->size == wanted; };
      const bool is_case = place_among(at(selector, key_field::variant), is_variant) &&
                           (r.data->size.empty() || place_among(at(selector, key_field::size), is_size));
      const bool is_wanted = place_among(at(selector, key_field::metric), is_metric).has_value();
      // Without a time the case did not run at all.
      const bool is_whole = r.data->metric.empty() || r.data->metric.starts_with("time_");
      if (!is_case || r.data->reason.empty()) continue;
      if (is_wanted && explains_better(r.data, of_metric)) of_metric = r.data;
      if (is_whole && of_case == nullptr) of_case = r.data;
    }
  if (const row* why = of_metric != nullptr ? of_metric : of_case; why != nullptr) return why->reason;
  const auto only = size.empty() || size == "*" ? std::string() : " --size " + size;
  return fmt::format("not in these runs: reprise run {} --preset paper{}", experiment, only);
}

}  // namespace reprise::reports
