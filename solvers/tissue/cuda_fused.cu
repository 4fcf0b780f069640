// SPDX-License-Identifier: MIT
// Whole steps in one launch, as opencl_fused: one of Runge-Kutta, two of Heun, four of Euler, by tiles with
// margins that are computed twice. Place: beyond the paper, which has no CUDA. Formula: as opencl_stages,
// with a tanh as an exponential and constants' inverses. Small tiles where large ones would leave
// multiprocessors idle; large ones, whose margins are a smaller part, where there are enough. A launch's
// blocks start while the last one's still run.
#include <vector>

#include "solvers/common/cuda.hpp"
#include "solvers/tissue/cuda_state.hpp"
#include "solvers/tissue/cuda_tile.hpp"
#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {
namespace {

using small_shape = tile_shape<32, 16, 2>;
using large_shape = tile_shape<64, 8, 8>;

template <class Model, class Terms, class Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    advance_tiles(tissue_data all, int steps, const double* from, double* to) {
  tile<Model, Terms, Shape> mine(all, cuda::dynamic_shared<double>());
  cuda::let_following_start();
  cuda::wait_for_preceding();
  mine.load(from);
  for (int n = 0; n < steps; ++n) mine.step();
  mine.store(to);
}

class cuda_fused final : public solver {
 public:
  explicit cuda_fused(const device& d) {
    cuda::use_device(d);
    scheduling_ = cuda::overlapped_where_possible();
  }

  void load(const problem& p, method m, double dt) override {
    require_method(p, m, dt);
    problem_ = p;
    method_ = m;
    data_ = data_of(p, m, dt);
    choose_kernel();
    state_.make_room(p.state0);
    reset();
  }

  void reset() override { state_.upload(problem_.state0); }

  void step(long count) override {
    const int most = steps_of_margin(method_);
    for (; count > 0; count -= most) {
      const int steps = static_cast<int>(count < most ? count : most);
      cuda::start(scheduling_, kernel_, tiles_, threads_, shared_bytes_, nullptr, data_, steps, state_.now(),
                  state_.next());
      state_.go_on();
    }
  }

  std::vector<std::vector<double>> state() override { return state_.download(); }

  stopwatch& clock() override { return clock_; }
  double launches_per_step() const override { return 1.0 / steps_of_margin(method_); }
  work per_unit() const override { return work_of_tiles(problem_.what, method_); }

 private:
  template <class Model, class Terms, class Shape>
  void choose() {
    kernel_ = advance_tiles<Model, Terms, Shape>;
    tiles_ = tiles_of<Shape>(problem_);
    threads_ = Shape::threads;
    shared_bytes_ = tile<Model, Terms, Shape>::shared_values * sizeof(double);
  }

  void choose_kernel() {
    with_types(problem_, method_, [&](auto model_type, auto terms) {
      using model_t = decltype(model_type);
      using terms_t = decltype(terms);
      choose<model_t, terms_t, small_shape>();
      // A large tile of four fields is more than the registers hold.
      if constexpr (model_t::fields == 2) {
        const dim3 large = tiles_of<large_shape>(problem_);
        const auto enough = 2U * static_cast<unsigned>(cuda::current_properties().multiprocessors);
        if (large.x * large.y >= enough) choose<model_t, terms_t, large_shape>();
      }
    });
  }

  problem problem_;
  method method_{};
  tissue_data data_{};
  void (*kernel_)(tissue_data, int, const double*, double*){};
  dim3 tiles_;
  unsigned threads_{};
  std::size_t shared_bytes_{};
  cuda::scheduling scheduling_{};
  cuda_state state_;
  cuda::event_stopwatch clock_;
};

REPRISE_VARIANT(solver, cuda_fused,
                {.summary = "whole steps of tiles with margins in one launch",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = work_of_tiles(model::karma, method::runge_kutta),
                 .repeats = determinism::bitwise});

}  // namespace
}  // namespace reprise::tissue
