// SPDX-License-Identifier: MIT
// The paper's algorithm with the whole matrix on chip, in one launch without the host: for GPUs without clusters of
// blocks, which cuda_blocked needs.
// Place: beyond the paper; the same partial pivoting, with the right-hand side as one more column.
// Formula: P A = L U by panels of 8 columns, at the same time L y = P b, then U x = y.
//
// Each block keeps a tile of 16 columns in shared memory, and the last block keeps the right-hand side. A
// tile's block factorises its panels in registers, with eight values of up to four rows per thread. One
// barrier per column is enough, because each warp stores its best row itself, next to the row that must make
// room for the pivot row. The block writes the panel and the row moves to global memory (in practice the L2
// cache) and releases a flag. All blocks further right move their rows, solve for the panel's rows of U and
// subtract. The next tile's block continues as soon as it has done so, which gives look-ahead without
// explicit scheduling. Rows of U leave each tile as they are computed. At the end the block of the right-hand
// side therefore has L and U available and does the back substitution by itself, with one barrier per panel.
// Columns to the left of a panel are not swapped: every user of L applies moves and panels in the same order.
//
// At n = 1600 there are 2/3 n^3 = 2.7 GFLOP, 0.08 ms at an H200's 34 TFLOP/s; 0.7 GB of panels from the L2
// cache, 0.15 ms at some 5 TB/s; and 20 MB of matrix from memory, 5 us. None of these limits the time; the
// dependent chain does. It has 1600 columns of some 500 cycles (two warp reductions, a barrier, a division),
// some 6000 cycles more for each of 100 tiles (two updates of rank 8 on the next tile, the latency of a flag
// through the cache, 800 rows of a panel written and read), and 200 panels of 1000 to 1400 cycles in back
// substitution. At 1.8 GHz that is 0.45 + 0.35 + 0.15 ms, so the lower limit of this design is about 1 ms. An
// H200 takes 2.8 ms with factorisation and 0.5 ms without, where cuSOLVER takes 4.3 and 0.4 ms.
//
// As in cusolver_lu, the matrix stays on the device between solves, and b and x are copied in each solve.
#include <chrono>
#include <limits>

#include "solvers/angiogenesis/cuda_on_chip.hpp"
#include "solvers/angiogenesis/dense.hpp"
#include "solvers/angiogenesis/host_solver.hpp"
#include "solvers/common/cuda/wait.hpp"

namespace reprise::angiogenesis {
namespace {

constexpr double largest_number = std::numeric_limits<double>::max();

// Words of the report about a solve, which follows the answer in memory.
enum report { bad_column, swap_count, forward_ticks, back_ticks, report_words };

struct system {
  int order;  // a multiple of the tile's columns; the matrix is extended by the identity
  int tile_columns;
  int tiles;
  const double* a;       // by columns
  const double* floors;  // lower limits of the pivots
  const double* b;
  double* lu;       // by columns
  move* moves;      // most_moves per panel
  int* swaps;       // one per panel
  unsigned* flags;  // one per panel: the epoch in which it was finished
  int* bad;         // the first column without a valid pivot
  double* x;        // followed by the report
  unsigned epoch;
  bool has_factors;  // of an earlier launch, so that only the right-hand side remains to be solved
  cuda::patience patience;

