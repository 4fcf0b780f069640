// SPDX-License-Identifier: MIT
// Checks whether runs may be compared: their properties must be alike, or the user must name the difference.
#include "reports/compare/likeness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "reports/store/devices.hpp"
#include "reports/store/glob.hpp"
#include "reports/store/refusal.hpp"

namespace reprise::reports {
namespace {

using texts = std::set<std::string>;

// A figure shows the numbers of the table where the paper published them.
void add_figures(texts& experiments, std::span<const family_layout> families) {
  texts figures;
  for (const auto& family : families)
    for (const auto& item : family.items)
      if (experiments.contains(item.published_in)) figures.insert(item.id);
  experiments.merge(figures);
}

texts experiments_of(const run& r, const comparison_scope& scope) {
  std::unordered_set<shared_text> found;
  for (const auto& one : r.rows) {
    if (one.status == "ok") found.insert(one.experiment);
  }
  texts names(found.begin(), found.end());
  std::erase_if(names, [&](const std::string& name) {
    return family_of(name) == "harness" || !matches(scope.glob, name);
  });
  return names;
}

texts experiments_of(const compared& c, const comparison_scope& scope) {
  texts names;
  for (const auto& r : c.runs) names.merge(experiments_of(r, c.is_paper ? comparison_scope{} : scope));
  if (!c.is_paper) return names;
  add_figures(names, scope.families);
  std::erase_if(names, [&](const std::string& name) { return !matches(scope.glob, name); });
  return names;
}

texts families_of(const compared& c) {
  texts words;
  for (const auto& e : experiments_of(c, {})) words.emplace(family_of(e));
  return words;
}

// The settings of the request that the experiment has.
std::string settings_text(const run& r, const std::string& experiment, const comparison_scope& scope) {
  const auto& all = requested(r, "settings");
  const auto family = std::ranges::find(scope.families, family_of(experiment), &family_layout::word);
  if (!all.is_object()) return {};
  nlohmann::json own = nlohmann::json::object();
  for (const auto& [name, value] : all.items()) {
    if (family == scope.families.end() || std::ranges::find(family->settings, name) != family->settings.end())
      own[name] = value;
  }
  return own.empty() ? std::string() : own.dump();
}

std::string request_text(const run& r, const char* key) {
  const auto& value = requested(r, key);
  if (value.empty()) return {};
  if (value.is_string()) return value.get<std::string>();
  const auto is_text = [](const auto& one) { return one.is_string(); };
  if (!value.is_array() || !std::ranges::all_of(value, is_text)) return value.dump();
  return fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), ", "));
}

struct property {
  const char* name;
  std::string (*of)(const run&, const std::string& experiment, const comparison_scope&);
};

constexpr std::array properties{
    property{"preset", [](const run& r, auto&...) { return request_text(r, "preset"); }},
    property{"sizes", [](const run& r, auto&...) { return request_text(r, "sizes"); }},
    property{"settings", settings_text},
    property{"version", [](const run& r, auto&...) { return text_of(*r.description, "reprise"); }},
    property{"build", [](const run& r, auto&...) { return text_of(*r.description, "build_type"); }}};
constexpr auto precision = "precision";

// For each experiment, the property's values in all runs that have the experiment.
std::map<std::string, texts> values_of(const compared& c, const property& p, const comparison_scope& scope) {
  std::map<std::string, texts> values;
  for (const auto& r : c.runs) {
    for (const auto& experiment : experiments_of(r, scope))
      values[experiment].insert(p.of(r, experiment, scope));
  }
  return values;
}

// The first texts, and how many there are besides.
std::string some_of(const texts& all, std::string_view between) {
  constexpr std::size_t most = 6;
  const std::vector<std::string> first(
      all.begin(), std::next(all.begin(), static_cast<std::ptrdiff_t>(std::min(all.size(), most))));
  return fmt::format("{}{}", fmt::join(first, between),
                     all.size() > most ? fmt::format(" and {} more", all.size() - most) : "");
}

std::string shown(const texts& values) {
  std::string text;
  for (const auto& v : values) text += (text.empty() ? "" : " and ") + (v.empty() ? "the usual" : v);
  return text;
}

