// SPDX-License-Identifier: MIT
// Samples with Google Benchmark: registers one benchmark per round and runs rounds
// until the stopping rule is met.
#include "benchmarks/harness/sampling.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <optional>
#include <regex>

#include "reports/store/statistics.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::harness {
namespace {

// The engine runs once per round, but the user's --benchmark_out and
// --benchmark_format expect a single document.
class one_document final : public benchmark::BenchmarkReporter {
 public:
  explicit one_document(std::unique_ptr<benchmark::BenchmarkReporter> inner, std::ostream& out)
      : inner_(std::move(inner)) {
    inner_->SetOutputStream(&out);
    inner_->SetErrorStream(&std::cerr);
  }
  ~one_document() override {
    if (begun_) inner_->Finalize();
  }
  bool ReportContext(const Context& context) override {
    if (!begun_) begun_ = inner_->ReportContext(context);
    return begun_;
  }
  void ReportRuns(const std::vector<Run>& runs) override { inner_->ReportRuns(runs); }

 private:
  std::unique_ptr<benchmark::BenchmarkReporter> inner_;
  bool begun_{};
};

class fan_out final : public benchmark::BenchmarkReporter {
 public:
  void add(std::unique_ptr<one_document> reporter) { reporters_.push_back(std::move(reporter)); }
  bool ReportContext(const Context& context) override {
    for (auto& r : reporters_) r->ReportContext(context);
    return true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (auto& r : reporters_) r->ReportRuns(runs);
  }

 private:
  std::vector<std::unique_ptr<one_document>> reporters_;
};

std::unique_ptr<benchmark::BenchmarkReporter> reporter_for(const std::string& format) {
  if (format == "json") return std::make_unique<benchmark::JSONReporter>();
  if (format == "console")
    return std::make_unique<benchmark::ConsoleReporter>(benchmark::ConsoleReporter::OO_None);
  throw bad_input("Google Benchmark's format '" + format + "' is not offered: give json or console");
}

// Removes "--flag=value" from the list and returns the value; empty if the flag is missing.
std::string take(std::vector<std::string>& flags, const std::string& flag) {
  std::string value;
  std::erase_if(flags, [&](const std::string& f) {
    if (!f.starts_with(flag + "=")) return false;
    value = f.substr(flag.size() + 1);
    return true;
  });
  return value;
}

// The number of samples in the next round: as many as fill an eighth of the budget, judging by the samples so
// far. The first round takes one sample.
benchmark::IterationCount samples_of_round(const stopping_rule& rule, std::size_t so_far,
                                           double elapsed_seconds) {
  if (so_far == 0) return 1;
  const double budget = std::min(rule.budget_seconds, rule.most_seconds);
  const double wanted = budget / 8 / elapsed_seconds * static_cast<double>(so_far);
  const auto left = static_cast<double>(rule.max_samples) - static_cast<double>(so_far);
  return static_cast<benchmark::IterationCount>(std::clamp(wanted, 1.0, std::max(left, 1.0)));
}

}  // namespace

summary summarize(std::vector<double> values) {
  // Sorting needs an order, which a NaN does not have. One makes the median and the quartiles NaN.
  if (std::ranges::any_of(values, [](double value) { return std::isnan(value); }))
    values.assign(values.size(), std::numeric_limits<double>::quiet_NaN());
  std::ranges::sort(values);
  return {reports::quantile(values, .5), reports::quantile(values, .25), reports::quantile(values, .75),
          static_cast<int>(values.size())};
}

bool stopping_rule::is_finished(const std::vector<double>& samples, double elapsed_seconds) const {
  const auto count = static_cast<int>(samples.size());
  if (count >= max_samples || (count > 0 && elapsed_seconds >= most_seconds)) return true;
  if (count < std::min(min_samples, fewest_samples)) return false;
  if (elapsed_seconds >= budget_seconds) return true;
  return count >= min_samples && summarize(samples).relative_iqr() <= target_relative_iqr;
}

