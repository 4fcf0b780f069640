// SPDX-License-Identifier: MIT
// Collects times by year.
#include "reports/compare/years.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "reports/judging/assessment.hpp"
#include "reports/store/json.hpp"

namespace reprise::reports {
namespace {

struct fastest {
  double seconds{no_value};
  std::string variant;

  void offer(double other, const std::string& by) {
    if (!(other >= seconds)) *this = {other, by};
  }
};

using times_by_board = std::map<std::string, fastest>;

// The paper's boards, whether they are compared or not.
times_by_board published_times(const main_case& paper, const comparison_sources& from) {
  times_by_board times;
  for (const auto& family : from.families) {
    if (family.word != paper.id) continue;
    for (const auto& r : read_rows(file_of(from.published_dir, family)))
      if (paper.is(r) && r.value > 0) times[from.boards.id_of(r.device)].offer(r.value, r.variant);
  }
  return times;
}

times_by_board compared_times(const main_case& paper, const device_comparison& c) {
  times_by_board times;
  for (const auto& t : c.times) {
    if (t.id != paper.id) continue;
    for (const auto& l : t.lines)
      for (std::size_t i = 0; i < c.columns.size(); ++i)
        if (paper.is(l) && l.cells[i].value > 0) times[c.columns[i].board].offer(l.cells[i].value, l.variant);
  }
  return times;
}

// Adds one point for each board whose year is known; the others' names go to `undated`.
void add_points(nlohmann::json& paper, const times_by_board& times, const board_names& boards,
                const char* source) {
  for (const auto& [name, time] : times) {
    const auto* known = boards.find(name);
    if (known == nullptr) {
      paper["undated"].push_back(name);
      continue;
    }
    paper["points"].push_back({{"board", known->id},
                               {"year", known->year},
                               {"seconds", time.seconds},
                               {"variant", short_name(time.variant)},
                               {"source", source}});
  }
}

}  // namespace

nlohmann::json years_of(const device_comparison& c, const comparison_sources& from) {
  nlohmann::json all{{"schema", 1}, {"papers", nlohmann::json::array()}, {"boards", nlohmann::json::array()}};
  for (const auto& paper : from.main_cases) {
    const auto published = published_times(paper, from);
    auto measured = compared_times(paper, c);
    std::erase_if(measured, [&](const auto& entry) { return published.contains(entry.first); });
    nlohmann::json one{{"word", paper.id},
                       {"title", paper.title},
                       {"precision", paper.precision},
                       {"points", nlohmann::json::array()},
                       {"undated", nlohmann::json::array()}};
    add_points(one, published, from.boards, "published");
    add_points(one, measured, from.boards, "measured");
    all["papers"].push_back(std::move(one));
  }
  for (const auto& b : from.boards.all())
    all["boards"].push_back({{"name", b.id},
                             {"year", b.year},
                             {"bandwidth", number_or_null(b.bandwidth)},
                             {"single", number_or_null(b.single_rate)},
                             {"double", number_or_null(b.double_rate)}});
  return all;
}

}  // namespace reprise::reports
