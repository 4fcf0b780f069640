// SPDX-License-Identifier: MIT
// Tests the angiogenesis solvers for GPUs in emulation: partially filled tiles and panels, tied pivots,
// refused matrices, and the split of their time.
#include <chrono>

#include "solvers/common/emulation/control.hpp"
#include "verification/tests/support/angiogenesis_systems.hpp"

using namespace reprise::angiogenesis::tests;

namespace {

std::unique_ptr<solver> emulated(const std::string& name) {
  return made_on("emulated", name);
}

Eigen::MatrixXd random_matrix(int n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<double> between(-1, 1);
  return Eigen::MatrixXd::NullaryExpr(n, n, [&] { return between(random); });
}

// All entries are 1 or -1, so pivots tie. The rows are shuffled, so that some must be swapped.
Eigen::MatrixXd hadamard(int n) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Ones(1, 1);
  while (a.rows() < n) {
    Eigen::MatrixXd twice(2 * a.rows(), 2 * a.cols());
    twice << a, a, a, -a;
    a = twice;
  }
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  return a(order, Eigen::all);
}

void require_right(solver& s, const Eigen::MatrixXd& a) {
  const check::system_expectation e(a);
  for (factoring when : all_factorings)
    for (const checkers::finding& f : check::verify(s, e, when)) {
      INFO(a.rows() << " unknowns, " << to_string(when) << ": " << checkers::describe(f));
      CHECK(f.good());
    }
}

// The solution for a right-hand side with equal entries.
std::vector<double> solved(solver& s, std::size_t size, double entry = 1) {
  std::vector<double> x(size);
  s.solve(std::vector<double>(size, entry), x);
  return x;
}

std::vector<double> solution(solver& s, const matrix& a, factoring when, double entry = 1) {
  s.load(a, when);
  return solved(s, a.size(), entry);
}

// Calls test(solver) for the variants that eliminate.
template <class Test>
void for_eliminating(Test test) {
  for (const char* const name : {"cuda_elimination", "cuda_blocked", "cuda_on_chip"}) {
    INFO(name);
    test(*emulated(name));
  }
}

}  // namespace

TEST_CASE("tiles and panels that a matrix does not fill change nothing") {
  for (const char* const name : {"cuda_blocked", "cuda_on_chip"}) {
    INFO(name);
    const auto s = emulated(name);
    for (int n : {1, 7, 8, 9, 15, 17, 31, 32, 33, 63, 65, 80, 83, 97}) require_right(*s, random_matrix(n));
  }
}

TEST_CASE("blocks of a cluster find pivots together") {
  const auto host = on_host("cpu_elimination");
  const auto s = emulated("cuda_blocked");
  for (int n : {129, 256, 270}) {
    const matrix a = check::from_dense(random_matrix(n));
    const std::vector<double> b(a.size(), 1);
    const std::vector<double> expected = solution(*host, a, factoring::once);
    for (factoring when : all_factorings) {
      INFO(n << " unknowns, " << to_string(when));
      const std::vector<double> x = solution(*s, a, when);
      CHECK(backward_error(a, x, b) < 1e-14);
      CHECK(s->spent().row_swaps == host->spent().row_swaps);
    }
  }
}

TEST_CASE("columns of any magnitude are eliminated without loss") {
  const int n = 40;
  const Eigen::MatrixXd plain = random_matrix(n);
  Eigen::MatrixXd scaled = plain;
  // Powers of two, so that the answer is known to the digit.
  scaled.col(0) *= 0x1p-1010;
  scaled.col(7) *= 0x1p1020;
  scaled.col(33) *= 0x1p-950;
  const auto s = emulated("cuda_blocked");
  for (factoring when : all_factorings) {
    const std::vector<double> of_plain = solution(*s, check::from_dense(plain), when);
    std::vector<double> x = solution(*s, check::from_dense(scaled), when);
    for (const auto& [column, scale] : {std::pair{0, 0x1p-1010}, {7, 0x1p1020}, {33, 0x1p-950}})
      x[static_cast<std::size_t>(column)] *= scale;
    CHECK(x == of_plain);
  }
}

