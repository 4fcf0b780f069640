// SPDX-License-Identifier: MIT
// Uses several ranks without a paper's problem. Its argument names a task, whose
// outcome ranks_test.py checks.
#define REPRISE_VARIANT_ID "probe/mpi_ranks"
#define REPRISE_VARIANT_BACKEND cpu

#include <omp.h>

#include <csignal>
#include <cstdio>

#include "solvers/common/ranks/ranks.hpp"
#include "verification/tests/support/atrium_runs.hpp"

namespace {

using namespace reprise;

enum command { echo, shift_around, reduce, count_threads, fail_apart, fail_together, die };

class prober final : public ranks::member {
 public:
  prober(ranks::communicator& all, const device&) : all_(all) {}

  ranks::message execute(int command, ranks::message& given) override {
    const bool is_last = all_.rank() + 1 == all_.size();
    ranks::message answer;
    switch (command) {
      case echo:
        return answer.put(given.get_all<int>());
      case shift_around:
        return answer.put(shifted(given.get<int>()));
      case reduce:
        return answer.put(all_.largest(all_.rank() == 1 ? 7 : -1))
            .put(all_.sum(all_.rank() + 1))
            .put(all_.first_of(is_last ? "the last" : ""));
      case count_threads:
        return answer.put(omp_get_max_threads());
      case fail_apart:
        if (is_last) throw unavailable("nothing left of it");
        return answer;
      case fail_together:
        if (is_last) throw error("a pipe broke");
        break;
      case die:
        if (is_last) std::raise(SIGKILL);
        break;
    }
    all_.wait_for_all();
    return answer;
  }

 private:
  // Receives `count` numbers from the previous rank, and nothing from the next one.
  std::vector<int> shifted(int count) {
    const int before = (all_.rank() + all_.size() - 1) % all_.size();
    const int behind = (all_.rank() + 1) % all_.size();
    std::vector<int> mine(static_cast<std::size_t>(count), all_.rank());
    std::vector<int> got(mine.size(), -1);
    const std::vector<ranks::parcel> parcels{{behind, mine.data(), mine.size() * sizeof(int), nullptr, 0},
                                             {before, nullptr, 0, got.data(), got.size() * sizeof(int)}};
    all_.exchange(parcels);
    return got;
  }

