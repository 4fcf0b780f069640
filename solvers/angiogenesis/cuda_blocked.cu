// SPDX-License-Identifier: MIT
// The paper's algorithm in a form that suits modern GPUs: one cluster of blocks makes all panels, and all other blocks
// keep the matrix behind them up to date, in one launch without the host.
// Place: beyond the paper; the same partial pivoting, with the right-hand side as one more column.
// Formula: P A = L U by panels of 32 columns, at the same time L y = P b, then U x = y.
//
// The chain of columns decides: each pivot depends on the column before. So the panel stays with one cluster of up to 16
// multiprocessors, its rows in registers (cuda_tile_panels.hpp), and only the matrix behind it is spread over the other
// multiprocessors, a tile of 32 columns each (cuda_tile_updates.hpp). The cluster itself applies a panel to the next
// one. Tiles and panels are exchanged through the L2 cache, with flags. A second kernel substitutes
// (cuda_tile_solve.hpp); factors that are kept are first arranged for it.
//
// At n = 1600 there are 2/3 n^3 = 2.7 GFLOP, 0.08 ms at an H200's 34 TFLOP/s, and 1 GB of tiles and panels from the L2
// cache, 0.2 ms. A column takes two reductions in a warp, a barrier, a message to the cluster's other blocks and one
// multiply-add, about 700 cycles, and the way to the next panel 125 more: 0.7 ms for 1600 columns. A column is some 230
// instructions with one warp per scheduler, and the latency of these instructions is what the measured time adds. An
// H200 takes 1.7 ms with factorisation and 0.12 ms without, where cuSOLVER takes 4.6 and 0.40 ms.
//
// Columns whose largest entry is beyond 2^-900 ... 2^900 are scaled by powers of two, which changes neither the pivots
// nor any digit, so that the rough inverse of every pivot is usable.
//
// As in cusolver_lu, the matrix stays on the device between solves, b and x are copied in each solve, and the pivots
// are examined after the first factorisation only, because the same matrix always has the same ones.
#include <algorithm>
#include <cmath>

#include "solvers/angiogenesis/cuda_tile_panels.hpp"
#include "solvers/angiogenesis/cuda_tile_solve.hpp"
#include "solvers/angiogenesis/cuda_tile_updates.hpp"
#include "solvers/angiogenesis/dense.hpp"
#include "solvers/angiogenesis/device_solver.hpp"

namespace reprise::angiogenesis {
namespace {

using namespace tiles;

template <int rows_of_thread>
__global__ void __launch_bounds__(tiles::threads, 1) factorise_tiles(const __grid_constant__ lu_system s) {
  const int block = static_cast<int>(blockIdx.x);
  if (block < s.cluster) {
    make_panels<rows_of_thread>(s, *cuda::dynamic_shared<panel_desk>());
  } else {
    keep_tiles(s, block - s.cluster, static_cast<int>(gridDim.x) - s.cluster,
               *cuda::dynamic_shared<update_desk>());
  }
}

__global__ void __launch_bounds__(tiles::threads)
    fill_tiles(const __grid_constant__ lu_system s, const double* a, const double* b) {
  fill_tile(s, a, b);
}

__global__ void __launch_bounds__(tiles::threads) arrange_lower(const __grid_constant__ arrangement a) {
  arrange_tile(a);
}

// Sizes of the launch that factorises.
struct factor_plan {
  void (*kernel)(lu_system){};
  unsigned cluster{}, blocks{};
};

// Prefers as few blocks as have a thread for each row. Empty if the device cannot hold two clusters that are large
// enough, one for the panels and one or more for the tiles.
factor_plan plan_factors(int tile_count) {
  const int order = tile_count * tile;
  for (const int rows_of_thread : {1, 2})
    for (const unsigned cluster : {1U, 2U, 4U, 8U, 16U}) {
      if (order > rows_of_thread * row_threads * static_cast<int>(cluster)) continue;
      const auto kernel = rows_of_thread == 1 ? factorise_tiles<1> : factorise_tiles<2>;
      const auto most =
          static_cast<unsigned>(cuda::clusters_together(kernel, tiles::threads, sizeof(panel_desk), cluster));
      if (most < 2) continue;
      const unsigned wanted = 1 + (static_cast<unsigned>(tile_count) + cluster) / cluster;
      return {kernel, cluster, cluster * std::min(most, wanted)};
    }
  return {};
}

// Sizes of the launch that substitutes.
struct solve_plan {
  void (*kernel)(substitution){};
  int cluster{}, warps{}, stages{};
};

// Prefers large clusters, and as many stages of the ring as fit.
solve_plan plan_solve(int tile_count) {
  const std::size_t most_bytes = cuda::current_properties().shared_bytes_per_block;
  for (const int cluster : {16, 8, 4, 2, 1}) {
    if (cluster > tile_count) continue;
    const int rows = (tile_count + cluster - 1) / cluster;  // of blocks, for a block of threads
    const auto kernel = rows <= warps       ? substitute<1>
                        : rows <= 2 * warps ? substitute<2>
                        : rows <= 4 * warps ? substitute<4>
                                            : nullptr;
    const int used_warps = std::min(warps, rows);
    for (int stages = 4; kernel != nullptr && stages >= 2; --stages) {
      const std::size_t bytes = substitution::shared_bytes(tile_count, used_warps, stages, true);
      if (bytes > most_bytes) continue;
      if (cuda::clusters_together(kernel, static_cast<unsigned>(lanes * used_warps), bytes,
                                  static_cast<unsigned>(cluster)) > 0)
        return {kernel, cluster, used_warps, stages};
    }
  }
  return {};
}

// The power of two that brings a column's largest entry into a moderate range.
double scale_of(double largest) {
  if (largest == 0 || (largest >= 0x1p-900 && largest <= 0x1p900)) return 1;
  return std::ldexp(1, std::clamp(-std::ilogb(largest), -1000, 1000));
}

class cuda_blocked final : public device_solver {
 public:
  explicit cuda_blocked(const device& d) { cuda::use_device(d); }

