// SPDX-License-Identifier: MIT
// Base class of the CVODE variants, which use CVODE as a black box: a right-hand side,
// two tolerances and a vector.
// Place: section 5.2.1, "black-box explicit CPU solvers such as CVODE [29, 30]".
// Formula: section 3 on (8), one structure per cell (16), in double precision, with the cells on all cores.
//
// CVODE chooses steps, orders and iterations. Gates are treated like all other variables, because Rush-Larsen
// would have to know the step.
//
// Our additions:
//   stimulus edges    a run stops there and is restarted, as CVODE's manual requires where F jumps
//   bad cells         F reports them as a recoverable error, and CVODE tries a shorter step
//   the least step    CVODE's own bound, set to the least step of the paper's pairs
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "solvers/atrium/cvode.hpp"
#include "solvers/atrium/recorder.hpp"
#include "solvers/atrium/structures.hpp"

namespace reprise::atrium {

// How CVODE solves the equation of an implicit step.
struct cvode_iteration {
  sundials::nonlinear_solver nonlinear{};
  sundials::linear_solver linear{};
};

class cvode_solver : public solver {
 public:
  using attach = cvode_iteration (*)(void* memory, N_Vector like, SUNContext context);

  // `multistep` is CV_ADAMS or CV_BDF; `how` attaches the iteration.
  cvode_solver(const device& d, int multistep, attach how)
      : memory_bytes_(d.memory_bytes), multistep_(multistep), attach_(how) {}

  void load(const problem& p, precision arithmetic) override {
    if (arithmetic != precision::double_) throw unavailable("CVODE is built for double precision");
    memory_.reset();
    y_.reset();
    require_memory(p.cells());
    problem_ = p;
    constants_ = constants_of<double>(p.cell);
    weight_.resize(p.cells());
    for (std::size_t k = 0; k < p.cells(); ++k)
      for (std::size_t slot = 0; slot < slots; ++slot)
        weight_[k][slot] = p.diffusion * p.mesh.weight[k][slot];
    y_ = REPRISE_SUNDIALS(N_VNew_Serial(static_cast<sunindextype>(variables * p.cells()), context_.get()));
    fill();
    create();
  }

  void reset(const control& c) override {
    if (c.method != scheme::black_box) throw unavailable("CVODE has methods of its own, none of the paper's");
    fill();
    state_ = at_start(problem_, c, 0, 0);
    must_start_ = true;
    recorder_.start(problem_, c.record_every);
    look();
  }

  progress advance(double t_end) override {
    start_interval(state_, t_end);
    while (state_.state == ending::running) step();
    return state_;
  }

  std::vector<cell_state> state() override {
    std::vector<cell_state> all(problem_.cells());
    for (std::size_t k = 0; k < all.size(); ++k) std::copy_n(cell(y_.get(), k), variables, all[k].begin());
    return all;
  }

  recording recorded() override { return recorder_.kept(); }
  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return cvode_work(); }

  // Work of one evaluation of F; CVODE's operations on vectors are not counted.
  static constexpr work cvode_work() {
    const double words = 2 * variables + 2 * slots;
    return {.bytes_logical = words * sizeof(double) + 4 * slots,
            .bytes_dram = (2 * variables + slots) * sizeof(double) + 4 * slots,
            .bytes_dram_once = 0,
            .flops = flops_of(1)};
  }

 private:
  using model = courtemanche<library_math<double>>;

  static double* cell(N_Vector v, std::size_t k) { return N_VGetArrayPointer(v) + variables * k; }

  // Throws unavailable if the vectors would not fit. Without this check their allocation succeeds even if
  // there is no memory for them.
  void require_memory(std::size_t cells) const {
    constexpr double vectors = 24;  // histories of twelve orders, and the vectors of the iterations
    const double bytes = vectors * variables * sizeof(double) * static_cast<double>(cells);
    if (bytes < .9 * static_cast<double>(memory_bytes_)) return;
    throw unavailable("does not fit: CVODE's vectors need " + std::to_string(std::lround(bytes / (1 << 30))) +
                      " GiB for " + std::to_string(cells) + " cells");
  }

  void fill() {
    for (std::size_t k = 0; k < problem_.cells(); ++k)
      std::copy_n(problem_.state0[k].begin(), variables, cell(y_.get(), k));
  }

  void create() {
    memory_ = REPRISE_SUNDIALS(CVodeCreate(multistep_, context_.get()));
    void* const memory = memory_.get();
    // Suppresses CVODE's messages; the returned flag says what happened.
    REPRISE_SUNDIALS(CVodeSetErrHandlerFn(memory, ignore, nullptr));
    REPRISE_SUNDIALS(CVodeInit(memory, change, 0, y_.get()));
    REPRISE_SUNDIALS(CVodeSetUserData(memory, this));
    iteration_ = attach_(memory, y_.get(), context_.get());
  }

  void look() {
    recorder_.look(state_.t, state_.accepted, [&](std::size_t k) { return cell(y_.get(), k)[at_v]; });
  }