// The precisions of each case, regardless of the device, as bits: the n-th bit is the n-th known precision.
class case_precisions {
 public:
  case_precisions(const compared& of, std::vector<shared_text>& known, const comparison_scope& scope) {
    for (const auto& r : of.runs) {
      const auto experiments = experiments_of(r, scope);
      const std::unordered_set<shared_text> chosen(experiments.begin(), experiments.end());
      for (const auto& one : r.rows) {
        if (one.status != "ok" || !chosen.contains(one.experiment) || one.precision.empty()) continue;
        case_id id = one;
        id.device.clear();
        id.precision.clear();
        bits_[id] |= 1u << place_of(one.precision, known);
      }
    }
  }

  // "single by jacobi/cuda_2d" if a case has no precision in common with the other; otherwise empty.
  std::string difference_from(const case_precisions& other, const std::vector<shared_text>& known) const {
    for (const auto& [id, own] : bits_) {
      const auto at = other.bits_.find(id);
      if (at == other.bits_.end() || (own & at->second) != 0) continue;
      return fmt::format("{} and {} by {}", shown(texts_of(own, known)), shown(texts_of(at->second, known)),
                         id.variant);
    }
    return {};
  }

 private:
  using bits = std::uint32_t;

  static std::size_t place_of(const shared_text& precision, std::vector<shared_text>& known) {
    const auto at = std::ranges::find(known, precision);
    const auto place = static_cast<std::size_t>(at - known.begin());
    if (at == known.end()) known.push_back(precision);
    if (place >= 32) refuse("the runs have more than 32 precisions; restore their rows.csv");
    return place;
  }

  static texts texts_of(bits which, const std::vector<shared_text>& known) {
    texts names;
    for (std::size_t i = 0; i < known.size(); ++i)
      if ((which >> i & 1) != 0) names.insert(known[i]);
    return names;
  }

  std::unordered_map<case_id, bits> bits_;
};

void require_company(std::span<const compared> all, const comparison_scope& scope) {
  std::map<std::string, std::size_t> items_with;
  std::vector<texts> experiments;
  for (const auto& c : all) {
    experiments.push_back(experiments_of(c, scope));
    for (const auto& name : experiments.back()) ++items_with[name];
  }
  const auto papers_of = [](const compared& c) {
    const auto families = families_of(c);
    return families.empty() ? "nothing" : fmt::format("{}", fmt::join(families, ", "));
  };
  for (const auto& c : all) {
    if (!families_of(c).empty()) continue;
    const bool is_whole = std::ranges::all_of(c.runs, is_finished);
    refuse("{}: has no number to compare: {}", c.name,
           is_whole ? "all its cases failed, were skipped or were disturbed"
                    : "the run is unfinished; finish it with --resume");
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (experiments[i].empty() && scope.glob != "*")
      refuse("{}: has no number of an experiment that matches '{}'; it has numbers of: {}", all[i].name,
             scope.glob, papers_of(all[i]));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto is_shared = [&](const std::string& name) { return items_with[name] > 1; };
    if (std::ranges::any_of(experiments[i], is_shared)) continue;
    refuse("{}: has no experiment{} in common with the others; it has numbers of: {}", all[i].name,
           scope.glob == "*" ? "" : " that matches '" + scope.glob + "'", papers_of(all[i]));
  }
}

bool may_vary(std::string_view name, std::span<const std::string> vary) {
  return std::ranges::find(vary, name) != vary.end();
}

[[noreturn]] void refuse_pair(const char* name, const std::string& difference, const compared& a,
                              const compared& b) {
  refuse("{} and {} differ in {}: {}; compare runs made alike, or say --vary {}", a.name, b.name, name,
         difference, name);
}

// Empty if all are alike. Compares all items with the first one that has the experiment, instead of pairwise,
// because a fleet may have hundreds.
std::string difference_in(const property& p, std::span<const compared> all, const comparison_scope& scope) {
  struct first {
    const compared* owner{};
    texts values;
  };
  std::map<std::string, first> known;
  for (const auto& c : all) {
    if (c.is_paper) continue;  // a paper's rows have no such properties
    for (const auto& [experiment, values] : values_of(c, p, scope)) {
      const auto [at, is_new] = known.try_emplace(experiment, first{&c, values});
      if (is_new || at->second.values == values) continue;
      const auto& other = *at->second.owner;
      return fmt::format("{0} and {1} differ in {2}: {3} in {0} and {4} in {1} ({5})", other.name, c.name,
                         p.name, shown(at->second.values), shown(values), experiment);
    }
  }
  return {};
}

