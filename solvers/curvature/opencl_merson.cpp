// SPDX-License-Identifier: MIT
// The paper's CUDA solver in OpenCL: a kernel for each stage's argument, for the right-hand side, for the
// forcing, for the error and for the new u; the host chooses the step.
// Place: section 4.3, lines 1-56 and 101-108, in another language that runs on devices of every vendor.
// Formula: Algorithm 4.1 with k = f, as in the listing, and e = tau/30 max |2 k1 - 9 k3 + 8 k4 - k5|.
// Where we differ, or the paper does not say:
//   border   set while an argument or u is written, without separate launches
//   forcing  from tables of the profile X and its derivatives along both axes, made once on the host in
//            double precision: they take 5 (N1 + N2) values and save two exponentials at every node
//   error    with the absolute value that line 34 lacks; the host reduces the last values, one per group
//   t        advances only when a step is accepted, unlike in line 41
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "solvers/common/opencl/opencl.hpp"
#include "solvers/curvature/flows.cl.hpp"
#include "solvers/curvature/opencl_grid.hpp"
#include "solvers/curvature/opencl_merson.cl.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
namespace {

constexpr std::size_t group = 128;      // the paper's block size
constexpr std::size_t in_group = 2048;  // values that a group reduces, as in the paper
constexpr std::size_t most_groups = 1024;

// Values that one attempted step moves per inner node. Logical: every read and write of every kernel.
//   arguments 2 ... 5   3 + 4 + 4 + 5 = 16
//   right-hand sides    mean curvature 5 (9 + 1), Willmore 5 (9 + 1 for w, 18 + 1 for f)
//   forcing             5 (2 of k, and 6 or 10 of the tables)
//   error and update    4 + 5, as if every attempt were accepted
// Compulsory: the same, but each kernel reads each field only once and the tables stay in the cache. Values
// pass from one kernel to the next through memory.
work work_of(flow motion, boundary at_border, precision arithmetic) {
  const bool is_plain = motion == flow::mean_curvature;
  const bool is_forced = at_border == boundary::manufactured;
  const double bytes = arithmetic == precision::single ? sizeof(float) : sizeof(double);
  const double sums = 16 + 4 + 5;
  const double forcing = is_plain ? 2 + 6 : 2 + 10;
  const double logical = sums + 5 * ((is_plain ? 10 : 29) + (is_forced ? forcing : 0));
  const double compulsory = sums + 5 * ((is_plain ? 2 : 5) + (is_forced ? 2 : 0));
  return {.bytes_logical = bytes * logical,
          .bytes_dram = bytes * compulsory,
          .bytes_dram_once = 0,
          .flops = step_flops(motion, at_border),
          .bytes_shared = bytes * tree_words(group, in_group)};
}

// The grid functions on a device, in either precision.
class grid_functions {
 public:
  virtual ~grid_functions() = default;
  virtual void reset() = 0;
  // Computes an attempt without changing u. Waits for the device and returns e.
  virtual double attempt(double t, double tau) = 0;
  // Takes the step that was attempted, after which the time is t.
  virtual void update(double tau, double t) = 0;
  virtual std::vector<double> surface() = 0;
};

template <class Real>
class grid_functions_of final : public grid_functions {
 public:
  grid_functions_of(opencl_context& context, const problem& p)
      : context_(context),
        program_(context, std::string(flows_cl) + std::string(opencl_merson_cl),
                 opencl_flow_options<Real>(p, 1) + " -D GROUP=" + std::to_string(group)),
        is_willmore_(p.flow == flow::willmore),
        is_forced_(p.boundary == boundary::manufactured),
        nodes_(p.nodes()),
        groups_(std::min((nodes_ + in_group - 1) / in_group, most_groups)),
        u0_(p.u0.begin(), p.u0.end()),
        x_(opencl_uploaded(context_, profile_table<Real>(p.nodes_x(), [&p](int i) { return p.x(i); }))),
        y_(opencl_uploaded(context_, profile_table<Real>(p.nodes_y(), [&p](int j) { return p.y(j); }))),
        u_(context, nodes_),
        v_(context, nodes_),
        largest_(context, groups_) {
    for (auto& k : k_) k = zeros();
    if (is_willmore_) w_ = zeros();
    make_right_hand_sides(p);
    make_sums(p);
    reset();
  }

  void reset() override { u_.write(u0_); }

  double attempt(double t, double tau) override {
    // A stage's time within the step, and the factor in front of the sum that forms its argument.
    constexpr std::array<double, 5> moment{0, 1. / 3, 1. / 3, 1. / 2, 1};
    constexpr std::array<double, 5> fraction{0, 1. / 3, 1. / 6, 1. / 8, 1. / 2};
    for (std::size_t s = 0; s < 5; ++s) {
      const phase<double> at = phase_at(t + moment[s] * tau);
      const Real c = static_cast<Real>(at.c);
      if (s > 0) {
        argument_[s].set(static_cast<Real>(fraction[s] * tau), c);
        argument_[s].run(nodes_, group);
      }
      curvature_[s].run(nodes_, group);
      if (is_willmore_) willmore_[s].run(nodes_, group);
      if (is_forced_) {
        forcing_[s].set(c, static_cast<Real>(at.rate));
        forcing_[s].run(nodes_, group);
      }
    }
    largest_difference_.run(groups_ * group, group);
    return tau / 30 * largest_of(largest_.read());
  }

