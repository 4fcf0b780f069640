// SPDX-License-Identifier: MIT
// The paper's program: three kernels for each column of the augmented matrix, with the host waiting for each.
// Place: section 4, Algorithms 2 to 4; the column "GPU" of Table 2, and Tables 3 to 5.
// Formula: for k = 0 ... n - 2, one block finds the largest |a_ik|, i >= k, by compare-and-swap in shared
// memory; the host reads its row p; if p != k, one thread per column swaps rows k and p; one thread per entry
// right of and below (k, k) forms its multiplier and subtracts a_ik / a_kk * a_kj. The host then
// computes x from the last row up.
//
// The text leaves open the sizes of the blocks and whether the host's memory is pinned. We do not pin it: the
// paper does not mention it, and its 2 GB/s speak against it.
// Where we differ: of equal pivots we take the upper row instead of any, so that runs are repeatable. If the
// matrix is factorised once, which the paper never does, the multipliers are kept and b is eliminated on the
// host. Reading the pivot's row counts as synchronisation, because the host cannot continue without it.
#include <cmath>

#include "solvers/angiogenesis/dense.hpp"
#include "solvers/angiogenesis/host_solver.hpp"
#include "solvers/common/cuda/cuda.hpp"

namespace reprise::angiogenesis {
namespace {

constexpr unsigned line_threads = 256;  // of the kernels that work on a row or column
constexpr unsigned tile_side = 16;      // of the elimination's two-dimensional blocks

struct pivot {
  double magnitude;
  long long row;  // 64 bits wide, so that no uninitialised padding is copied
};

// Raises *largest, the bits of a non-negative number, to those of `value` if they are larger.
__device__ inline void raise(unsigned long long* largest, double value) {
  unsigned long long seen = *largest;
  while (value > __longlong_as_double(static_cast<long long>(seen))) {
    const unsigned long long before =
        atomicCAS(largest, seen, static_cast<unsigned long long>(__double_as_longlong(value)));
    if (before == seen) return;
    seen = before;
  }
}

template <class Real>
__device__ Real& entry(Real* a, int n, int i, int j) {
  return a[static_cast<long long>(i) * (n + 1) + j];
}

// Runs in one block. Reports row n if no entry is a number or none is above zero.
__global__ void find_pivot(const double* a, int n, int k, pivot* found) {
  REPRISE_SHARED_ARRAY(unsigned long long, largest, [1]);
  REPRISE_SHARED_ARRAY(int, row, [1]);
  const int first = k + static_cast<int>(threadIdx.x);
  if (threadIdx.x == 0) {
    largest[0] = 0;
    row[0] = n;
  }
  __syncthreads();
  for (int i = first; i < n; i += static_cast<int>(blockDim.x)) raise(largest, fabs(entry(a, n, i, k)));
  __syncthreads();
  const double magnitude = __longlong_as_double(static_cast<long long>(largest[0]));
  for (int i = first; i < n; i += static_cast<int>(blockDim.x))
    if (fabs(entry(a, n, i, k)) == magnitude) atomicMin(row, i);
  __syncthreads();
  if (threadIdx.x == 0) *found = {magnitude, row[0]};
}

__global__ void swap_rows(double* a, int n, int k, int p) {
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (j > n) return;
  const double upper = entry(a, n, k, j);
  entry(a, n, k, j) = entry(a, n, p, j);
  entry(a, n, p, j) = upper;
}

// Column k must not change here, because other threads still read their multipliers from it.
__global__ void eliminate(double* a, int n, int k) {
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int i = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (i <= k || i >= n || j <= k || j > n) return;
  const double multiplier = entry(a, n, i, k) / entry(a, n, k, k);
  entry(a, n, i, j) -= multiplier * entry(a, n, k, j);
}

// Sums in four independent parts; the order of summation is not the paper's anyway.
double dot(const double* a, const double* b, std::size_t count) {
  double sums[4]{};
  std::size_t j = 0;
  for (; j + 4 <= count; j += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += a[j + lane] * b[j + lane];
  for (; j < count; ++j) sums[0] += a[j] * b[j];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

class cuda_elimination final : public host_solver {
 public:
  explicit cuda_elimination(const device& d) { cuda::use_device(d); }

  void solve(std::span<const double> b, std::span<double> x) override {
    right_ = b;
    host_solver::solve(b, x);
  }

  // The search for a pivot reads a shared number for each entry of a column, twice, and all threads the same one.
  work per_solve() const override {
    work w = dense_work(a().order, when());
    const double n = a().order;
    if (when() == factoring::every_solve) w.bytes_shared = 2 * shared_transfer_bytes * n * n / 2 / 32;
    return w;
  }
  bus_traffic traffic() const override {
    if (when() == factoring::once) return {0, "nothing: the factors are on the host"};
    return {2 * dense_bytes(a()), "the matrix with b, both ways"};
  }
  void watch_kernels(bool on) override { watches_ = on; }

  std::vector<kernel_probe> kernels() override {
    const int n = a().order;
    constexpr double word = sizeof(double);
    const auto traffic_of = [](double words, double flops) {
      return work{.bytes_logical = word * words, .bytes_dram = word * words, .flops = flops};
    };
    const auto of_pivot = [=](int k) {
      work w = traffic_of(n - k, 0);
      w.bytes_shared = 2 * shared_transfer_bytes * (n - k) / 32;
      return w;
    };
    const auto of_swap = [=](int) { return traffic_of(4. * (n + 1), 0); };
    const auto of_elimination = [=](int k) {
      const double rows = n - 1 - k, columns = n - k;
      return traffic_of(2 * rows * columns + rows + columns + 1, 2 * rows * columns);
    };
    std::vector<kernel_probe> all{{"pivot", cuda::occupancy(find_pivot, 1, line_threads, 0), n - 1, of_pivot,
                                   timed([this](int k) { start_pivot(k); })},
                                  {"swap", cuda::occupancy(swap_rows, blocks_of_row(), line_threads, 0),
                                   n - 1, of_swap, timed([this, n](int k) { start_swap(k, n - 1); })},
                                  {"eliminate", cuda::occupancy(eliminate, tiles(), tile(), 0), n - 1,
                                   of_elimination, timed([this](int k) { start_elimination(k); })}};
    for (kernel_probe& k : all) {
      k.state = [this] { return state_on_device(); };
      k.set_state = [this](const kernel_state& s) { set_state_on_device(s); };
    }
    return all;
  }

 protected:
  void prepare() override {
    require_memory(2 * dense_bytes(a()));
    n_ = a().size();
    augmented_ = std::vector<double>(n_ * (n_ + 1));
    triangle_ = std::vector<double>(n_ * (n_ + 1));
    fill_dense(a(), augmented_, n_ + 1, 1);
    on_device_ = {};
    on_device_ = cuda::buffer<double>(n_ * (n_ + 1));
    found_ = cuda::buffer<pivot>(1);
    floors_ = pivot_floors(a());
    pivots_.resize(n_);
    scaled_.resize(n_);
  }

  void factorise() override {
    // If the matrix is factorised once, there is no right-hand side yet.
    has_right_ = when() == factoring::every_solve;
    for (std::size_t i = 0; i < n_; ++i) augmented_[i * (n_ + 1) + n_] = has_right_ ? right_[i] : 0;
    charge(effort_.seconds.host);
    on_device_.upload(augmented_.data(), augmented_.size());
    charge_transfer(effort_.seconds.to_device);
    effort_.row_swaps = 0;
    for (int k = 0; k + 1 < a().order; ++k) eliminate_column(k);
    double back = 0;
    on_device_.download(triangle_.data(), triangle_.size());
    charge_transfer(back);
    pivots_[n_ - 1] = n_ - 1;
    require_pivot(n_ - 1, row(n_ - 1)[n_ - 1]);
    charge(effort_.seconds.host);
  }

  void substitute(std::span<const double> b, std::span<double> x) override {
    if (has_right_) {
      for (std::size_t i = 0; i < n_; ++i) x[i] = row(i)[n_];
    } else {
      forward(b, x);
      charge(effort_.seconds.forward);
    }
    for (std::size_t i = n_; i-- > 0;)
      x[i] = (x[i] - dot(row(i) + i + 1, x.data() + i + 1, n_ - i - 1)) / row(i)[i];
    charge(effort_.seconds.back);
  }

 private:
  const double* row(std::size_t i) const { return triangle_.data() + i * (n_ + 1); }

  unsigned blocks_of_row() const { return (static_cast<unsigned>(n_) + line_threads) / line_threads; }
  static dim3 tile() { return {tile_side, tile_side}; }
  dim3 tiles() const {
    const auto n = static_cast<unsigned>(n_);
    return {n / tile_side + 1, (n + tile_side - 1) / tile_side};
  }

  void require_pivot(std::size_t k, double value) const {
    if (!is_pivot(value, floors_[k])) refuse_singular(static_cast<int>(k));
  }

  void start_pivot(int k) {
    cuda::launch(find_pivot, 1, line_threads, 0, nullptr, on_device_.data(), a().order, k, found_.data());
  }
  void start_swap(int k, int p) {
    cuda::launch(swap_rows, blocks_of_row(), line_threads, 0, nullptr, on_device_.data(), a().order, k, p);
  }
  void start_elimination(int k) {
    cuda::launch(eliminate, tiles(), tile(), 0, nullptr, on_device_.data(), a().order, k);
  }

  template <class Launch>
  std::function<double(std::span<const int>)> timed(Launch launch) {
    return [this, launch](std::span<const int> columns) {
      kernel_clock_.start();
      for (const int k : columns) launch(k);
      return kernel_clock_.stop();
    };
  }

  kernel_state state_on_device() {
    kernel_state s{std::vector<double>(on_device_.size()), 0, 0};
    pivot found{};
    on_device_.download(s.augmented.data(), s.augmented.size());
    found_.download(&found, 1);
    s.magnitude = found.magnitude;
    s.row = found.row;
    return s;
  }
  void set_state_on_device(const kernel_state& s) {
    const pivot found{s.magnitude, s.row};
    on_device_.upload(s.augmented.data(), s.augmented.size());
    found_.upload(&found, 1);
  }

  void eliminate_column(int k) {
    time_split& s = effort_.seconds;
    run(s.pivot, [&] { start_pivot(k); });
    pivot found{};
    found_.download(&found, 1);
    charge(s.synchronise);
    require_pivot(static_cast<std::size_t>(k), found.magnitude);
    const int row = static_cast<int>(found.row);
    pivots_[static_cast<std::size_t>(k)] = static_cast<std::size_t>(row);
    if (row != k) {
      ++*effort_.row_swaps;
      run(s.swap, [&] { start_swap(k, row); });
    }
    run(s.eliminate, [&] { start_elimination(k); });
  }

  // Launches one kernel, waits for it, and divides the time between launch and kernel. A kernel may begin
  // before its launch has returned; that time counts as the kernel's.
  template <class Launch>
  void run(double& part, Launch launch) {
    charge(effort_.seconds.host);
    if (watches_) kernel_clock_.start();
    launch();
    double launching = 0, waiting = 0;
    charge(launching);
    double kernel = watches_ ? kernel_clock_.stop() : 0;
    REPRISE_CUDA(cudaDeviceSynchronize());
    charge(waiting);
    if (!watches_) {
      kernel = waiting;
      waiting = 0;
    } else {
      kernel = std::min(kernel, launching + waiting);
      waiting -= kernel;
      if (waiting < 0) {
        launching += waiting;
        waiting = 0;
      }
      part += kernel;
    }
    effort_.seconds.launch += launching;
    effort_.seconds.factorise += kernel;
    effort_.seconds.synchronise += waiting;
  }

  void charge_transfer(double& one_way) {
    double seconds = 0;
    charge(seconds);
    effort_.seconds.transfer += seconds;
    one_way += seconds;
  }

  // Forward substitution. The stored multipliers are not divided by their pivots yet.
  void forward(std::span<const double> b, std::span<double> x) {
    std::copy(b.begin(), b.end(), x.begin());
    for (std::size_t k = 0; k < n_; ++k) std::swap(x[k], x[pivots_[k]]);
    for (std::size_t i = 0; i < n_; ++i) {
      x[i] -= dot(row(i), scaled_.data(), i);
      scaled_[i] = x[i] / row(i)[i];
    }
  }

  std::size_t n_{};
  std::vector<double> augmented_, triangle_;  // before and after elimination
  cuda::buffer<double> on_device_;
  cuda::buffer<pivot> found_;
  std::vector<double> floors_, scaled_;
  std::vector<std::size_t> pivots_;
  std::span<const double> right_;
  bool has_right_{};
  bool watches_{};
  cuda::event_stopwatch kernel_clock_;
};

REPRISE_VARIANT(solver, cuda_elimination,
                {.summary = "the paper's three kernels a column, in step with the host",
                 .place = "section 4, Tables 2 to 6",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work()});

}  // namespace
}  // namespace reprise::angiogenesis