  // Only what grows fastest is counted. Factorising: a pivot's row is read by the four warps of each block of the cluster,
  // and for each panel and tile behind it every warp reads the rows of U, after six passes over 32 x 32 values.
  // Substituting: every value of the factors. A panel is handed from the cluster to the others and back.
  work per_solve() const override {
    work w = dense_work(a().order, when());
    const double n = a().order, tile_bytes = block_words * sizeof(double);
    const double of_factors = n * factors_.cluster * row_warps * tile / 2 * shared_transfer_bytes +
                              tiles_ * (tiles_ + 1.) / 2 * (warps + 6) * tile_bytes;
    const bool factorises = when() == factoring::every_solve;
    w.bytes_shared = (factorises ? of_factors : 0) + (factorises ? 1 : 2) * n * n * sizeof(double);
    w.exchanges = factorises ? tiles_ : 0;
    return w;
  }
  void watch_kernels(bool is_watched) override { is_watched_ = is_watched; }

 protected:
  void prepare() override {
    const std::size_t n = a().size();
    tiles_ = (a().order + tile - 1) / tile;
    factors_ = plan_factors(tiles_);
    solve_ = plan_solve(tiles_);
    if (factors_.kernel == nullptr || solve_.kernel == nullptr)
      throw unavailable("needs clusters of blocks (compute capability 9.0) with a thread for every two of " +
                        std::to_string(a().order) + " rows: use cuda_on_chip or cusolver_lu");
    require_memory(dense_bytes(a()));
    const auto tile_count = static_cast<std::size_t>(tiles_), order = tile_count * tile;
    for (auto* memory : {&a_, &values_, &lower_}) *memory = {};
    a_ = cuda::buffer<double>(n * n);
    values_ = cuda::buffer<double>((tile_count + 1) * order * tile);
    upper_inverse_ = cuda::buffer<double>(tile_count * block_words);
    if (when() == factoring::once) {
      lower_ = cuda::buffer<double>(tile_count * order * tile);
      lower_inverse_ = cuda::buffer<double>(tile_count * block_words);
      origin_ = cuda::buffer<int>(order);
      no_right_side_ = cuda::buffer<double>(n);
      no_right_side_.fill_bytes(0);
    }
    moves_ = cuda::buffer<panel_moves>(tile_count);
    flags_ = cuda::buffer<unsigned>(2 * tile_count + 1);
    report_ = cuda::buffer<int>(report_words);
    is_examined_ = false;
    fill();
  }

  // If every solve factorises, substitute_there() does this together with the right-hand side.
  void factorise() override {
    if (when() == factoring::every_solve) return;
    launch_factors(no_right_side_.data());
    const auto blocks = static_cast<unsigned>(tiles_) + 1;
    cuda::launch(arrange_lower, blocks, tiles::threads, static_cast<std::size_t>(tiles_) * tile * sizeof(int),
                 nullptr, arrangement{system(), lower_.data(), lower_inverse_.data(), origin_.data()});
    charge(effort_.seconds.launch);
    wait(effort_.seconds.factorise);
    examine();
  }

