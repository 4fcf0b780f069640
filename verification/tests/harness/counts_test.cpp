// SPDX-License-Identifier: MIT
// Reads Callgrind's and cuobjdump's output, compares counts, and counts operations with numbers that count.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "benchmarks/harness/count/callgrind_file.hpp"
#include "benchmarks/harness/count/choice.hpp"
#include "benchmarks/harness/count/counted_number.hpp"
#include "benchmarks/harness/count/counts.hpp"
#include "benchmarks/harness/count/gate.hpp"
#include "benchmarks/harness/count/kernels.hpp"
#include "benchmarks/harness/count/operations.hpp"
#include "benchmarks/harness/count/text.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/temporary_folder.hpp"

using namespace reprise;
using namespace reprise::counting;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr auto callgrind_output = R"(# callgrind format
version: 1
positions: line
events: Ir Bc Bcm Bi Bim D1mr

fn=(1) sweep(float*) [clone .arch_x86_64_v3]
4 100 10 1
cfn=(2) malloc
calls=3 9
+2 60 5
* 20
fn=(2)
9 55
cfn=(4) calloc
calls=1 9
* 4
fn=(3) unnamed'2
-1 25 2 1 3 1 7
)";

callgrind_counts with(std::map<std::string, std::int64_t> functions) {
  callgrind_counts c;
  for (const auto& [name, cost] : functions) c.instructions += cost;
  c.functions = std::move(functions);
  return c;
}

counted_case a_case(callgrind_counts simulated) {
  counted_case c;
  c.variant = "jacobi/openmp";
  c.device = "cpu";
  c.precision = "single";
  c.size = "64x64";
  c.metric = "time_1000_sweeps";
  c.repeats = 1000;
  c.units = 4096;
  c.simulated = std::move(simulated);
  return c;
}

counts a_build(std::map<std::string, std::int64_t> functions) {
  counts all;
  all.made = {"GNU 12.2.0", "-O3", "Release", "glibc 2.36", "valgrind-3.19.0", "x86-64-v3 (a)",
              "nvcc 13",    "0.1", ""};
  all.cases.push_back(a_case(with(std::move(functions))));
  return all;
}

case_change change_between(const counts& before, const counts& after) {
  return compare(before, after, {}).cases.at(0);
}

}  // namespace

TEST_CASE("Callgrind's costs belong to functions, and those of calls are not counted twice", "[counts]") {
  const callgrind_counts c = read_callgrind(callgrind_output);
  CHECK(c.instructions == 100 + 20 + 25 + 55 - 60);  // without what malloc and its like needed
  CHECK(c.branches == 10 + 2 + 3);
  CHECK(c.mispredicted == 1 + 1 + 1);
  CHECK(c.misses_of_first == 7);
  CHECK(c.allocations == 4);
  CHECK(c.functions.at("sweep(float*) [clone .arch_x86_64_v3]") == 120);
  CHECK(clones_of(c) == "x86-64-v3");
}

TEST_CASE("output that Callgrind did not write is refused with its line", "[counts]") {
  for (const char* const bad :
       {"", "events: Ir\n4 5\n", "events: Ir\nfn=(7)\n4 5\n", "events: Ir\nfn=(1) f\n4 x\n",
        "events: Ir\nfn=(1) f\n4 1 2\n", "events: Ir\nfn=(1) f\ncalls=x\n", "events: Ir\nfn=(1) f\n4 -5\n"}) {
    INFO(bad);
    CHECK_THROWS_AS(read_callgrind(bad), bad_input);
  }
}