  void step() {
    const double stop = next_stop(state_);
    void* const memory = memory_.get();
    if (must_start_) start(stop);
    REPRISE_SUNDIALS(CVodeSetStopTime(memory, stop));
    double t = state_.t;
    const int flag = CVode(memory, stop, y_.get(), &t, CV_ONE_STEP);
    count();
    if (flag < 0) {
      give_up(flag);
      return;
    }
    const bool is_there = flag == CV_TSTOP_RETURN;
    const double before = state_.t;
    state_.t = is_there ? stop : t;
    state_.bad_cell = -1;
    ++state_.accepted;
    must_start_ = is_there && is_edge(stop);
    look();
    if (state_.t >= state_.t_end) {
      state_.state = ending::reached;
    } else if (state_.accepted + state_.rejected >= state_.control.most_attempts) {
      state_.state = ending::too_many_steps;
    } else if (is_pause(state_, before)) {
      state_.state = ending::paused;
    }
  }

  // Starts at state_.t from the current state, under the stimuli that last until `stop`.
  void start(double stop) {
    void* const memory = memory_.get();
    active_ = active_stimuli(problem_.protocol, (state_.t + stop) / 2);
    REPRISE_SUNDIALS(CVodeReInit(memory, state_.t, y_.get()));
    REPRISE_SUNDIALS(CVodeSStolerances(memory, state_.control.rt, state_.control.at));
    REPRISE_SUNDIALS(CVodeSetMinStep(memory, state_.control.least_dt));
    rejected_before_ = state_.rejected;
    must_start_ = false;
  }

  bool is_edge(double t) const {
    return std::find(state_.stops, state_.stops + state_.stop_count, t) != state_.stops + state_.stop_count;
  }

  void count() {
    long errors = 0;
    long iterations = 0;
    REPRISE_SUNDIALS(CVodeGetNumErrTestFails(memory_.get(), &errors));
    REPRISE_SUNDIALS(CVodeGetNumStepSolveFails(memory_.get(), &iterations));
    state_.rejected = rejected_before_ + errors + iterations;
    REPRISE_SUNDIALS(CVodeGetLastStep(memory_.get(), &state_.h));
  }

  void give_up(int flag) {
    switch (flag) {
      case CV_TOO_MUCH_ACC:
      case CV_ERR_FAILURE:
      case CV_CONV_FAILURE:
      case CV_LSOLVE_FAIL:
      case CV_RHSFUNC_FAIL:
      case CV_FIRST_RHSFUNC_ERR:
      case CV_REPTD_RHSFUNC_ERR:
      case CV_UNREC_RHSFUNC_ERR:
        break;
      default:
        sundials::check(flag, "CVode");
    }
    state_.bad_cell = bad_cell_;
    state_.state = bad_cell_ < 0 ? ending::stagnated : ending::not_a_number;
    if (bad_cell_ >= 0) state_.h = bad_time_ - state_.t;
  }

  static void ignore(int, const char*, const char*, char*, void*) {}

  // Right-hand-side callback. Returns 0, or 1 (recoverable error) if any cell is bad.
  static int change(double t, N_Vector y, N_Vector rate, void* self) {
    return static_cast<cvode_solver*>(self)->evaluate(t, y, rate);
  }

  int evaluate(double t, N_Vector y, N_Vector rate) {
    constexpr std::size_t worth_threads = 256;  // with fewer cells, waking the threads takes longer
    const std::size_t cells = problem_.cells();
    std::size_t first_bad = cells;
#pragma omp parallel for schedule(static) reduction(min : first_bad) if (cells >= worth_threads)
    for (std::size_t k = 0; k < cells; ++k)
      if (!evaluate_cell(y, rate, k)) first_bad = std::min(first_bad, k);
    ++state_.evaluations;
    bad_cell_ = first_bad < cells ? static_cast<int>(first_bad) : -1;
    bad_time_ = t;
    return bad_cell_ < 0 ? 0 : 1;
  }

  bool evaluate_cell(N_Vector all, N_Vector rate, std::size_t k) const {
    double y[variables];
    std::copy_n(cell(all, k), variables, y);
    const auto change = model::rates(constants_, y);
    double* const to = cell(rate, k);
    to[at_v] = change.v + supplied(problem_, weight_[k], active_, k,
                                   [all](std::size_t other) { return cell(all, other)[at_v]; });
    for (std::size_t g = 0; g < gates; ++g)
      to[first_gate + g] = change.rate[g] * (change.target[g] - y[first_gate + g]);
    std::copy_n(change.concentration, concentrations, to + first_concentration);
    double nothing = 0;  // becomes NaN if a rate is not finite
    for (std::size_t n = 0; n < variables; ++n) nothing += to[n] * 0;
    return nothing == 0 && std::abs(y[at_v]) < largest_voltage;
  }

  std::size_t memory_bytes_;
  int multistep_;
  attach attach_;
  problem problem_;
  cell_constants<double> constants_{};
  std::vector<std::array<double, slots>> weight_;  // D / d^2
  unsigned active_{};
  // Declared in the order of their dependence, so that they are destroyed in reverse order.
  sundials::context context_ = sundials::make_context();
  sundials::vector y_;
  cvode_iteration iteration_;
  sundials::integrator memory_;
  progress state_;
  bool must_start_{};
  long long rejected_before_{};  // before the last start, which resets CVODE's counters
  int bad_cell_{-1};             // in the last evaluation
  double bad_time_{};
  recorder recorder_;
  steady_stopwatch clock_;
};

}  // namespace reprise::atrium
