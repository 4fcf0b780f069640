// SPDX-License-Identifier: MIT
// What NVML's counters say of other programs, with a library that stands in for NVIDIA's.
#include "benchmarks/harness/nvml.hpp"

#include <dlfcn.h>

#include <chrono>

#include "benchmarks/harness/timing.hpp"
#include "verification/tests/support/made_up_case.hpp"
#include "verification/tests/support/made_up_load.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

const device board = [] {
  device d;
  d.kind = backend::cuda;
  d.id = "cuda:0";
  d.name = "made up";
  d.pci = "0000:01:00.0";
  return d;
}();

// The program asks for NVML by the name of the library, and gets what is loaded under that name.
void* library() {
  static void* const loaded = dlopen(MADE_UP_NVML, RTLD_NOW);
  REQUIRE(loaded != nullptr);
  return loaded;
}

void let_another_program_use_the_board() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  reinterpret_cast<void (*)(unsigned long long)>(dlsym(library(), "made_up_nvml_other_was_busy_at"))(
      static_cast<unsigned long long>(std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
}

// Another program uses the board during the first run.
struct briefly_disturbed final : pretended {
  briefly_disturbed() : pretended({true, true}) {}
  double run(int) override {
    if (runs++ == 0) let_another_program_use_the_board();
    return .01;
  }
  int runs = 0;
};

}  // namespace

TEST_CASE("sensors of a GPU speak of what other programs did since they were told to watch") {
  library();
  const auto meter = nvml_sensors(board);
  CHECK(meter->disturbed_by().empty());
  let_another_program_use_the_board();
  CHECK(meter->disturbed_by() == "1 other program used this GPU");
  meter->watch_anew();
  CHECK(meter->disturbed_by().empty());
}

TEST_CASE("a single run that another program on the GPU disturbed is made again, and judged for itself") {
  library();
  const made_up_machine quiet(load_of_nothing);
  case_plan plan = made_up_plan({true, true});
  plan.runs_once = true;
  const target on = made_up_target(board);
  sampler engine({});
  briefly_disturbed subject;
  const timing found = take_samples(plan, on, effort_of(preset::quick), engine,
                                    case_row("test", "made_up/table", plan, on), subject, {});
  CHECK(found.disturbed.empty());
  CHECK_THAT(found.note, ContainsSubstring("1 before it left out: 1 other program used this GPU"));
  CHECK(subject.runs == 2);
}
