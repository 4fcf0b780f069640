// SPDX-License-Identifier: MIT
// Makes a run's plan from its steps, the shipped costs and the papers' claims, and describes it.
#include "benchmarks/harness/budget/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "benchmarks/harness/budget/needs.hpp"
#include "benchmarks/harness/budget/slices.hpp"
#include "benchmarks/harness/budget/worth.hpp"
#include "benchmarks/harness/measure.hpp"
#include "benchmarks/harness/roofs/roofs.hpp"
#include "reports/judging/assessment.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::budget {
namespace {

using harness::step;

// Seconds kept back for the rows that are derived and written at the end.
constexpr double closing_seconds = 1.5;

// The most lines that the text gives to what is left out.
constexpr std::size_t most_left_out = 12;

reports::family_layout layout_of(const harness::family& f) {
  reports::family_layout layout{f.word, f.title, {}};
  for (const harness::experiment& e : f.experiments) layout.items.push_back(e.layout);
  return layout;
}

std::vector<offer> offers_of(std::span<const step> steps, const estimator& costs, harness::preset level) {
  std::vector<offer> offers;
  for (const step& s : steps) {
    std::string why_not =
        s.on.variant == nullptr ? s.on.reason : harness::why_not_affordable(s.plan, s.on.device, level);
    offers.push_back({&s, costs.seconds(s), std::move(why_not)});
  }
  return offers;
}

std::vector<item> items_of(std::span<const offer> offers, const std::filesystem::path& home,
                           double budget_seconds) {
  std::vector<item> items = slice_items(offers);
  for (const harness::family& f : harness::families()) {
    const bool is_asked_for = std::ranges::any_of(
        offers, [&](const offer& o) { return reports::family_of(o.what->of->layout.id) == f.word; });
    if (!is_asked_for) continue;
    const reports::family_layout layout = layout_of(f);
    const auto claims = reports::claims_of(home / "reports" / "claims", layout);
    const std::string metric = reports::usual_metric(layout);
    for (item& i : headline_items(offers, f.word, claims, metric)) items.push_back(std::move(i));
  }
  sort_by_worth(items, offers, budget_seconds);
  return items;
}

nlohmann::json case_json(const step& s) {
  return {s.of->layout.id, s.plan.variant,   std::string(to_string(s.plan.arithmetic)),
          s.plan.size,     s.plan.parameter, s.on.device.id};
}

bool is_of_headline(const decision& d) {
  return d.name.starts_with("headline ");
}

void add_line(std::string& text, const std::string& what, const std::string& says) {
  text += fmt::format("  {:<62}  {}\n", what, says);
}

std::string measured_text(const schedule& s) {
  std::string text;
  if (s.roof_seconds() > 0)
    add_line(text, fmt::format("roofs of {}", fmt::join(s.roofs(), ", ")), duration_text(s.roof_seconds()));
  for (const decision& d : s.decisions()) {
    if (!d.why_not.empty() || (d.cases == 0 && !is_of_headline(d))) continue;
    add_line(
        text, d.name,
        d.cases == 0 ? "with the above" : fmt::format("{}, {} cases", duration_text(d.seconds), d.cases));
  }
  return text;
}

// Headlines first, because a reader wants to know what became of each.
std::string left_out_text(const schedule& s) {
  std::string text;
  std::size_t others = 0;
  for (const decision& d : s.decisions()) {
    if (d.why_not.empty()) continue;
    if (is_of_headline(d) || others++ < most_left_out) add_line(text, d.name, d.why_not);
  }
  if (others > most_left_out)
    text += fmt::format("  and {} other slices of tables and figures\n", others - most_left_out);
  return text;
}

}  // namespace

cost_table shipped_costs(const std::filesystem::path& home) {
  const auto file = home / "reports" / "costs.csv";
  return std::filesystem::exists(file) ? cost_table::read(file) : cost_table();
}

plan::plan(std::span<const step> steps, const std::filesystem::path& home, harness::preset level,
           double budget_seconds)
    : steps_(steps),
      budget_(budget_seconds),
      costs_(shipped_costs(home), level),
      offers_(offers_of(steps, costs_, level)),
      items_(items_of(offers_, home, budget_seconds)),
      schedule_(made()) {}

schedule plan::made() const {
  return schedule(
      offers_, items_, budget_ - closing_seconds,
      [this](std::size_t step) { return costs_.seconds(steps_[step]); },
      [this](const device& d) {
        roof_prices prices;
        for (const device& reached : harness::same_memory(d))
          prices[reached.id] = costs_.roof_seconds(reached);
        return prices;
      });
}

std::string plan::text() const {
  schedule s = schedule_;
  const double end = rehearse(s) + closing_seconds;
  std::string text = fmt::format("plan for {}: {} of {} cases, about {}\nmeasures\n", duration_text(budget_),
                                 s.chosen().size(), steps_.size(), duration_text(end));
  text += measured_text(s);
  const std::string without = left_out_text(s);
  return without.empty() ? text : text + "leaves out\n" + without;
}

