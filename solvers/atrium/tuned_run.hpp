// SPDX-License-Identifier: MIT
// The host side of steps on chip: the patches and the table on the device, the shape of a launch, and the plan of the
// steps that a launch makes. Interface is that of a solver, or of the solver of a part.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "solvers/atrium/cuda_steps.hpp"
#include "solvers/atrium/tuned_steps.hpp"
#include "solvers/atrium/tuned_work.hpp"

namespace reprise::atrium {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr int most_threads_on_chip = 640;  // two cells each, in 96 registers
constexpr unsigned long long none_bad = ~0ULL;

template <class Interface>
class run_on_chip : public run_on_gpu<Interface, float> {
 public:
  // Also idle lanes compute.
  work per_unit() const override {
    work w = work_of_step(method_, kind_);
    const double computed =
        1.0 * patches_.blocks * threads_ * cells_of_thread_ / static_cast<double>(problem_.cells());
    w.bytes_shared *= computed;
    w.functions *= computed;
    return w;
  }

 protected:
  static constexpr int most_steps = 20'000;  // per launch: keeps a shared display responsive
  static constexpr long long least_room = 64;

  // The steps of a launch, and the run before them.
  struct planned {
    progress before;
    int current;
    stretch part;
  };

  // What fixed steps leave on the device.
  struct found {
    unsigned long long bad{none_bad};
    unsigned error{};
  };

  // Cell numbers from p.cells() on belong to a part's halo.
  void load_patches(problem p, std::size_t halo = 0) {
    problem_ = std::move(p);
    sphere_.load(problem_, halo);
    const int most_blocks = std::min(cuda::current_properties().multiprocessors, most_deciding_blocks);
    patches_ = cut(problem_, most_blocks, fewest_cells);
    boxes_of_set_ = static_cast<int>(problem_.cells() + halo);
    rings_ = cuda::uploaded(patches_.rings);
    margin_cells_ = cuda::uploaded(patches_.margin_cells);
    margin_count_ = cuda::uploaded(patches_.margin_count);
    recorded_first_ = cuda::uploaded(patches_.recorded_first);
    recorded_place_ = cuda::uploaded(patches_.recorded_place);
    recorded_column_ = cuda::uploaded(patches_.recorded_column);
    table_.forget();
    tag_ = 0;
    found_ = cuda::buffer<found>(1);
    kept_ = {};
  }

  // Throws unavailable if the state does not fit on chip.
  void start_steps(const control& c) {
    if (c.gates != gate_rule::rush_larsen)
      throw unavailable(
          "tables of the voltage have what gates need by Rush-Larsen, and nothing for plain gates");
    plan_ = plan_of(data_of(c.method));
    kind_ = kind_of(plan_, c);
    choose_shape();
    this->start(c, data_of(scheme::euler));
    allocate_kept();
    clear_found();
  }

  // For how many steps gates advance wherever they do, once or twice; 0 if that differs.
  static double common_span(const method_plan& p) {
    if (p.has_kept_gates) return 0;
    const double span = p.stage[0].over;
    for (int s = 1; s < p.stages; ++s)
      if (p.stage[s].over != 0 && p.stage[s].over != span && !p.stage[s].is_twice) return 0;
    return span;
  }

  void clear_found() {
    const found none{};
    found_.upload(&none, 1);
  }

  void fit(double h) {
    if (!table_.is_for(h)) table_.fit(problem_.cell, h);
  }
  void fit_to(const stretch& s) { fit(kind_ == steps_kind::fixed_by_rates ? 0 : common_span(plan_) * s.h); }

  // Plans at most `most` steps from the current state for as long as their length and stimuli do not change, and
  // advances state_ to their end.
  planned plan(long long most) {
    planned p{state_, current_, {}};
    const double h = state_.h;
    const auto active = [&] { return active_stimuli(problem_.protocol, state_.t + state_.h / 2); };
    stretch& s = p.part;
    s.before = state_.accepted;
    s.h = h;
    s.active = active();
    s.first_multiple = std::floor(state_.t / state_.control.dt + 1e-6) + 1;
    s.dt = state_.control.dt;
    fill_weights(plan_, h, s.weights, 0, 1);
    do {
      finish_attempt(state_, {0, -1});
      ++s.steps;
    } while (state_.state == ending::running && s.steps < most && state_.h == h && active() == s.active);
    s.end = state_.t;
    s.judges = plan_.is_judged && state_.state != ending::running;
    return p;
  }

  // The same up to a step with a bad cell, which is the last attempt. Returns the steps to repeat.
  stretch plan_up_to(const planned& before, long long step) {
    stretch again = before.part;
    state_ = before.before;
    current_ = before.current;
    again.steps = static_cast<int>(step - again.before);
    for (int n = 0; n < again.steps; ++n) finish_attempt(state_, {0, -1});
    again.end = state_.t;
    return again;
  }

