// SPDX-License-Identifier: MIT
// Each variant has processes of its own, which count its cases in the same order each time. What they see is always the same: one
// thread, few variables of the environment, simulated caches of a fixed size.
#include "benchmarks/harness/count/counter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <ostream>
#include <thread>

#include "benchmarks/harness/count/callgrind.hpp"
#include "benchmarks/harness/count/choice.hpp"
#include "benchmarks/harness/count/protocol.hpp"
#include "benchmarks/harness/duel/opponent.hpp"
#include "benchmarks/harness/duel/shared_cases.hpp"
#include "benchmarks/harness/duel/temporary_folder.hpp"
#include "reports/store/files.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::counting {
namespace {

namespace fs = std::filesystem;
using duels::opponent;
using nlohmann::json;

constexpr int repeats = 1;
constexpr int seconds_to_check = 600;

std::vector<std::string> environment() {
  std::vector<std::string> all{"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "LC_ALL=C"};
  for (const char* const name :
       {"PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "REPRISE_HOME", "REPRISE_CACHE"})
    if (const char* const value = std::getenv(name)) all.push_back(std::string(name) + "=" + value);
  return all;
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
    std::vector<countable> cases = cases_left();
    if (cases.empty())
      throw bad_input(fmt::format("{} has no case that can be counted{}: choose other cases", who_.name,
                                  all_.left_out.empty() ? "" : ", for example " + all_.left_out.front()));
    for (const countable& c : cases) {
      if (all_.cases.empty() || all_.cases.back().variant != c.variant) groups_.emplace_back();
      groups_.back().push_back(all_.cases.size());
      all_.cases.push_back({c, {}, "", {}, {}, "", false});
    }
    std::vector<std::thread> workers;
    for (int i = 0; i < request_.at_once; ++i) workers.emplace_back([this] { work(); });
    for (std::thread& w : workers) w.join();
    leave_out_what_cannot_run();
    all_.kernels = kernels_of(who_.program, kernels_on_device_, scratch_.path());
    return std::move(all_);
  }

 private:
  void introduce() {
    all_.made.valgrind = valgrind_version();
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
    if (no_callgrind_.empty()) no_callgrind_ = why_no_valgrind();
    if (!no_callgrind_.empty()) progress_ << who_.name << ": no instructions: " << no_callgrind_ << '\n';
  }

  static std::vector<countable> cases_in(const json& answer) {
    std::vector<countable> all;
    for (const json& c : answer.at("cases"))
      all.push_back({duels::offered_in(c), c.at("seconds"), c.at("has_own_work")});
    return all;
  }

  std::vector<countable> cases_left() {
    std::vector<countable> offered;
    std::string refusal;
    try {
      opponent side({who_.program.string(), side_command}, environment());
      side.receive();
      for (const harness::run_request& part : request_.of) try {
          const auto more = cases_in(side.ask({{"do", "cases"}, {"request", to_json(part)}}));
          offered.insert(offered.end(), more.begin(), more.end());
        } catch (const duels::refused& no) {  // another paper may have such cases
          refusal = no.what();
        }
      if (offered.empty() && !refusal.empty()) throw bad_input(refusal);
    } catch (const json::exception&) {
      throw bad_input(who_.name + " offers cases that are none");
    } catch (const std::exception& problem) {
      throw bad_input(who_.name + ": " + problem.what());
    }
    std::map<std::string, std::string> unavailable;
    std::vector<countable> left;
    for (const auto& [id, place] : duels::places_of({offered.begin(), offered.end()})) {
      const countable& c = offered[place];
      if (c.unavailable.empty())
        left.push_back(c);
      else
        unavailable.emplace(std::string(c.variant), c.unavailable);
    }
    for (const countable& c : left) unavailable.erase(std::string(c.variant));
    for (const auto& [variant, why] : unavailable) all_.left_out.push_back(variant + ": " + why);
    return chosen(std::move(left), request_.has_all);
  }

  void work() {
    for (std::size_t group = next_++; group < groups_.size(); group = next_++) {
      check(groups_[group]);
      if (no_callgrind_.empty())
        simulate(groups_[group], scratch_.path() / fmt::format("callgrind.{}", group));
      for (const std::size_t i : groups_[group]) say(all_.cases[i]);
    }
  }

  // Some cases know only when they are loaded that they cannot run.
  void leave_out_what_cannot_run() {
    std::erase_if(all_.cases, [&](const counted_case& c) {
      const bool cannot = c.foul.empty() && !c.ran;
      if (cannot) all_.left_out.push_back(case_text(c) + ": " + c.not_simulated);
      return cannot;
    });
  }

  void say(const counted_case& c) {
    const std::scoped_lock lock(speaking_);
    progress_ << fmt::format("{}: {}\n", case_text(c),
                             !c.foul.empty() ? c.foul
                             : c.simulated   ? fmt::format("{} instructions", c.simulated->instructions)
                                             : c.not_simulated)
              << std::flush;
  }

  // A process that answers requests about some cases. After a case that ends it, the next one gets a new process.
  class subject_process {
   public:
    subject_process(const counter& of, std::vector<std::string> command, int seconds)
        : of_(of), command_(std::move(command)), seconds_(seconds) {}

    void load(const counted_case& c) {
      if (side_ == nullptr) start();
      if (experiment_ != c.experiment) {
        experiment_.clear();
        offered_ = cases_in(ask({{"do", "cases"}, {"request", to_json(of_.request_for(c))}}));
        experiment_ = c.experiment;
      }
      const auto places = duels::places_of({offered_.begin(), offered_.end()});
      const auto place = places.find(without_experiment(c));
      if (place == places.end()) throw bad_input("no longer offers the case");
      ask({{"do", "load"}, {"case", place->second}});
    }

    json ask(const json& request) {
      try {
        return side_->ask(request, seconds_);
      } catch (const duels::lost_side&) {
        side_.reset();
        throw;
      }
    }

    // How often this process has counted, with this time.
    int count_once_more() { return ++counted_; }

   private:
    void start() {
      auto started = std::make_unique<opponent>(command_, environment());
      started->receive(seconds_);
      side_ = std::move(started);
      experiment_.clear();
      counted_ = 0;
    }

    const counter& of_;
    std::vector<std::string> command_;
    int seconds_;
    std::unique_ptr<opponent> side_;
    std::string experiment_;  // whose cases are offered
    std::vector<countable> offered_;
    int counted_{};
  };

  // The request that offers this case, among others of its variant in its experiment.
  harness::run_request request_for(const counted_case& c) const {
    harness::run_request own = request_.of.front();
    for (const harness::run_request& part : request_.of)
      if (std::ranges::any_of(part.experiments,
                              [&](const auto& glob) { return harness::matches(glob, c.experiment); })) {
        own = part;
        break;
      }
    own.experiments = {c.experiment};
    own.choice.variants = {c.variant};
    return own;
  }

  // Checks each case and asks for what needs no Callgrind. What the process does wrong becomes the case's foul.
  void check(const std::vector<std::size_t>& group) {
    subject_process plain(*this, {who_.program.string(), side_command}, seconds_to_check);
    for (const std::size_t i : group) {
      counted_case& c = all_.cases[i];
      try {
        plain.load(c);
        plain.ask({{"do", "verify"}});
        const json said = plain.ask({{"do", "count"}, {"repeats", repeats}});
        c.by_processor = processor_counts_in(said.at("processor"));
        if (said.contains("traffic")) {
          const json& t = said["traffic"];
          c.traffic = {t.at("launches"), t.at("bytes_to_device"), t.at("bytes_to_host"),
                       t.at("bytes_on_device")};
        }
        plain.ask({{"do", "judge"}, {"repeats", repeats}});
        c.not_simulated = no_callgrind_;
        c.ran = true;
      } catch (const duels::cannot_run& missing) {
        c.not_simulated = missing.what();
      } catch (const std::exception& problem) {
        c.foul = problem.what();
      }
    }
  }

  void simulate(const std::vector<std::size_t>& group, const fs::path& output) {
    subject_process side(*this, under_callgrind({who_.program.string(), side_command}, output),
                         request_.seconds_per_case);
    for (const std::size_t i : group) {
      counted_case& c = all_.cases[i];
      if (!c.foul.empty() || !c.not_simulated.empty()) continue;
      try {
        side.load(c);
        const json said = side.ask({{"do", "count"}, {"repeats", repeats}});
        note_processor(said.at("level"));
        const fs::path dump = output.string() + "." + std::to_string(side.count_once_more());
        c.simulated = read_callgrind(reports::read_text(dump));
        std::error_code code;
        fs::remove(dump, code);
        if (c.simulated->instructions == 0) throw bad_input("counted nothing");
      } catch (const std::exception& problem) {
        c.simulated.reset();
        c.not_simulated = fmt::format("under Callgrind it {}: give a smaller --size", problem.what());
      }
    }
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
  std::vector<std::vector<std::size_t>> groups_;  // of cases, by variant
  std::atomic<std::size_t> next_{0};
  std::mutex speaking_;
};

}  // namespace

counts counted(const duels::contestant& who, const count_request& request, std::ostream& progress) {
  return counter(who, request, progress).all();
}

}  // namespace reprise::counting
