// SPDX-License-Identifier: MIT
// All sweeps in one launch that keeps everything on chip.
// Place: beyond the paper, for users who need many sweeps.
// Formula: x' = (1-w) x + g - sum over k != 4 of c_k x_k with c_k = w d_k / d_4 and g = w f / d_4. This is
// the paper's sweep with the division and the weight applied once beforehand. Nine words are kept per node,
// and a sweep is nine multiply-adds.
//
// Coefficients are in registers and shared memory, and each thread's part of x is in registers. Only the edge
// rows of a block's strip leave the multiprocessor.
//
// Each block owns a strip of eight rows of the domain. A block has two groups of threads, one for the lower
// and one for the upper four rows of its strip; a thread owns four neighbouring columns of these rows. Each
// group numbers its rows from the outside: row 0 is the strip's edge, and row 3 is next to the other group's
// row 3. Both groups therefore run the same code, and only the coefficients of the upper group are mirrored.
//
// In each sweep a group computes its row 0, sends it to the neighbouring strip, computes its other rows while
// that row is on its way, and then waits for the neighbour's row. A value travels in one 64-bit word together
// with the number of its sweep. It has arrived when that number has, so no fence or flag is needed. Two
// mailboxes alternate. A strip writes the same mailbox again two sweeps later. To get that far it needs its
// neighbour's next row, which the neighbour sends only after all its threads have read the previous one.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "solvers/common/cuda/mail.hpp"
#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {
namespace {

constexpr int rows = 4;                // rows of a thread
constexpr int strip_rows = 2 * rows;   // rows of a strip, which has two groups
constexpr int columns = 4;             // columns of a thread
constexpr int most_lanes = 256;        // most threads of a group, so a strip is at most 1024 columns wide
constexpr int words = 9;               // words of a node: c_0 ... c_3, g, c_5 ... c_8
constexpr int words_in_registers = 4;  // words of a node in registers; the others are in shared memory
constexpr int words_in_shared = words - words_in_registers;

struct alignas(16) quad {
  float v[columns];
};

// The values of one row that a thread reads: its own columns and one more on each side.
struct window {
  float v[columns + 2];
};

struct strips {
  const quad* coefficients;  // [word][row][lane]; all arrays here are as wide as the widest strip
  const quad* x;             // [row][lane]
  quad* next;
  unsigned long long* mail;  // [parity][strip][group][column of a thread][lane]
  float keep;                // 1 - w
  unsigned epoch;            // sweeps made by earlier launches
  int sweeps;
  cuda::patience patience;
};

// The position of a thread.
struct place {
  int lane, group, strip;

  // The domain's row that is row r of the group.
  __device__ int domain_row(int r) const {
    return strip * strip_rows + (group == 0 ? r : strip_rows - 1 - r);
  }
  __device__ bool at_border() const { return strip == (group == 0 ? 0 : static_cast<int>(gridDim.x) - 1); }
};

// The outer columns of every thread's part of one row, for its neighbours in the group, with a
// zero at both ends of the row.
struct row_edges {
  float first[most_lanes + 2];
  float last[most_lanes + 2];

  __device__ void put(int lane, const float* own) {
    first[lane + 1] = own[0];
    last[lane + 1] = own[columns - 1];
  }
  __device__ window around(int lane, const float* own) const {
    window w;
    w.v[0] = last[lane];
#pragma unroll
    for (int c = 0; c < columns; ++c) w.v[c + 1] = own[c];
    w.v[columns + 1] = first[lane + 2];
    return w;
  }
};

// Shared memory of a strip. Its strides are those of the widest strip, which the compiler knows, so addresses
// take no registers. Iterates are stored twice, so that one barrier per sweep is enough.
struct shared_memory {
  quad coefficients[words_in_shared][rows][2][most_lanes];
  quad meeting[2][2][most_lanes];  // row 3 of each group: [parity][group][lane]
  row_edges edges[2][2][rows];     // [parity][group][row]
  row_edges halo[2][2];            // edges of the row received: [parity][group]
};

// A row of mail holds the first columns of all threads, then their second columns and so on. The words of a
// warp are therefore contiguous.
struct mailbox {
  unsigned long long* words;