  __device__ int panels() const { return order / panel_columns; }
  __device__ double* column(int c) const { return lu + static_cast<long long>(c) * order; }
};

__device__ inline long long ticks() {
#ifdef REPRISE_CUDA_EMULATED
  return std::chrono::steady_clock::now().time_since_epoch().count();
#else
  return clock64();
#endif
}

__device__ inline void wait_for_panel(const system& s, int p) {
  if (s.has_factors) return;
  if (threadIdx.x == 0)
    cuda::wait_until(s.patience, [&] { return cuda::load_acquire(s.flags + p) == s.epoch; });
  __syncthreads();
}

// Applies moves, rows of U and elimination to the tile's columns from first_column on. All
// threads pass their rows of the panel. The caller has written the panel's triangle to the desk;
// it is first read after a barrier.
__device__ inline void apply(const shared_tile& tile, int first_column, const panel_rows& panel, move mine,
                             panel_desk& desk, double* out, int out_stride) {
  move_rows(tile, first_column, mine);
  solve_upper(tile, first_column, panel.first, desk, out, out_stride);
  __syncthreads();
  subtract(tile, first_column, panel, desk);
  __syncthreads();
}

__device__ inline void show_triangle(const panel_rows& panel, panel_desk& desk) {
  if (threadIdx.x >= panel_columns) return;
#pragma unroll
  for (int c = 0; c < panel_columns; ++c) desk.lower[threadIdx.x][c] = panel.a[0][c];
}

// Applies another block's panel to this block's tile. `out` is where its rows of U are stored.
__device__ inline void receive_panel(const system& s, int p, const shared_tile& tile, panel_desk& desk,
                                     double* out) {
  wait_for_panel(s, p);
  panel_rows panel(p * panel_columns, s.order);
  panel.receive(s.column(panel.first), s.order);
  const move* const from = s.moves + p * most_moves + threadIdx.x % most_moves;
  const move mine{__ldcg(&from->to), __ldcg(&from->from)};
  show_triangle(panel, desk);
  apply(tile, 0, panel, mine, desk, out, s.order);
}

template <int c = 0>
__device__ void eliminate_panel(panel_rows& panel, panel_desk& desk, int* bad, int& swaps) {
  if constexpr (c < panel_columns) {
    const double pivot = fabs(panel.eliminate<c>(desk, swaps));
    // Written so that NaN is not accepted as a pivot.
    const bool is_pivot = pivot > desk.floor[c] && pivot <= largest_number;
    if (threadIdx.x == 0 && !is_pivot) atomicMin(bad, panel.first + c);
    eliminate_panel<c + 1>(panel, desk, bad, swaps);
  }
}

// Collects the rows whose content comes from another row.
__device__ inline void collect_moves(const panel_rows& panel, panel_desk& desk) {
#pragma unroll
  for (int r = 0; r < rows_of_thread; ++r)
    if (panel.has(r) && panel.origin[r] != panel.row(r))
      desk.moves[atomicAdd(&desk.move_count, 1)] = {panel.row(r), panel.origin[r]};
}

// Factorises panel p, the tile's columns first_column ..., and publishes it before the
// tile's later columns are updated.
__device__ inline void make_panel(const system& s, int p, int first_column, const shared_tile& tile,
                                  panel_desk& desk) {
  panel_rows panel(p * panel_columns, s.order);
  panel.load(tile.column(first_column), tile.stride());
  // Both are first read after the first column's barrier.
  if (threadIdx.x == 0) desk.move_count = 0;
  if (threadIdx.x < panel_columns)
    desk.floor[threadIdx.x] = s.floors[panel.first + static_cast<int>(threadIdx.x)];
  int swaps = 0;
  eliminate_panel(panel, desk, s.bad, swaps);
  panel.store(s.column(panel.first), s.order);
  collect_moves(panel, desk);
  show_triangle(panel, desk);
  __syncthreads();
  const auto m = static_cast<int>(threadIdx.x) % most_moves;
  const move mine = m < desk.move_count ? desk.moves[m] : move{-1, -1};
  if (threadIdx.x < most_moves) s.moves[p * most_moves + m] = mine;
  if (threadIdx.x == 0) s.swaps[p] = swaps;
  __syncthreads();
  if (threadIdx.x == 0) cuda::store_release(s.flags + p, s.epoch);
  const int next = first_column + panel_columns;
  if (next < tile.columns)
    apply(tile, next, panel, mine, desk, s.column(panel.first - first_column), s.order);
}

__device__ inline void factorise_tile(const system& s, const shared_tile& tile, panel_desk& desk) {
  const int self = static_cast<int>(blockIdx.x);
  const int first = self * s.tile_columns;
  for (int c = 0; c < tile.columns; ++c)
    for (int i = static_cast<int>(threadIdx.x); i < s.order; i += static_cast<int>(blockDim.x))
      tile.column(c)[i] = s.a[static_cast<long long>(first + c) * s.order + i];
  __syncthreads();
  for (int p = 0; p < first / panel_columns; ++p) receive_panel(s, p, tile, desk, s.column(first));
  for (int c = 0; c < tile.columns; c += panel_columns)
    make_panel(s, (first + c) / panel_columns, c, tile, desk);
}

// Solves for the panel's eight unknowns, redundantly in every thread:
// x[q] = (y[q] - sum u[q][j] x[j]) / u[q][q].
__device__ inline void solve_triangle(const double (*triangle)[panel_columns], const double* y, double* x) {
#pragma unroll
  for (int q = 0; q < panel_columns; ++q) x[q] = y[q];
#pragma unroll
  for (int q = panel_columns - 1; q >= 0; --q) {
    x[q] *= triangle[q][q];  // the diagonal holds the inverse
#pragma unroll
    for (int i = 0; i < q; ++i) x[i] -= triangle[i][q] * x[q];
  }
}

// Solves U x = y, from the last panel to the first. The next panel's values are loaded while this
// panel's unknowns are computed.
__device__ inline void substitute_back(const system& s, double* y, panel_desk& desk) {
  panel_rows panel(0, s.order);
  panel.receive(s.column(s.order - panel_columns), s.order);
  for (int p = s.panels() - 1; p >= 0; --p) {
    // Two buffers alternate, so that one barrier per panel is enough.
    auto* const triangle = (p & 1) != 0 ? desk.lower : desk.upper;
    const int first = p * panel_columns;
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r) {
      const int q = panel.row(r) - first;
      if (q < 0 || q >= panel_columns) continue;
#pragma unroll
      for (int c = 0; c < panel_columns; ++c) triangle[q][c] = c == q ? 1 / panel.a[r][c] : panel.a[r][c];
    }
    __syncthreads();
    double x[panel_columns];
    solve_triangle(triangle, y + first, x);
    if (threadIdx.x == 0)
#pragma unroll
      for (int q = 0; q < panel_columns; ++q) s.x[first + q] = x[q];
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r) {
      if (panel.row(r) >= first) continue;
      double sum = y[panel.row(r)];
#pragma unroll
      for (int c = 0; c < panel_columns; ++c) sum -= panel.a[r][c] * x[c];
      y[panel.row(r)] = sum;
    }
    panel.rows = first;
    if (p > 0) panel.receive(s.column(first - panel_columns), s.order);
  }
}

