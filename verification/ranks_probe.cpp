// SPDX-License-Identifier: MIT
// Several ranks without a paper's problem: what its argument names, which ranks_test.py expects an outcome
// of.
#define REPRISE_VARIANT_ID "probe/mpi_ranks"
#define REPRISE_VARIANT_BACKEND cpu

#include <csignal>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/common/error.hpp"
#include "solvers/common/ranks.hpp"

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
  // What the rank before has, `count` numbers of it, and nothing from the rank behind.
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

  constexpr int many = 100'000;  // more than MPI takes along without being asked
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

void run(std::string_view what, const device& here) {
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
    throw bad_input("give works, fails_apart, fails_together, dies or too_many");
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