TEST_CASE("rows come from far below through several tiles") {
  for_eliminating([](solver& s) {
    for (int n : {16, 21, 70}) {
      Eigen::MatrixXd a = .01 * random_matrix(n);
      for (int k = 0; k < n; ++k) a((k + 1) % n, k) += 2 + k % 3;
      require_right(s, a);
      CHECK(s.spent().row_swaps == n - 1);
    }
    require_right(s, Eigen::MatrixXd(random_matrix(40).colwise().reverse()));
  });
}

TEST_CASE("of pivots that tie the same row is taken as on the host") {
  const auto host = on_host("cpu_elimination");
  for (int n : {8, 32})
    for_eliminating([&](solver& s) {
      INFO(n);
      const matrix a = check::from_dense(hadamard(n));
      solution(*host, a, factoring::once);
      solution(s, a, factoring::once);
      CHECK(s.spent().row_swaps == host->spent().row_swaps);
      CHECK(s.spent().row_swaps > 0);
      require_right(s, hadamard(n));
    });
}

TEST_CASE("solvers on the GPU repeat themselves to the bit and swap as the host does") {
  const auto host = on_host("cpu_elimination");
  for (double dt : {1e-3, 1.0})
    for_eliminating([&](solver& s) {
      INFO("dt " << dt);
      const matrix a = implicit_matrix(usual_problem(18, dt));
      solution(*host, a, factoring::once);
      for (factoring when : all_factorings) {
        const std::vector<double> first = solution(s, a, when);
        CHECK(solution(s, a, when) == first);
        CHECK(s.spent().row_swaps == host->spent().row_swaps);
      }
    });
}

TEST_CASE("a column without a pivot is named in whichever tile it is, and the next matrix is solved") {
  for_eliminating([](solver& s) {
    for (const auto& [n, column] : {std::pair{75, 70}, {75, 0}, {75, 16}, {20, 19}}) {
      INFO("column " << column);
      Eigen::MatrixXd a = random_matrix(n);
      a.col(column).setZero();
      const check::refused_matrix refused{"an empty column", check::from_dense(a), column};
      for (factoring when : all_factorings) CHECK(checkers::all_good(check::verify(s, refused, when)));
    }
    require_right(s, random_matrix(20));
  });
}

TEST_CASE("an answer beyond all numbers is refused") {
  const matrix a = check::from_dense(1e-300 * Eigen::MatrixXd::Identity(9, 9));
  for (factoring when : all_factorings)
    for_eliminating([&](solver& s) {
      CHECK_THAT(complaint_of<bad_input>([&] { solution(s, a, when, 1e300); }),
                 ContainsSubstring("the solution is not finite at unknown 0"));
    });
}

TEST_CASE("a matrix beyond the chip is refused with what it needs and what there is") {
  const auto complaint = [](const char* name, int nodes) {
    return complaint_of<unavailable>(
        [&] { emulated(name)->load(implicit_matrix(usual_problem(nodes)), factoring::once); });
  };
  CHECK_THAT(complaint("cuda_on_chip", 600), ContainsSubstring("does not fit on chip: 2400 unknowns"));
  CHECK_THAT(complaint("cuda_on_chip", 480),
             ContainsSubstring("bytes of shared memory each, this device gives 232448") &&
                 ContainsSubstring("tiles of 8 columns need 241 blocks at a time, this device holds"));
  CHECK_THAT(complaint("cuda_blocked", 600), ContainsSubstring("needs clusters of blocks") &&
                                                 ContainsSubstring("2400 rows: use cuda_on_chip"));
}

