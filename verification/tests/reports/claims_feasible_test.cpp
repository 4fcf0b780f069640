// SPDX-License-Identifier: MIT
// Tests that every claim that comes with the program can be true and can be false: for each, a made-up run (or made-up
// printed numbers) is searched for that makes it true, and one that makes it false. A claim for which there is none,
// such as one on a literal or on two rates that are computed from the same time, says nothing.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/commands/gather.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "reports/judging/assessment.hpp"
#include "reports/store/glob.hpp"
#include "verification/tests/support/made_up_claims.hpp"
#include "verification/tests/support/source_dir.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;

const std::filesystem::path home = testing::source_dir();

// Rates that the harness computes from one time by constant factors: they cannot vary independently of each other.
const std::set<std::string> accounts_of_one_time{
    "gflops",          "gflops_paper",           "bandwidth_logical",
    "bandwidth_paper", "device_bandwidth_paper", "bandwidth_compulsory"};

// A text that a glob matches; `filling` stands for what is left open.
std::string example_of(const std::string& glob, const std::string& filling = "7") {
  std::string text;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    if (glob[i] == '[') {
      text += glob[i + 1];
      i = glob.find(']', i);
    } else if (glob[i] == '*' || glob[i] == '?') {
      text += filling;
    } else {
      text += glob[i];
    }
  }
  return text.empty() ? "any" : text;
}

// What makes two made-up rows move together.
std::string variable_of(const row& r) {
  const bool is_account = accounts_of_one_time.contains(r.metric);
  return r.variant + "|" + r.size + "|" + r.precision + "|" + r.parameter + "|" + r.device + "|" +
         (is_account ? "one time" : r.experiment + "|" + r.metric);
}

// Rows that a claim's selectors match, with one number for all rows that move together.
class made_up {
 public:
  made_up(const claim& c, const std::string& word, const std::string& metric, const printed_rows& printed)
      : word_(word), metric_(metric) {
    for (const auto& part : c.parts) {
      for (const auto& s : part.expression.selectors) s.published ? add_printed(s, printed) : add_measured(s);
    }
    (*run_.description)["devices"] = nlohmann::json::array();
  }

  std::size_t variables() const { return values_.size(); }

  verdict judged(const claim& c) {
    for (std::size_t i = 0; i < run_.rows.size(); ++i) run_.rows[i].value = values_.at(of_measured_[i]);
    for (std::size_t i = 0; i < paper_.size(); ++i) {
      auto& r = paper_[i];
      r.value = values_.at(of_printed_[i]);
      if (std::isfinite(r.q1)) r.q1 = r.q3 = r.value;  // counts are exact
    }
    const std::vector<run> runs{run_};
    return judge(c, {word_, metric_, runs, paper_, roundings_}).outcome;
  }

  std::map<std::string, double>& values() { return values_; }

 private:
  // A glob gets two rows, so that a maximum over a minimum may differ from one.
  void add_measured(const selector& s) {
    add_measured(s, "7");
    if (s.is_glob()) add_measured(s, "8");
  }

  void add_measured(const selector& s, const std::string& filling) {
    row r;
    r.experiment = word_ + "/" + (s.experiment.empty() ? "any" : std::string(short_name(s.experiment)));
    r.variant = word_ + "/" + example_of(s.variant, filling);
    r.size = example_of(s.size, filling);
    r.metric = s.metric.empty() ? metric_ : s.metric;
    r.precision = s.precision;
    r.parameter = s.parameter;
    r.device = s.device.empty() ? "cuda:0" : example_of(s.device);
    r.status = "ok";
    values_.try_emplace(variable_of(r), 1);
    of_measured_.push_back(variable_of(r));
    run_.rows.push_back(r);
  }

  // Printed rows are kept as they are selected, so that selectors of published rows keep finding theirs.
  void add_printed(const selector& s, const printed_rows& printed) {
    for (const auto& one : select(s, {word_, metric_, {}, printed.rows})) {
      const auto& r = *one.data;
      auto name = "printed " + variable_of(r) + r.experiment + r.metric;
      if (!values_.try_emplace(name, r.value).second) continue;
      of_printed_.push_back(name);
      paper_.push_back(r);
      roundings_.push_back(printed.roundings.at(static_cast<std::size_t>(&r - printed.rows.data())));
    }
  }

  std::string word_, metric_;
  run run_;
  std::vector<row> paper_;
  std::vector<double> roundings_;
  std::vector<std::string> of_measured_, of_printed_;
  std::map<std::string, double> values_;
};

// Numbers to try: of the claim's size, over many sizes, and near the published number.
std::vector<double> numbers_for(const claim& c) {
  const double published = std::isfinite(c.published) ? c.published : 0;
  const double size = published != 0 ? std::abs(published) : 1;
  std::vector<double> tries;
  for (int n = -32; n <= 32; ++n) tries.push_back(size * std::pow(10, n / 2.0));
  for (const double base : {size, 1.0, 86.0})
    for (int n = -25; n <= 25; ++n) tries.push_back(base * std::pow(10, n / 10.0));
  for (int n = -30; n <= 30; ++n) tries.push_back(published + n * size / 60);
  for (int n = -80; n <= 80; ++n) tries.push_back(n / 2.0);
  return tries;
}

