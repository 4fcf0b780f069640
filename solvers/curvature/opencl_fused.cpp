// SPDX-License-Identifier: MIT
// A whole attempted step, or a whole stage, in one launch.
// Place: beyond the paper, in OpenCL for GPUs and processors of every vendor.
// Formula: Algorithm 4.1 on (17) or (21); k_i hold f.
//
// Work-groups do not wait for each other: each recomputes a margin around its tile. Five stages need a margin of five
// nodes under mean-curvature flow, so a tile of 64 x 32 nodes computes 1.7 times as many as it owns. This pays on small
// grids, where launches cost most; on large ones a launch for each stage does, which computes a tenth twice. Which it is,
// and how many nodes a work-item computes at once, is chosen for the device by a short search, for small and for large
// grids. Willmore flow looks twice as far, so each of its stages is a launch.
// The attempt's result goes to a second field, so that accepting it costs nothing. The host chooses the step from the
// largest error of each group.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "solvers/common/opencl/opencl.hpp"
#include "solvers/common/opencl/shape.hpp"
#include "solvers/curvature/flows.cl.hpp"
#include "solvers/curvature/opencl_fused.cl.hpp"
#include "solvers/curvature/opencl_grid.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
namespace {

constexpr int stages = 5;

// How an attempt is cut into launches, and the grid into tiles. The tiles' fields fit 32 KiB of local memory, which
// every full device has.
struct cut {
  int width, height, rings, stages_of_launch;

  int margin() const { return rings * stages_of_launch; }
  int launches() const { return stages / stages_of_launch; }
  std::size_t tiles(const grid& g) const {
    const auto parts = [](int whole, int part) {
      return static_cast<std::size_t>((whole + part - 1) / part);
    };
    return parts(g.nodes_x() - 2, width - 2 * margin()) * parts(g.nodes_y() - 2, height - 2 * margin());
  }
};

constexpr cut cut_of(flow f, int stages_of_launch) {
  return f == flow::mean_curvature ? cut{64, 32, 1, stages_of_launch} : cut{64, 24, 2, 1};
}

// Accesses of a tile's fields in local memory in an attempt. A stencil reads nine nodes of each field; under Willmore flow
// a stage also makes the curvatures, and reads them.
double local_accesses(flow f, const cut& c) {
  constexpr double stencil = 9;
  const bool is_willmore = f == flow::willmore;
  double rows = 0;
  for (int stage = 0, stale = 0; stage < c.stages_of_launch; ++stage, stale += c.rings) {
    rows += c.height;
    if (is_willmore) rows += (stencil + 1) * (c.height - 2 * (stale + 1));
    rows += (is_willmore ? 2 : 1) * stencil * (c.height - 2 * (stale + c.rings));
  }
  return rows * c.width * c.launches();
}

// Values that cross the memory bus for a node of an attempt: u in and the result out, and between launches the k of
// stages 1, 1 and 2, 1 and 3, and 1, 3 and 4 in and those of four stages out. The stencils take theirs from the tile.
work work_of(flow f, boundary at_border, int launches, double word_bytes) {
  const double passed = launches == 1 ? 2 : 5 + (1 + 2 + 2 + 3) + 5;
  const double stencils = stages * (f == flow::mean_curvature ? 9. : 9. + 18.);
  return {.bytes_logical = (passed + stencils) * word_bytes,
          .bytes_dram = passed * word_bytes,
          .bytes_dram_once = 0,
          .flops = step_flops(f, at_border)};
}

template <class Real>
class typed final : public solver, public chooses_shape {
  using eight_numbers = std::array<Real, 8>;

 public:
  explicit typed(const device& d) : device_(d), context_(d), clock_(context_) {
    if (sizeof(Real) == sizeof(double) && !d.fp64) throw unavailable("no cl_khr_fp64 on " + d.id);
  }

  void load(const problem& p, precision) override {
    for (auto* field : {&fields_[0], &fields_[1], &slopes_, &largest_, &x_, &y_}) *field = {};
    problem_ = p;
    if (const kind wanted = kind_of(p); chosen_for_ != wanted) {
      shape_ = fastest();
      chosen_for_ = wanted;
    }
    cut_ = cut_of(p.flow, shape_.steps);
    make_kernel();
    u0_.assign(p.u0.begin(), p.u0.end());
    for (auto& field : fields_) field = opencl_buffer<Real>(context_, u0_.size());
    slopes_ = opencl_buffer<Real>(context_, cut_.launches() == 1 ? 1 : 4 * u0_.size());
    largest_ = opencl_buffer<Real>(context_, cut_.tiles(p));
    x_ = opencl_uploaded(context_, profile_table<Real>(p.nodes_x(), [&p](int i) { return p.x(i); }));
    y_ = opencl_uploaded(context_, profile_table<Real>(p.nodes_y(), [&p](int j) { return p.y(j); }));
    reset(control{});
  }

  void reset(const control& c) override {
    fields_[0].write(u0_);
    current_ = 0;
    merson_ = at_start(c);
  }

  merson advance(double t_end) override {
    integrate(
        merson_, t_end, [&](double t, double tau) { return attempt(t, tau); },
        [&](double, double) { current_ = 1 - current_; });
    return merson_;
  }

  std::vector<double> surface() override {
    const std::vector<Real> u = fields_[current_].read();
    return {u.begin(), u.end()};
  }

