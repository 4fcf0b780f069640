// SPDX-License-Identifier: MIT
// Solvers that are correct except for one fault, and the check that every fault is found.
#pragma once

#include <variant>

#include "solvers/common/base/stopwatch.hpp"
#include "verification/tests/support/tests.hpp"

namespace reprise::verification {

// A fault of a solver, made of functions: void(T&) changes what the solver is given or what it answers, and
// Result(Solver&, Amount...) replaces its work.
template <class... Ways>
struct fault {
  using way = std::variant<std::function<Ways>...>;

  template <class... Each>
  fault(std::string called, Each... each) : name(std::move(called)), ways{way(std::move(each))...} {}

  std::string name;
  std::vector<way> ways;
};

// Base of a family's class, Sabotaged, that forwards each call to the honest solver, through edit() or
// perform() where a fault can be.
template <class Sabotaged, class Solver, class... Ways>
class sabotaged_solver : public Solver {
 public:
  using fault_type = fault<Ways...>;

  // Checks that is_red(solver) is true with each of the faults.
  template <class IsRed>
  static void check_red(Solver& honest, const std::vector<fault_type>& faults, IsRed is_red) {
    for (const fault_type& wrong : faults) {
      INFO(wrong.name);
      Sabotaged solver(honest, wrong);
      CHECK(is_red(solver));
    }
  }

  // Checks that a failing launch is an error and not just a wrong answer.
  template <class Result, class... Amount, class IsRed>
  static void check_failing(Result (Solver::*)(Amount...), Solver& honest, IsRed is_red) {
    Sabotaged failing(honest, {"failing launch", [](Solver&, Amount...) -> Result {
                                 throw error("launch failed: cudaErrorLaunchFailure");
                               }});
    CHECK_THROWS_AS(is_red(failing), error);
  }

  // Checks three faults that every family has: no work, an answer from before the work, and work that fails.
  template <class Result, class... Amount, class Answer, class IsRed>
  static void check_work(Result (Solver::*work)(Amount...), Answer (Solver::*answer)(), Solver& honest,
                         IsRed is_red) {
    const auto before = std::make_shared<Answer>();
    check_red(honest,
              {{"idle", [](Solver&, Amount...) { return Result(); }},
               {"stale answer",
                [=](Solver& s, Amount... amount) {
                  *before = (s.*answer)();
                  return (s.*work)(amount...);
                },
                [=](Answer& now) { now = *before; }}},
              is_red);
    check_failing(work, honest, is_red);
  }

  sabotaged_solver(Solver& honest, fault_type wrong) : honest_(honest), wrong_(std::move(wrong)) {}
  stopwatch& clock() override { return honest_.clock(); }

 protected:
  template <class T>
  void edit(T& value) const {
    for (const auto& way : wrong_.ways)
      if (const auto* const edits = std::get_if<std::function<void(T&)>>(&way)) (*edits)(value);
  }
  template <class T>
  T edited(T value) const {
    edit(value);
    return value;
  }
  template <class Result, class... Amount>
  Result perform(Result (Solver::*work)(Amount...), Amount... amount) const {
    for (const auto& way : wrong_.ways)
      if (const auto* const works = std::get_if<std::function<Result(Solver&, Amount...)>>(&way))
        return (*works)(honest_, amount...);
    return (honest_.*work)(amount...);
  }

  Solver& honest_;

 private:
  fault_type wrong_;
};

}  // namespace reprise::verification
