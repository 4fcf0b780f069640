// SPDX-License-Identifier: MIT
// Signed ranks, and sequential decisions on them.
#include "reports/compare/paired.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "reports/store/statistics.hpp"

namespace reprise::reports {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_exact = 60;  // pairs; with more, sums of signed ranks are close to normal

double highest_sum(std::size_t count) {
  return .5 * static_cast<double>(count) * static_cast<double>(count + 1);
}

double deviation_of_sum(std::size_t count) {
  const auto n = static_cast<double>(count);
  return std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
}

// Element s is the probability that the sum of the ranks 1 to `count`, each taken or not by a fair coin, is s.
std::vector<double> distribution_of_sums(std::size_t count) {
  std::vector<double> chances(static_cast<std::size_t>(highest_sum(count)) + 1);
  chances[0] = 1;
  for (std::size_t rank = 1; rank <= count; ++rank)
    for (std::size_t s = chances.size(); s-- > 0;)
      chances[s] = .5 * (chances[s] + (s >= rank ? chances[s - rank] : 0));
  return chances;
}

// The probability of a sum of at least this.
double chance_of_sum(std::size_t count, double sum) {
  if (count <= most_exact) {
    const auto chances = distribution_of_sums(count);
    const auto first = static_cast<std::ptrdiff_t>(std::ceil(sum));
    return std::accumulate(chances.begin() + std::min(first, std::ssize(chances)), chances.end(), 0.);
  }
  const double z = (sum - .5 - highest_sum(count) / 2) / deviation_of_sum(count);
  return boost::math::cdf(boost::math::complement(boost::math::normal(), z));
}

// The largest number of sums from below whose probability together is at most `tail`; negative if there is none.
double sums_within(std::size_t count, double tail) {
  if (count <= most_exact) {
    const auto chances = distribution_of_sums(count);
    double below = 0;
    std::size_t s = 0;
    while (s < chances.size() && (below += chances[s]) <= tail) ++s;
    return static_cast<double>(s) - 1;
  }
  const double z = boost::math::quantile(boost::math::normal(), tail);
  return std::floor(highest_sum(count) / 2 + z * deviation_of_sum(count) - .5);
}

std::vector<double> means_of_two(std::span<const double> pairs) {
  std::vector<double> means;
  means.reserve(static_cast<std::size_t>(highest_sum(pairs.size())));
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t j = i; j < pairs.size(); ++j) means.push_back((pairs[i] + pairs[j]) / 2);
  std::ranges::sort(means);
  return means;
}

// The share of the error that a look may spend. The shares of all looks sum to one.
double share_of_look(int look) {
  return 1. / (look * (look + 1.));
}

}  // namespace

paired_estimate centre_of(std::span<const double> pairs, double error) {
  const std::vector<double> means = means_of_two(pairs);
  const double outside = sums_within(pairs.size(), error / 2);
  if (outside < 0) return {quantile(means, .5), -infinity, infinity};
  const auto first = static_cast<std::size_t>(outside);
  return {quantile(means, .5), means[first], means[means.size() - 1 - first]};
}

double chance_of_being_above(std::span<const double> pairs, double shift) {
  std::vector<double> distances;
  for (const double p : pairs) distances.push_back(p - shift);
  std::ranges::sort(distances, {}, [](double d) { return std::abs(d); });
  double sum = 0;
  for (std::size_t i = 0; i < distances.size(); ++i)
    if (distances[i] > 0) sum += static_cast<double>(i + 1);
  return chance_of_sum(distances.size(), sum);
}

std::string_view to_string(pace p) {
  switch (p) {
    case pace::faster:
      return "FASTER";
    case pace::slower:
      return "SLOWER";
    case pace::same:
      return "SAME";
    case pace::undecided:
      break;
  }
  return "UNDECIDED";
}

void duel_evidence::look(std::span<const double> pairs, const duel_rule& rule) {
  std::vector<double> mirrored(pairs.begin(), pairs.end());
  for (double& p : mirrored) p = -p;
  const double share = share_of_look(++looks_);
  const auto lower = [&](double& lowest, double chance) { lowest = std::min(lowest, chance / share); };
  lower(not_slower_, 2 * chance_of_being_above(pairs, 0));
  lower(not_faster_, 2 * chance_of_being_above(mirrored, 0));
  lower(not_same_,
        std::max(chance_of_being_above(pairs, -rule.margin), chance_of_being_above(mirrored, -rule.margin)));
  centre_ = centre_of(pairs, rule.error * share);
}

duel_evidence::suggestion duel_evidence::suggests(const duel_rule& rule) const {
  if (looks_ == 0) return {};
  if (centre_.value > rule.margin) return {pace::slower, not_slower_};
  if (centre_.value < -rule.margin) return {pace::faster, not_faster_};
  return {pace::same, rule.allows_same ? not_same_ : 1};
}

std::vector<pace> judge(std::span<const duel_evidence> cases, const duel_rule& rule) {
  std::vector<duel_evidence::suggestion> suggested;
  for (const duel_evidence& e : cases) suggested.push_back(e.suggests(rule));
  std::vector<std::size_t> order(cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return suggested[i].chance_of_error; });
  std::vector<pace> verdicts(cases.size(), pace::undecided);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto& [says, chance] = suggested[order[k]];
    if (chance > rule.error / static_cast<double>(order.size() - k)) break;
    verdicts[order[k]] = says;
  }
  return verdicts;
}

std::size_t pairs_needed(std::span<const double> pairs, const duel_rule& rule) {
  const double centre = std::abs(centre_of(pairs, .5).value);
  std::vector<double> distances;
  for (const double p : pairs) distances.push_back(std::abs(p - median({pairs.begin(), pairs.end()})));
  constexpr double deviations_of_median_distance = 1.4826;  // of normal numbers
  const double deviation = deviations_of_median_distance * median(distances);
  const double away = std::max(centre > rule.margin ? centre : rule.margin - centre, rule.margin / 4);
  constexpr int usual_looks = 6;
  const double z = boost::math::quantile(
      boost::math::complement(boost::math::normal(), rule.error * share_of_look(usual_looks) / 2));
  return static_cast<std::size_t>(std::ceil(std::pow(z * deviation / away, 2)));
}

}  // namespace reprise::reports