TEST_CASE("code without clusters is not run, and another variant is named") {
  cuda::have_code(0, {.device = 90, .binary = 90, .source = 80});
  const auto s = emulated("cuda_blocked");
  CHECK_THAT(
      complaint_of<unavailable>([&] { solution(*s, implicit_matrix(usual_problem(5)), factoring::once); }),
      ContainsSubstring("needs clusters of blocks (compute capability 9.0)") &&
          ContainsSubstring("use cuda_on_chip"));
  cuda::have_code(0, {});
  CHECK_NOTHROW(solution(*s, implicit_matrix(usual_problem(5)), factoring::once));
}

TEST_CASE("a launch that fails is an error, and the next solve is right") {
  for (const char* const name : {"cuda_elimination", "cuda_blocked", "cuda_on_chip", "cuda_structured"}) {
    INFO(name);
    const auto s = emulated(name);
    const matrix a = implicit_matrix(usual_problem(5));
    const std::vector<double> right = solution(*s, a, factoring::every_solve);
    cuda::plant({.call = "launch", .code = "cudaErrorLaunchFailure"});
    CHECK_THROWS_AS(solved(*s, a.size()), error);
    CHECK(solved(*s, a.size()) == right);
  }
}

TEST_CASE("runs of any length solve the three systems") {
  const auto s = emulated("cuda_structured");
  for (int nodes : {3, 31, 32, 33, 64, 65, 97, 200, 225, 416, 417})
    for (double dt : {1e-3, 1.0})
      for (factoring when : all_factorings) {
        INFO(nodes << " nodes, dt " << dt);
        CHECK(is_green(*s, usual_problem(nodes, dt), when));
      }
}

TEST_CASE("entries beyond the range of rough inverses are solved by division") {
  const auto s = emulated("cuda_structured");
  matrix a = implicit_matrix(usual_problem(33));
  std::vector<double> b(a.size(), 1), expected(a.size()), x(a.size());
  for (factoring when : all_factorings) {
    s->load(a, when);
    s->solve(b, expected);
    matrix tiny = a;
    std::vector<double> tiny_b = b;
    for (std::size_t row = 0; row < a.size() / fields; ++row) {
      tiny_b[row] *= 0x1p-1010;
      for (std::size_t e = a.begin(row); e < a.end(row); ++e) tiny.value[e] *= 0x1p-1010;
    }
    s->load(tiny, when);
    s->solve(tiny_b, x);
    for (std::size_t k = 0; k < x.size(); ++k)
      CHECK(std::abs(x[k] - expected[k]) <= 1e-9 * std::abs(expected[k]));
  }
}

TEST_CASE("a solver on the device gives the same answers for right-hand sides that it keeps there") {
  for (const char* const name : {"cuda_structured", "cuda_blocked"}) {
    INFO(name);
    const auto s = emulated(name);
    const matrix a = implicit_matrix(usual_problem(9));
    const std::vector<std::vector<double>> right_sides{std::vector<double>(a.size(), 1),
                                                       std::vector<double>(a.size(), -2)};
    for (factoring when : all_factorings) {
      s->load(a, when);
      resident_solver* const kept = s->resident();
      REQUIRE(kept != nullptr);
      kept->keep(right_sides);
      kept->solve_kept(0);  // the first solve may also examine the factors
      for (std::size_t which : {1U, 0U, 1U}) {
        std::vector<double> x(a.size()), expected(a.size());
        const long long solves = s->spent().solves;
        const double transfer = s->spent().seconds.transfer;
        kept->solve_kept(which);
        CHECK(s->spent().seconds.transfer == transfer);
        CHECK(s->spent().solves == solves + 1);
        kept->read_kept(x);
        s->solve(right_sides[which], expected);
        CHECK(x == expected);
      }
    }
  }
}

