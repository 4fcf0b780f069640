// SPDX-License-Identifier: MIT
// Judges the papers' claims by runs and prints them as text or JSON.
#include "benchmarks/commands/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "benchmarks/commands/fail_on.hpp"
#include "benchmarks/commands/gather.hpp"
#include "reports/page/json.hpp"
#include "reports/store/glob.hpp"
#include "reports/store/json.hpp"
#include "reports/text/table.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {
namespace {

using reports::assessment;
using reports::claim;
using reports::judgement;
using reports::verdict;

constexpr std::array<std::string_view, 4> concern_names{"differs", "not-run", "any", "never"};

// The caller's globs, and which of them have matched a claim.
class choice {
 public:
  explicit choice(const std::vector<std::string>& globs) : globs_(globs), found_(globs.size()) {}

  bool has(const std::string& word, const std::string& id) {
    bool is_wanted = false;
    for (std::size_t g = 0; g < globs_.size(); ++g) {
      if (!reports::matches_glob(globs_[g], word) && !reports::matches_glob(globs_[g], word + "/" + id))
        continue;
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
  const std::vector<std::string>& globs_;
  std::vector<bool> found_;
};

// Selects the wanted claims and derived cells of a paper.
assessment chosen(const assessment& all, const std::string& word, choice& wanted) {
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

std::string number(double value, const std::string& unit) {
  const auto text = reports::number_text(value);
  return unit.empty() || unit == "1" ? text : text + " " + unit;
}

// Shows only the first few sources: a long list would bury the neighbouring claims,
// and a report shows all of it.
std::string basis_of(const judgement& j) {
  constexpr std::size_t most = 4;
  const auto shown = std::min(most, j.basis.size());
  auto text = fmt::format("{}", fmt::join(j.basis.begin(), j.basis.begin() + static_cast<long>(shown), "; "));
  if (shown < j.basis.size()) text += fmt::format("; and {} more", j.basis.size() - shown);
  return text;
}

void print_line(const std::string& text, std::ostream& out) {
  out << fmt::format("{:16}{}\n", "", text);
}

void print(const claim& c, const judgement& j, const std::string& word, std::ostream& out) {
  out << fmt::format("{:<15} {}/{} ({})\n", to_string(j.outcome), word, c.id, to_string(c.kind));
  print_line(fmt::format("{}: {}", c.place, c.text), out);
  print_line(fmt::format("published {}, {} {}", number(c.published, c.unit),
                         c.kind == reports::claim_class::internal ? "recomputed" : "measured",
                         number(j.measured, c.unit)),
             out);
  if (!j.basis.empty()) print_line("rests on " + basis_of(j), out);
  if (!j.reason.empty()) print_line(j.reason, out);
}

// Prints the derived cells that disagree; those that agree are only counted.
void print_conflicts(const assessment& of, const std::string& word, std::ostream& out) {
  std::size_t conflicts = 0;
  for (std::size_t i = 0; i < of.derived.size(); ++i) {
    const auto& cell = of.derived[i];
    const auto& found = of.recomputed[i];
    if (found.agrees) continue;
    ++conflicts;
    out << fmt::format("{:<15} {}/{} (derived cell)\n", to_string(verdict::paper_conflict), word, cell.id);
    print_line(fmt::format("{}: printed {:g}, recomputed {:.6g}, from {:.6g} to {:.6g} with rounding",
                           cell.place, cell.printed, found.value, found.low, found.high),
               out);
    print_line(found.arithmetic, out);
    print_line(cell.reason, out);
  }
  if (!of.derived.empty())
    out << fmt::format("{}: {} derived cells recomputed from the paper's numbers, {} in conflict\n", word,
                       of.derived.size(), conflicts);
}

std::string in_words(const verdict_counts& counts) {
  std::string text;
  for (const auto& [v, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(v));
  return text;
}

void add(verdict_counts& sum, const verdict_counts& more) {
  for (const auto& [v, count] : more) sum[v] += count;
}

void print(const assessment& of, const std::string& word, std::ostream& out) {
  for (std::size_t i = 0; i < of.claims.size(); ++i) print(of.claims[i], of.judgements[i], word, out);
  print_conflicts(of, word, out);
  if (!of.claims.empty())
    out << fmt::format("{}: {} claims: {}\n\n", word, of.claims.size(),
                       in_words(reports::count_verdicts(of.judgements)));
}

}  // namespace

concern parse_concern(const std::string& name) {
  return fail_on_named<concern>(concern_names, name);
}

verdict_counts print_claims(const claims_request& request, std::ostream& out, std::ostream& remarks) {
  const auto folders = request.runs.empty() ? recorded_runs(request.home) : request.runs;
  const auto from = gather(request.home, folders);
  choice wanted(request.ids);
  std::map<std::string, assessment> assessments;
  for (const auto& family : from.families) {
    const auto paper = reports::read_printed(reports::file_of(from.published_dir, family));
    assessments[family.word] = chosen(assess(from, family, paper), family.word, wanted);
  }
  wanted.require_all_found();
  for (const std::string& remark : remarks_on(from)) remarks << "reprise: " << remark << '\n';

  verdict_counts all = reports::count_verdicts({});
  for (const auto& [word, one] : assessments) add(all, reports::count_verdicts(one.judgements));
  if (request.as_json) {
    auto papers = nlohmann::json::object();
    for (const auto& [word, one] : assessments) papers[word] = to_json(one);
    out << reports::to_text(nlohmann::json{{"runs", folders}, {"papers", papers}}) << '\n';
    return all;
  }
  for (const auto& [word, one] : assessments) print(one, word, out);
  out << fmt::format("all: {}; judged by {} runs\n", in_words(all), folders.size());
  return all;
}

outcome claims(const claims_request& request, std::ostream& out, std::ostream& remarks) {
  const auto counts = print_claims(request, out, remarks);
  const bool any = request.fail_on == concern::any;
  if ((any || request.fail_on == concern::differs) && counts.at(verdict::differs) > 0) return outcome::wrong;
  if ((any || request.fail_on == concern::not_run) && counts.at(verdict::not_run_here) > 0)
    return outcome::nothing_ran;
  return outcome::good;
}

}  // namespace reprise::benchmarks