  __device__ mailbox(const strips& s, unsigned tag, int strip, int group, int lane)
      : words(s.mail +
              (((tag & 1U) * gridDim.x + static_cast<unsigned>(strip)) * 2 + static_cast<unsigned>(group)) *
                  columns * most_lanes +
              lane) {}

  __device__ void put(unsigned tag, const float* row) const {
#pragma unroll
    for (int c = 0; c < columns; ++c) cuda::post(words + c * most_lanes, tag, row[c]);
  }
};

// A row from the neighbour: the words as last read from the mailbox, whether they have arrived or not.
struct row_of_letters {
  cuda::letter<float> letters[columns];

  __device__ void look(const mailbox& box) {
#pragma unroll
    for (int c = 0; c < columns; ++c) letters[c].look(box.words + c * most_lanes);
  }
  __device__ bool has_come(unsigned tag) const {
    bool complete = true;
#pragma unroll
    for (int c = 0; c < columns; ++c) complete = complete && letters[c].has_come(tag);
    return complete;
  }
  __device__ void read(float* row) const {
#pragma unroll
    for (int c = 0; c < columns; ++c) row[c] = letters[c].value();
  }
};

// The coefficients of a thread's nodes that are kept in registers.
struct near_coefficients {
  float v[words_in_registers][rows][columns];
};

__device__ inline void load_coefficients(const strips& s, const place& at, shared_memory& shared,
                                         near_coefficients& near) {
  const std::size_t plane = static_cast<std::size_t>(gridDim.x) * strip_rows * most_lanes;
#pragma unroll
  for (int w = 0; w < words; ++w) {
    // The upper group numbers its rows from above, so south and north change places.
    const int source = at.group == 0 || (w >= 3 && w < 6) ? w : (w < 3 ? w + 6 : w - 6);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const quad q = s.coefficients[static_cast<std::size_t>(source) * plane +
                                    static_cast<unsigned>(at.domain_row(r) * most_lanes + at.lane)];
      if (w < words_in_registers) {
#pragma unroll
        for (int c = 0; c < columns; ++c) near.v[w][r][c] = q.v[c];
      } else {
        shared.coefficients[w - words_in_registers][r][at.group][at.lane] = q;
      }
    }
  }
}

__device__ inline void sweep_row(const near_coefficients& near, const shared_memory& shared, const place& at,
                                 int row, const window& outer, const window& here, const window& inner,
                                 float keep, float* out) {
  const auto word = [&](int w) {
    quad q;
    if (w < words_in_registers) {
#pragma unroll
      for (int c = 0; c < columns; ++c) q.v[c] = near.v[w][row][c];
    } else {
      q = shared.coefficients[w - words_in_registers][row][at.group][at.lane];
    }
    return q;
  };
  const quad g = word(4);
#pragma unroll
  for (int c = 0; c < columns; ++c) out[c] = keep * here.v[c + 1] + g.v[c];
#pragma unroll
  for (int k = 0; k < words; ++k) {
    if (k == 4) continue;
    const quad coefficient = word(k);
    const window& from = k < 3 ? outer : k < 6 ? here : inner;
#pragma unroll
    for (int c = 0; c < columns; ++c) out[c] -= coefficient.v[c] * from.v[c + k % 3];
  }
}