using setting = std::function<void(std::map<std::string, double>&, double)>;

// Tries numbers until the claim has the wanted verdict; otherwise puts the old ones back.
bool can_be_with(made_up& m, const claim& c, const std::function<bool(verdict)>& wanted, const setting& set) {
  const auto start = m.values();
  for (const double value : numbers_for(c)) {
    m.values() = start;
    set(m.values(), value);
    if (wanted(m.judged(c))) return true;
  }
  m.values() = start;
  return false;
}

bool can_be_by_one(made_up& m, const claim& c, const std::function<bool(verdict)>& wanted) {
  if (wanted(m.judged(c))) return true;
  const auto start = m.values();
  return std::ranges::any_of(start, [&](const auto& one) {
    return can_be_with(m, c, wanted, [&](auto& values, double v) { values.at(one.first) = v; });
  });
}

// Moves all the variables, or every second one, for quantities in which single ones cancel.
bool can_be_by_many(made_up& m, const claim& c, const std::function<bool(verdict)>& wanted) {
  for (const std::size_t step : {1U, 2U})
    for (std::size_t first = 0; first < step; ++first) {
      const auto set = [&](auto& values, double v) {
        std::size_t n = 0;
        for (auto& [name, value] : values)
          if (n++ % step == first) value = v;
      };
      if (can_be_with(m, c, wanted, set)) return true;
    }
  return false;
}

// Makes one part after the other true; each starts from the numbers of those before it.
bool can_be_by_parts(made_up& m, const claim& c, const std::function<bool(verdict)>& wanted) {
  for (const auto& part : c.parts) {
    claim one = c;
    one.parts = {part};
    can_be_by_one(m, one, wanted);
  }
  return wanted(m.judged(c));
}

bool is_true(verdict v) {
  return v == verdict::holds || v == verdict::reproduced || v == verdict::consistent;
}

bool is_false(verdict v) {
  return is_refuted(v) || v == verdict::misprint || v == verdict::contradiction || v == verdict::our_reading;
}

// What the claim cannot be; empty if it can be both.
std::string what_it_cannot_be(const claim& c, const std::string& word, const std::string& metric,
                              const printed_rows& printed) {
  if (c.kind == claim_class::shown) return {};
  for (const auto& [name, wanted] : {std::pair{"true", &is_true}, {"false", &is_false}}) {
    made_up m(c, word, metric, printed);
    if (m.variables() == 0) return "anything but what it is";
    if (!can_be_by_many(m, c, wanted) && !can_be_by_parts(m, c, wanted) && !can_be_by_one(m, c, wanted))
      return name;
  }
  return {};
}

std::string refused(const std::string& quantity, const std::string& bound, const std::string& number) {
  const auto claims = testing::claims_in("c,,T,x,conclusion," + csv::field(quantity) + "," + number + ",1," +
                                         bound + ",,no longer,,r\n");
  return what_it_cannot_be(claims.front(), "jacobi", "time_1000_sweeps", printed_rows{});
}

}  // namespace

// The searches take a minute or more under AddressSanitizer, which learns no more from the last claim than from the tenth.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t stride = 10;
#else
constexpr std::size_t stride = 1;
#endif

TEST_CASE("every claim can be true and can be false", "[standard]") {
  const auto from = benchmarks::gather(home, {});
  for (const auto& family : from.families) {
    const auto paper = read_printed(file_of(from.published_dir, family));
    const auto claims = claims_of(from.claims_dir, family);
    for (std::size_t n = 0; n < claims.size(); n += stride) {
      const claim& c = claims[n];
      INFO(family.word << "/" << c.id << ": " << c.quantity_text);
      CHECK(what_it_cannot_be(c, family.word, usual_metric(family), paper) == "");
    }
  }
}

TEST_CASE("a claim that cannot be both is refused") {
  CHECK(refused("{a@1}/{b@1}", "beats", "") == "");
  CHECK(refused("avg({*@1:order})-avg({c@2:order})", "near", "1") == "");
  CHECK(refused("2*3", "near", "6") == "anything but what it is");
  CHECK(refused("{a@1}/{a@1}", "near", "1") == "false");
  CHECK(refused("{a@1}/{a@1}", "beats", "") == "true");
  CHECK(refused("0*{a@1}", "about", "3") == "true");
  // Two accounts of one time have a constant ratio.
  CHECK(refused("{a@1:bandwidth_paper}/{a@1:gflops_paper}", "near", "1") == "false");
  CHECK(refused("{a@1:bandwidth_paper}/{a@2:gflops_paper}", "near", "1") == "");
}