  stopwatch& clock() override { return clock_; }
  work per_unit() const override {
    work w = work_of(problem_.flow, problem_.boundary, cut_.launches(), sizeof(Real));
    const double inner = 1. * (problem_.nodes_x() - 2) * (problem_.nodes_y() - 2);
    w.bytes_shared = sizeof(Real) * local_accesses(problem_.flow, cut_) *
                     static_cast<double>(cut_.tiles(problem_)) / inner;
    return w;
  }
  std::string choice() const override {
    if (!has_shape()) return "";
    return to_string(opencl_shape{shape_.lanes, shape_.items}) +
           (cut_.launches() == 1 ? ", a step a launch" : ", a stage a launch");
  }

 private:
  // A shape is chosen for all problems of a kind.
  struct kind {
    curvature::flow flow;
    bool is_small;
    bool operator==(const kind&) const = default;
  };
  static bool is_small(const grid& g) { return g.nodes() <= 20'000; }
  static kind kind_of(const grid& g) { return {g.flow, is_small(g)}; }

  // The compiler may allow smaller groups only than the device does.
  void make_kernel() {
    for (;;) {
      const opencl_program program(context_, std::string(flows_cl) + std::string(opencl_fused_cl), options());
      kernel_ = opencl_kernel(program, "make_stages");
      const std::size_t allowed = kernel_.group_at_most(shape_.items);
      if (allowed == shape_.items) return;
      shape_.items = allowed;
    }
  }

  std::string options() const {
    const auto option = [](const char* name, auto value) {
      return std::string(" -D ") + name + "=" + std::to_string(value);
    };
    return opencl_flow_options<Real>(problem_, shape_.lanes) + option("GROUP", shape_.items) +
           option("WIDTH", cut_.width) + option("HEIGHT", cut_.height) + option("RINGS", cut_.rings) +
           option("STAGES", cut_.stages_of_launch);
  }

  double attempt(double t, double tau) {
    constexpr std::array<double, stages> moment{0, 1. / 3, 1. / 3, 1. / 2, 1};
    constexpr std::array<double, stages> fraction{0, 1. / 3, 1. / 6, 1. / 8, 1. / 2};
    eight_numbers fractions{}, phases{}, rates{};
    for (std::size_t s = 0; s < stages; ++s) {
      const phase<double> at = phase_at(t + moment[s] * tau);
      fractions[s] = static_cast<Real>(fraction[s] * tau);
      phases[s] = static_cast<Real>(at.c);
      rates[s] = static_cast<Real>(at.rate);
    }
    for (int first = 0; first < stages; first += cut_.stages_of_launch) {
      kernel_.set(fractions, phases, rates, static_cast<Real>(tau / 6), first, problem_.nodes_x(),
                  problem_.nodes_y(), static_cast<Real>(1 / problem_.h_x()),
                  static_cast<Real>(1 / problem_.h_y()), x_, y_, fields_[current_], slopes_,
                  fields_[1 - current_], largest_);
      kernel_.run(cut_.tiles(problem_) * shape_.items, shape_.items);
    }
    return tau / 30 * largest_of(largest_.read());
  }

  opencl_shape fastest() const {
    const bool is_willmore = problem_.flow == flow::willmore;
    const std::string name =
        std::string("curvature/opencl_fused ") + (is_willmore ? "Willmore" : "mean curvature") +
        (is_small(problem_) ? " small" : " large") + (sizeof(Real) == sizeof(double) ? " double" : " single");
    opencl_limits limits = opencl_limits_of(device_, sizeof(Real));
    if (!is_willmore) limits.steps = {1, stages};
    return fastest_shape(device_, name, limits, [&](const opencl_shape& shape) { return seconds_in(shape); });
  }

  // The shortest time of a few steps of a surface.
  double seconds_in(const opencl_shape& shape) const {
    const int cells = is_small(problem_) ? 96 : device_.on_host ? 160 : 768;
    constexpr int tries = 3;
    typed probe(device_);
    probe.shape_ = shape;
    const problem p = evolution_problem(problem_.flow, cells, cells);
    probe.chosen_for_ = kind_of(p);
    const double tau = largest_stable_step(p) / 4;
    probe.load(p, precision::double_);
    probe.reset(fixed_steps(tau));
    double end = 0;
    return shortest_seconds(probe.clock(), tries, [&] { probe.advance(end += 2 * tau); });
  }

  device device_;
  opencl_context context_;
  opencl_stopwatch clock_;
  problem problem_;
  cut cut_{};
  std::optional<kind> chosen_for_;
  opencl_kernel kernel_;
  std::vector<Real> u0_;
  opencl_buffer<Real> x_, y_;                  // tables of the profile
  std::array<opencl_buffer<Real>, 2> fields_;  // u, and the result of an attempt
  std::size_t current_{};                      // index of u
  opencl_buffer<Real> slopes_;                 // k1 ... k4, where launches pass them on
  opencl_buffer<Real> largest_;                // of each group
  merson merson_;
};

using opencl_fused = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, opencl_fused,
                {.summary = "OpenCL, whole steps or stages of tiles with margins in one launch",
                 .place = "beyond the paper",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = work_of(flow::mean_curvature, boundary::neumann, stages, sizeof(double))});

}  // namespace
}  // namespace reprise::curvature
