// SPDX-License-Identifier: MIT
// A step of Runge-Kutta in one launch that reads and writes the state once, on strips whose margins are computed twice.
// Place: beyond the paper, which has no CUDA.
// Formula: as in opencl_stages, with tanh computed by an exponential, time constants taken into the step, and each
// row of the weighted sum computed once for the three rows that need it.
//
// Warps walk up strips with the stages one row apart (cuda_strip.hpp), so only columns have margins of any weight.
// Made for large grids: on small ones there are not enough rows for all warps.
//
// Other methods than Runge-Kutta and other switches and terms than the paper's would take several times as long to compile,
// and no experiment times them on large grids.
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/tissue/cuda_state.hpp"
#include "solvers/tissue/cuda_strip.hpp"
#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {
namespace {

using namespace streamed;

// As many columns as registers hold.
template <class Real, class Model>
using shape_of =
    std::conditional_t<Model::fields != 2, strip_shape<2, 1, 8>,
                       std::conditional_t<sizeof(Real) == 4, strip_shape<4, 2, 8>, strip_shape<4, 1, 8>>>;

template <class Real, class Model>
using strip_of = strip<Real, Model, shape_of<Real, Model>>;

template <class Real, class Model>
__global__ void __launch_bounds__(warp, (shape_of<Real, Model>::resident))
    advance_strips(const __grid_constant__ strip_data<Real, Model> all, const Real* from, Real* to) {
  using strip_t = strip_of<Real, Model>;
  strip_t mine(all, cuda::dynamic_shared<typename strip_t::row>(), from, to);
  cuda::let_following_start();
  cuda::wait_for_preceding();
  mine.walk();
}

// The number of segments for which a step needs the least time. A warp takes about as long for a row beside others as
// alone, because it mostly waits for its own arithmetic. So a step takes as long as the rows that warps take in, once for
// each time that the device is full of warps.
int best_segments(int strips, int rows, std::size_t resident) {
  int best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int segments = 1; segments <= rows; ++segments) {
    const std::size_t warps = static_cast<std::size_t>(strips) * static_cast<std::size_t>(segments);
    const double times = static_cast<double>((warps + resident - 1) / resident);
    const double time = (static_cast<double>(rows) / segments + filling) * times;
    if (time < least) {
      least = time;
      best = segments;
    }
  }
  return best;
}

// What a step of one model on one grid needs.
template <class Real>
class stepper {
 public:
  virtual ~stepper() = default;
  virtual void step(const Real* from, Real* to) const = 0;
  virtual double computed_per_cell() const = 0;
  virtual double shared_bytes_of_cell() const = 0;
};

template <class Real, class Model>
class stepper_of final : public stepper<Real> {
 public:
  using strip_t = strip_of<Real, Model>;
  using rates_t = streamed_rates<Real, Model>;

  stepper_of(const problem& p, double dt)
      : data_{.nx = p.nx,
              .ny = p.ny,
              .border = p.border,
              .strips = (p.nx + strip_t::own - 1) / strip_t::own,
              .segments = 1,
              .is_aligned = p.nx % strip_t::together == 0,
              .rates = rates_t(static_cast<Real>(p.steepness)),
              .half = {},
              .whole = {},
              .sixth = {},
              .third = {},
              .spread = {},
              .spread_6 = {}} {
    data_.segments = best_segments(
        data_.strips, p.ny, cuda::resident_blocks(advance_strips<Real, Model>, warp, strip_t::shared_bytes));
    for (int f = 0; f < Model::fields; ++f) {
      const double unit = rates_t::time_constant(f);
      const double h = dt / unit;
      data_.half[f] = static_cast<Real>(h / 2);
      data_.whole[f] = static_cast<Real>(h);
      data_.sixth[f] = static_cast<Real>(h / 6);
      data_.third[f] = static_cast<Real>(h / 3);
      if (f >= Model::diffusing) continue;
      data_.spread[f] = static_cast<Real>(unit * coefficient_of(p, f));
      data_.spread_6[f] = static_cast<Real>(6 * unit * coefficient_of(p, f));
    }
  }

  void step(const Real* from, Real* to) const override {
    cuda::start(cuda::scheduling::overlapped, advance_strips<Real, Model>,
                static_cast<unsigned>(data_.strips * data_.segments), warp, strip_t::shared_bytes, nullptr,
                data_, from, to);
  }
  double computed_per_cell() const override {
    return 1.0 * data_.strips * strip_t::width / data_.nx * (1 + 1.0 * data_.segments * filling / data_.ny);
  }
  double shared_bytes_of_cell() const override { return strip_t::shared_bytes_of_cell; }

 private:
  strip_data<Real, Model> data_;
};

template <class Real>
std::unique_ptr<stepper<Real>> stepper_for(const problem& p, double dt) {
  switch (p.model) {
    case model::fitzhugh_nagumo:
      return std::make_unique<stepper_of<Real, fitzhugh_nagumo>>(p, dt);
    case model::karma:
      return std::make_unique<stepper_of<Real, karma>>(p, dt);
    default:
      return std::make_unique<stepper_of<Real, bueno_orovio<method::euler>>>(p, dt);
  }
}

template <class Real>
class typed final : public solver {
 public:
  explicit typed(const device& d) { cuda::use_device(d); }

  void load(const problem& p, method m, double dt, precision) override {
    require_method(p, m, dt);
    if (m != method::runge_kutta) throw unavailable("works by Runge-Kutta only");
    if (!has_usual_terms(p)) throw unavailable("has the paper's switch and terms alone");
    problem_ = p;
    stepper_ = stepper_for<Real>(p, dt);
    state_.make_room(p.state0);
    reset();
  }

  void reset() override { state_.upload(problem_.state0); }

  void step(long count) override {
    for (; count > 0; --count) {
      stepper_->step(state_.now(), state_.next());
      state_.go_on();
    }
  }

  std::vector<std::vector<double>> state() override { return state_.download(); }

  stopwatch& clock() override { return clock_; }
  double launches_per_step() const override { return 1; }
  work per_unit() const override {
    work w = work_of_tiles(problem_.model, method::runge_kutta, sizeof(Real));
    const double computed = stepper_->computed_per_cell();
    w.bytes_shared = stepper_->shared_bytes_of_cell() * computed;
    w.functions = stages * functions_of_cell(problem_, method::runge_kutta, false) * computed;
    return w;
  }

 private:
  problem problem_;
  std::unique_ptr<stepper<Real>> stepper_;
  cuda_state<Real> state_;
  cuda::event_stopwatch clock_;
};

using cuda_streamed = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, cuda_streamed,
                {.summary = "a step of Runge-Kutta in one pass over the state, the stages a row apart",
                 .place = "beyond the paper",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = work_of_tiles(model::karma, method::runge_kutta, sizeof(double))});

}  // namespace
}  // namespace reprise::tissue