TEST_CASE("the paper's program accounts for its time, kernels watched or not") {
  const matrix a = implicit_matrix(usual_problem(8));
  const std::vector<double> b(a.size(), 1);
  std::vector<double> x(a.size());
  for (bool is_watched : {false, true}) {
    INFO("watched " << is_watched);
    const auto s = emulated("cuda_elimination");
    s->watch_kernels(is_watched);
    s->load(a, factoring::every_solve);
    // Takes the best of several attempts, because any moment may be slow on a busy machine.
    double share = 0;
    for (int attempt = 0; attempt < 10 && share < .98; ++attempt) {
      const double before = s->spent().seconds.total();
      const auto begin = std::chrono::steady_clock::now();
      s->solve(b, x);
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
      const double parts = s->spent().seconds.total() - before;
      CHECK(parts <= wall.count());
      share = parts / wall.count();
    }
    CHECK(share >= .98);
    const time_split& t = s->spent().seconds;
    for (double part : {t.transfer, t.launch, t.factorise, t.back, t.host}) CHECK(part > 0);
    CHECK(t.synchronise > 0);
    CHECK(t.to_device < t.transfer);
    const double kernels = t.pivot + t.swap + t.eliminate;
    if (is_watched) {
      CHECK(std::abs(kernels - t.factorise) <= 1e-9 * t.factorise);
    } else {
      CHECK(kernels == 0);
    }
  }
}

TEST_CASE("a kernel alone leaves an occupancy, and the solver as it was") {
  const auto s = emulated("cuda_elimination");
  const matrix a = implicit_matrix(usual_problem(5));
  const std::vector<double> right = solution(*s, a, factoring::every_solve);
  const auto kernels = s->kernels();
  REQUIRE(kernels.size() == 3);
  for (const kernel_probe& k : kernels) {
    INFO(k.name);
    CHECK(k.occupancy > 0);
    CHECK(k.occupancy <= 1);
    CHECK(k.columns == 19);
    CHECK(k.seconds_of(std::vector{0, 3, 3, k.columns - 1}) > 0);
  }
  CHECK(solved(*s, a.size()) == right);
}

TEST_CASE("the cases of tables 3 and 4 run on a GPU") {
  for (const char* const id : {"angiogenesis/table3", "angiogenesis/table4"})
    for (const harness::case_plan& plan :
         verification::experiment_of(id).plan({harness::preset::smoke, {{5, 1}}, {}})) {
      const harness::target on = harness::targets_of(plan.variant, "emulated", true).front();
      if (on.variant == nullptr) continue;
      const auto s = verification::require_case(plan, on, 2);
      CHECK(s->account().has_value());
      const auto found = s->results();
      const auto at = std::ranges::find_if(found, [&](const harness::found& r) {
        return r.metric == "share_of_time" || r.metric == "split_share";
      });
      REQUIRE(at != found.end());
      CHECK(at->value <= 100);
    }
}

TEST_CASE("table 6 has solves with and without transfers, and says what crosses the bus") {
  int kept = 0;
  for (const harness::case_plan& plan :
       verification::experiment_of("angiogenesis/table6").plan({harness::preset::smoke, {{5, 1}}, {}})) {
    const harness::target on = harness::targets_of(plan.variant, "emulated", true).front();
    if (on.variant == nullptr || on.device.kind != backend::emulated) continue;
    INFO(plan.variant << " " << plan.parameter);
    const bool is_on_device = plan.parameter.ends_with(";vectors=device");
    const bool can_stay = plan.variant.ends_with("_blocked") || plan.variant.ends_with("_structured");
    if (is_on_device && !can_stay) {
      CHECK_THROWS_AS(verification::require_case(plan, on, 2), unavailable);
      continue;
    }
    const auto s = verification::require_case(plan, on, 2);
    const auto found = s->results();
    const auto bytes = std::ranges::find(found, "bus_bytes", &harness::found::metric);
    REQUIRE(bytes != found.end());
    const bool moves_nothing =
        is_on_device || (plan.variant.ends_with("_elimination") && plan.parameter == "factor=once");
    CHECK((bytes->value == 0) == moves_nothing);
    CHECK(std::ranges::count(found, "launch_floor", &harness::found::metric) == (can_stay ? 1 : 0));
    kept += is_on_device ? 1 : 0;
  }
  CHECK(kept == 4);
}
