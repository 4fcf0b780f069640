// SPDX-License-Identifier: MIT
// Starts, loads and times the two sides of a bout.
#include "benchmarks/harness/duel/bout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "benchmarks/harness/duel/meeting.hpp"
#include "reports/store/statistics.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::duels {
namespace {

using nlohmann::json;

// Shorter than the spells for which other programs of a shared machine slow a processor, and much longer than a request.
constexpr double sample_seconds = .004;
constexpr double bout_seconds = .2;
constexpr int most_blocks = 25;
// Where a case lies in a GPU's memory changes its time by percents until it is loaded anew. Pairs of processes still differ where
// many places are averaged, so more of them tell little.
constexpr int places_in_gpu_memory = 4;

std::map<std::string, std::string> variables_of(const ring& in, int meeting) {
  const std::string threads = std::to_string(in.threads);
  return {{"OMP_NUM_THREADS", threads},
          {"OPENBLAS_NUM_THREADS", threads},
          {"POCL_MAX_PTHREAD_COUNT", threads},
          {"POCL_CPU_MAX_CU_COUNT", threads},
          {"LP_NUM_THREADS", in.threads == 1 ? "0" : threads},
          {meeting_variable, std::to_string(meeting)}};
}

std::vector<std::string> command_of(const std::filesystem::path& program) {
  return {program.string(), side_command};
}

class bout {
 public:
  bout(const ring& in, const bout_case& c, std::mt19937_64& random)
      : in_(in), is_swapped_(std::bernoulli_distribution(.5)(random)), order_(ordered(is_swapped_)) {
    for (const std::size_t side : order_)
      sides_[side] = std::make_unique<opponent>(command_of(in.programs[side]),
                                                environment_with(variables_of(in, meeting_.file())));
    each([](opponent& o) { o.receive(); });
    place(false);
    both([&](std::size_t) { return json{{"do", "cases"}, {"request", in.request}}; });
    load(c);
  }

  void load(const bout_case& c) {
    both([&](std::size_t side) { return json{{"do", "load"}, {"case", c.places[side]}}; });
    place(false);  // also the threads that loading started
  }

  void verify() {
    both([](std::size_t) { return json{{"do", "verify"}}; });
  }
  void judge(int repeats) {
    both([&](std::size_t) { return json{{"do", "judge"}, {"repeats", repeats}}; });
  }

  // Seconds of each side, first and second.
  std::array<double, 2> sample(int repeats, int calls, bool second_first) {
    return in_.how == mode::together ? sample_together(repeats, calls, second_first)
                                     : sample_in_turn(repeats, calls, second_first);
  }

  double waited() const { return all_.queued / all_.seconds; }

  // Two samples of each side, with their places exchanged between the two.
  std::array<std::array<double, 2>, 2> block(const sample_size& size) {
    const auto one = sample(size.repeats, size.calls, is_swapped_);
    const auto other = sample(size.repeats, size.calls, !is_swapped_);
    return {one, other};
  }

 private:
  // Whatever is done to one side first may favour it, so the order is part of what is drawn.
  static std::array<std::size_t, 2> ordered(bool second_first) {
    return second_first ? std::array<std::size_t, 2>{1, 0} : std::array<std::size_t, 2>{0, 1};
  }

  // Lets both sides work at the same time.
  template <class Request>
  void both(Request request) {
    for (const std::size_t side : order_) sides_[side]->send(request(side));
    each([](opponent& o) { o.receive(); });
  }

  template <class Work>
  void each(Work work) {
    for (const std::size_t side : order_) try {
        work(*sides_[side]);
      } catch (const lost_side& lost) {
        throw foul(fmt::format("{} {}", name_of(side), lost.what()));
      } catch (const refused& no) {
        throw foul(fmt::format("{}: {}", name_of(side), no.what()));
      }
  }

  static char name_of(std::size_t side) { return side == 0 ? 'A' : 'B'; }

  void place(bool is_exchanged) {
    if (!in_.processors) return;
    for (std::size_t side : {0, 1}) sides_[side]->stay_on((*in_.processors)[is_exchanged ? 1 - side : side]);
  }

  json run_request(int repeats, int calls, std::uint32_t meeting) const {
    return {{"do", "run"}, {"repeats", repeats}, {"calls", calls}, {"meet", meeting}};
  }

  std::array<double, 2> sample_together(int repeats, int calls, bool is_exchanged) {
    place(is_exchanged);
    const json request = run_request(repeats, calls, ++meetings_);
    for (const std::size_t side : ordered(is_exchanged)) sides_[side]->send(request);
    return seconds_of({answer(0), answer(1)});
  }

  std::array<double, 2> sample_in_turn(int repeats, int calls, bool second_first) {
    std::array<timing, 2> timings{};
    for (const std::size_t side : ordered(second_first)) {
      sides_[side]->send(run_request(repeats, calls, 0));
      timings[side] = answer(side);
    }
    return seconds_of(timings);
  }

