// SPDX-License-Identifier: MIT
// Solves the three tridiagonal systems of which the matrix consists in OpenCL, one work-group each.
// Place: beyond the paper, for the devices of every vendor.
// Formula: as cuda_tridiagonal.hpp; the equations between the runs are solved by one work-item.
// C and I are solved side by side, then P, whose right-hand side depends on C. How many runs a system has, one for each
// work-item of a group, is chosen for the device by a short search.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/angiogenesis/host_solver.hpp"
#include "solvers/angiogenesis/opencl_group.hpp"
#include "solvers/angiogenesis/opencl_structured.cl.hpp"
#include "solvers/angiogenesis/structure.hpp"
#include "solvers/common/opencl/opencl.hpp"

namespace reprise::angiogenesis {
namespace {

constexpr std::size_t systems = 3;
constexpr std::size_t factors_of_row = 5;
constexpr std::size_t factors_of_run = 4;

class opencl_structured final : public host_solver, public chooses_shape {
 public:
  explicit opencl_structured(const device& d) : device_(d), context_(d) {
    if (!d.fp64) throw unavailable("no cl_khr_fp64 on " + d.id);
    program_.emplace(context_, opencl_structured_cl);
  }

  void load(const matrix& a, factoring when) override {
    if (!has_shape()) shape_ = fastest();
    host_solver::load(a, when);
  }

  // Two values of each run are stored and read, and three more on the way through the runs' equations.
  work per_solve() const override {
    work w = work_in_runs(static_cast<double>(a().order) / fields, when());
    w.bytes_shared = systems * static_cast<double>(runs_) * (2 + 2 + 3 + 2) * sizeof(double);
    return w;
  }
  bus_traffic traffic() const override { return vectors_only(); }

 protected:
  void prepare() override {
    const structure s = read_structure(a());
    nodes_ = static_cast<int>(s.nodes);
    factorise_ = opencl_kernel(*program_, "factorise");
    for (opencl_kernel* k : {&solve_sides_, &solve_middle_}) *k = opencl_kernel(*program_, "solve");
    copy_ = opencl_kernel(*program_, "copy_last_field");
    // Every run has two rows or more.
    runs_ = std::min(
        {factorise_.group_at_most(shape_.items), solve_sides_.group_at_most(shape_.items), s.nodes / 2 + 1});
    const auto run = static_cast<int>((s.nodes + runs_ - 1) / runs_);
    rows_ = opencl_uploaded(context_, joined_rows(s));
    coupling_ = opencl_uploaded(context_, s.coupling);
    const std::size_t factor_rows = runs_ * static_cast<std::size_t>(run);
    factors_ =
        opencl_buffer<double>(context_, systems * (factors_of_row * factor_rows + factors_of_run * runs_));
    b_ = opencl_buffer<double>(context_, a().size());
    x_ = opencl_buffer<double>(context_, a().size());
    factorise_.set(nodes_, run, rows_, factors_);
    const opencl_local value_per_run{runs_ * sizeof(double)};
    solve_sides_.set(nodes_, run, 0, 2, coupling_, factors_, b_, x_, value_per_run, value_per_run);
    solve_middle_.set(nodes_, run, 1, 1, coupling_, factors_, b_, x_, value_per_run, value_per_run);
    copy_.set(nodes_, b_, x_);
  }

  void factorise() override {
    factorise_.run(systems * runs_, runs_);
    charge(effort_.seconds.launch);
    context_.finish();
    charge(effort_.seconds.factorise);
  }

  void substitute(std::span<const double> b, std::span<double> x) override {
    b_.write({b.begin(), b.end()});
    charge(effort_.seconds.transfer);
    solve_sides_.run(2 * runs_, runs_);
    solve_middle_.run(runs_, runs_);
    copy_.run(static_cast<std::size_t>(nodes_), copy_.group_at_most(shape_.items));
    charge(effort_.seconds.launch);
    context_.finish();
    charge(effort_.seconds.back);
    std::ranges::copy(x_.read(), x.begin());
    charge(effort_.seconds.transfer);
  }

 private:
  opencl_shape fastest() const {
    return fastest_group_of_solver(device_, "angiogenesis/opencl_structured", 400,
                                   [this](const opencl_shape& shape) {
                                     auto probe = std::make_unique<opencl_structured>(device_);
                                     probe->shape_ = shape;
                                     return probe;
                                   });
  }

  device device_;
  opencl_context context_;
  std::optional<opencl_program> program_;
  int nodes_{};
  std::size_t runs_{};
  opencl_buffer<double> rows_, coupling_, factors_, b_, x_;
  opencl_kernel factorise_, solve_sides_, solve_middle_, copy_;
};

REPRISE_VARIANT(solver, opencl_structured,
                {.summary = "three tridiagonal systems in OpenCL, a work-group each",
                 .place = "",
                 .precisions = {precision::double_},
                 .per_unit = work_in_runs(400, factoring::every_solve)});

}  // namespace
}  // namespace reprise::angiogenesis
