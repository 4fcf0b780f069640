// SPDX-License-Identifier: MIT
// Uses several ranks without a paper's problem. Its argument names a task, whose
// outcome ranks_test.py checks.
#define REPRISE_VARIANT_ID "probe/mpi_ranks"
#define REPRISE_VARIANT_BACKEND cpu

#include <csignal>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/ranks/ranks.hpp"

namespace {

using namespace reprise;

enum command { echo, shift_around, reduce, fail_apart, fail_together, die };

class prober final : public ranks::member {
 public:
  prober(ranks::communicator& all, const device&) : all_(all) {}

  ranks::message execute(int command, ranks::message& with) override {
    const bool is_last = all_.rank() + 1 == all_.size();
    ranks::message answer;
    switch (command) {
      case echo:
        return answer.put(with.get_all<int>());
      case shift_around:
        return answer.put(shifted(with.get<int>()));
      case reduce:
        return answer.put(all_.largest(all_.rank() == 1 ? 7 : -1))
            .put(all_.sum(all_.rank() + 1))
            .put(all_.first_of(is_last ? "the last" : ""));
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

void require(bool is_right, const char* what) {
  if (!is_right) throw error(std::string("wrong: ") + what);
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

// A variant's answer of the right atrium.
struct answer {
  atrium::progress end;
  std::vector<atrium::cell_state> state;
  atrium::recording recorded;
};

std::unique_ptr<atrium::solver> made(const char* id) {
  const harness::target on = harness::targets_of(id, "*", true).front();
  if (on.variant == nullptr) throw unavailable(on.reason);
  return dynamic_cast<const variant_of<atrium::solver>&>(*on.variant).make(on.device);
}

answer answer_of(atrium::solver& s, const atrium::problem& p, const atrium::control& c,
                 precision arithmetic) {
  s.load(p, arithmetic);
  s.reset(c);
  s.advance(p.protocol.t_end / 3);
  const atrium::progress end = s.advance(p.protocol.t_end);
  return {end, s.state(), s.recorded()};
}

// Answers must be identical: cells add their neighbours in the same order, and a maximum
// does not depend on the order.
void require_same(const answer& a, const answer& b, const char* what) {
  require(a.end.accepted == b.end.accepted && a.end.rejected == b.end.rejected && a.end.t == b.end.t, what);
  require(a.state == b.state && a.recorded.t == b.recorded.t && a.recorded.v == b.recorded.v, what);
}

void compare_with_one_process(const char* id, const char* of_one) {
  using namespace atrium;
  const problem p =
      sphere_problem(2, {{{.start = 1, .length = 2, .strength = 40, .axis = 2, .from_share = 0}}, 6});
  const auto one = made(of_one);
  const auto several = made(id);
  auto& spread = dynamic_cast<ranks::spread&>(*several);
  for (precision arithmetic : {precision::single, precision::double_})
    for (control c : {fixed_steps(scheme::euler, gate_rule::rush_larsen, .05),
                      adaptive_steps(scheme::bogacki_shampine, gate_rule::rush_larsen, .1, .01, 6)}) {
      c.record_every = 2;
      const answer expected = answer_of(*one, p, c, arithmetic);
      require_same(answer_of(*several, p, c, arithmetic), expected, "on all ranks");
      if (ranks::count() == 1) continue;
      spread.leave_out_exchange(true);
      several->reset(c);
      several->advance(p.protocol.t_end);
      require(several->state() != expected.state, "without exchange the answer is another");
      spread.leave_out_exchange(false);
      const ranks::time_split split = spread.split(3);
      require(split.compute > 0 && split.exchange > 0 && split.wait > 0 && split.step >= split.wait,
              "time split");
      spread.use_ranks(1);
      require_same(answer_of(*several, p, c, arithmetic), expected, "on one of them");
      spread.use_ranks(ranks::count());
    }
}

// Places bad cells in two distant parts of a sphere: the one with the lower number
// counts, on whichever rank it is.
void find_bad_cells(const char* id) {
  using namespace atrium;
  problem p = sphere_problem(2);
  for (std::size_t k : {std::size_t{150}, p.cells() - 1}) p.state0[k][at_cai] = 1 / 0. - 1 / 0.;
  const auto several = made(id);
  several->load(p, precision::single);
  several->reset(fixed_steps(scheme::euler, gate_rule::rush_larsen, .05));
  const progress end = several->advance(1);
  require(end.state == ending::not_a_number && end.bad_cell == 150 && end.t == 0, "the first bad cell");
}

void run(std::string_view what, const device& here) {
  if (what == "too_small") {
    made("atrium/mpi_cpu")->load(atrium::sphere_problem(0), precision::single);
    return;
  }
  if (what == "same_answer_of_gpus") {
    compare_with_one_process("atrium/cuda_multi", "atrium/cuda_stages");
    find_bad_cells("atrium/cuda_multi");
    std::printf("the same\n");
    return;
  }
  if (what == "same_answer") {
    compare_with_one_process("atrium/mpi_cpu", "atrium/cpu_serial");
    find_bad_cells("atrium/mpi_cpu");
    std::printf("the same\n");
    return;
  }
  if (what == "too_many") {
    const ranks::team all(REPRISE_VARIANT_ID, here, ranks::count() + 1);
    return;
  }
  ranks::team all(REPRISE_VARIANT_ID, here, ranks::count());
  if (what == "works") {
    try_all(all);
    ranks::team few(REPRISE_VARIANT_ID, here, (ranks::count() + 1) / 2);
    try_all(few);
  } else if (what == "fails_apart") {
    try {
      all.call(fail_apart);
    } catch (const unavailable& reason) {
      std::printf("heard: %s\n", reason.what());
    }
    try_all(all);
  } else if (what == "fails_together") {
    all.call(fail_together, ranks::manner::together);
  } else if (what == "dies") {
    all.call(die, ranks::manner::together);
  } else {
    throw bad_input(
        "give works, fails_apart, fails_together, dies, too_many, too_small, same_answer or "
        "same_answer_of_gpus");
  }
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
