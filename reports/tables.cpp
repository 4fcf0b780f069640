// SPDX-License-Identifier: MIT
// Turns rows into a table: a line for each device and variant, across sizes or metrics.
#include "reports/tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "reports/pivot.hpp"

namespace reprise::reports {
namespace {

// What a column stands for, and the unit that its cells need not repeat.
struct column {
  std::string metric, size, unit;
};

class table_maker {
 public:
  table_maker(const layout& shape, std::vector<shown_row> rows)
      : shape_(shape), rows_(std::move(rows)), differ_(distinctions_between(rows_)) {
    across_sizes_ = shape.metrics.size() == 1;
  }

  table make() {
    table t;
    t.id = shape_.id;
    t.title = shape_.title;
    t.note = shape_.note;
    t.head_columns = {"device", "variant"};
    if (differ_.precision) t.head_columns.push_back("precision");
    if (differ_.parameter) t.head_columns.push_back("parameter");
    if (differ_.size && !across_sizes_) t.head_columns.push_back("size");
    make_columns(t);
    for (const auto& r : rows_) put(t, r);
    return t;
  }

 private:
  void make_columns(table& t) {
    if (across_sizes_) {
      const auto& metric = shape_.metrics.front();
      t.unit = unit_of(metric, rows_);
      std::vector<std::string> sizes;
      for (const auto& r : rows_) {
        if (!r.data->size.empty()) sizes.push_back(r.data->size);
      }
      std::sort(sizes.begin(), sizes.end(), size_before);
      sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
      for (const auto& size : sizes) columns_.push_back({metric, size, t.unit});
      t.columns = std::move(sizes);
      return;
    }
    for (const auto& metric : shape_.metrics) {
      columns_.push_back({metric, "", unit_of(metric, rows_)});
      t.columns.push_back(with_unit(metric, columns_.back().unit));
    }
  }

  std::vector<std::string> head_of(const shown_row& r) const {
    std::vector<std::string> head{r.device, std::string(short_name(r.data->variant))};
    if (differ_.precision) head.push_back(r.data->precision);
    if (differ_.parameter) head.push_back(r.data->parameter);
    if (differ_.size && !across_sizes_) head.push_back(r.data->size);
    return head;
  }

  table_line& line_of(table& t, const shown_row& r) {
    const auto key = std::tuple(!r.published, r.run_rank, r.data->device, head_of(r));
    const auto [known, is_new] = line_at_.try_emplace(key, t.lines.size());
    if (is_new) {
      t.lines.push_back({r.published, head_of(r), std::vector<cell>(columns_.size())});
    }
    return t.lines[known->second];
  }

  bool is_in(const column& c, const row& r) const {
    return (r.metric.empty() || r.metric == c.metric) &&
           (!across_sizes_ || r.size.empty() || r.size == c.size);
  }

  // The first number for a cell counts; a reason for having none gives way to a number.
  void put(table& t, const shown_row& r) {
    auto& line = line_of(t, r);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      auto& place = line.cells[i];
      if (!is_in(columns_[i], *r.data) || !std::isnan(place.value)) continue;
      if (has_value(r)) {
        place = {r.data->value, r.data->unit == columns_[i].unit ? std::string() : r.data->unit, false,
                 r.data};
      } else {
        place.is_missing = true;
      }
    }
  }

  const layout& shape_;
  std::vector<shown_row> rows_;
  distinctions differ_;
  bool across_sizes_{};
  std::vector<column> columns_;
  std::map<std::tuple<bool, std::size_t, std::string, std::vector<std::string>>, std::size_t> line_at_;
};

}  // namespace

table make_table(const layout& shape, std::span<const shown_row> rows) {
  return table_maker(shape, rows_of(shape, rows)).make();
}

}  // namespace reprise::reports
