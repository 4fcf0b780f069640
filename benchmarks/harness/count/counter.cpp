// SPDX-License-Identifier: MIT
// Each case has processes of its own, so that its counts do not depend on the cases before it. What they see is always the same:
// one thread, few variables of the environment, simulated caches of a fixed size.
#include "benchmarks/harness/count/counter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <ostream>
#include <thread>
#include <tuple>

#include "benchmarks/harness/count/protocol.hpp"
#include "benchmarks/harness/duel/command.hpp"
#include "benchmarks/harness/duel/opponent.hpp"
#include "benchmarks/harness/duel/shared_cases.hpp"
#include "benchmarks/harness/duel/temporary_folder.hpp"
#include "reports/store/files.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::counting {
namespace {

namespace fs = std::filesystem;
using duels::offered_case;
using duels::opponent;
using nlohmann::json;

constexpr int repeats = 1;

std::vector<std::string> environment() {
  std::vector<std::string> all{"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "LC_ALL=C"};
  for (const char* const name :
       {"PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "REPRISE_HOME", "REPRISE_CACHE"})
    if (const char* const value = std::getenv(name)) all.push_back(std::string(name) + "=" + value);
  return all;
}

std::string valgrind_version(const fs::path& scratch) {
  const fs::path said = scratch / "valgrind.version";
  return duels::succeeds({"valgrind", "--version"}, said) ? duels::first_line_of(said) : "";
}

std::vector<std::string> under_callgrind(const fs::path& program, const fs::path& output) {
  return {"valgrind",
          "--tool=callgrind",
          "--quiet",
          "--instr-atstart=no",
          "--cache-sim=yes",
          "--branch-sim=yes",
          "--I1=32768,8,64",
          "--D1=32768,8,64",
          "--LL=8388608,16,64",
          "--callgrind-out-file=" + output.string(),
          program.string(),
          side_command};
}

// The smallest case of each variant in each precision; with all of a variant's methods and models if they are asked for.
std::vector<offered_case> chosen(std::vector<offered_case> cases, bool has_all) {
  const auto work = [](const offered_case& c) { return c.units * c.repeats; };
  const auto subject = [&](const offered_case& c) {
    return std::tuple(c.variant, c.device, c.precision, has_all ? c.parameter : reports::shared_text{},
                      has_all ? c.metric : reports::shared_text{});
  };
  std::ranges::stable_sort(cases, {}, work);
  std::ranges::stable_sort(cases, {}, subject);
  const auto rest = std::ranges::unique(cases, {}, subject);
  cases.erase(rest.begin(), rest.end());
  return cases;
}

processor_counts processor_counts_in(const json& j) {
  if (j.contains("missing")) return {0, 0, 0, j["missing"]};
  return {j.at("instructions"), j.at("branches"), j.at("cache_misses"), ""};
}

class counter {
 public:
  counter(const duels::contestant& who, const count_request& request, std::ostream& progress)
      : who_(who), request_(request), progress_(progress) {}

  counts all() {
    introduce();
    std::vector<offered_case> cases = cases_left();
    if (cases.empty())
      throw bad_input(fmt::format("{} has no case that can be counted{}: choose other cases", who_.name,
                                  all_.left_out.empty() ? "" : ", for example " + all_.left_out.front()));
    for (offered_case& c : cases) all_.cases.push_back({std::move(c), {}, "", {}, {}, ""});
    std::vector<std::thread> workers;
    for (int i = 0; i < request_.at_once; ++i) workers.emplace_back([this] { work(); });
    for (std::thread& w : workers) w.join();
    all_.kernels = kernels_of(who_.program, kernels_on_device_, scratch_.path());
    return std::move(all_);
  }

 private:
  void introduce() {
    all_.made.valgrind = valgrind_version(scratch_.path());
    try {
      opponent side({who_.program.string(), side_command}, environment());
      const json said = side.receive();
      if (said.value("count", 0) != protocol_version)
        throw duels::lost_side(fmt::format("speaks version {} of the protocol, not {}",
                                           said.value("count", 0), protocol_version));
      const auto text = [&](const char* name) { return said.at(name).get<std::string>(); };
      circumstances& made = all_.made;
      made.compiler = text("compiler");
      made.flags = text("flags");
      made.build_type = text("build_type");
      made.c_library = text("c_library");
      made.cuda = text("cuda");
      made.version = text("version");
      made.git = text("git");
      no_callgrind_ = text("no_requests");
      kernels_on_device_ = side.ask({{"do", "kernels"}}).at("kernels");
    } catch (const std::runtime_error& lost) {
      throw uncountable(fmt::format("{} cannot be counted: it {}", who_.name, lost.what()));
    } catch (const json::exception&) {
      throw uncountable(who_.name + " cannot be counted: it does not say how it was built");
    }
    if (all_.made.valgrind.empty()) no_callgrind_ = "no valgrind: apt install valgrind";
    if (!no_callgrind_.empty()) progress_ << who_.name << ": no instructions: " << no_callgrind_ << '\n';
  }

  std::vector<offered_case> cases_of(opponent& side, const json& request) const {
    std::vector<offered_case> all;
    for (const json& c : side.ask({{"do", "cases"}, {"request", request}}).at("cases"))
      all.push_back(duels::offered_in(c));
    return all;
  }

  std::vector<offered_case> cases_left() {
    std::vector<offered_case> offered;
    try {
      opponent side({who_.program.string(), side_command}, environment());
      side.receive();
      offered = cases_of(side, to_json(request_.of));
    } catch (const std::exception& problem) {
      throw bad_input(who_.name + ": " + problem.what());
    }
    std::map<std::string, std::string> unavailable;
    std::vector<offered_case> left;
    for (const auto& [id, place] : duels::places_of(offered)) {
      const offered_case& c = offered[place];
      if (c.unavailable.empty())
        left.push_back(c);
      else
        unavailable.emplace(std::string(c.variant), c.unavailable);
    }
    for (const offered_case& c : left) unavailable.erase(std::string(c.variant));
    for (const auto& [variant, why] : unavailable) all_.left_out.push_back(variant + ": " + why);
    return chosen(std::move(left), request_.has_all);
  }

  void work() {
    for (std::size_t i = next_++; i < all_.cases.size(); i = next_++) {
      counted_case& c = all_.cases[i];
      count(c, scratch_.path() / fmt::format("callgrind.{}", i));
      const std::scoped_lock lock(speaking_);
      progress_ << fmt::format("{}: {}\n", case_text(c),
                               !c.foul.empty() ? c.foul
                               : c.simulated   ? fmt::format("{} instructions", c.simulated->instructions)
                                               : c.not_simulated)
                << std::flush;
    }
  }

  // What the process did wrong becomes the case's foul; that it takes too long under Callgrind, its reason.
  void count(counted_case& c, const fs::path& output) {
    try {
      opponent plain({who_.program.string(), side_command}, environment());
      load(plain, c);
      plain.ask({{"do", "verify"}});
      const json said = plain.ask({{"do", "count"}, {"repeats", repeats}});
      c.by_processor = processor_counts_in(said.at("processor"));
      if (said.contains("traffic")) {
        const json& t = said["traffic"];
        c.traffic = {t.at("launches"), t.at("bytes_to_device"), t.at("bytes_to_host"),
                     t.at("bytes_on_device")};
      }
      plain.ask({{"do", "judge"}, {"repeats", repeats}});
    } catch (const std::exception& problem) {
      c.foul = problem.what();
      return;
    }
    c.not_simulated = no_callgrind_;
    if (no_callgrind_.empty()) simulate(c, output);
  }

  void simulate(counted_case& c, const fs::path& output) {
    try {
      opponent side(under_callgrind(who_.program, output), environment());
      load(side, c);
      const json said = side.ask({{"do", "count"}, {"repeats", repeats}}, request_.seconds_per_case);
      note_processor(said.at("level"));
      fs::path dump = output;
      dump += ".1";
      c.simulated = read_callgrind(reports::read_text(dump));
      if (c.simulated->instructions == 0) throw bad_input("Callgrind counted nothing");
      std::error_code code;
      fs::remove(dump, code);
    } catch (const std::exception& problem) {
      c.simulated.reset();
      c.not_simulated = fmt::format("under Callgrind it {}: give a smaller --size", problem.what());
    }
  }

  void load(opponent& side, const counted_case& c) const {
    side.receive(request_.seconds_per_case);
    harness::run_request own = request_.of;
    own.experiments = {c.experiment};
    own.choice.variants = {c.variant};
    const auto offered = cases_of(side, to_json(own));
    const auto places = duels::places_of(offered);
    const auto place = places.find(without_experiment(c));
    if (place == places.end()) throw bad_input("the program no longer offers the case");
    side.ask({{"do", "load"}, {"case", place->second}}, request_.seconds_per_case);
  }

  void note_processor(const std::string& level) {
    const std::scoped_lock lock(speaking_);
    all_.made.processor = level;
  }

  const duels::contestant& who_;
  const count_request& request_;
  std::ostream& progress_;
  duels::temporary_folder scratch_;
  counts all_;
  std::string no_callgrind_;
  json kernels_on_device_ = json::array();
  std::atomic<std::size_t> next_{0};
  std::mutex speaking_;
};

}  // namespace

counts counted(const duels::contestant& who, const count_request& request, std::ostream& progress) {
  return counter(who, request, progress).all();
}

}  // namespace reprise::counting
