// SPDX-License-Identifier: MIT
// Sixteen sweeps in one pass over the matrix, twelve in double precision.
// Place: beyond the paper, for grids that do not fit on chip.
// Formula: x' = (1-w) x + g - sum over k != 4 of c_k x_k with c_k = w d_k / d_4 and g = w f / d_4. This is the
// paper's sweep with the division and the weight applied once beforehand, nine words per node.
//
// The domain is divided into strips as wide as a warp's columns, and strips into segments. A block walks up one
// segment, row by row. Its warps form a pipeline: each makes `levels` sweeps. The first warp takes x, the last
// one writes the new x, and rows of x pass from warp to warp through shared memory. In one step a warp takes one
// row into its first sweep; each further sweep works one row below the sweep before it. Several sweeps
// therefore need the coefficients of a row one after the other. Until then the coefficients stay in registers,
// in a ring of `levels` rows whose indices are constant because the loop is unrolled. Device memory is read once
// for all stages * levels sweeps, ahead of time, into a ring of rows in shared memory.
//
// A thread owns a pack of neighbouring columns and gets its neighbours' columns by shuffles. Each sweep spoils
// one more column and row at the edges of a segment. These margins are therefore computed by the neighbours as
// well, and not written.
//
// Each row sends its contributions to the rows around it, instead of collecting theirs. When row q of an iterate
// is known, it contributes to the sums of rows q-1 (which is then complete), q and q+1, so a sweep keeps two
// rows of sums. The factors for row q are stored together as its record: g and c_0 ... c_2 of row q+1, c_3 and
// c_5 of row q, c_6 ... c_8 of row q-1, all but g with a minus sign.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {
namespace {

constexpr int warp = 32;
constexpr unsigned all_lanes = 0xffffffffU;
enum word { g, south_west, south, south_east, west, east, north_west, north, north_east, words };

// The columns that a thread moves in one access.
template <class Real>
struct alignas(16) pack {
  static constexpr int columns = 16 / static_cast<int>(sizeof(Real));
  Real v[columns];
};

template <class Real>
struct record {
  pack<Real> w[words];
};

// A row of a strip in shared memory. x is what the next stage begins with.
template <class Real>
struct row {
  record<Real> records[warp];
  pack<Real> x[warp];
};

constexpr int round_up(int value, int step) {
  return (value + step - 1) / step * step;
}

// The grid has a frame of zeros as wide as the margins, so that the kernel needs no code for the border.
constexpr int frame_left = 32;         // columns
constexpr int frame_right = 4 * warp;  // columns
constexpr int frame_rows = 32;         // at either end

// levels  sweeps of a warp
// stages  warps of a block
// ahead   rows on their way from device memory
// blocks  of a multiprocessor, which limits the registers
template <class Float, int levels_, int stages_, int ahead_, int blocks_>
struct shape {
  using real = Float;
  static constexpr int levels = levels_;
  static constexpr int stages = stages_;
  static constexpr int ahead = ahead_;
  static constexpr int blocks = blocks_;
  // Sweeps whose contributions to two of the three rows are added in the next step, where they fill the time
  // that its first row needs to arrive.
  static constexpr int deferred = levels > 1 ? 1 : 0;
  static constexpr int sweeps = levels * stages;
  static constexpr int columns = pack<real>::columns;
  static constexpr int margin_rows = sweeps;
  static constexpr int margin_columns = round_up(sweeps, columns);
  static constexpr int strip_columns = warp * columns - 2 * margin_columns;  // that the strip writes
  static constexpr int lag = levels + 1;                                     // rows from a stage to the next
  static constexpr int behind = (stages - 1) * lag + levels;  // rows from the first read to the last written
  static constexpr int ring = (stages - 1) * lag + 1 + ahead;
  static constexpr std::size_t shared_bytes = ring * sizeof(row<real>);
  // Bytes of shared memory for a node and sweep, without the rows at the ends of a segment: a row of records and of x is
  // copied there, each stage reads both, and all but the last write x.
  static constexpr double shared_bytes_per_unit =
      16. * warp * ((words + 1) + (words + 1) * stages + (stages - 1)) / (strip_columns * sweeps);
  static_assert(strip_columns > 0 && margin_columns <= frame_left && frame_left % columns == 0);
  static_assert(margin_rows + stages + levels + ahead <= frame_rows);
  static_assert(ahead >= 2);  // a row must have arrived one step before it is used
};

template <class Real>
struct pass_data {
  const record<Real>* records;  // [row][pack]
  const pack<Real>* x;
  pack<Real>* next;
  unsigned pitch;  // packs
  int ny;
  int strips;
  int segment_rows;
  Real keep;  // 1 - w
};

// A row of an iterate as a thread sees it: its own columns and one more on each side.
template <class Real>
struct window {
  static constexpr int columns = pack<Real>::columns;
  Real v[columns + 2];

