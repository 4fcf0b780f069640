// SPDX-License-Identifier: MIT
// All steps in one launch that keeps the tissue in registers.
// Place: beyond the paper; OpenCL cannot synchronise the blocks of a grid.
// Formula: as in opencl_stages, with tanh computed by an exponential and
// constants replaced by their inverses.
//
// Each block holds a tile with its margin. Only cells that are copied in other tiles' margins leave the
// multiprocessor, once in as many steps as a margin lasts.
//
// Values travel as in solvers/common/cuda/mail.hpp, in boxes that belong to the tissue's cells. A thread
// whose cell is in the margin or beyond a border waits for the value of the cell that it copies. If tile A
// has cells in the margin of tile B, then B also has cells in the margin of A. A block can therefore be at
// most one exchange ahead of another that needs its values.
#include <algorithm>
#include <string>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/cuda/mail.hpp"
#include "solvers/tissue/cuda_state.hpp"
#include "solvers/tissue/cuda_tile.hpp"
#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {
namespace {

using small_shape = tile_shape<32, 16, 2>;
using large_shape = tile_shape<64, 8, 8>;

// The whole state crosses the memory bus once per launch.
work counted(model what, method how, double word_bytes) {
  const double word = fields_of(what) * word_bytes;
  return {.bytes_logical = stages_of(how) * 10.0 * word_bytes * diffusing_fields_of(what),
          .bytes_dram = 0,
          .bytes_dram_once = 2 * word,
          .flops = step_flops(what, how),
          .exchanges = 1.0 / steps_of_margin(how)};
}

struct post_office {
  unsigned long long* boxes;  // [parity][field][cell][words]
  unsigned epoch;             // number of exchanges in earlier launches
  cuda::patience patience;
};

template <class Real, class Model, class Terms, class Shape>
struct resident_tile : tile<Real, Model, Terms, Shape> {
  using base = tile<Real, Model, Terms, Shape>;
  using base::all;
  using base::fields;
  using base::rows;

  const post_office office;

  __device__ resident_tile(const tissue_data<Real>& d, Real* shared_memory, post_office o)
      : base(d, shared_memory), office(o) {}

  __device__ unsigned long long* box(unsigned tag, int f, int cell) const {
    const long long turn = tag & 1U;
    return office.boxes + (turn * fields * this->cells() + f * this->cells() + cell) * cuda::mail_words<Real>;
  }

  // Whether a margin cell or a ghost cell may copy this thread's own cell. That is so within one margin's
  // width of the edge of the tile's own cells, which may be the tissue's edge. edge::mirrored reflects at the
  // border cell itself, so it reaches one cell further.
  __device__ bool is_wanted(int r) const {
    constexpr int reach = margin + margin + 1;
    return !this->is_within(r, reach);
  }

  __device__ void send(unsigned tag) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (!this->is_own(r) || !is_wanted(r)) continue;
#pragma unroll
      for (int f = 0; f < fields; ++f) cuda::post(box(tag, f, this->place(r)), tag, this->z[r][f]);
    }
  }

  __device__ bool is_receiving(int r) const {
    return this->is_within(r, 0) && !this->is_own(r);
  }

  // Receives a few rows at a time, so that their values are on their way together.
  __device__ void receive(unsigned tag) {
    constexpr int batch = 2;
    static_assert(rows % batch == 0);
#pragma unroll
    for (int r = 0; r < rows; r += batch) receive_rows<batch>(r, tag);
  }

  template <int batch>
  __device__ void receive_rows(int first, unsigned tag) {
    cuda::letter<Real> letters[batch][fields];
    cuda::wait_until<cuda::clock_code::in_loop>(office.patience, [&] {
      bool complete = true;
#pragma unroll
      for (int r = 0; r < batch; ++r)
        if (is_receiving(first + r)) look(letters[r], first + r, tag);
#pragma unroll
      for (int r = 0; r < batch; ++r)
#pragma unroll
        for (int f = 0; f < fields; ++f)
          complete = complete && (!is_receiving(first + r) || letters[r][f].has_come(tag));
      return complete;
    });
#pragma unroll
    for (int r = 0; r < batch; ++r)
#pragma unroll
      for (int f = 0; f < fields; ++f)
        if (is_receiving(first + r))
          this->argument[first + r][f] = this->z[first + r][f] = letters[r][f].value();
  }

  __device__ void look(cuda::letter<Real>* letters, int r, unsigned tag) const {
    const int cell = this->place(r);
#pragma unroll
    for (int f = 0; f < fields; ++f) letters[f].look(box(tag, f, cell));
  }
};

