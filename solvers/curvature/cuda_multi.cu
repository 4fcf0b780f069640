// SPDX-License-Identifier: MIT
// One grid on the GPUs of several ranks. Each rank has a block of rows, and all
// ranks take the same decisions.
// Place: beyond the paper, which has one GPU.
// Formula: Algorithm 4.1 on (17) or (21), by the kernels of cuda_fused.
//
// Five stages depend on 5 rows of a neighbour (Willmore flow: 10). There are two ways to get them. One
// exchanges stage by stage, one row of k_i at a time. The other exchanges 5 rows of the new surface at
// once, from which a rank recomputes its neighbour's stages. Both move 5 rows to either side, 160 KiB at
// 8193 columns in single precision. The second sends one message instead of five consecutive ones and
// computes 20 more rows of stages, which on 2048 rows is 0.2 % of the flops (Willmore flow: 40 rows, 0.4
// %). We therefore use the second.
//
// The last stage begins with the rows that neighbours need, and the exchange overlaps with its
// other rows. The largest error of all ranks is found during the next attempt's first stage, which
// does not wait for the decision.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/cuda/exchange.hpp"
#include "solvers/common/ranks/ranks.hpp"
#include "solvers/curvature/border.hpp"
#include "solvers/curvature/cuda_halo.hpp"
#include "solvers/curvature/cuda_rows.hpp"
#include "solvers/curvature/cuda_timeline.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
namespace {

__global__ void decide_attempt(decision* decided, int parity) {
  decide(decided, parity);
}

// A rank's part of the work, in either precision.
class block {
 public:
  virtual ~block() = default;
  virtual void reset(const control& c) = 0;
  virtual merson advance(double t_end) = 0;
  virtual std::vector<double> surface() = 0;
  virtual void leave_out_exchange(bool is_left_out) = 0;
  virtual ranks::time_split split(int attempts) = 0;
};

template <class Real>
class typed_block final : public block {
 public:
  typed_block(const grid& g, ranks::communicator& all, cuda::exchange& between, std::vector<double> surface)
      : grid_(g),
        own_(block_of(g, all.rank(), all.size())),
        surface_(std::move(surface)),
        rows_(g, own_.held, strip_rows()),
        halo_(rows_.view(), own_, halo_rows(g.flow), all, between) {
    divide_last_stage(all);
    reset(control{});
  }

  void reset(const control& c) override {
    rows_.start(surface_, c);
    parity_ = 0;
    state_ = at_start(c);
    current_ = 0;
  }

  merson advance(double t_end) override {
    begin(t_end);
    while (state_.state == ending::running) {
      const long long attempts = attempts_to_queue(state_);
      for (long long a = 0; a < attempts; ++a) queue_attempt();
      look();
    }
    return state_;
  }

  // The rows of the grid that belong to this rank alone; the outer ranks' rows include the border.
  std::vector<double> surface() override {
    row_range rows = own_.own;
    if (rows.first == 1) rows.first = 0;
    if (rows.last == grid_.cells_y) rows.last = grid_.nodes_y();
    return rows_.surface(current_, rows);
  }

  void leave_out_exchange(bool is_left_out) override { halo_.leave_out(is_left_out); }

  ranks::time_split split(int attempts) override {
    const long long before = state_.accepted + state_.rejected;
    begin(state_.t + 1e3 * attempts * state_.wanted);
    timeline_.start(computing_.get());
    for (int a = 0; a < attempts; ++a) queue_attempt();
    timeline_.stop(computing_.get());
    look();
    if (state_.accepted + state_.rejected - before != attempts)
      throw error("a run that was to be timed for " + std::to_string(attempts) + " attempts ended before");
    return timeline_.split(attempts);
  }

 private:
  int strip_rows() const {
    constexpr int fewest = 4;
    const int rows = best_strip_rows(grid_, own_.own.last - own_.own.first);
    return grid_.flow == flow::willmore ? 0 : std::max(rows, fewest);
  }

  // Divides the last stage into the rows that neighbours need, which come first, and the others. In a low
  // block all rows may be needed.
  void divide_last_stage(const ranks::communicator& all) {
    const int halo = halo_rows(grid_.flow);
    row_range rest = own_.own;
    if (all.rank() > 0) rest.first += halo;
    if (all.rank() + 1 < all.size()) rest.last -= halo;
    if (rest.first >= rest.last) {
      wanted_ = {own_.own};
      return;
    }
    if (rest.first > own_.own.first) wanted_.push_back({own_.own.first, rest.first});
    if (rest.last < own_.own.last) wanted_.push_back({rest.last, own_.own.last});
    others_ = {rest};
  }

  void begin(double t_end) {
    rows_.begin(t_end, parity_);
    start_interval(state_, t_end);
  }

  void look() {
    const decision now = rows_.settled(parity_);
    state_ = now.state;
    current_ = now.current;
  }

  void queue(int stage, std::span<const row_range> rows) {
    if (!rows.empty()) rows_.queue(stage, parity_, rows, computing_.get());
  }

  void queue_stage(int stage) {
    const row_range rows = rows_of_stage(grid_, own_, stage);
    queue(stage, {&rows, 1});
  }

  // The calls are in an order in which a device without streams could execute them too.
  void queue_attempt() {
    cudaStream_t const here = computing_.get();
    cudaStream_t const aside = exchanging_.get();
    parity_ = 1 - parity_;
    cuda::launch(decide_attempt, 1, warp, 0, aside, rows_.decided(0), parity_);
    is_decided_.give(aside);

    timeline_.wait(here, have_come_);
    queue_stage(0);
    timeline_.wait(here, is_decided_);
    for (int stage = 1; stage < 4; ++stage) queue_stage(stage);
    queue(4, wanted_);
    are_ready_.give(here);
    queue(4, others_);
    is_complete_.give(here);

    are_ready_.await(aside);
    timeline_.exchange(aside, [&] { halo_.exchange(parity_, aside); });
    have_come_.give(aside);
    is_complete_.await(aside);
    timeline_.exchange(aside, [&] { halo_.reduce_error(parity_, aside); });
  }