  void update(double tau, double t) override {
    update_.set(static_cast<Real>(tau / 6), static_cast<Real>(phase_at(t).c));
    update_.run(nodes_, group);
  }

  std::vector<double> surface() override {
    const std::vector<Real> u = u_.read();
    return {u.begin(), u.end()};
  }

 private:
  opencl_buffer<Real> zeros() {
    opencl_buffer<Real> buffer(context_, nodes_);
    buffer.fill(Real{});
    return buffer;
  }

  void make_right_hand_sides(const problem& p) {
    const auto ihx = static_cast<Real>(1 / p.h_x());
    const auto ihy = static_cast<Real>(1 / p.h_y());
    for (std::size_t s = 0; s < 5; ++s) {
      const opencl_buffer<Real>& argument = s == 0 ? u_ : v_;
      curvature_[s] = opencl_kernel(program_, "curvature");
      curvature_[s].set(p.nodes_x(), p.nodes_y(), ihx, ihy, argument, is_willmore_ ? w_ : k_[s]);
      if (is_willmore_) {
        willmore_[s] = opencl_kernel(program_, "willmore");
        willmore_[s].set(p.nodes_x(), p.nodes_y(), ihx, ihy, argument, w_, k_[s]);
      }
      if (is_forced_) {
        forcing_[s] = opencl_kernel(program_, "forcing");
        forcing_[s].set(Real{}, Real{}, p.nodes_x(), p.nodes_y(), x_, y_, k_[s]);
      }
    }
  }

  // The first two arguments of a sum are step and c, which are set before each launch.
  template <class... Fields>
  opencl_kernel sum(const problem& p, const char* name, const Fields&... fields) {
    opencl_kernel made(program_, name);
    made.set(Real{}, Real{}, p.nodes_x(), p.nodes_y(), x_, y_, fields...);
    return made;
  }

  void make_sums(const problem& p) {
    argument_[1] = sum(p, "argument_2", u_, k_[0], v_);
    argument_[2] = sum(p, "argument_3", u_, k_[0], k_[1], v_);
    argument_[3] = sum(p, "argument_4", u_, k_[0], k_[2], v_);
    argument_[4] = sum(p, "argument_5", u_, k_[0], k_[2], k_[3], v_);
    update_ = sum(p, "update", k_[0], k_[3], k_[4], u_);
    largest_difference_ = opencl_kernel(program_, "largest_difference");
    largest_difference_.set(static_cast<int>(nodes_), k_[0], k_[2], k_[3], k_[4], largest_);
  }

  opencl_context& context_;
  opencl_program program_;
  bool is_willmore_;
  bool is_forced_;
  std::size_t nodes_;
  std::size_t groups_;  // number of groups in the reduction
  std::vector<Real> u0_;
  opencl_buffer<Real> x_, y_;  // tables of the profile
  opencl_buffer<Real> u_;
  opencl_buffer<Real> v_;  // a stage's argument, k in the paper
  opencl_buffer<Real> w_;
  std::array<opencl_buffer<Real>, 5> k_;
  opencl_buffer<Real> largest_;  // one value per group
  // One kernel of each kind per stage, with its arguments set.
  std::array<opencl_kernel, 5> argument_, curvature_, willmore_, forcing_;
  opencl_kernel update_, largest_difference_;
};

class opencl_merson final : public solver {
 public:
  explicit opencl_merson(const device& d) : device_(d), context_(d), clock_(context_) {}

  void load(const problem& p, precision arithmetic) override {
    grid_.reset();  // frees the old problem before allocating the new one
    if (arithmetic == precision::single) {
      grid_ = std::make_unique<grid_functions_of<float>>(context_, p);
    } else if (device_.fp64) {
      grid_ = std::make_unique<grid_functions_of<double>>(context_, p);
    } else {
      throw unavailable("no cl_khr_fp64 on " + device_.id);
    }
    merson_ = at_start(control{});
    work_ = work_of(p.flow, p.boundary, arithmetic);
  }

  void reset(const control& c) override {
    grid_->reset();
    merson_ = at_start(c);
  }

  merson advance(double t_end) override {
    integrate(
        merson_, t_end, [&](double t, double tau) { return grid_->attempt(t, tau); },
        [&](double tau, double t) { grid_->update(tau, t); });
    context_.flush();
    return merson_;
  }

  std::vector<double> surface() override { return grid_->surface(); }

  stopwatch& clock() override { return clock_; }

  work per_unit() const override { return work_; }

 private:
  device device_;
  opencl_context context_;
  opencl_stopwatch clock_;
  std::unique_ptr<grid_functions> grid_;
  merson merson_;
  work work_;
};

REPRISE_VARIANT(solver, opencl_merson,
                {.summary = "OpenCL, a kernel for each stage's argument, the host chooses the step",
                 .place = "section 4.3, in OpenCL",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = work_of(flow::mean_curvature, boundary::neumann, precision::double_)});

}  // namespace
}  // namespace reprise::curvature
