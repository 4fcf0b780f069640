// SPDX-License-Identifier: MIT
// Defines when an atrium answer is right. For a few steps of each method, from states far from rest: every
// variable of every cell, the recorded voltages, the error estimate and what was counted, against the reference's own
// tableaus and right-hand side. For the first milliseconds of a wave: voltages and numbers of steps, against the
// reference's own Algorithm 3. For CVODE, whose steps cannot be prescribed: the state at the end of a short run, and
// voltages at some of its own times.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reference/atrium/reference.hpp"
#include "solvers/atrium/variant.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::atrium {

// Fixed steps. Spheres of an even number of subdivisions record every step, the others every second one.
class stepwise_expectation {
 public:
  static constexpr int steps = 5;
  // The step is stable for the stiffest gate under the plain rule, and for diffusion under Rush-Larsen.
  stepwise_expectation(const reprise::atrium::problem& p, reprise::atrium::scheme method,
                       reprise::atrium::gate_rule rule);
  stepwise_expectation(const reprise::atrium::problem& p, const reprise::atrium::control& c, int count);

  const reprise::atrium::control& control() const { return control_; }
  double end() const { return count_ * control_.dt; }
  std::vector<checkers::finding> judge(const std::vector<reprise::atrium::cell_state>& state,
                                       const reprise::atrium::recording& recorded,
                                       const reprise::atrium::progress& s, precision arithmetic) const;
  // Without the error estimate and the numbers of attempts and evaluations.
  std::vector<checkers::finding> judge_cells(const std::vector<reprise::atrium::cell_state>& state,
                                             const reprise::atrium::recording& recorded, double t,
                                             precision arithmetic) const;

 private:
  double limit(precision arithmetic) const;
  // The largest distance of cells 0 ... count-1, or of recorded cells, to the reference.
  template <class Distance>
  double distance_of_all(std::size_t count, double tolerance, Distance distance_to) const;
  double distance_to(const std::vector<reprise::atrium::cell_state>& state, double tolerance) const;
  double distance_to(const reprise::atrium::recording& recorded, double tolerance) const;
  reference::atrium::stepped stepped(const reprise::atrium::problem& from, double jump) const;

  reprise::atrium::problem problem_;
  reprise::atrium::control control_;
  int count_;
  reference::atrium::stepped reference_;
  reprise::atrium::cell_state scale_;  // of each variable, over all cells
  double growth_;                      // growth of a disturbance of the initial state
};

// The first milliseconds after a stimulus of one half of a small sphere, by an embedded pair with
// Rush-Larsen. (A stimulus of a smaller part would start no action potential, because the other
// cells draw off its current.)
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

// A run that records every step has one sample for each and one of the start, and the last one is its state.
checkers::finding judge_last_sample(const std::vector<reprise::atrium::cell_state>& state,
                                    const reprise::atrium::recording& recorded,
                                    const reprise::atrium::progress& s);

// Some hundredths of a millisecond across the edges of stimuli, from states far from rest, by a solver that
// chooses its own steps. The answer is compared with an integration of equally tight tolerance.
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
  double recorded_error(const reprise::atrium::recording& recorded) const;

  reprise::atrium::problem problem_;
  reference::atrium::run exact_;
  reprise::atrium::cell_state scale_;  // of each variable, over all cells
};

// A few milliseconds of a cell on its plateau, where no rate jumps and no stimulus switches. There the error
// of fixed steps decreases with the order of the method.
class order_expectation {
 public:
  order_expectation();

  const reprise::atrium::problem& problem() const { return problem_; }
  static constexpr double t_end = 2.4;
  // Longest first: above the lengths at which rounding dominates, below those that the fastest gate allows. For order
  // five these differ by a factor of 2.6, in which errors fall by a hundred.
  static std::vector<double> steps(reprise::atrium::scheme method, reprise::atrium::gate_rule rule);

  struct errors {
    double voltage;  // mV
    double gates;    // largest error of all gates
  };
  errors errors_of(const std::vector<reprise::atrium::cell_state>& state) const;
  // The state that fixed steps of length dt leave at the end, against the reference's own steps.
  checkers::finding judge(reprise::atrium::scheme method, reprise::atrium::gate_rule rule, double dt,
                          const std::vector<reprise::atrium::cell_state>& state) const;
  // In errors, of some hundred steps: a step rounds a voltage of ten mV by 1e-15 and a gate by 1e-16, and evaluates
  // some sixty exponentials.
  static constexpr double voltage_rounding = 1e-13;
  static constexpr double gate_rounding = 3e-15;

 private:
  reprise::atrium::problem problem_;
  reprise::atrium::cell_state exact_;
};

// Shared by many variants, so each is made only once.
std::shared_ptr<const stepwise_expectation> expect_steps(int subdivisions, reprise::atrium::scheme method,
                                                         reprise::atrium::gate_rule rule);
std::shared_ptr<const run_expectation> expect_run(reprise::atrium::scheme pair);
std::shared_ptr<const black_box_expectation> expect_black_box(int subdivisions);
std::shared_ptr<const order_expectation> expect_order();

// Start the solver, which was loaded with covering_problem, at t = 0. The one for
// run_expectation loads its own problem.
std::vector<checkers::finding> verify(reprise::atrium::solver& s, const stepwise_expectation& e,
                                      precision arithmetic);
std::vector<checkers::finding> verify(reprise::atrium::solver& s, const run_expectation& e,
                                      precision arithmetic);

std::vector<checkers::finding> verify(reprise::atrium::solver& s, const black_box_expectation& e);
// Loads covering_problem and checks the method against its expectation.
std::vector<checkers::finding> verify(reprise::atrium::solver& s, int subdivisions,
                                      reprise::atrium::scheme method, reprise::atrium::gate_rule rule,
                                      precision arithmetic);

// The paper's metrics, each the maximum over all recorded cells.
struct trajectory_errors {
  double rrms{};
  double absolute{}, relative{};  // interpolated errors exactly as the paper defines them
  double peak_safe{}, peak_safe_relative{};
  double curve{}, curve_relative{};  // distance along the curves, which is safe at peaks
  double shift{};                    // of activations in ms; NaN if a cell has another number of them
};
trajectory_errors errors_of(const reprise::atrium::recording& answer,
                            const reprise::atrium::recording& reference);

// Why a run did not reach its end; empty if it did.
std::string failure_of(const reprise::atrium::problem& p, const reprise::atrium::progress& s);

}  // namespace reprise::verification::atrium
