// SPDX-License-Identifier: MIT
// What a right atrium answer is. Step by step: every variable of every cell and the error estimate after a
// few steps of each method, from states far from rest, against the reference's own tableaus and right-hand
// side. Run by run: voltages and numbers of steps of a wave's first milliseconds against a plain Algorithm 3.
// Black boxes, whose steps nobody knows: the state after some of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reference/atrium/reference.hpp"
#include "solvers/atrium/variant.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::atrium {

class stepwise_expectation {
 public:
  stepwise_expectation(const reprise::atrium::problem& p, reprise::atrium::scheme method,
                       reprise::atrium::gate_rule rule);

  // Of the plain rule's, the stiffest gate is stable; of the other's, diffusion.
  reprise::atrium::control control() const;
  static constexpr int steps = 5;
  std::vector<checkers::finding> judge(const std::vector<reprise::atrium::cell_state>& state,
                                       const reprise::atrium::progress& s, precision arithmetic) const;

 private:
  double distance_to(const std::vector<reprise::atrium::cell_state>& state, double tolerance) const;

  reprise::atrium::problem problem_;
  reprise::atrium::scheme method_;
  reprise::atrium::gate_rule rule_;
  reference::atrium::stepped reference_;
  reprise::atrium::cell_state scale_;  // of each variable over the cells
  double growth_;                      // of a disturbance of the initial state
};

// The first milliseconds after a stimulus of one half of a small sphere, by one pair with Rush-Larsen. (From
// a smaller part of it no action potential would start: the rest draws off what the stimulus gives.)
class run_expectation {
 public:
  explicit run_expectation(reprise::atrium::scheme pair);

  const reprise::atrium::problem& problem() const { return problem_; }
  reprise::atrium::control control() const { return control_; }
  std::vector<checkers::finding> judge(const std::vector<reprise::atrium::cell_state>& state,
                                       const reprise::atrium::recording& recorded,
                                       const reprise::atrium::progress& s, precision arithmetic) const;

 private:
  reprise::atrium::problem problem_;
  reprise::atrium::control control_;
  reference::atrium::run plain_;
};

// Some hundredths of a millisecond across edges of stimuli, from states far from rest, by a solver that steps
// as it likes: against an integration as tight as its tolerances.
class black_box_expectation {
 public:
  explicit black_box_expectation(const reprise::atrium::problem& p);

  static reprise::atrium::control control();
  static constexpr double t_end = .06;
  static constexpr double tolerance = 1e-10;
  std::vector<checkers::finding> judge(const std::vector<reprise::atrium::cell_state>& state,
                                       const reprise::atrium::recording& recorded,
                                       const reprise::atrium::progress& s) const;

 private:
  reference::atrium::run exact_;
  reprise::atrium::cell_state scale_;  // of each variable over the cells
};

// A cell on its plateau, in which nothing jumps and nothing is switched, for a few milliseconds: there the
// error of fixed steps falls with the order of the method.
class order_expectation {
 public:
  order_expectation();

  const reprise::atrium::problem& problem() const { return problem_; }
  static constexpr double t_end = 2.4;
  // Longest first; above what rounding leaves of the errors, below what the fastest gate allows.
  static std::vector<double> steps(reprise::atrium::scheme method, reprise::atrium::gate_rule rule);

  struct errors {
    double voltage;  // mV
    double gates;    // the largest of any
  };
  errors errors_of(const std::vector<reprise::atrium::cell_state>& state) const;
  static constexpr double rounding = 1e-12;  // in errors of the voltage, of gates a tenth of it

 private:
  reprise::atrium::problem problem_;
  reprise::atrium::cell_state exact_;
};

// Many variants share them: they are made once.
std::shared_ptr<const stepwise_expectation> expect_steps(int subdivisions, reprise::atrium::scheme method,
                                                         reprise::atrium::gate_rule rule);
std::shared_ptr<const run_expectation> expect_run(reprise::atrium::scheme pair);
std::shared_ptr<const black_box_expectation> expect_black_box(int subdivisions);
std::shared_ptr<const order_expectation> expect_order();

// They start the solver, loaded with skew_problem, from t = 0; that of a run loads its own problem.
std::vector<checkers::finding> verify(reprise::atrium::solver& s, const stepwise_expectation& e,
                                      precision arithmetic);
std::vector<checkers::finding> verify(reprise::atrium::solver& s, const run_expectation& e,
                                      precision arithmetic);

std::vector<checkers::finding> verify(reprise::atrium::solver& s, const black_box_expectation& e);
// Loads skew_problem and expects of its method what there is to expect.
std::vector<checkers::finding> verify(reprise::atrium::solver& s, int subdivisions,
                                      reprise::atrium::scheme method, reprise::atrium::gate_rule rule,
                                      precision arithmetic);

// The paper's metrics over all recorded cells, each the largest of any.
struct trajectory_errors {
  double rrms{};
  double absolute{}, relative{};  // interpolated, to the letter
  double peak_safe{}, peak_safe_relative{};
  double shift{};  // of activations, ms; not a number where a cell has another number of them
};
trajectory_errors errors_of(const reprise::atrium::recording& answer,
                            const reprise::atrium::recording& reference);

// What is said of a run that did not reach its end; empty where it did.
std::string failure_of(const reprise::atrium::problem& p, const reprise::atrium::progress& s);

}  // namespace reprise::verification::atrium