// A filter as Google Benchmark reads it: an extended regular expression that a part of the name matches, behind a minus
// sign one that no part may match.
struct name_filter {
  std::optional<std::regex> pattern;
  bool is_negated{};

  explicit name_filter(std::string text = {}) {
    if (text.empty() || text == "all") return;
    is_negated = text.starts_with('-');
    if (is_negated) text.erase(0, 1);
    try {
      pattern.emplace(text, std::regex::extended);
    } catch (const std::regex_error&) {
      throw bad_input("--benchmark_filter='" + text + "' is no regular expression: correct it");
    }
  }

  bool accepts(const std::string& name) const {
    return !pattern || std::regex_search(name, *pattern) != is_negated;
  }
};

struct sampler::engine {
  name_filter filter;
  std::ofstream out_file;
  fan_out reporters;
  bool own_min_time{true};
};

sampler::sampler(const std::vector<std::string>& engine_flags) : engine_(std::make_unique<engine>()) {
  std::vector<std::string> flags = engine_flags;
  const std::string out = take(flags, "--benchmark_out");
  const std::string out_format = take(flags, "--benchmark_out_format");
  const std::string format = take(flags, "--benchmark_format");
  engine_->filter = name_filter(take(flags, "--benchmark_filter"));
  for (const std::string& f : flags) {
    if (f.starts_with("--benchmark_min_time")) engine_->own_min_time = false;
    if (f.starts_with("--benchmark_list_tests"))
      throw bad_input("--benchmark_list_tests is not offered: `reprise list` names what there is");
  }
  static std::string program = "reprise";  // the engine keeps the pointer
  std::vector<char*> argv{program.data()};
  for (std::string& f : flags) argv.push_back(f.data());
  argv.push_back(nullptr);
  auto argc = static_cast<int>(argv.size()) - 1;
  benchmark::Initialize(&argc, argv.data());
  if (argc > 1)
    throw bad_input("'" + std::string(argv[1]) +
                    "' is not a flag of Google Benchmark or has a bad value: what follows -- goes to it");
  if (!format.empty())
    engine_->reporters.add(std::make_unique<one_document>(reporter_for(format), std::cout));
  if (!out.empty()) {
    engine_->out_file.open(out);
    if (!engine_->out_file)
      throw bad_input("--benchmark_out=" + out + " cannot be written: give another file");
    engine_->reporters.add(std::make_unique<one_document>(
        reporter_for(out_format.empty() ? "json" : out_format), engine_->out_file));
  }
}

sampler::~sampler() = default;

bool sampler::accepts(const std::string& name) const {
  return engine_->filter.accepts(name);
}

std::vector<double> sampler::sample(const std::string& name, const stopping_rule& rule,
                                    const std::function<double()>& once) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  std::vector<double> samples;
  std::exception_ptr failure;
  const auto body = [&](benchmark::State& state) {
    for (auto _ : state) {
      try {
        samples.push_back(once());
        state.SetIterationTime(samples.back());
      } catch (...) {  // must not unwind through the engine
        failure = std::current_exception();
        state.SkipWithError("failed");
        break;
      }
    }
  };
  // Rounds are short, so that the stopping rule is checked often. Their length is a number of samples,
  // because the engine would measure time by the returned values, which may be only a part of the time spent.
  double elapsed = 0;
  do {
    const std::size_t before = samples.size();
    auto* const registered = benchmark::RegisterBenchmark(name.c_str(), body);
    registered->UseManualTime()->Unit(benchmark::kMillisecond);
    if (engine_->own_min_time) registered->Iterations(samples_of_round(rule, before, elapsed));
    benchmark::RunSpecifiedBenchmarks(&engine_->reporters);
    benchmark::ClearRegisteredBenchmarks();
    if (failure) std::rethrow_exception(failure);
    elapsed = std::chrono::duration<double>(clock::now() - begin).count();
  } while (!rule.is_finished(samples, elapsed));
  return samples;
}

}  // namespace reprise::harness