void require_same_precision(std::span<const compared> all, const comparison_scope& scope) {
  std::vector<shared_text> known;
  std::vector<std::pair<const compared*, case_precisions>> precisions;
  for (const auto& c : all) {
    if (!c.is_paper) precisions.emplace_back(&c, case_precisions(c, known, scope));
  }
  for (std::size_t i = 0; i < precisions.size(); ++i) {
    for (std::size_t j = i + 1; j < precisions.size(); ++j) {
      const auto difference = precisions[i].second.difference_from(precisions[j].second, known);
      if (!difference.empty()) refuse_pair(precision, difference, *precisions[i].first, *precisions[j].first);
    }
  }
}

// A line for each item that lacks a paper which another item has; experiments instead of papers if some were chosen.
std::vector<std::string> missing_numbers(std::span<const compared> all, const comparison_scope& scope) {
  const auto parts_of = [&](const compared& c) {
    return scope.glob == "*" ? families_of(c) : experiments_of(c, scope);
  };
  texts known;
  for (const auto& c : all) known.merge(parts_of(c));
  std::vector<std::string> lines;
  for (const auto& c : all) {
    const auto own = parts_of(c);
    texts missing;
    std::ranges::set_difference(known, own, std::inserter(missing, missing.end()));
    if (!missing.empty())
      lines.push_back(fmt::format("{} has no number of: {}", c.name, some_of(missing, ", ")));
  }
  return lines;
}

}  // namespace

std::vector<std::string> variable_properties() {
  std::vector<std::string> names;
  for (const auto& p : properties) names.emplace_back(p.name);
  names.emplace_back(precision);
  return names;
}

void require_once(std::span<const compared> all) {
  std::map<std::string, std::string> known;  // by description, which contains host, start and name
  for (const auto& c : all) {
    for (const auto& r : c.runs) {
      const auto [at, is_new] = known.try_emplace(to_text(*r.description), r.folder.string());
      if (!is_new) refuse("{} and {} are the same run; give each one once", at->second, r.folder.string());
    }
  }
}

void require_same_properties(std::span<const compared> all, std::span<const std::string> vary,
                             const comparison_scope& scope) {
  const auto known = variable_properties();
  for (const auto& name : vary) {
    if (std::ranges::find(known, name) != known.end()) continue;
    refuse("--vary {}: there is no such property; there are: {}", name, fmt::join(known, ", "));
  }
  std::string differences, options;  // all at once, because a user would learn of each only after another try
  for (const auto& p : properties) {
    if (may_vary(p.name, vary)) continue;
    const auto difference = difference_in(p, all, scope);
    if (difference.empty()) continue;
    differences += difference + "; ";
    options += fmt::format(" --vary {}", p.name);
  }
  if (!differences.empty()) refuse("{}compare runs made alike, or say{}", differences, options);
}

void require_alike(std::span<const compared> all, std::span<const std::string> vary,
                   const comparison_scope& scope) {
  require_once(all);
  require_company(all, scope);
  require_same_properties(all, vary, scope);
  if (!may_vary(precision, vary)) require_same_precision(all, scope);
}

std::vector<std::string> differences_in(std::span<const compared> all,
                                        std::initializer_list<const char*> keys) {
  std::vector<std::string> lines;
  for (const char* key : keys) {
    std::map<std::string, texts> owners;  // by the key's text
    for (const auto& c : all) {
      for (const auto& r : c.runs) {
        if (auto value = text_of(*r.description, key); !value.empty()) owners[value].insert(c.name);
      }
    }
    texts values;
    for (const auto& [value, names] : owners)
      values.insert(names.size() == 1 ? fmt::format("{} ({})", value, *names.begin())
                                      : fmt::format("{} ({} items)", value, names.size()));
    if (values.size() > 1) lines.push_back(fmt::format("{} differs: {}", key, some_of(values, " | ")));
  }
  return lines;
}

std::vector<std::string> other_differences(std::span<const compared> all, const comparison_scope& scope) {
  auto lines = missing_numbers(all, scope);
  for (const auto& c : all) {
    if (!c.is_paper) continue;
    for (const auto& [printed, board] : listed_devices(c.runs.front()))
      if (printed != board) lines.push_back(fmt::format("{} is printed as {}", board, printed));
  }
  for (auto& line : differences_in(all, {"host", "system", "compiler", "flags", "cuda", "git"}))
    lines.push_back(std::move(line));
  return lines;
}

}  // namespace reprise::reports
