// SPDX-License-Identifier: MIT
// Whole steps in one launch, four stages of them: one step of Runge-Kutta, two of Heun, four of Euler.
// Place: beyond section 6, which gives 2 n_s launches as the fewest possible.
// Formula: as in opencl_stages, with tanh computed by an exponential and
// constants replaced by their inverses.
// A group keeps a tile of cells and a margin in local memory and registers; neighbouring groups compute
// the same margin cells twice. How many work-items share a tile is chosen for the device by a short search.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "solvers/common/opencl/opencl.hpp"
#include "solvers/common/opencl/shape.hpp"
#include "solvers/tissue/cells.hpp"
#include "solvers/tissue/models.cl.hpp"
#include "solvers/tissue/opencl_fused.cl.hpp"
#include "solvers/tissue/opencl_model.hpp"
#include "solvers/tissue/stages.hpp"
#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {
namespace {

// Tiles of 32 x 32 cells are small enough that a 256 x 256 grid gives every
// multiprocessor of a large GPU a tile.
constexpr int tile_width = 32;
constexpr int tile_height = 32;

// Rows of work-items in a group of at most so many items.
constexpr int rows_in(std::size_t items) {
  return static_cast<int>(std::bit_floor(std::clamp<std::size_t>(items / tile_width, 1, tile_height)));
}

template <class Real>
class typed final : public solver, public chooses_shape {
 public:
  explicit typed(const device& d) : device_(d), context_(d), clock_(context_) {}

  void load(const problem& p, method m, double dt, precision) override {
    require_method(p, m, dt);
    require_precision<Real>(device_);
    if (!has_shape() || chosen_for_ != p.model) {
      shape_ = fastest(p.model);
      chosen_for_ = p.model;
    }
    const int group_rows = rows_in(shape_.items);
    const opencl_program program(
        context_, std::string(models_cl) + std::string(opencl_fused_cl),
        opencl_options<Real>(p, m) + " -D LEAN" + opencl_option("WIDTH", tile_width) +
            opencl_option("ROWS", tile_height / group_rows) + opencl_option("GROUP_ROWS", group_rows));
    for (auto* buffer : {&now_, &next_, &plan_}) *buffer = {};  // frees the old problem first
    problem_ = p;
    method_ = m;
    state0_ = flattened<Real>(p.state0);
    now_ = opencl_buffer<Real>(context_, state0_.size());
    next_ = opencl_buffer<Real>(context_, state0_.size());
    const schedule_in<Real> how = rounded<Real>(schedule_of(m, dt));
    std::vector<Real> plan;
    for (int s = 0; s < how.stages; ++s) plan.insert(plan.end(), {how.of[s].weight, how.of[s].h});
    plan_ = opencl_uploaded(context_, plan);
    forth_ = opencl_kernel(program, kernel_name);
    back_ = opencl_kernel(program, kernel_name);
    remaining_ = opencl_kernel(program, kernel_name);
    set(forth_, steps_of_margin(m), now_, next_);
    set(back_, steps_of_margin(m), next_, now_);
    reset();
  }

  void reset() override {
    now_.write(state0_);
    is_in_next_ = false;
  }

  void step(long count) override {
    const int most = steps_of_margin(method_);
    for (long n = 0; n < count / most; ++n) run(is_in_next_ ? back_ : forth_);
    if (count % most > 0) {
      set(remaining_, static_cast<int>(count % most), is_in_next_ ? next_ : now_, is_in_next_ ? now_ : next_);
      run(remaining_);
    }
    context_.flush();
  }

  std::vector<std::vector<double>> state() override {
    return fields_in(is_in_next_ ? next_ : now_, problem_.cells());
  }

  stopwatch& clock() override { return clock_; }
  std::string choice() const override { return has_shape() ? to_string(opencl_shape{1, group()}) : ""; }
  double launches_per_step() const override { return 1.0 / steps_of_margin(method_); }
  work per_unit() const override {
    work w = work_of_tiles(problem_.model, method_, sizeof(Real));
    const double steps = steps_of_margin(method_) * static_cast<double>(problem_.cells());
    const double tiles = static_cast<double>(groups());
    constexpr double reads = 9;
    w.bytes_shared = sizeof(Real) * diffusing_fields_of(problem_.model) * tiles *
                     (margin * tile_width * tile_height + reads * evaluated_cells()) / steps;
    w.functions = functions_of_cell(problem_, method_, true) * tiles * evaluated_cells() / steps;
    return w;
  }

 private:
  static constexpr const char* kernel_name = "steps_of_tiles";

  void set(opencl_kernel& kernel, int steps, const opencl_buffer<Real>& from, const opencl_buffer<Real>& to) {
    kernel.set(problem_.nx, problem_.ny, static_cast<Real>(problem_.steepness),
               static_cast<Real>(coefficient_of(problem_, 0)), static_cast<Real>(coefficient_of(problem_, 1)),
               stages_of(method_), opencl_constant<Real>{plan_}, steps, margin, from, to);
  }

  // Cells of a tile that its stages evaluate until its margin is used up: one more ring is stale in each.
  static constexpr double evaluated_cells() {
    double cells = 0;
    for (int stale = 1; stale <= margin; ++stale)
      cells += (tile_width - 2 * stale) * (tile_height - 2 * stale);
    return cells;
  }

  std::size_t groups() const {
    constexpr int width = tile_width - 2 * margin;
    constexpr int height = tile_height - 2 * margin;
    const auto across = static_cast<std::size_t>((problem_.nx + width - 1) / width);
    const auto upward = static_cast<std::size_t>((problem_.ny + height - 1) / height);
    return across * upward;
  }

  std::size_t group() const { return static_cast<std::size_t>(tile_width * rows_in(shape_.items)); }

  opencl_shape fastest(model of) const {
    const std::string name = std::string("tissue/opencl_fused ") + std::string(to_string(of)) +
                             (sizeof(Real) == sizeof(double) ? " double" : " single");
    return fastest_group(device_, name, [&](const opencl_shape& shape) { return seconds_in(shape, of); });
  }

  // The shortest time of a few steps of a small tissue; a group that the device has no room for takes forever.
  double seconds_in(const opencl_shape& shape, model of) const {
    const int side = device_.on_host ? 64 : 512;
    constexpr long steps = 8;
    constexpr int tries = 3;
    typed probe(device_);
    probe.shape_ = shape;
    probe.chosen_for_ = of;
    try {
      probe.load(hill_problem(of, side, side, usual_spacing(of)), method::runge_kutta, 1e-3,
                 sizeof(Real) == sizeof(double) ? precision::double_ : precision::single);
      return shortest_seconds(probe.clock(), tries, [&] { probe.step(steps); });
    } catch (const unavailable&) {
      return std::numeric_limits<double>::infinity();
    }
  }

  void run(const opencl_kernel& kernel) {
    kernel.run(groups() * group(), group());
    is_in_next_ = !is_in_next_;
  }

  device device_;
  opencl_context context_;
  opencl_stopwatch clock_;
  model chosen_for_{};
  problem problem_;
  method method_{};
  std::vector<Real> state0_;
  opencl_buffer<Real> now_, next_, plan_;
  opencl_kernel forth_, back_, remaining_;
  bool is_in_next_{};
};

using opencl_fused = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, opencl_fused,
                {.summary = "OpenCL, whole steps of tiles with margins in one launch",
                 .place = "beyond section 6",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = work_of_tiles(model::karma, method::runge_kutta, sizeof(double))});

}  // namespace
}  // namespace reprise::tissue