TEST_CASE("growth of a thousandth of a case is found, and less is not", "[counts]") {
  const counts before = a_build({{"sweep", 1'000'000}, {"main", 1000}});
  CHECK(change_between(before, before).what == change::same);
  CHECK(change_between(before, a_build({{"sweep", 1'000'500}, {"main", 1000}})).what == change::same);
  const case_change grew = change_between(before, a_build({{"sweep", 1'010'000}, {"main", 1000}}));
  CHECK(grew.what == change::grew);
  REQUIRE(grew.functions.size() == 1);
  CHECK(grew.functions[0].name == "sweep");
  CHECK(change_between(before, a_build({{"sweep", 990'000}, {"main", 1000}})).what == change::shrank);
}

TEST_CASE("a percent more of a kernel that is a small part of its case is found", "[counts]") {
  const counts before = a_build({{"kernel", 20'000}, {"fibers", 980'000}});
  CHECK(change_between(before, a_build({{"kernel", 20'200}, {"fibers", 980'000}})).what == change::grew);
  // The work has only moved from one function to another.
  CHECK(change_between(before, a_build({{"kernel", 20'200}, {"fibers", 979'800}})).what == change::same);
}

TEST_CASE("more launches and copied bytes are growth, whatever the emulation needs for them", "[counts]") {
  counts before = a_build({{"sweep", 1000}});
  before.cases[0].traffic = cuda::traffic{2, 0, 8, 0};
  counts after = before;
  CHECK(change_between(before, after).what == change::same);
  after.cases[0].traffic = cuda::traffic{3, 8, 8, 0};
  const case_change grew = change_between(before, after);
  CHECK(grew.what == change::grew);
  CHECK(grew.reason == "3 launches, 2 before; 16 bytes copied, 8 before");
  CHECK(change_between(after, before).what == change::same);
}

TEST_CASE("more allocations are growth", "[counts]") {
  const counts before = a_build({{"sweep", 1000}});
  counts after = before;
  after.cases[0].simulated->allocations = 1;
  CHECK(change_between(before, after).what == change::grew);
  CHECK(change_between(before, after).reason == "1 allocations, 0 before");
}

TEST_CASE("the five functions that grew most are named", "[counts]") {
  std::map<std::string, std::int64_t> functions, more;
  for (int i = 0; i < 8; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    functions[name] = 1000;
    more[name] = 1000 + 100 * i;
  }
  const case_change grew = change_between(a_build(functions), a_build(more));
  REQUIRE(grew.functions.size() == 5);
  CHECK(grew.functions.front().name == "h");
  CHECK(grew.functions.back().name == "d");
  CHECK_THAT(to_text(compare(a_build(functions), a_build(more), {})),
             ContainsSubstring("+700 (+70.00 % of itself) h"));
}

TEST_CASE("counts of other compilers, libraries, processors and tools are recognised and not judged",
          "[counts]") {
  const counts before = a_build({{"sweep", 1000}});
  for (const auto& [what, change] : std::vector<std::pair<std::string, void (*)(circumstances&)>>{
           {"another compiler: GNU 12.2.0 before, GNU 13.3.0 now",
            [](circumstances& c) { c.compiler = "GNU 13.3.0"; }},
           {"another set of flags", [](circumstances& c) { c.flags = "-O2"; }},
           {"another C library", [](circumstances& c) { c.c_library = "glibc 2.39"; }},
           {"another version of Valgrind", [](circumstances& c) { c.valgrind = "valgrind-3.22.0"; }},
           {"another build type", [](circumstances& c) { c.build_type = "Debug"; }},
           {"another processor", [](circumstances& c) { c.processor = "x86-64-v2 (b)"; }}}) {
    INFO(what);
    counts after = a_build({{"sweep", 2000}});
    change(after.made);
    const comparison all = compare(before, after, {});
    REQUIRE(all.differences.size() == 1);
    CHECK_THAT(all.differences[0], ContainsSubstring(what));
    CHECK(all.cases.at(0).what == change::not_judged);
  }
}

TEST_CASE("builds that share no case say what differs", "[counts]") {
  const counts before = a_build({{"sweep", 1000}});
  const auto refusal = [&](void (*change)(counted_case&)) {
    counts after = a_build({{"sweep", 1000}});
    change(after.cases[0]);
    try {
      compare(before, after, {});
    } catch (const bad_input& problem) {
      return std::string(problem.what());
    }
    return std::string();
  };
  CHECK_THAT(refusal([](counted_case& c) { c.precision = "double"; }),
             ContainsSubstring("double, A in single"));
  CHECK_THAT(refusal([](counted_case& c) { c.size = "32x32"; }),
             ContainsSubstring("size 32x32, A has 64x64"));
  CHECK_THAT(refusal([](counted_case& c) { c.units = 1; }), ContainsSubstring("units of work"));
  CHECK_THAT(refusal([](counted_case& c) { c.variant = "jacobi/other"; }),
             ContainsSubstring("only B has it"));
}

TEST_CASE("one case of each method and model is counted, the one with the least work", "[counts]") {
  CHECK(kind_of("model=karma;method=heun;dt=0.1") == "model=karma;method=heun");
  CHECK(kind_of("grid=11").empty());
  const auto a_countable = [](const char* parameter, const char* size, double seconds, int repeats,
                              bool has_own_work) {
    countable c{a_case({}), seconds, has_own_work};
    c.parameter = parameter;
    c.size = size;
    c.repeats = repeats;
    return c;
  };
  const std::vector<countable> cases{a_countable("method=heun;dt=0.1", "64x64", 1, 1, true),
                                     a_countable("method=heun;dt=0.2", "32x32", 1, 1, true),
                                     a_countable("method=heun", "8x8", 0, 1000, false),
                                     a_countable("method=euler", "64x64", 5, 1, true),
                                     a_countable("method=euler", "128x128", 9, 1000, true)};
  const auto steps = chosen(cases, false);
  REQUIRE(steps.size() == 1);  // the others are whole solves
  CHECK(steps[0].size == "128x128");
  const auto kinds = chosen(cases, true);
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].size == "128x128");  // a repeat of it is a step
  CHECK(kinds[1].size == "32x32");
  const auto solves = chosen({cases.begin(), cases.begin() + 4}, false);
  REQUIRE(solves.size() == 1);
  CHECK(solves[0].size == "32x32");
}

TEST_CASE("a wrong answer is no count", "[counts]") {
  counts after = a_build({{"sweep", 1000}});
  after.cases[0].foul = "wrong answer";
  CHECK(change_between(a_build({{"sweep", 1000}}), after).what == change::failed);
}

TEST_CASE("counts survive their file", "[counts]") {
  const testing::temporary_folder folder;
  counts all = a_build({{"sweep", 1000}});
  all.cases[0].traffic = cuda::traffic{1, 2, 3, 4};
  all.kernels.kernels.push_back({"sm_90", "k", 32, 8, 1024, {{"FFMA", 7}}});
  const auto file = folder / "counts.json";
  std::ofstream(file) << to_json(all).dump();
  CHECK(to_json(read_counts(file)) == to_json(all));
  std::ofstream(file) << R"({"counts": 1, "made": 5})";
  CHECK_THROWS_AS(read_counts(file), bad_input);
  std::ofstream(file) << R"({"counts": 2})";
  CHECK_THROWS_AS(read_counts(file), bad_input);
  std::ofstream(file) << "[[[[";
  CHECK_THROWS_AS(read_counts(file), bad_input);
}

TEST_CASE("cuobjdump's lists are read, whatever the place of the build", "[counts]") {
  constexpr auto usage = R"(
Fatbin elf code:
================
arch = sm_90
Resource usage:
 Function _ZN7reprise6jacobi53_GLOBAL__N__c3a3240a_14_cuda_shared_cu_5da75e77_2207912sweep_sharedEPKfPfif:
  REG:29 STACK:16 SHARED:1816 LOCAL:0 CONSTANT[0]:640 TEXTURE:0 SURFACE:0 SAMPLER:0
)";
  std::vector<kernel_needs> kernels = read_resource_usage(usage);
  REQUIRE(kernels.size() == 1);
  CHECK(
      kernels[0].name ==
      "cuda_shared: reprise::jacobi::(anonymous namespace)::sweep_shared(float const*, float*, int, float)");
  CHECK(kernels[0].registers == 29);
  CHECK(kernels[0].spilled == 16);
  CHECK(kernels[0].shared == 1816);

  std::istringstream sass(R"(	code for sm_90
		Function : _ZN7reprise6jacobi53_GLOBAL__N__ffffffff_14_cuda_shared_cu_5da75e77_2207912sweep_sharedEPKfPfif
        /*0000*/                   LDC R1, c[0x0][0x28] ;               /* 0x00000a00ff017b82 */
                                                                        /* 0x000fe20000000800 */
        /*0010*/              @!P0 FFMA R21, R1, R2, R3 ;               /* 0x0000000000157919 */
        /*0020*/                   FFMA.FTZ R21, R1, R2, R3 ;           /* 0x0000000000157919 */
)");
  add_instructions(kernels, sass);
  CHECK(kernels[0].instructions == std::map<std::string, int>{{"FFMA", 2}, {"LDC", 1}});
}

TEST_CASE("a kernel that spills more is named, and other compilers' kernels are not compared", "[counts]") {
  counts before = a_build({{"sweep", 1000}});
  before.kernels = {{{"sm_90", "k", 32, 0, 0, {}}}, "cuobjdump", "", ""};
  counts after = before;
  after.kernels.kernels[0].spilled = 8;
  REQUIRE(compare(before, after, {}).kernels.size() == 1);
  CHECK(compare(after, before, {}).kernels.empty());
  after.made.cuda = "nvcc 14";
  CHECK(compare(before, after, {}).kernels.empty());
  CHECK_THAT(compare(before, after, {}).no_kernels, ContainsSubstring("nvcc 14"));
}

TEST_CASE("numbers that count count each operation once, and none of constants alone", "[counts]") {
  counted_number x = counted_number::of_node(3);
  CHECK(operations_of([&] { x = x * 2 + 1 - x / 4; }) == 4);
  CHECK(operations_of([&] { x = std::sqrt(-x * x); }) == 2);
  CHECK(operations_of([&] { x += 1; }) == 1);  // also of what a library's function has made
  CHECK(operations_of([&] { CHECK_FALSE(x < 0); }) == 0);
  counted_number constant = 2;
  CHECK(operations_of([&] { constant = std::sqrt(constant * 3 + 1); }) == 0);
  CHECK(operations_of([&] { constant = constant + x; }) == 1);
}

TEST_CASE("variants declare the operations that their kernels make", "[counts][declared_work]") {
  std::size_t units = 0;
  for (const auto& [word, of] : all_operations()) {
    CHECK_FALSE(of.not_counted.empty());
    for (const counted_unit& u : of.units) {
      INFO(word << ": " << u.unit << ": " << u.counted << " counted, " << u.declared << " declared");
      CHECK(u.difference() == u.known_difference);
      CHECK(std::abs(u.known_difference) <= .012 * u.declared);
      CHECK((u.known_difference == 0) == u.why_different.empty());
      ++units;
    }
  }
  CHECK(units >= 5);
}