  void substitute_there(const double* b, double* x) override {
    if (when() == factoring::every_solve) {
      launch_factors(b);
      charge(effort_.seconds.launch);
      if (is_watched_) wait(effort_.seconds.factorise);
    }
    launch_substitution(b, x);
    charge(effort_.seconds.launch);
    // The parts of this time are only known if they are watched.
    wait(when() == factoring::every_solve && !is_watched_ ? effort_.seconds.factorise : effort_.seconds.back);
    examine();
  }

 private:
  void fill() {
    matrix scaled = a();
    std::vector<double> scales(a().size());
    for (std::size_t e = 0; e < scaled.value.size(); ++e) {
      double& largest = scales[static_cast<std::size_t>(scaled.column[e])];
      largest = std::max(largest, std::abs(scaled.value[e]));
    }
    for (double& s : scales) s = scale_of(s);
    for (std::size_t e = 0; e < scaled.value.size(); ++e)
      scaled.value[e] *= scales[static_cast<std::size_t>(scaled.column[e])];
    const bool is_scaled = std::ranges::any_of(scales, [](double s) { return s != 1; });
    scales_ = is_scaled ? cuda::uploaded(scales) : cuda::buffer<double>{};
    std::vector<double> dense(a_.size());
    fill_dense(scaled, dense, 1, a().size());
    a_.upload(dense.data(), dense.size());
    std::vector<double> floors = pivot_floors(scaled);
    floors.resize(static_cast<std::size_t>(tiles_) * tile);
    floors_ = cuda::uploaded(floors);
  }

  lu_system system() {
    return {a().order,      tiles_ * tile,          tiles_,         static_cast<int>(factors_.cluster),
            values_.data(), upper_inverse_.data(),  floors_.data(), moves_.data(),
            flags_.data(),  flags_.data() + tiles_, report_.data(), cuda::usual_patience()};
  }

  void launch_factors(const double* b) {
    const dim3 blocks(static_cast<unsigned>(tiles_) + 1, static_cast<unsigned>(tiles_));
    cuda::launch(fill_tiles, blocks, tiles::threads, 0, nullptr, system(), a_.data(), b);
    // plan_factors() has checked that all blocks can be resident at once.
    cuda::start({cuda::scheduling::cooperative, factors_.cluster}, factors_.kernel, factors_.blocks,
                tiles::threads, sizeof(panel_desk), nullptr, system());
  }

  void launch_substitution(const double* b, double* x) {
    const bool is_kept = when() == factoring::once;
    const long long tile_words = static_cast<long long>(tiles_) * block_words;
    const substitution s{.n = a().order,
                         .tiles = tiles_,
                         .cluster = solve_.cluster,
                         .warps = solve_.warps,
                         .stages = solve_.stages,
                         .tile_words = tile_words,
                         .lower = is_kept ? lower_.data() : nullptr,
                         .lower_inverse = lower_inverse_.data(),
                         .upper = values_.data(),
                         .upper_inverse = upper_inverse_.data(),
                         .right = is_kept ? b : values_.data() + tiles_ * tile_words,
                         .origin = origin_.data(),
                         .scales = scales_.data(),
                         .x = x,
                         .patience = cuda::usual_patience()};
    cuda::start({cuda::scheduling::any, static_cast<unsigned>(solve_.cluster)}, solve_.kernel,
                static_cast<unsigned>(solve_.cluster), static_cast<unsigned>(lanes * solve_.warps),
                substitution::shared_bytes(tiles_, solve_.warps, solve_.stages, is_kept), nullptr, s);
  }

  void wait(double& part) {
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(part);
  }

  void examine() {
    if (is_examined_) return;
    std::array<int, report_words> said{};
    report_.download(said.data(), said.size());
    charge(effort_.seconds.transfer);
    if (said[bad_column] < a().order) refuse_singular(said[bad_column]);
    effort_.row_swaps = said[swap_count];
    is_examined_ = true;
  }

  factor_plan factors_;
  solve_plan solve_;
  int tiles_{};
  bool is_examined_{}, is_watched_{};
  cuda::buffer<double> a_, values_, upper_inverse_, lower_, lower_inverse_, floors_, scales_, no_right_side_;
  cuda::buffer<panel_moves> moves_;
  cuda::buffer<unsigned> flags_;
  cuda::buffer<int> origin_, report_;
};

REPRISE_VARIANT(solver, cuda_blocked,
                {.summary = "the same elimination in one launch, panels by a cluster of blocks",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work()});

}  // namespace
}  // namespace reprise::angiogenesis