__device__ inline void solve_right_side(const system& s, const shared_tile& tile, panel_desk& desk) {
  const long long begin = ticks();
  for (int i = static_cast<int>(threadIdx.x); i < s.order; i += static_cast<int>(blockDim.x))
    tile.values[i] = s.b[i];
  __syncthreads();
  for (int p = 0; p < s.panels(); ++p) receive_panel(s, p, tile, desk, nullptr);
  const long long middle = ticks();
  substitute_back(s, tile.values, desk);
  if (threadIdx.x != 0) return;
  int swaps = 0;
  for (int p = 0; p < s.panels(); ++p) swaps += __ldcg(s.swaps + p);
  double* const said = s.x + s.order;
  said[bad_column] = __ldcg(s.bad);
  said[swap_count] = swaps;
  said[forward_ticks] = static_cast<double>(middle - begin);
  said[back_ticks] = static_cast<double>(ticks() - middle);
}

__global__ void __launch_bounds__(most_threads, 1) factorise_and_solve(system s) {
  auto* const desk = cuda::dynamic_shared<panel_desk>();
  auto* const values = reinterpret_cast<double*>(desk + 1);
  const bool is_right_side = s.has_factors || static_cast<int>(blockIdx.x) == s.tiles;
  const shared_tile tile{values, s.order, is_right_side ? 1 : s.tile_columns};
  if (is_right_side) {
    solve_right_side(s, tile, *desk);
  } else {
    factorise_tile(s, tile, *desk);
  }
}

struct launch_plan {
  int order, tile_columns, tiles;
  unsigned threads;
  std::size_t shared_bytes;
};

launch_plan plan_for(int n, int tile_columns) {
  launch_plan p{};
  p.tile_columns = tile_columns;
  p.tiles = (n + tile_columns - 1) / tile_columns;
  p.order = p.tiles * tile_columns;
  const int wanted = std::max(p.order, most_moves * tile_columns);
  p.threads =
      static_cast<unsigned>(std::min(most_threads, (wanted + warp_lanes - 1) / warp_lanes * warp_lanes));
  const auto stride = static_cast<std::size_t>(p.order | 1);
  p.shared_bytes = sizeof(panel_desk) + sizeof(double) * static_cast<std::size_t>(tile_columns) * stride;
  return p;
}

// The reason why the plan cannot run on the current device; empty if it can.
std::string obstacle(const launch_plan& p) {
  constexpr int most_rows = most_threads * rows_of_thread;
  if (p.order > most_rows)
    return "threads hold " + std::to_string(most_rows) + " rows, not " + std::to_string(p.order);
  const std::string tiles = "tiles of " + std::to_string(p.tile_columns) + " columns ";
  const std::size_t most_bytes = cuda::current_properties().shared_bytes_per_block;
  if (p.shared_bytes > most_bytes)
    return tiles + "need " + std::to_string(p.shared_bytes) +
           " bytes of shared memory each, this device gives " + std::to_string(most_bytes);
  const std::size_t most_blocks = cuda::resident_blocks(factorise_and_solve, p.threads, p.shared_bytes);
  const auto blocks = static_cast<std::size_t>(p.tiles) + 1;
  if (blocks <= most_blocks) return "";
  return tiles + "need " + std::to_string(blocks) + " blocks at a time, this device holds " +
         std::to_string(most_blocks);
}

// Prefers wide tiles, because each hand-over between blocks costs as much as several columns. Tiny matrices
// get narrow tiles, so that there is a hand-over at all.
launch_plan choose_plan(int n) {
  if (cuda::attribute(cudaDevAttrCooperativeLaunch) == 0)
    throw unavailable("this device cannot keep all blocks of a launch resident (no cooperative launch)");
  constexpr int tiny = 64;
  std::string why;
  for (int columns : {most_tile_columns, panel_columns}) {
    if (n <= tiny && columns > panel_columns) continue;
    const launch_plan p = plan_for(n, columns);
    const std::string here = obstacle(p);
    if (here.empty()) return p;
    why += (why.empty() ? "" : "; ") + here;
  }
  throw unavailable("does not fit on chip: " + std::to_string(n) + " unknowns: " + why);
}