  __device__ void look(const pack<Real>& own) {
    v[0] = __shfl_up_sync(all_lanes, own.v[columns - 1], 1);
    v[columns + 1] = __shfl_down_sync(all_lanes, own.v[0], 1);
#pragma unroll
    for (int c = 0; c < columns; ++c) v[c + 1] = own.v[c];
  }
};

// What one sweep knows of rows that are not complete.
template <class Real>
struct sums {
  static constexpr int columns = pack<Real>::columns;
  Real begun[columns];   // row q+1: contributions of row q
  Real middle[columns];  // row q: contributions of rows q-1 and q

  // Row q completes row q-1 of the next iterate. The shuffled columns arrive last and are added last.
  __device__ pack<Real> complete(const window<Real>& q, const record<Real>& r) const {
    pack<Real> x;
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const Real own = middle[c] + r.w[north].v[c] * q.v[c + 1];
      const Real from_west = r.w[north_west].v[c] * q.v[c];
      const Real from_east = r.w[north_east].v[c] * q.v[c + 2];
      x.v[c] = c == 0 ? own + from_east + from_west : own + from_west + from_east;
    }
    return x;
  }
  __device__ void contribute(const window<Real>& q, const record<Real>& r, Real keep) {
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      middle[c] = begun[c] + keep * q.v[c + 1] + r.w[west].v[c] * q.v[c] + r.w[east].v[c] * q.v[c + 2];
      begun[c] = r.w[g].v[c] + r.w[south].v[c] * q.v[c + 1] + r.w[south_west].v[c] * q.v[c] +
                 r.w[south_east].v[c] * q.v[c + 2];
    }
  }
};

// A row in the ring in shared memory, by its byte offset.
template <class Shape>
struct place {
  static constexpr int bytes = static_cast<int>(sizeof(row<typename Shape::real>));
  int at;

  __device__ void advance() { at = at + bytes == bytes * Shape::ring ? 0 : at + bytes; }
};

// A warp's share of the copies to shared memory. A row has ten parts of one pack per lane: nine of records and
// one of x. The stages take the parts in turn. In the last turn some stages copy nothing, and one copies x.
template <class Shape>
struct courier {
  using real = typename Shape::real;
  static constexpr int part_bytes = warp * static_cast<int>(sizeof(pack<real>));
  static constexpr int turn_bytes = Shape::stages * part_bytes;
  static constexpr int parts = words + 1;
  static constexpr int full_turns = words / Shape::stages;
  static_assert(sizeof(row<real>) == parts * part_bytes && parts <= (full_turns + 1) * Shape::stages);

  unsigned char* to;
  const char* from;
  const char* last_from;
  unsigned last_bytes;  // per pack
  bool has_last;