__global__ void __launch_bounds__(2 * most_lanes, 1) sweep_strips(strips s) {
  const place at{static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y), static_cast<int>(blockIdx.x)};
  const int lane = at.lane;
  const int group = at.group;
  const int neighbour = group == 0 ? at.strip - 1 : at.strip + 1;
  shared_memory& shared = *cuda::dynamic_shared<shared_memory>();
  near_coefficients near;
  load_coefficients(s, at, shared, near);

  // All edges begin at zero. Those at the domain's border stay zero.
  auto* const edges = reinterpret_cast<float*>(&shared.edges);
  constexpr int edge_values = (sizeof shared.edges + sizeof shared.halo) / sizeof(float);
  for (int i = group * static_cast<int>(blockDim.x) + lane; i < edge_values;
       i += 2 * static_cast<int>(blockDim.x))
    edges[i] = 0.0F;
  __syncthreads();

  float x[rows][columns];
  float halo[columns] = {};
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const quad q = s.x[at.domain_row(r) * most_lanes + lane];
#pragma unroll
    for (int c = 0; c < columns; ++c) x[r][c] = q.v[c];
    shared.edges[0][group][r].put(lane, x[r]);
    if (r == rows - 1) shared.meeting[0][group][lane] = q;
  }
  if (!at.at_border()) {
    const quad q = s.x[(at.domain_row(0) + (group == 0 ? -1 : 1)) * most_lanes + lane];
#pragma unroll
    for (int c = 0; c < columns; ++c) halo[c] = q.v[c];
  }
  shared.halo[0][group].put(lane, halo);
  __syncthreads();

  for (int n = 0; n < s.sweeps; ++n) {
    const int now = n & 1;
    const int then = now ^ 1;
    const unsigned tag = s.epoch + static_cast<unsigned>(n) + 1;
    const bool exchange = n + 1 < s.sweeps && !at.at_border();

    const mailbox inbox(s, tag, exchange ? neighbour : at.strip, 1 - group, lane);
    row_of_letters from_neighbour;

    // The row that the other strip waits for comes first.
    window outer = shared.halo[now][group].around(lane, halo);
    window here = shared.edges[now][group][0].around(lane, x[0]);
    window inner = shared.edges[now][group][1].around(lane, x[1]);
    sweep_row(near, shared, at, 0, outer, here, inner, s.keep, x[0]);
    if (exchange) mailbox(s, tag, at.strip, group, lane).put(tag, x[0]);
    shared.edges[then][group][0].put(lane, x[0]);

#pragma unroll
    for (int r = 1; r < rows; ++r) {
      outer = here;
      here = inner;
      // A read of the mailbox takes longer than a row, so it is started before the last row.
      if (r == rows - 1 && exchange) from_neighbour.look(inbox);
      if (r + 1 < rows) {
        inner = shared.edges[now][group][r + 1].around(lane, x[r + 1]);
      } else {
        const quad other = shared.meeting[now][1 - group][lane];
        inner = shared.edges[now][1 - group][rows - 1].around(lane, other.v);
      }
      sweep_row(near, shared, at, r, outer, here, inner, s.keep, x[r]);
      shared.edges[then][group][r].put(lane, x[r]);
    }
    quad meeting;
#pragma unroll
    for (int c = 0; c < columns; ++c) meeting.v[c] = x[rows - 1][c];
    shared.meeting[then][group][lane] = meeting;

    if (exchange) {
      if (!from_neighbour.has_come(tag))
        cuda::wait_until(s.patience, [&] {
          from_neighbour.look(inbox);
          return from_neighbour.has_come(tag);
        });
      from_neighbour.read(halo);
      shared.halo[then][group].put(lane, halo);
    }
    __syncthreads();
  }

#pragma unroll
  for (int r = 0; r < rows; ++r) {
    quad q;
#pragma unroll
    for (int c = 0; c < columns; ++c) q.v[c] = x[r][c];
    s.next[at.domain_row(r) * most_lanes + lane] = q;
  }
}

class cuda_resident final : public solver {
 public:
  explicit cuda_resident(const device& d) { cuda::use_device(d); }

  void load(const problem& p) override {
    constexpr int warp = 32;
    lanes_ = ((p.nx + columns - 1) / columns + warp - 1) / warp * warp;
    if (lanes_ > most_lanes)
      throw unavailable("does not fit on chip: " + std::to_string(p.nx) + " columns, a strip has at most " +
                        std::to_string(most_lanes * columns));
    strips_ = (p.ny + strip_rows - 1) / strip_rows;
    nx_ = p.nx;
    ny_ = p.ny;
    keep_ = 1.0F - p.omega;
    width_ = most_lanes * columns;
    plane_ = width_ * static_cast<std::size_t>(strips_) * strip_rows;
    coefficients_ = cuda::uploaded(fold(p));
    x_ = cuda::buffer<float>(plane_);
    next_ = cuda::buffer<float>(plane_);
    mail_ = cuda::buffer<unsigned long long>(4 * static_cast<std::size_t>(strips_) * width_);
    mail_.fill_bytes(0);
    epoch_ = 0;
    x0_ = p.x0;
    reset();
    // Fails now, and not during a measurement, if the strips do not all fit on the device at the same time.
    sweep(0);
  }

