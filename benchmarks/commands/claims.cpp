// SPDX-License-Identifier: MIT
// Judges the papers' claims by runs and prints them as text or JSON.
#include "benchmarks/commands/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "benchmarks/commands/claims_text.hpp"
#include "benchmarks/commands/fail_on.hpp"
#include "benchmarks/commands/gather.hpp"
#include "reports/page/json.hpp"
#include "reports/store/glob.hpp"
#include "reports/store/json.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {
namespace {

using reports::assessment;
using reports::verdict;

constexpr std::array<std::string_view, 4> concern_names{"refuted", "undecided", "any", "never"};

// Globs, and which of them have matched.
class choice {
 public:
  explicit choice(const std::vector<std::string>& globs) : globs_(globs), found_(globs.size()) {}

  template <class Matches>
  bool has(Matches matches) {
    bool is_wanted = false;
    for (std::size_t g = 0; g < globs_.size(); ++g) {
      if (!matches(globs_[g])) continue;
      found_[g] = true;
      is_wanted = true;
    }
    return is_wanted;
  }

  // Throws bad_input if a glob matched nothing.
  void require_all_found() const {
    for (std::size_t g = 0; g < globs_.size(); ++g)
      if (!found_[g])
        throw bad_input(fmt::format("'{}' matches no claim: give a paper's word, or WORD/CLAIM", globs_[g]));
  }

 private:
  std::vector<std::string> globs_;
  std::vector<bool> found_;
};

// The claims that IDS and --why ask for.
class request_filter {
 public:
  explicit request_filter(const claims_request& r)
      : ids_(r.ids.empty() ? std::vector<std::string>{"*"} : r.ids), why_(r.why), explains_(!r.why.empty()) {}

  bool has(const std::string& word, const std::string& id) {
    const bool is_chosen = ids_.has([&](const std::string& glob) {
      return reports::matches_glob(glob, word) || reports::matches_glob(glob, word + "/" + id);
    });
    if (!is_chosen || !explains_) return is_chosen;
    return why_.has([&](const std::string& glob) {
      return reports::matches_glob(glob, id) || reports::matches_glob(glob, word + "/" + id);
    });
  }

  void require_all_found() const {
    ids_.require_all_found();
    why_.require_all_found();
  }

 private:
  choice ids_, why_;
  bool explains_;
};

// Selects the wanted claims and derived cells of a paper.
assessment chosen(const assessment& all, const std::string& word, request_filter& wanted) {
  assessment some;
  for (std::size_t i = 0; i < all.claims.size(); ++i) {
    if (!wanted.has(word, all.claims[i].id)) continue;
    some.claims.push_back(all.claims[i]);
    some.judgements.push_back(all.judgements[i]);
  }
  for (std::size_t i = 0; i < all.derived.size(); ++i) {
    if (!wanted.has(word, all.derived[i].id)) continue;
    some.derived.push_back(all.derived[i]);
    some.recomputed.push_back(all.recomputed[i]);
  }
  return some;
}

}  // namespace

concern parse_concern(const std::string& name) {
  return fail_on_named<concern>(concern_names, name);
}

reports::verdict_counts print_claims(const claims_request& request, std::ostream& out,
                                     std::ostream& remarks) {
  const auto folders = request.runs.empty() ? recorded_runs(request.home) : request.runs;
  const auto from = gather(request.home, folders);
  request_filter wanted(request);
  std::vector<judged_paper> papers;
  for (const auto& family : from.families) {
    const auto paper = reports::read_printed(reports::file_of(from.published_dir, family));
    papers.push_back({family.word, family.title, chosen(assess(from, family, paper), family.word, wanted)});
  }
  wanted.require_all_found();
  for (const std::string& remark : remarks_on(from)) remarks << "reprise: " << remark << '\n';

  auto all = reports::count_verdicts({});
  for (const auto& p : papers)
    for (const auto& [v, count] : reports::count_verdicts(p.judged.judgements)) all[v] += count;
  if (request.as_json) {
    auto object = nlohmann::json::object();
    for (const auto& p : papers) object[p.word] = to_json(p.judged);
    out << reports::to_text(nlohmann::json{{"runs", folders}, {"papers", object}}) << '\n';
  } else if (!request.why.empty()) {
    for (const auto& p : papers) print_why(p, out);
  } else {
    print_text(papers, !request.ids.empty(), folders.size(), out);
  }
  return all;
}

outcome claims(const claims_request& request, std::ostream& out, std::ostream& remarks) {
  const auto counts = print_claims(request, out, remarks);
  const bool any = request.fail_on == concern::any;
  const auto refuted = std::ranges::any_of(
      counts, [](const auto& one) { return one.second > 0 && reports::is_refuted(one.first); });
  if ((any || request.fail_on == concern::refuted) && refuted) return outcome::wrong;
  if ((any || request.fail_on == concern::undecided) && counts.at(verdict::undecided) > 0)
    return outcome::undecided;
  return outcome::good;
}

}  // namespace reprise::benchmarks
