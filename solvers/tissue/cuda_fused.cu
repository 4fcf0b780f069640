// SPDX-License-Identifier: MIT
// Whole steps in one launch, as in opencl_fused: one step of Runge-Kutta, two of Heun, four of Euler, on
// tiles whose margins are computed twice.
// Place: beyond the paper, which has no CUDA.
// Formula: as in opencl_stages, with tanh computed by an exponential and
// constants replaced by their inverses.
//
// Tiles are small if large ones would leave multiprocessors idle. If there are enough tiles they are large,
// because the margin is then a smaller part of a tile. The blocks that the device can hold at once go from
// tile to tile, and prefetch the next tile's state while they compute. The blocks of a launch start while
// those of the preceding launch still run.
#include <algorithm>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/tissue/cuda_state.hpp"
#include "solvers/tissue/cuda_tile.hpp"
#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {
namespace {

using small_shape = tile_shape<32, 16, 2>;
// As many values as a thread's registers hold.
template <class Real, class Model>
using large_shape = tile_shape<64, 8, 96 / (Model::fields * sizeof(Real))>;

// A tile that can prefetch another tile's state into shared memory. Each thread reads only the
// values that it has copied itself.
template <class Real, class Model, class Terms, class Shape>
struct travelling_tile : tile<Real, Model, Terms, Shape> {
  using base = tile<Real, Model, Terms, Shape>;
  using base::fields;
  using base::rows;
  static constexpr int shared_values = base::shared_values + fields * rows * Shape::threads;

  using base::base;

  __device__ Real* parcel(int r, int f) const {
    return this->shared + base::shared_values + (f * rows + r) * Shape::threads + threadIdx.x;
  }

  __device__ void send_for(const Real* from, tile_corner next) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int cell = this->place(r, next);
#pragma unroll
      for (int f = 0; f < fields; ++f) cuda::copy_async(parcel(r, f), from + f * this->cells() + cell);
    }
    cuda::close_copies();
  }

  __device__ void receive() {
    cuda::wait_for_copies<0>();
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int f = 0; f < fields; ++f) this->argument[r][f] = this->z[r][f] = *parcel(r, f);
  }
};

template <class Real, class Model, class Terms, class Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    advance_tiles(const __grid_constant__ tissue_data<Real> all, int tiles_across, int tiles, int steps,
                  const Real* from, Real* to) {
  travelling_tile<Real, Model, Terms, Shape> mine(all, cuda::dynamic_shared<Real>());
  const auto corner = [&](int n) { return corner_of<Shape>(n % tiles_across, n / tiles_across); };
  cuda::let_following_start();
  cuda::wait_for_preceding();
  const auto stride = static_cast<int>(gridDim.x);
  int n = static_cast<int>(blockIdx.x);
  mine.go_to(corner(n));
  mine.load(from);
  while (true) {
    const bool is_last = n + stride >= tiles;
    if (!is_last) mine.send_for(from, corner(n + stride));
    for (int step = 0; step < steps; ++step) mine.step();
    mine.store(to);
    if (is_last) break;
    n += stride;
    mine.go_to(corner(n));
    mine.receive();
  }
}

template <class Real>
class typed final : public solver {
 public:
  explicit typed(const device& d) { cuda::use_device(d); }

  void load(const problem& p, method m, double dt, precision) override {
    require_method(p, m, dt);
    require_kernel<Real>(p);
    problem_ = p;
    method_ = m;
    data_ = data_of<Real>(p, m, dt);
    choose_kernel();
    state_.make_room(p.state0);
    reset();
  }

  void reset() override { state_.upload(problem_.state0); }

  void step(long count) override {
    const int most = steps_of_margin(method_);
    for (; count > 0; count -= most) {
      const int steps = static_cast<int>(count < most ? count : most);
      cuda::start(cuda::scheduling::overlapped, kernel_, blocks_, threads_, shared_bytes_, nullptr, data_,
                  static_cast<int>(tiles_.x), static_cast<int>(tiles_.x * tiles_.y), steps, state_.now(),
                  state_.next());
      state_.go_on();
    }
  }

  std::vector<std::vector<double>> state() override { return state_.download(); }

  stopwatch& clock() override { return clock_; }
  double launches_per_step() const override { return 1.0 / steps_of_margin(method_); }
  // A step of a tile also takes its share of the tiles that are fetched ahead, whose values are written and read once.
  work per_unit() const override {
    work w = work_of_tiles(problem_.model, method_, sizeof(Real));
    const double fetched = 1 - 1.0 * blocks_ / (tiles_.x * tiles_.y);
    const double of_fetching =
        2 * sizeof(Real) * fields_of(problem_.model) * fetched / steps_of_margin(method_);
    w.bytes_shared = (stages_of(method_) * shared_bytes_of_stage_ + of_fetching) * computed_per_cell_;
    w.functions = stages_of(method_) * functions_of_cell(problem_, method_, false) * computed_per_cell_;
    return w;
  }

 private:
  template <class Model, class Terms, class Shape>
  void choose() {
    kernel_ = advance_tiles<Real, Model, Terms, Shape>;
    tiles_ = tiles_of<Shape>(problem_);
    threads_ = Shape::threads;
    using tile_t = travelling_tile<Real, Model, Terms, Shape>;
    shared_bytes_ = tile_t::shared_values * sizeof(Real);
    shared_bytes_of_stage_ = tile_t::shared_bytes_of_stage;
    computed_per_cell_ = computed_per_cell<Shape>(problem_);
    const std::size_t resident = cuda::resident_blocks(kernel_, threads_, shared_bytes_);
    blocks_ = static_cast<unsigned>(std::min<std::size_t>(tiles_.x * tiles_.y, resident));
  }

  void choose_kernel() {
    with_types(problem_, method_, [&](auto model_type, auto terms) {
      using model_t = decltype(model_type);
      using terms_t = decltype(terms);
      if constexpr (has_kernel<Real, terms_t>) {
        choose<model_t, terms_t, small_shape>();
        // With four fields in double precision a large tile would be no larger.
        if constexpr (large_shape<Real, model_t>::rows >= 6)
          choose_large<model_t, terms_t, large_shape<Real, model_t>>();
      }
    });
  }

  template <class Model, class Terms, class Shape>
  void choose_large() {
    const dim3 large = tiles_of<Shape>(problem_);
    const auto enough = 2U * static_cast<unsigned>(cuda::current_properties().multiprocessors);
    if (large.x * large.y >= enough && fits_block<travelling_tile<Real, Model, Terms, Shape>>())
      choose<Model, Terms, Shape>();
  }

  problem problem_;
  method method_{};
  tissue_data<Real> data_{};
  void (*kernel_)(tissue_data<Real>, int, int, int, const Real*, Real*){};
  dim3 tiles_;
  unsigned blocks_{};
  unsigned threads_{};
  std::size_t shared_bytes_{};
  double shared_bytes_of_stage_{}, computed_per_cell_{};
  cuda::scheduling scheduling_{};
  cuda_state<Real> state_;
  cuda::event_stopwatch clock_;
};

using cuda_fused = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, cuda_fused,
                {.summary = "whole steps of tiles with margins in one launch",
                 .place = "beyond the paper",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = work_of_tiles(model::karma, method::runge_kutta, sizeof(double))});

}  // namespace
}  // namespace reprise::tissue