  struct timing {
    double seconds{}, queued{};
  };

  timing answer(std::size_t side) {
    timing t;
    try {
      const json said = sides_[side]->receive();
      t = {said.at("seconds").get<double>(), said.value("queued", 0.)};
    } catch (const std::exception& problem) {
      throw foul(fmt::format("{} {}", name_of(side), problem.what()));
    }
    if (!(t.seconds > 0) || !std::isfinite(t.seconds))
      throw foul(fmt::format("{} gave {} as a time", name_of(side), t.seconds));
    return t;
  }

  // A side with one thread is not slower because other programs kept it from a processor. What it waited is left out on both
  // sides or on none.
  std::array<double, 2> seconds_of(const std::array<timing, 2>& timings) {
    const auto is_plausible = [](const timing& t) { return t.queued >= 0 && t.queued < .99 * t.seconds; };
    const bool leaves_out = in_.leaves_out_queueing && std::ranges::all_of(timings, is_plausible);
    std::array<double, 2> seconds{};
    for (const std::size_t side : {0, 1})
      seconds[side] = timings[side].seconds - (leaves_out ? timings[side].queued : 0);
    for (const timing& t : timings) {
      all_.seconds += t.seconds;
      all_.queued += t.queued;
    }
    return seconds;
  }

  const ring& in_;
  bool is_swapped_;
  std::array<std::size_t, 2> order_;
  shared_memory meeting_;
  std::uint32_t meetings_{};
  timing all_;  // of all samples
  std::array<std::unique_ptr<opponent>, 2> sides_;
};

// A repeat takes less time beside others than alone, as a call has a cost of its own. So samples grow until one is long enough.
sample_size fitting_size(bout& b, const offered_case& what, mode how) {
  int repeats = 1;
  b.sample(repeats, 1, false);  // the first call also has other work to do
  double seconds{};
  for (;;) {
    seconds = std::max(std::ranges::max(b.sample(repeats, 1, false)), 1e-9);
    if (seconds >= sample_seconds / 2 || repeats == what.repeats) break;
    const double factor = std::clamp(std::ceil(sample_seconds / seconds), 2., 10.);
    repeats = static_cast<int>(std::min(factor * repeats, static_cast<double>(what.repeats)));
  }
  const auto calls = static_cast<int>(std::clamp(std::ceil(sample_seconds / seconds), 1., 1e6));
  const double block = (how == mode::together ? 2 : 4) * calls * seconds;
  return {repeats, calls, std::clamp(static_cast<int>(bout_seconds / block), 1, most_blocks)};
}

double log_ratio(const std::array<double, 2>& seconds) {
  return std::log(seconds[1] / seconds[0]);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
}

}  // namespace

std::string_view to_string(mode m) {
  return m == mode::together ? "together" : "in turn";
}

json introduction_of(const std::filesystem::path& program) {
  opponent side(command_of(program), environment_with({}));
  json said = side.receive();
  if (said.value("duel", 0) != protocol_version)
    throw lost_side(
        fmt::format("speaks version {} of the protocol, not {}", said.value("duel", 0), protocol_version));
  return said;
}

std::vector<offered_case> cases_of(const std::filesystem::path& program, const json& request) {
  opponent side(command_of(program), environment_with({}));
  side.receive();
  std::vector<offered_case> all;
  const json answer = side.ask({{"do", "cases"}, {"request", request}});
  try {
    for (const json& c : answer.at("cases")) all.push_back(offered_in(c));
  } catch (const json::exception&) {
    throw lost_side("offers cases that are none");
  }
  return all;
}

bout_result fight(const ring& in, bout_case& c, bool is_first, std::mt19937_64& random) {
  bout b(in, c, random);
  if (is_first) {
    b.verify();
    c.samples = fitting_size(b, c.what, in.how);
  }
  std::vector<double> pairs;
  std::array<std::vector<double>, 2> seconds;
  const auto add_block = [&] {
    const auto samples = b.block(c.samples);
    pairs.push_back((log_ratio(samples[0]) + log_ratio(samples[1])) / 2);
    for (const auto& s : samples)
      for (std::size_t side : {0, 1})
        seconds[side].push_back(s[side] / (c.samples.repeats * c.samples.calls));
  };
  const int places = c.what.on_host ? 1 : places_in_gpu_memory;
  for (int place = 0; place < places; ++place) {
    if (place > 0) b.load(c);
    b.sample(c.samples.repeats, 1, false);  // warms up
    for (int i = 0; i < std::max(1, c.samples.blocks / places); ++i) add_block();
  }
  if (is_first) b.judge(c.samples.repeats);
  // Places in memory often have one of two speeds, between which a median jumps.
  const double pair = c.what.on_host ? reports::median(pairs) : mean(pairs);
  return {pair, {reports::median(seconds[0]), reports::median(seconds[1])}, b.waited()};
}

}  // namespace reprise::duels