  void reset() override {
    std::vector<float> padded(plane_, 0.0F);
    for (int iy = 0; iy < ny_; ++iy)
      std::copy_n(x0_.data() + static_cast<std::ptrdiff_t>(iy) * nx_, nx_,
                  padded.data() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(iy) * width_));
    x_.upload(padded.data(), padded.size());
  }

  void sweep(int count) override {
    const strips s{reinterpret_cast<const quad*>(coefficients_.data()),
                   reinterpret_cast<const quad*>(x_.data()),
                   reinterpret_cast<quad*>(next_.data()),
                   mail_.data(),
                   keep_,
                   epoch_,
                   count,
                   cuda::usual_patience()};
    cuda::launch_resident(sweep_strips, static_cast<unsigned>(strips_),
                          dim3(static_cast<unsigned>(lanes_), 2), sizeof(shared_memory), nullptr, s);
    epoch_ += static_cast<unsigned>(count);
    std::swap(x_, next_);
  }

  std::vector<float> solution() override {
    std::vector<float> padded(plane_);
    x_.download(padded.data(), padded.size());
    std::vector<float> x(x0_.size());
    for (int iy = 0; iy < ny_; ++iy)
      std::copy_n(padded.data() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(iy) * width_), nx_,
                  x.data() + static_cast<std::ptrdiff_t>(iy) * nx_);
    return x;
  }

  stopwatch& clock() override { return clock_; }

 private:
  // The coefficients of the padding are zero, so its x stays zero.
  std::vector<float> fold(const problem& p) const {
    std::vector<float> folded(words * plane_, 0.0F);
    for (int iy = 0; iy < p.ny; ++iy)
      for (int ix = 0; ix < p.nx; ++ix) {
        const std::size_t i =
            static_cast<std::size_t>(ix) + static_cast<std::size_t>(p.nx) * static_cast<std::size_t>(iy);
        const std::size_t to = static_cast<std::size_t>(ix) + width_ * static_cast<std::size_t>(iy);
        const double scale = static_cast<double>(p.omega) / static_cast<double>(p.diagonals[4][i]);
        for (std::size_t k = 0; k < words; ++k)
          folded[k * plane_ + to] =
              static_cast<float>(scale * static_cast<double>(k == 4 ? p.f[i] : p.diagonals[k][i]));
      }
    return folded;
  }

  int nx_{};
  int ny_{};
  int lanes_{};
  int strips_{};
  float keep_{};
  unsigned epoch_{};
  std::size_t width_{};
  std::size_t plane_{};
  cuda::buffer<float> coefficients_, x_, next_;
  cuda::buffer<unsigned long long> mail_;
  std::vector<float> x0_;
  cuda::event_stopwatch clock_;
};

// Words of shared memory that a thread's nodes take in a sweep: coefficients; of every row the outer columns, which are
// stored and read, and so those of the received row; the other group's row 3 with its outer columns.
constexpr double shared_words = words_in_shared * rows * columns + 4 * (rows + 1) + 2 * columns + 2;

// The coefficients and x cross the memory bus once per launch, whatever its number of sweeps.
REPRISE_VARIANT(solver, cuda_resident,
                {.summary = "all sweeps in one launch, coefficients and x on chip",
                 .place = "beyond the paper",
                 .precisions = {precision::single},
                 .per_unit = {.bytes_logical = 80,
                              .bytes_dram = 0,
                              .bytes_dram_once = 44,
                              .flops = 18,
                              .bytes_shared = sizeof(float) * shared_words / (rows * columns),
                              .exchanges = 1}});

}  // namespace
}  // namespace reprise::jacobi