  __device__ courier(const pass_data<real>& d, unsigned char* shared, int stage, int lane) {
    const int mine = stage * part_bytes + lane * static_cast<int>(sizeof(pack<real>));
    const int last_part = full_turns * Shape::stages + stage;
    const bool last_is_x = last_part == words;
    to = shared + mine;
    from = reinterpret_cast<const char*>(d.records) + mine;
    last_from = last_is_x ? reinterpret_cast<const char*>(d.x + lane) : from + full_turns * turn_bytes;
    last_bytes = last_is_x ? sizeof(pack<real>) : sizeof(record<real>);
    has_last = last_part < parts;
  }
  // Copies constant data, which may be read before the preceding launch has ended.
  __device__ void copy_records(unsigned first_pack, int at) const {
    const char* const source = from + static_cast<std::size_t>(first_pack) * sizeof(record<real>);
#pragma unroll
    for (int i = 0; i < full_turns; ++i) copy(at + i * turn_bytes, source + i * turn_bytes);
  }
  __device__ void copy_last_part(unsigned first_pack, int at) const {
    if (has_last)
      copy(at + full_turns * turn_bytes, last_from + static_cast<std::size_t>(first_pack) * last_bytes);
    cuda::close_copies();
  }

 private:
  __device__ void copy(int at, const char* source) const {
    cuda::copy_async(reinterpret_cast<pack<real>*>(to + at), reinterpret_cast<const pack<real>*>(source));
  }
};