std::set<std::string> plan::roofs() const {
  schedule s = schedule_;
  rehearse(s);
  return s.roofs();
}

std::optional<plan::task> plan::next(double elapsed) {
  const auto picked = schedule_.next(elapsed);
  if (!picked) return std::nullopt;
  const double left = budget_ - closing_seconds - elapsed;
  return task{picked->step, harness::time_limit(longest_seconds(picked->seconds, left, budget_),
                                                "a plan for " + duration_text(budget_))};
}

plan::rest plan::left(double elapsed) const {
  schedule s = schedule_;
  const double end = rehearse(s, elapsed);
  return {s.chosen().size() - schedule_.chosen().size(), end - elapsed + closing_seconds};
}

std::string plan::why_left_out(std::size_t step) const {
  if (!offers_[step].why_not.empty()) return offers_[step].why_not;
  return fmt::format("left out of a plan for {}: {}; `reprise run {} --budget none` measures it",
                     duration_text(budget_), schedule_.why_left_out(step), steps_[step].of->layout.id);
}

nlohmann::json plan::to_json() const {
  nlohmann::json json{{"budget_seconds", budget_},
                      {"items", nlohmann::json::array()},
                      {"left_out", nlohmann::json::array()},
                      {"cases", nlohmann::json::array()}};
  for (const decision& d : schedule_.decisions()) {
    if (d.why_not.empty())
      json["items"].push_back({{"name", d.name}, {"seconds", d.seconds}, {"cases", d.cases}});
    else
      json["left_out"].push_back({{"name", d.name}, {"reason", d.why_not}});
  }
  for (const std::size_t step : schedule_.chosen()) json["cases"].push_back(case_json(steps_[step]));
  return json;
}

full_cost cost_of_all(std::span<const step> steps, const cost_table& known, harness::preset level) {
  const estimator costs(level == harness::preset::quick ? known : cost_table(), level);
  std::set<shared_case> paid;
  full_cost sum;
  for (const step& s : steps) {
    if (s.on.variant == nullptr || !harness::why_not_affordable(s.plan, s.on.device, level).empty()) continue;
    for (const device& d : harness::same_memory(s.on.device)) sum.roofs[d.id] = costs.roof_seconds(d);
    experiment_cost& of = sum.experiments[s.of->layout.id];
    ++of.cases;
    if (paid.insert(shared_key(s)).second) of.seconds += costs.seconds(s);
  }
  return sum;
}

std::string text_of(const full_cost& sum) {
  std::string text;
  double all = 0;
  for (const auto& [id, seconds] : sum.roofs) {
    add_line(text, "roofs of " + id, duration_text(seconds));
    all += seconds;
  }
  for (const auto& [id, of] : sum.experiments) {
    add_line(text, id, fmt::format("{}, {} cases", duration_text(of.seconds), of.cases));
    all += of.seconds;
  }
  return text + fmt::format("in all about {}\n", duration_text(all));
}

std::vector<step> replayed(const nlohmann::json& description, const std::filesystem::path& file,
                           std::vector<step> steps) {
  if (!description.contains("plan") || !description["plan"].contains("cases"))
    throw bad_input(file.string() + " holds no plan: --plan takes a finished run that had a budget");
  const auto without_device = [](nlohmann::json c) {
    c.erase(c.size() - 1);
    return c;
  };
  std::map<nlohmann::json, std::vector<std::string>> wanted;  // devices by case
  for (const nlohmann::json& c : description["plan"]["cases"])
    wanted[without_device(c)].push_back(c.back().get<std::string>());
  const auto is_here = [&](const step& like, const std::string& device) {
    return std::ranges::any_of(steps, [&](const step& s) {
      return s.on.device.id == device && without_device(case_json(s)) == without_device(case_json(like));
    });
  };
  std::vector<step> kept;
  std::map<nlohmann::json, std::set<std::string>> replaced;  // backends without the plan's device, by case
  for (const step& s : steps) {
    const auto at = wanted.find(without_device(case_json(s)));
    if (at == wanted.end()) continue;
    const std::string kind = s.on.device.id.substr(0, s.on.device.id.find(':'));
    const bool is_wanted = std::ranges::any_of(at->second, [&](const std::string& id) {
      if (id == s.on.device.id || s.on.variant == nullptr) return true;
      return id.substr(0, id.find(':')) == kind && !is_here(s, id) && replaced[at->first].insert(kind).second;
    });
    if (is_wanted) kept.push_back(s);
  }
  if (kept.empty()) throw bad_input(file.string() + ": none of its plan's cases is in this program");
  return kept;
}

}  // namespace reprise::budget