  // Numbers the tags that the stretch's mail has.
  void number_tags(stretch& s) {
    s.tag = tag_;
    tag_ += static_cast<unsigned>(s.steps * plan_.stages);
  }

  void make_room_for_samples() {
    if (samples_.room(state_.accepted) < least_room) samples_.flush(state_.accepted);
  }

  tuned_data data_with(unsigned long long* boxes) {
    return {sphere_.view(),
            plan_,
            patches_.cells,
            patches_.margin,
            rings_.data(),
            margin_cells_.data(),
            margin_count_.data(),
            recorded_first_.data(),
            recorded_place_.data(),
            recorded_column_.data(),
            table_.values(),
            rows_held_,
            boxes,
            &found_.data()->bad,
            &found_.data()->error,
            kept_.data(),
            static_cast<float>(state_.control.at),
            static_cast<float>(state_.control.rt),
            cuda::usual_patience()};
  }

  // What kernel_of names for this kind of fixed steps and this number of cells of a thread.
  template <class KernelOf>
  auto for_fixed_steps(KernelOf kernel_of) const {
    switch (kind_) {
      case steps_kind::fixed_by_decays:
        return for_cells<steps_kind::fixed_by_decays>(kernel_of);
      case steps_kind::fixed_by_rates:
        return for_cells<steps_kind::fixed_by_rates>(kernel_of);
      default:
        return for_cells<steps_kind::euler>(kernel_of);
    }
  }

  unsigned blocks() const { return static_cast<unsigned>(patches_.blocks); }
  unsigned threads() const { return static_cast<unsigned>(threads_); }

  using run_on_gpu<Interface, float>::current_, run_on_gpu<Interface, float>::method_,
      run_on_gpu<Interface, float>::problem_, run_on_gpu<Interface, float>::samples_,
      run_on_gpu<Interface, float>::sphere_, run_on_gpu<Interface, float>::state_;

  patches patches_;
  method_plan plan_{};
  steps_kind kind_{};
  int cells_of_thread_{};
  std::size_t shared_bytes_{};
  int boxes_of_set_{};
  cuda::buffer<ring> rings_;
  cuda::buffer<found> found_;
  unsigned tag_{};  // last tag that was used for mail

 private:
  template <steps_kind kind, class KernelOf>
  auto for_cells(KernelOf kernel_of) const {
    constexpr std::integral_constant<steps_kind, kind> of_kind;
    return cells_of_thread_ == 1 ? kernel_of(of_kind, std::integral_constant<int, 1>{})
                                 : kernel_of(of_kind, std::integral_constant<int, 2>{});
  }

  static constexpr int fewest_cells =
      4;  // per block: small spheres, which only checks have, are exchanged between blocks too

  static steps_kind kind_of(const method_plan& p, const control& c) {
    if (c.is_adaptive) return steps_kind::adaptive;
    if (p.stages == 1) return steps_kind::euler;
    return common_span(p) > 0 ? steps_kind::fixed_by_decays : steps_kind::fixed_by_rates;
  }

  // Uses one cell per thread if that is enough, and holds as many rows of the table
  // as shared memory has room for.
  void choose_shape() {
    cells_of_thread_ = patches_.cells <= most_threads_on_chip ? 1 : 2;
    constexpr int warp = 32;
    threads_ = ((patches_.cells + cells_of_thread_ - 1) / cells_of_thread_ + warp - 1) / warp * warp;
    const int room = threads_ * cells_of_thread_;
    const auto bytes = [&](int rows) {
      return shared_layout::bytes(rows, room, patches_.cells, patches_.margin, plan_.stages);
    };
    const std::size_t most = cuda::current_properties().shared_bytes_per_block;
    constexpr int fewest_rows = 200;
    if (threads_ > most_threads_on_chip || bytes(fewest_rows) > most)
      throw unavailable("does not fit on chip: " + std::to_string(patches_.cells) +
                        " cells for each multiprocessor, of which this device has " +
                        std::to_string(cuda::current_properties().multiprocessors));
    rows_held_ =
        std::min(most_rows_held, static_cast<int>((most - bytes(0)) / (sizeof(quartet) * quartets_of_row)));
    shared_bytes_ = bytes(rows_held_);
  }

  void allocate_kept() {
    if (plan_.stages == 1) return;
    const std::size_t cells = static_cast<std::size_t>(patches_.blocks * threads_ * cells_of_thread_);
    if (kept_.size() == 0) kept_ = cuda::buffer<float>(cells * field::count);
  }

  int threads_{};
  int rows_held_{};
  cuda::buffer<int> margin_cells_, margin_count_, recorded_first_, recorded_place_, recorded_column_;
  voltage_table table_;
  cuda::buffer<float> kept_;
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::atrium