template <class Real, class Model, class Terms, class Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    advance_resident(const __grid_constant__ tissue_data<Real> all, long steps, int steps_of_exchange,
                     post_office office, const Real* from, Real* to) {
  resident_tile<Real, Model, Terms, Shape> mine(all, cuda::dynamic_shared<Real>(), office);
  mine.go_to(corner_of<Shape>(static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y)));
  mine.load(from);
  unsigned tag = office.epoch;
  for (long n = 0; n < steps; ++n) {
    if (n > 0 && n % steps_of_exchange == 0) {
      ++tag;
      mine.send(tag);
      mine.receive(tag);
    }
    mine.step();
  }
  mine.store(to);
}

template <class Real>
class typed final : public solver {
 public:
  explicit typed(const device& d) { cuda::use_device(d); }

  void load(const problem& p, method m, double dt, precision) override {
    require_method(p, m, dt);
    require_kernel<Real>(p);
    problem_ = p;
    method_ = m;
    data_ = data_of<Real>(p, m, dt);
    choose_kernel();
    boxes_ = {};  // frees the old problem's boxes before allocating the new ones
    state_.make_room(p.state0);
    boxes_ = cuda::buffer<unsigned long long>(2 * state_.values() * cuda::mail_words<Real>);
    boxes_.fill_bytes(0);
    epoch_ = 0;
    reset();
  }

  void reset() override { state_.upload(problem_.state0); }

  void step(long count) override {
    while (count > 0) {
      const long steps = std::min(count, steps_of_launch);
      cuda::launch_resident(
          kernel_, tiles_, threads_, shared_bytes_, nullptr, data_, steps, steps_of_margin(method_),
          post_office{boxes_.data(), epoch_, cuda::usual_patience()}, state_.now(), state_.next());
      epoch_ += static_cast<unsigned>((steps - 1) / steps_of_margin(method_));
      state_.go_on();
      count -= steps;
    }
  }

  std::vector<std::vector<double>> state() override { return state_.download(); }

  stopwatch& clock() override { return clock_; }
  double launches_per_step() const override { return 1.0 / steps_of_launch; }
  work per_unit() const override {
    work w = counted(problem_.model, method_, sizeof(Real));
    w.bytes_shared = stages_of(method_) * shared_bytes_of_stage_ * computed_per_cell_;
    w.functions = stages_of(method_) * functions_of_cell(problem_, method_, false) * computed_per_cell_;
    return w;
  }

 private:
  // Limits the length of a launch, so that a display on the same device stays responsive.
  static constexpr long steps_of_launch = 20'000;

  template <class Model, class Terms, class Shape>
  void choose() {
    using tile_t = tile<Real, Model, Terms, Shape>;
    kernel_ = advance_resident<Real, Model, Terms, Shape>;
    tiles_ = tiles_of<Shape>(problem_);
    threads_ = Shape::threads;
    shared_bytes_ = tile_t::shared_values * sizeof(Real);
    shared_bytes_of_stage_ = tile_t::shared_bytes_of_stage;
    computed_per_cell_ = computed_per_cell<Shape>(problem_);
  }

  void choose_kernel() {
    const auto most = static_cast<unsigned>(cuda::current_properties().multiprocessors);
    with_types(problem_, method_, [&](auto model_type, auto terms) {
      using model_t = decltype(model_type);
      using terms_t = decltype(terms);
      if constexpr (has_kernel<Real, terms_t>) {
        choose<model_t, terms_t, small_shape>();
        // A large tile with four fields would need more registers than there are.
        if constexpr (model_t::fields == 2)
          if (tiles_.x * tiles_.y > most && fits_block<tile<Real, model_t, terms_t, large_shape>>())
            choose<model_t, terms_t, large_shape>();
      }
    });
    if (tiles_.x * tiles_.y > most)
      throw unavailable("does not fit on chip: " + std::to_string(tiles_.x * tiles_.y) + " tiles for " +
                        std::to_string(most) + " multiprocessors");
  }

  problem problem_;
  method method_{};
  tissue_data<Real> data_{};
  void (*kernel_)(tissue_data<Real>, long, int, post_office, const Real*, Real*){};
  dim3 tiles_;
  unsigned threads_{};
  std::size_t shared_bytes_{};
  double shared_bytes_of_stage_{}, computed_per_cell_{};
  cuda_state<Real> state_;
  cuda::buffer<unsigned long long> boxes_;
  unsigned epoch_{};
  cuda::event_stopwatch clock_;
};

using cuda_resident = in_either_precision<typed<float>, typed<double>>;

REPRISE_VARIANT(solver, cuda_resident,
                {.summary = "all steps in one launch, the tissue on chip",
                 .place = "beyond the paper",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(model::karma, method::runge_kutta, sizeof(double))});

}  // namespace
}  // namespace reprise::tissue
