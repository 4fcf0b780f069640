// SPDX-License-Identifier: MIT
// LU factorisation with partial pivoting by panels in OpenCL, with the right-hand side as one more column.
// Place: beyond the paper; the paper's algorithm for the devices of every vendor.
// Formula: P A = L U by panels of 16 columns, at the same time L y = P b, then U x = y.
// One work-group makes a panel, because no work-group may wait for another; many update the columns behind it. How many
// work-items a group has is chosen for the device by a short search.
// As in cusolver_lu, the matrix stays on the device and is copied there before a factorisation, and the pivots are
// examined after the first factorisation only.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/angiogenesis/dense.hpp"
#include "solvers/angiogenesis/host_solver.hpp"
#include "solvers/angiogenesis/opencl_blocked.cl.hpp"
#include "solvers/angiogenesis/opencl_group.hpp"
#include "solvers/common/opencl/opencl.hpp"

namespace reprise::angiogenesis {
namespace {

constexpr int panel_width = 16;

class opencl_blocked final : public host_solver, public chooses_shape {
 public:
  explicit opencl_blocked(const device& d) : device_(d), context_(d) {
    if (!d.fp64) throw unavailable("no cl_khr_fp64 on " + d.id);
    program_.emplace(context_, opencl_blocked_cl);
    panel_ = opencl_kernel(*program_, "factorise_panel");
    rows_ = opencl_kernel(*program_, "solve_rows");
    subtract_ = opencl_kernel(*program_, "subtract");
    back_ = opencl_kernel(*program_, "substitute_back");
  }

  void load(const matrix& a, factoring when) override {
    if (!has_shape()) shape_ = fastest();
    host_solver::load(a, when);
  }

  // The search for a pivot: each work-item leaves a value and its row, which one of them reads.
  work per_solve() const override {
    work w = dense_work(a().order, when());
    if (when() == factoring::every_solve)
      w.bytes_shared =
          2. * n_ * static_cast<double>(panel_.group_at_most(shape_.items)) * (sizeof(double) + sizeof(int));
    return w;
  }
  bus_traffic traffic() const override { return vectors_only(); }

 protected:
  void prepare() override {
    n_ = a().order;
    const std::size_t n = a().size();
    require_memory(dense_bytes(a()));
    for (auto* memory : {&a_, &lu_}) *memory = {};
    std::vector<double> dense(n * n);
    fill_dense(a(), dense, 1, n);
    a_ = opencl_uploaded(context_, dense);
    lu_ = opencl_buffer<double>(context_, n * (n + 1));
    pivots_ = opencl_buffer<int>(context_, n);
    diagonal_ = opencl_buffer<double>(context_, n);
    floors_ = pivot_floors(a());
    is_examined_ = false;
  }

  // If every solve factorises, the panels are applied to the right-hand side as they are made.
  void factorise() override {
    if (when() == factoring::every_solve) return;
    factorise_with(0);
    context_.finish();
    charge(effort_.seconds.factorise);
    examine();
  }

  void substitute(std::span<const double> b, std::span<double> x) override {
    lu_.write({b.begin(), b.end()}, a().size() * a().size());
    charge(effort_.seconds.transfer);
    if (when() == factoring::every_solve) {
      factorise_with(1);
      context_.finish();
      charge(effort_.seconds.factorise);
      examine();
    } else {
      for (int first = 0; first < n_; first += panel_width) apply_panel(first, n_, 1);
      context_.finish();
      charge(effort_.seconds.forward);
    }
    back_.set(n_, lu_);
    const std::size_t items = back_.group_at_most(shape_.items);
    back_.run(items, items);
    context_.finish();
    charge(effort_.seconds.back);
    std::ranges::copy(lu_.read(a().size() * a().size(), x.size()), x.begin());
    charge(effort_.seconds.transfer);
  }

 private:
  opencl_shape fastest() const {
    return fastest_group_of_solver(device_, "angiogenesis/opencl_blocked", device_.on_host ? 25 : 100,
                                   [this](const opencl_shape& shape) {
                                     auto probe = std::make_unique<opencl_blocked>(device_);
                                     probe->shape_ = shape;
                                     return probe;
                                   });
  }

  static int width_at(int first, int order) { return std::min(panel_width, order - first); }

  // Factorises, and applies each panel to the columns behind it, and to so many right-hand sides.
  void factorise_with(int right_sides) {
    REPRISE_CL(clEnqueueCopyBuffer(context_.queue(), a_.get(), lu_.get(), 0, 0, a_.size() * sizeof(double), 0,
                                   nullptr, nullptr));
    const std::size_t items = panel_.group_at_most(shape_.items);
    for (int first = 0; first < n_; first += panel_width) {
      const int width = width_at(first, n_), next = first + width;
      panel_.set(n_, first, width, lu_, pivots_, diagonal_, opencl_local{items * sizeof(double)},
                 opencl_local{items * sizeof(int)});
      panel_.run(items, items);
      apply_panel(first, next, n_ - next + right_sides);
    }
  }

  void apply_panel(int first, int begin, int columns) {
    if (columns == 0) return;
    const int width = width_at(first, n_), below = n_ - first - width;
    rows_.set(n_, first, width, begin, columns, lu_, pivots_);
    rows_.run(static_cast<std::size_t>(columns),
              rows_.group_at_most(std::min<std::size_t>(shape_.items, 64)));
    if (below == 0) return;
    subtract_.set(n_, first, width, begin, columns, lu_);
    const auto items = static_cast<std::size_t>(below) * static_cast<std::size_t>((columns + 3) / 4);
    subtract_.run(items, subtract_.group_at_most(shape_.items));
  }

  void examine() {
    if (is_examined_) return;
    const std::vector<double> diagonal = diagonal_.read();
    require_pivots(floors_, [&](std::size_t k) { return diagonal[k]; });
    const std::vector<int> pivots = pivots_.read();
    effort_.row_swaps = 0;
    for (int k = 0; k < n_; ++k) *effort_.row_swaps += pivots[static_cast<std::size_t>(k)] != k ? 1 : 0;
    is_examined_ = true;
    charge(effort_.seconds.host);
  }

  device device_;
  opencl_context context_;
  std::optional<opencl_program> program_;
  opencl_kernel panel_, rows_, subtract_, back_;
  int n_{};
  opencl_buffer<double> a_, lu_, diagonal_;
  opencl_buffer<int> pivots_;
  std::vector<double> floors_;
  bool is_examined_{};
};

REPRISE_VARIANT(solver, opencl_blocked,
                {.summary = "LU with partial pivoting by panels in OpenCL",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work()});

}  // namespace
}  // namespace reprise::angiogenesis