class cuda_on_chip final : public host_solver {
 public:
  explicit cuda_on_chip(const device& d) { cuda::use_device(d); }

  // A panel is handed from tile to tile.
  work per_solve() const override {
    work w = dense_work(a().order, when());
    const bool factorises = when() == factoring::every_solve;
    w.bytes_shared = shared_bytes_of_panels(a().order, factorises);
    w.exchanges = factorises ? plan_.tiles : 0;
    return w;
  }
  bus_traffic traffic() const override { return vectors_only(); }

 protected:
  void prepare() override {
    plan_ = choose_plan(a().order);
    const auto n = static_cast<std::size_t>(plan_.order);
    const std::size_t panels = n / panel_columns;
    a_ = {};
    lu_ = {};
    a_ = cuda::buffer<double>(n * n);
    lu_ = cuda::buffer<double>(n * n);
    b_ = cuda::buffer<double>(n);
    floors_ = cuda::buffer<double>(n);
    answer_ = cuda::buffer<double>(n + report_words);
    moves_ = cuda::buffer<move>(panels * most_moves);
    swaps_ = cuda::buffer<int>(panels);
    flags_ = cuda::buffer<unsigned>(panels);
    bad_ = cuda::buffer<int>(1);
    flags_.fill_bytes(0);
    epoch_ = 0;
    fill();
    host_answer_.resize(n + report_words);
  }

  // If every solve factorises, substitute() does this together with the right-hand side.
  void factorise() override {
    if (when() == factoring::every_solve) return;
    b_.fill_bytes(0);
    charge(effort_.seconds.transfer);
    launch(false);
  }

  void substitute(std::span<const double> b, std::span<double> x) override {
    b_.upload(b.data(), b.size());
    charge(effort_.seconds.transfer);
    launch(when() == factoring::once);
    std::copy_n(host_answer_.begin(), x.size(), x.begin());
    charge(effort_.seconds.host);
  }

 private:
  void fill() {
    const std::size_t n = a().size(), order = static_cast<std::size_t>(plan_.order);
    std::vector<double> dense(order * order);
    fill_dense(a(), dense, 1, order);
    for (std::size_t k = n; k < order; ++k) dense[k * (order + 1)] = 1;
    a_.upload(dense.data(), dense.size());
    std::vector<double> floors = pivot_floors(a());
    floors.resize(order);
    floors_.upload(floors.data(), order);
    b_.fill_bytes(0);
    const int none = a().order;
    bad_.upload(&none, 1);
  }

  // Launches the kernel and waits. The waiting time is divided between its parts
  // according to the kernel's own clock.
  void launch(bool has_factors) {
    if (!has_factors) ++epoch_;
    const system s{plan_.order, plan_.tile_columns, plan_.tiles,   a_.data(),     floors_.data(),
                   b_.data(),   lu_.data(),         moves_.data(), swaps_.data(), flags_.data(),
                   bad_.data(), answer_.data(),     epoch_,        has_factors,   cuda::usual_patience()};
    const unsigned blocks = has_factors ? 1 : static_cast<unsigned>(plan_.tiles) + 1;
    // choose_plan() has checked that all blocks can be resident at once.
    cuda::start(cuda::scheduling::cooperative, factorise_and_solve, blocks, plan_.threads, plan_.shared_bytes,
                nullptr, s);
    charge(effort_.seconds.launch);
    REPRISE_CUDA(cudaDeviceSynchronize());
    double waited = 0;
    charge(waited);
    answer_.download(host_answer_.data(), host_answer_.size());
    charge(effort_.seconds.transfer);
    const double* const said = host_answer_.data() + plan_.order;
    const double back = waited * said[back_ticks] / std::max(1.0, said[forward_ticks] + said[back_ticks]);
    effort_.seconds.back += back;
    (has_factors ? effort_.seconds.forward : effort_.seconds.factorise) += waited - back;
    if (said[bad_column] < a().order) refuse_singular(static_cast<int>(said[bad_column]));
    effort_.row_swaps = static_cast<long long>(said[swap_count]);
  }

  launch_plan plan_{};
  cuda::buffer<double> a_, lu_, b_, floors_, answer_;
  cuda::buffer<move> moves_;
  cuda::buffer<int> swaps_, bad_;
  cuda::buffer<unsigned> flags_;
  unsigned epoch_{};
  std::vector<double> host_answer_;
};

REPRISE_VARIANT(solver, cuda_on_chip,
                {.summary = "the same elimination in one launch, the matrix on chip",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work()});

}  // namespace
}  // namespace reprise::angiogenesis