  ranks::communicator& all_;
};

REPRISE_MEMBER(prober);

void require(bool is_right, const char* checked) {
  if (!is_right) throw error(std::string("wrong: ") + checked);
}

void try_all(ranks::team& all) {
  const int size = all.size();
  std::vector<ranks::message> numbers(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) numbers[static_cast<std::size_t>(r)].put(std::vector<int>(3, r));
  auto answers = all.call(echo, numbers);
  for (int r = 0; r < size; ++r)
    require(answers[static_cast<std::size_t>(r)].get_all<int>() == std::vector<int>(3, r), "echo");
  if (size == 1) return;

  constexpr int many = 100'000;  // more than MPI sends eagerly
  ranks::message count;
  answers = all.call(shift_around, count.put(many), ranks::manner::together);
  for (int r = 0; r < size; ++r)
    require(
        answers[static_cast<std::size_t>(r)].get_all<int>() == std::vector<int>(many, (r + size - 1) % size),
        "exchange");

  for (ranks::message& m : all.call(reduce, ranks::manner::together)) {
    require(m.get<double>() == 7, "largest");
    require(m.get<double>() == .5 * size * (size + 1), "sum");
    require(m.get_text() == "rank " + std::to_string(size - 1) + ": the last", "first_of");
  }
}

std::unique_ptr<atrium::solver> made(const std::string& id) {
  const harness::target on = harness::targets_of(id, "*", true).front();
  if (on.variant == nullptr) throw unavailable(on.reason);
  return verification::made<atrium::solver>(on);
}

// Answers must be identical: cells add their neighbours in the same order, and a maximum
// does not depend on the order.
void require_same(const atrium::tests::answer& a, const atrium::tests::answer& b, const char* checked) {
  require(a.end.accepted == b.end.accepted && a.end.rejected == b.end.rejected && a.end.t == b.end.t,
          checked);
  require(a.state == b.state && a.recorded.t == b.recorded.t && a.recorded.v == b.recorded.v, checked);
}

struct settings {
  std::vector<precision> precisions;
  std::vector<atrium::control> controls;
  double t_end;
  bool hides_waits;  // computing may take as long as computing and exchanging
};

settings usual_settings() {
  using namespace atrium::tests;
  return {{precision::single, precision::double_},
          {fixed_steps(scheme::euler, rl, .05), adaptive_steps(scheme::bogacki_shampine, rl, .1, .01, 6)},
          6,
          false};
}

// One method for each kind of steps: with one stage, with decays of gates in tables, and with rates.
settings settings_on_chip() {
  using namespace atrium::tests;
  return {{precision::single},
          {fixed_steps(scheme::euler, rl, .05), fixed_steps(scheme::exponential_midpoint, rl, .05),
           fixed_steps(scheme::fehlberg, rl, .05)},
          3,
          true};
}

void compare_with_one_process(const char* id, const char* of_one, const settings& all) {
  using namespace atrium::tests;
  const problem p = sphere_problem(2, one_stimulus(all.t_end));
  const auto one = made(of_one);
  const auto several = made(id);
  auto& spread = dynamic_cast<ranks::spread&>(*several);
  for (precision arithmetic : all.precisions)
    for (const control& c : all.controls) {
      const auto answer_on = [&](solver& s) {
        return answer_of(s, p, recording_every(2, c), arithmetic, {all.t_end / 3, all.t_end});
      };
      const answer expected = answer_on(*one);
      require_same(answer_on(*several), expected, "on all ranks");
      if (ranks::count() == 1) continue;
      spread.leave_out_exchange(true);
      several->reset(recording_every(2, c));
      several->advance(p.protocol.t_end);
      require(several->state() != expected.state, "without exchange the answer is another");
      spread.leave_out_exchange(false);
      const ranks::time_split split = spread.split(3);
      require(split.compute > 0 && split.exchange > 0 && (split.wait > 0 || all.hides_waits) &&
                  split.step >= split.wait,
              "time split");
      spread.use_ranks(1);
      require_same(answer_on(*several), expected, "on one of them");
      spread.use_ranks(ranks::count());
    }
}

// Places bad cells in two distant parts of a sphere: the one with the lower number
// counts, on whichever rank it is.
void find_bad_cells(const char* id) {
  using namespace atrium::tests;
  const problem sphere = sphere_problem(2);
  const problem p = with_bad_cell(with_bad_cell(sphere, 150), sphere.cells() - 1);
  const progress end =
      answer_of(*made(id), p, fixed_steps(scheme::euler, rl, .05), precision::single, {1}).end;
  require(end.state == ending::not_a_number && end.bad_cell == 150 && end.t == 0, "the first bad cell");
}

void compare_and_say(const char* id, const char* of_one, const settings& all = usual_settings()) {
  compare_with_one_process(id, of_one, all);
  find_bad_cells(id);
  std::printf("the same\n");
}

// Steps of Euler in single precision are those of another variant.
void compare_gpus() {
  settings in_double = usual_settings();
  in_double.precisions = {precision::double_};
  compare_with_one_process("atrium/cuda_multi", "atrium/cuda_stages", in_double);
  settings in_single = usual_settings();
  in_single.precisions = {precision::single};
  in_single.controls.front() = atrium::fixed_steps(atrium::scheme::midpoint, atrium::tests::rl, .05);
  compare_with_one_process("atrium/cuda_multi", "atrium/cuda_stages", in_single);
  settings streamed = usual_settings();
  streamed.precisions = {precision::single};
  streamed.controls.pop_back();
  compare_and_say("atrium/cuda_multi", "atrium/cuda_streamed", streamed);
}

void run(const std::string& task, const device& here) {
  const std::map<std::string, std::function<void()>> alone{
      {"too_small", [] { made("atrium/mpi_cpu")->load(atrium::sphere_problem(0), precision::single); }},
      {"too_many", [&] { ranks::team(REPRISE_VARIANT_ID, here, ranks::count() + 1); }},
      {"same_answer", [] { compare_and_say("atrium/mpi_cpu", "atrium/cpu_serial"); }},
      {"same_answer_of_gpus", compare_gpus},
      {"same_answer_on_chips",
       [] { compare_and_say("atrium/cuda_tuned_multi", "atrium/cuda_tuned", settings_on_chip()); }}};
  if (alone.contains(task)) return alone.at(task)();
  ranks::team all(REPRISE_VARIANT_ID, here, ranks::count());
  const std::map<std::string, std::function<void()>> in_team{
      {"works",
       [&] {
         try_all(all);
         ranks::team few(REPRISE_VARIANT_ID, here, (ranks::count() + 1) / 2);
         try_all(few);
       }},
      {"counts_threads",
       [&] {
         int threads = 0;
         for (ranks::message& m : all.call(count_threads)) threads += m.get<int>();
         std::printf("%d threads\n", threads);
       }},
      {"fails_apart",
       [&] {
         const auto heard = complaint_of<unavailable>([&] { all.call(fail_apart); });
         std::printf("heard: %s\n", heard.c_str());
         try_all(all);
       }},
      {"fails_together", [&] { all.call(fail_together, ranks::manner::together); }},
      {"dies", [&] { all.call(die, ranks::manner::together); }}};
  if (!in_team.contains(task)) throw bad_input("there is no task " + task);
  in_team.at(task)();
  std::printf("done on %d\n", all.size());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    ranks::session all;
    if (all.is_first()) {
      run(argc == 2 ? argv[1] : "", devices_of(backend::cpu).devices.front());
    } else {
      all.serve();
    }
    return 0;
  } catch (const std::exception& failure) {
    if (ranks::by_launcher().rank == 0) std::fprintf(stderr, "reprise: %s\n", failure.what());
    return 1;
  }
}