// Waits until the next row but one has arrived, and until no thread reads a row that may be overwritten.
template <class Shape>
__device__ inline void wait_for_row() {
  cuda::wait_for_copies<Shape::ahead - 2>();
  if constexpr (Shape::stages > 1) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

template <class Real>
__device__ inline void load_words(record<Real>& to, const unsigned char* from, int first, int end) {
#pragma unroll
  for (int w = first; w < end; ++w) to.w[w] = reinterpret_cast<const record<Real>*>(from)->w[w];
}

template <class Shape>
__global__ void __launch_bounds__(warp* Shape::stages, Shape::blocks)
    march(const __grid_constant__ pass_data<typename Shape::real> d) {
  using real = typename Shape::real;
  constexpr int levels = Shape::levels;
  unsigned char* const shared = cuda::dynamic_shared<unsigned char>();
  const int lane = static_cast<int>(threadIdx.x);
  // The shuffle tells the compiler that the stage is the same for the whole warp.
  const int stage = Shape::stages == 1 ? 0 : __shfl_sync(all_lanes, static_cast<int>(threadIdx.y), 0);
  const int strip = static_cast<int>(blockIdx.x) % d.strips;
  const int y0 = static_cast<int>(blockIdx.x) / d.strips * d.segment_rows;
  const int rows = min(d.segment_rows, d.ny - y0);
  const int steps = rows + 2 * Shape::margin_rows + Shape::stages - 1;

  // The first pack of the next row to copy.
  unsigned first = static_cast<unsigned>(y0 - Shape::margin_rows + frame_rows) * d.pitch +
                   static_cast<unsigned>((strip * Shape::strip_columns + frame_left - Shape::margin_columns) /
                                         Shape::columns);
  const courier<Shape> mine(d, shared, stage, lane);
  place<Shape> to_fill{0};
  cuda::let_following_start();
  for (int i = 0; i < Shape::ahead; ++i)
    mine.copy_records(first + static_cast<unsigned>(i) * d.pitch, i * place<Shape>::bytes);
  cuda::wait_for_preceding();
  for (int i = 0; i < Shape::ahead; ++i) {
    mine.copy_last_part(first, to_fill.at);
    to_fill.advance();
    first += d.pitch;
  }
  wait_for_row<Shape>();

  const unsigned char* const records_here = shared + static_cast<std::size_t>(lane) * sizeof(record<real>);
  unsigned char* const x_here =
      shared + offsetof(row<real>, x) + static_cast<std::size_t>(lane) * sizeof(pack<real>);
  constexpr int margin_lanes = Shape::margin_columns / Shape::columns;
  const bool is_writing = stage == Shape::stages - 1 && lane >= margin_lanes && lane < warp - margin_lanes;

  // In its first steps a later stage reads rows that are not written yet. They do not get beyond the margin.
  const int begin = stage == 0 ? 0 : Shape::ring - stage * Shape::lag;
  place<Shape> here{begin * place<Shape>::bytes};
  int previous[levels];  // offsets of the last rows read, whose x the next stage will read
#pragma unroll
  for (int u = 0; u < levels; ++u)
    previous[u] = (begin + Shape::ring + u - levels) % Shape::ring * place<Shape>::bytes;
  record<real> ring[levels] = {};
  sums<real> partial[levels] = {};
  window<real> pending[Shape::deferred > 0 ? Shape::deferred : 1] = {};
  load_words(ring[0], records_here + here.at, north_west, words);
  for (int step = 0; step < steps; step += levels) {
#pragma unroll
    for (int u = 0; u < levels; ++u) {
      const auto record_of = [&](int level) -> const record<real>& {
        return ring[(u - level + levels) % levels];
      };
      pack<real> x = *reinterpret_cast<const pack<real>*>(x_here + here.at);
      load_words(ring[u], records_here + here.at, g, north_west);
#pragma unroll
      for (int t = 0; t < Shape::deferred; ++t) partial[t].contribute(pending[t], record_of(t + 1), d.keep);
      mine.copy_records(first, to_fill.at);
      mine.copy_last_part(first, to_fill.at);
      to_fill.advance();
#pragma unroll
      for (int t = 0; t < levels; ++t) {
        window<real> q;
        q.look(x);
        x = partial[t].complete(q, record_of(t));
        if (t < Shape::deferred) {
          pending[t] = q;
        } else {
          partial[t].contribute(q, record_of(t), d.keep);
        }
      }
      const int for_next_stage = previous[u];
      previous[u] = here.at;
      here.advance();
      if (stage < Shape::stages - 1) *reinterpret_cast<pack<real>*>(x_here + for_next_stage) = x;
      // The oldest record is used up. The next one takes its place, northern words first.
      load_words(ring[(u + 1) % levels], records_here + here.at, north_west, words);
      const int row_written = step + u - Shape::behind - Shape::margin_rows;
      if (is_writing && static_cast<unsigned>(row_written) < static_cast<unsigned>(rows))
        d.next[first + static_cast<unsigned>(lane) -
               static_cast<unsigned>(Shape::ahead + Shape::behind) * d.pitch] = x;
      first += d.pitch;
      wait_for_row<Shape>();
    }
  }
  cuda::wait_for_copies<0>();
}

// A kernel, and how it is launched over the grid.
template <class Real>
struct pass {
  void (*kernel)(pass_data<Real>);
  int sweeps;
  unsigned blocks;
  dim3 threads;
  std::size_t shared_bytes;
  double shared_bytes_per_unit;
  int strips;
  int segment_rows;
};

// Chooses the number of segments for which all blocks together need the fewest steps. Segments lower than their
// margins are not worth their work. Without result if the device cannot hold a block.
template <class Shape>
std::optional<pass<typename Shape::real>> pass_over(int nx, int ny) {
  if (Shape::shared_bytes > cuda::current_properties().shared_bytes_per_block) return {};
  pass<typename Shape::real> p{.kernel = march<Shape>,
                               .sweeps = Shape::sweeps,
                               .blocks = 0,
                               .threads = dim3(warp, Shape::stages),
                               .shared_bytes = Shape::shared_bytes,
                               .shared_bytes_per_unit = Shape::shared_bytes_per_unit,
                               .strips = (nx + Shape::strip_columns - 1) / Shape::strip_columns,
                               .segment_rows = ny};
  const auto resident = static_cast<long>(cuda::resident_blocks(p.kernel, p.threads, p.shared_bytes));
  if (resident == 0) return {};
  long fewest = std::numeric_limits<long>::max();
  for (int segments = 1; segments <= ny; ++segments) {
    const int rows = (ny + segments - 1) / segments;
    if (segments > 1 && rows < Shape::margin_rows) break;
    const long blocks = static_cast<long>(p.strips) * ((ny + rows - 1) / rows);
    const long turns = (blocks + resident - 1) / resident;
    const long steps = turns * (rows + 2 * Shape::margin_rows + Shape::stages + Shape::ahead);
    if (steps < fewest) {
      fewest = steps;
      p.blocks = static_cast<unsigned>(blocks);
      p.segment_rows = rows;
    }
    if (blocks > 8 * resident) break;
  }
  return p;
}

using longest_in_single = shape<float, 4, 4, 6, 2>;

// The passes that the device can hold. The longest comes first, the last one makes a single sweep.
template <class Real>
std::vector<pass<Real>> passes_over(int nx, int ny) {
  std::vector<pass<Real>> all;
  const auto add = [&]<class Shape>(Shape) {
    if (const auto p = pass_over<Shape>(nx, ny)) all.push_back(*p);
  };
  // A strip has half as many columns in double precision, so margins of sixteen would take half of them.
  if constexpr (sizeof(Real) == sizeof(float)) {
    add(longest_in_single{});
  } else {
    add(shape<Real, 4, 3, 10, 2>{});
  }
  add(shape<Real, 4, 2, 5, 4>{});
  add(shape<Real, 4, 1, 6, 6>{});
  add(shape<Real, 2, 1, 6, 6>{});
  add(shape<Real, 1, 1, 6, 6>{});
  if (all.empty() || all.back().sweeps != 1)
    throw unavailable("does not fit: this device cannot hold a block of one warp with its rows");
  return all;
}

// Writes the records of a row of the grid and its frame, `row` of -1 being the row below the grid. Where there is
// no node, the factors are zero, and so x stays zero there.
template <class Real>
void fold_row(const problem& p, int row, Real* records) {
  constexpr int columns = pack<Real>::columns;
  for (int w = 0; w < words; ++w) {
    const int k = w <= west ? w - 1 : w;  // the diagonal, if this is not g
    const int iy = row + (w == g ? 1 : -dy(k));
    if (iy < 0 || iy >= p.ny) continue;
    const std::size_t first = static_cast<std::size_t>(p.nx) * static_cast<std::size_t>(iy);
    const std::vector<float>& from = w == g ? p.f : p.diagonals[static_cast<std::size_t>(k)];
    const double sign = w == g ? 1 : -1;
    for (int ix = 0; ix < p.nx; ++ix) {
      const std::size_t i = first + static_cast<std::size_t>(ix);
      const int column = frame_left + ix;
      records[(column / columns * words + w) * columns + column % columns] =
          static_cast<Real>(sign * static_cast<double>(p.omega) * static_cast<double>(from[i]) /
                            static_cast<double>(p.diagonals[4][i]));
    }
  }
}

// The problem on the device.
template <class Real>
class framed_grid {
 public:
  explicit framed_grid(const problem& p)
      : nx_(static_cast<std::size_t>(p.nx)),
        ny_(static_cast<std::size_t>(p.ny)),
        rows_(ny_ + 2 * frame_rows),
        x_(frame_left + nx_ + frame_right, rows_),
        next_(frame_left + nx_ + frame_right, rows_),
        x0_(p.x0.begin(), p.x0.end()) {
    if (x_.pitch() != next_.pitch())
      throw error("cudaMallocPitch gave arrays of one width different pitches");
    if (x_.pitch() / columns * rows_ > std::numeric_limits<unsigned>::max())
      throw unavailable("does not fit: more nodes with their margins than 32 bits count");
    x_.fill_bytes(0);
    next_.fill_bytes(0);
    upload_records(p);
    reset();
  }

  void reset() { x_.upload(x0_.data(), nx_, ny_, frame_left, frame_rows); }

  std::vector<Real> solution() const {
    std::vector<Real> x(x0_.size());
    x_.download(x.data(), nx_, ny_, frame_left, frame_rows);
    return x;
  }

  // What a pass from x to the other iterate needs. These then change places.
  pass_data<Real> next_pass(const pass<Real>& p, Real keep) {
    const pass_data<Real> d{.records = reinterpret_cast<const record<Real>*>(records_.data()),
                            .x = reinterpret_cast<const pack<Real>*>(x_.data()),
                            .next = reinterpret_cast<pack<Real>*>(next_.data()),
                            .pitch = static_cast<unsigned>(x_.pitch() / columns),
                            .ny = static_cast<int>(ny_),
                            .strips = p.strips,
                            .segment_rows = p.segment_rows,
                            .keep = keep};
    std::swap(x_, next_);
    return d;
  }

 private:
  static constexpr std::size_t columns = pack<Real>::columns;

  // In blocks of rows, so that the host needs little memory.
  void upload_records(const problem& p) {
    constexpr std::size_t block_values = std::size_t{1} << 15;
    const std::size_t row_values = x_.pitch() * words;
    const std::size_t block_rows = std::min(rows_, std::max<std::size_t>(1, block_values / row_values));
    records_ = cuda::buffer<Real>(rows_ * row_values);
    std::vector<Real> block;
    for (std::size_t row = 0; row < rows_; row += block_rows) {
      const std::size_t count = std::min(block_rows, rows_ - row);
      block.assign(count * row_values, Real(0));
      for (std::size_t r = 0; r < count; ++r)
        fold_row(p, static_cast<int>(row + r) - frame_rows, block.data() + r * row_values);
      records_.upload(block.data(), block.size(), row * row_values);
    }
  }

  std::size_t nx_;
  std::size_t ny_;
  std::size_t rows_;
  cuda::pitched<Real> x_, next_;
  std::vector<Real> x0_;
  cuda::buffer<Real> records_;
};

// A loaded problem with its passes.
template <class Real>
class sweeper {
 public:
  explicit sweeper(const problem& p)
      : passes_(passes_over<Real>(p.nx, p.ny)), keep_(1 - static_cast<Real>(p.omega)), grid_(p) {}

  void reset() { grid_.reset(); }
  void sweep(int count) {
    for (const auto& p : passes_)
      for (; count >= p.sweeps; count -= p.sweeps)
        cuda::start(cuda::scheduling::overlapped, p.kernel, p.blocks, p.threads, p.shared_bytes, nullptr,
                    grid_.next_pass(p, keep_));
  }
  std::vector<Real> solution() const { return grid_.solution(); }
  int sweeps_at_once() const { return passes_.front().sweeps; }
  double shared_bytes_per_unit() const { return passes_.front().shared_bytes_per_unit; }

 private:
  std::vector<pass<Real>> passes_;
  Real keep_;
  framed_grid<Real> grid_;
};

// Per node and sweep. The matrix, f and x cross the memory bus once per pass.
constexpr work counted(double word_bytes, int sweeps, double shared_bytes) {
  return {.bytes_logical = 20 * word_bytes,
          .bytes_dram = 11 * word_bytes / sweeps,
          .bytes_dram_once = 0,
          .flops = 18,
          .bytes_shared = shared_bytes};
}

class cuda_blocked_in_time final : public solver {
 public:
  explicit cuda_blocked_in_time(const device& d) { cuda::use_device(d); }

  void load(const problem& p) override {
    clear();
    single_.emplace(p);
  }
  void load_in_double(const problem& p) override {
    clear();
    double_.emplace(p);
  }
  void reset() override {
    in_use([](auto& s) { s.reset(); });
  }
  void sweep(int count) override {
    in_use([&](auto& s) { s.sweep(count); });
  }
  std::vector<float> solution() override { return single_.value().solution(); }
  std::vector<double> solution_in_double() override { return double_.value().solution(); }
  work per_unit_in_double() const override {
    return counted(sizeof(double), sweeps_at_once(), double_ ? double_->shared_bytes_per_unit() : 0);
  }
  int sweeps_at_once() const override {
    return single_ ? single_->sweeps_at_once() : double_ ? double_->sweeps_at_once() : 1;
  }
  stopwatch& clock() override { return clock_; }

 private:
  // Frees the old problem before the new one is allocated.
  void clear() {
    single_.reset();
    double_.reset();
  }
  template <class Action>
  void in_use(Action action) {
    if (single_) {
      action(*single_);
    } else {
      action(double_.value());
    }
  }

  std::optional<sweeper<float>> single_;
  std::optional<sweeper<double>> double_;
  cuda::event_stopwatch clock_;
};

REPRISE_VARIANT(solver, cuda_blocked_in_time,
                {.summary = "sixteen sweeps in one pass over the matrix, twelve in double precision",
                 .place = "beyond the paper",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(sizeof(float), longest_in_single::sweeps,
                                     longest_in_single::shared_bytes_per_unit),
                 .repeats = determinism::bitwise});

}  // namespace
}  // namespace reprise::jacobi