  grid grid_;
  row_block own_;
  std::vector<double> surface_;
  staged_rows<Real, judge::own_launch> rows_;
  halo<Real> halo_;
  std::vector<row_range> wanted_, others_;  // rows of the last stage
  cuda::stream computing_;
  cuda::stream exchanging_{cuda::urgency::urgent};
  cuda::signal is_decided_, have_come_, are_ready_, is_complete_;
  timeline timeline_;
  merson state_;
  int current_{};
  int parity_{};  // index of the latest attempt's decision
};

enum command { connect, load, reset, advance, surface, leave_out_exchange, split };

class part final : public ranks::member {
 public:
  part(ranks::communicator& all, const device& mine) : all_(all) { cuda::use_device(mine); }

  ranks::message execute(int command, ranks::message& with) override {
    ranks::message answer;
    switch (command) {
      case connect:
        between_ = cuda::make_exchange(all_);
        break;
      case load:
        take(with);
        break;
      case reset:
        block_->reset(with.get<control>());
        break;
      case advance:
        answer.put(block_->advance(with.get<double>()));
        break;
      case surface:
        answer.put(block_->surface());
        break;
      case leave_out_exchange:
        block_->leave_out_exchange(with.get<bool>());
        break;
      case split:
        all_.wait_for_all();
        answer.put(block_->split(with.get<int>()));
        break;
    }
    return answer;
  }

 private:
  void take(ranks::message& with) {
    block_.reset();  // frees the old block before allocating the new one
    const auto g = with.get<grid>();
    const auto arithmetic = with.get<precision>();
    auto values = with.get_all<double>();
    block_ = made_in<block, typed_block<float>, typed_block<double>>(arithmetic, g, all_, *between_,
                                                                     std::move(values));
  }

  ranks::communicator& all_;
  std::unique_ptr<cuda::exchange> between_;
  std::unique_ptr<block> block_;
};

REPRISE_MEMBER(part);

class cuda_multi final : public solver, public ranks::spread {
 public:
  explicit cuda_multi(const device& d) : device_(d), ranks_(ranks::count()) {
    cuda::use_device(d);
    clock_.emplace();
  }

  void use_ranks(int count) override {
    parts_.reset();
    ranks_ = count;
  }

  void load(const problem& p, precision arithmetic) override {
    require_rows_for(p, ranks_);
    gather_ranks();
    problem_ = p;
    arithmetic_ = arithmetic;
    std::vector<ranks::message> shares(static_cast<std::size_t>(ranks_));
    for (int r = 0; r < ranks_; ++r) {
      const row_range held = block_of(p, r, ranks_).held;
      shares[static_cast<std::size_t>(r)]
          .put(static_cast<const grid&>(p))
          .put(arithmetic)
          .put(std::vector<double>(row(held.first), row(held.last)));
    }
    parts_->call(command::load, shares);
    leave_out_exchange(is_left_out_);
  }

  void reset(const control& c) override { tell(command::reset, c); }

  merson advance(double t_end) override {
    return state_ = tell(command::advance, t_end, ranks::manner::together).front().get<merson>();
  }

  std::vector<double> surface() override {
    std::vector<double> values;
    values.reserve(problem_.nodes());
    for (ranks::message& of_rank : parts_->call(command::surface)) {
      const auto rows = of_rank.get_all<double>();
      values.insert(values.end(), rows.begin(), rows.end());
    }
    impose_border(problem_, profiles<double>(problem_), state_.t, values.data());
    return values;
  }

  stopwatch& clock() override { return *clock_; }
  work per_unit() const override {
    return counted(problem_.flow, problem_.boundary,
                   arithmetic_ == precision::single ? sizeof(float) : sizeof(double));
  }

  void leave_out_exchange(bool is_left_out) override {
    is_left_out_ = is_left_out;
    if (parts_) tell(command::leave_out_exchange, is_left_out);
  }

  ranks::time_split split(int attempts) override {
    ranks::time_split longest;
    for (ranks::message& of_rank : tell(command::split, attempts, ranks::manner::together)) {
      const auto here = of_rank.get<ranks::time_split>();
      if (here.step > longest.step) longest = here;
    }
    return longest;
  }

 private:
  void gather_ranks() {
    if (parts_) return;
    auto parts = std::make_unique<ranks::team>(REPRISE_VARIANT_ID, device_, ranks_);
    parts->call(command::connect);
    parts_ = std::move(parts);
  }

  std::vector<double>::const_iterator row(int j) const {
    return problem_.u0.begin() + static_cast<std::ptrdiff_t>(j) * problem_.nodes_x();
  }

  template <class T>
  std::vector<ranks::message> tell(command order, const T& data,
                                   ranks::manner manner = ranks::manner::apart) {
    ranks::message m;
    return parts_->call(order, m.put(data), manner);
  }

  device device_;
  int ranks_;
  std::optional<cuda::event_stopwatch> clock_;  // created once the device is selected
  std::unique_ptr<ranks::team> parts_;
  problem problem_;
  precision arithmetic_{};
  bool is_left_out_{};
  merson state_;
};

REPRISE_VARIANT(solver, cuda_multi,
                {.summary = "blocks of rows on several GPUs, one exchange an attempt",
                 .place = "beyond the paper",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(flow::mean_curvature, boundary::manufactured, sizeof(double))});

}  // namespace
}  // namespace reprise::curvature
