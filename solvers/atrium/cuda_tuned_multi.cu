// SPDX-License-Identifier: MIT
// Fixed steps with Rush-Larsen on several GPUs, many steps in one launch that keeps each part of the sphere on chip.
// Place: beyond the paper.
// Formula: section 3 on (8), gates by (11). Functions of the voltage are those of cuda_table.hpp.
//
// Each rank has a part of consecutive cells, and its GPU does what cuda_tuned.cu describes. The kernels of all ranks run
// at the same time, and their mail also goes to other GPUs: a block stores the voltage of a cell at the border in the
// memory of each GPU that needs it, over NVLink, as a word with the number of the exchange. The word is read and written
// as a whole, so that no flag or fence is needed. The reader looks into its own GPU's memory. The host takes no part in
// a step: it starts a launch, and asks afterwards whether any rank has found a bad cell.
//
//   voltages of a stage --> mail --> gates and concentrations --> wait for mail --> next stage
//                             `---------- on its way ----------'
//
// A launch begins with a letter to each neighbour, because the last step of a launch sends none.
//
// Prediction for a step of Euler of 655,362 cells on four H200s, 163,841 cells each:
//   cuda_tuned's step   as many cells on one H200, measured                                    4.4 us
//   mail                8 bytes for each of some 2000 cells at a part's border                 .04 us at 400 GB/s
//   its latency         a store to another GPU, 1 to 2 us, of which gates and concentrations
//                       hide about 2 us                                                        0 to 1 us
//   a launch            state in and out, a letter, and the host, for 100 steps                .3 to .7 us
// so 4.5 to 6 us. What a part computes falls with its size and the latency does not: with fewer than some 60,000 cells
// for each GPU a step is bound by the latency.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "solvers/atrium/parts_solver.hpp"
#include "solvers/atrium/tuned_run.hpp"
#include "solvers/common/cuda/peers.hpp"

namespace reprise::atrium {
namespace {

// Goes on where a bad cell has been found, because the other GPUs wait for mail.
template <steps_kind kind, int cells_of_thread>
__global__ void __launch_bounds__(most_threads_on_chip, 1)
    run_part(const __grid_constant__ tuned_data d, const __grid_constant__ far_mail mail,
             const __grid_constant__ stretch now, const __grid_constant__ sample_data<float> samples,
             const float* from, float* to) {
  make_stretch<kind, cells_of_thread>(d, now, samples, mail, from, to);
}

// Exchanges voltages and computes nothing, to measure what that takes.
__global__ void __launch_bounds__(most_threads_on_chip, 1)
    exchange_only(const __grid_constant__ tuned_data d, const __grid_constant__ far_mail mail, unsigned tag,
                  int rounds, const float* v) {
  const auto block = static_cast<int>(blockIdx.x);
  const int first = block * d.patch_cells;
  const int end = min(first + d.patch_cells, d.s.cells);
  const auto thread = static_cast<int>(threadIdx.x);
  const auto threads = static_cast<int>(blockDim.x);
  for (int n = 0; n < rounds; ++n, ++tag) {
    for (int k = first + thread; k < end; k += threads)
      if (d.rings[k].wanted != 0) mail.post(mail.boxes(d, tag) + k, d.rings[k].wanted, tag, v[k]);
    float voltage;
    for (int m = thread; m < d.margin_count[block]; m += threads)
      mail.collect(d, mail.boxes(d, tag), d.margin_cells[block * d.margin + m], tag, voltage);
    __syncthreads();
  }
}

class part_on_chip final : public run_on_chip<part_solver> {
 public:
  part_on_chip(ranks::communicator& all, const device& d) : all_(all) { cuda::use_device(d); }

  void load(part p) override {
    boxes_.reset();
    number_ = std::move(p.number);
    ranks::agreed(all_, [&] { load_patches(std::move(p.own), static_cast<std::size_t>(p.halo)); });
    boxes_ = std::make_unique<cuda::peer_buffer<unsigned long long>>(
        all_, 2 * static_cast<std::size_t>(boxes_of_set_));
    tag_ = 1;  // boxes hold zeros
    write_letters(p.beside);
    is_left_out_ = false;
  }

  void reset(const control& c) override {
    if (c.is_adaptive)
      throw unavailable("errors that steps are chosen by do not travel between GPUs' kernels");
    start_steps(c);
    take_sample();
  }

  progress advance(double t_end) override {
    start_interval(state_, t_end);
    while (state_.state == ending::running) {
      const planned p = plan(most_of_launch());
      launch(p.part);
      look(p);
    }
    return state_;
  }

  void leave_out_exchange(bool is_left_out) override { is_left_out_ = is_left_out; }

  ranks::time_split split(int steps) override {
    ranks::time_split spent;
    start_interval(state_, state_.t + 2 * steps * state_.wanted);
    for (int left = steps; left > 0 && state_.state == ending::running;) {
      planned p = plan(left);
      left -= p.part.steps;
      fit_to(p.part);
      spent.compute += seconds_of([&] { run_kernel(p.part, true); });
      clear_found();
      spent.exchange += seconds_of([&] { run_exchanges(p.part.steps); });
      spent.step += seconds_of([&] { run_kernel(p.part, is_left_out_); });
      current_ = 1 - current_;
      look(p);
    }
    for (double* part : {&spent.step, &spent.compute, &spent.exchange}) *part /= steps;
    spent.wait = std::max(0., spent.step - spent.compute);
    return spent;
  }

 private:
  auto kernel() const {
    return for_fixed_steps([](auto kind, auto cells) { return &run_part<kind.value, cells.value>; });
  }

  // What a rank tells a neighbour of its boxes.
  struct boxes_there {
    int of_set;
    int first;  // of those that the neighbour fills
  };

  // Names the boxes to which the border's voltages go.
  void write_letters(const std::vector<bordering>& beside) {
    std::vector<boxes_there> mine, theirs(beside.size());
    for (const bordering& b : beside) mine.push_back({boxes_of_set_, b.first});
    std::vector<ranks::parcel> parcels;
    for (std::size_t n = 0; n < beside.size(); ++n)
      parcels.push_back({beside[n].rank, &mine[n], sizeof mine[n], &theirs[n], sizeof theirs[n]});
    all_.exchange(parcels);
    std::vector<letter_abroad> letters;
    for (std::size_t n = 0; n < beside.size(); ++n) {
      unsigned long long* box = boxes_->of(beside[n].rank) + theirs[n].first;
      for (int k : beside[n].gives) {
        unsigned& wanted = patches_.rings[static_cast<std::size_t>(k)].wanted;
        letters.push_back({box++, theirs[n].of_set, wanted >> 1U});
        wanted = (wanted & 1U) | static_cast<unsigned>(letters.size()) << 1U;
      }
    }
    letters_ = cuda::uploaded(letters);
    rings_.upload(patches_.rings.data(), patches_.rings.size());
  }

  // The same on all ranks, each of which has room for its own samples.
  long long most_of_launch() {
    const auto room = static_cast<double>(samples_.room(state_.accepted));
    return std::min<long long>(most_steps, std::max(1LL, static_cast<long long>(-all_.largest(-room))));
  }

  void launch(const stretch& s) {
    if (s.steps == 0) return;
    fit_to(s);
    run_kernel(s, is_left_out_);
    current_ = 1 - current_;
  }

  far_mail mail(bool is_left_out) const { return {letters_.data(), boxes_of_set_, is_left_out}; }

  void run_kernel(stretch s, bool is_left_out) {
    number_tags(s);
    cuda::launch_resident(kernel(), blocks(), threads(), shared_bytes_, nullptr, data_with(boxes_->data()),
                          mail(is_left_out), s, samples_.view(), sphere_.state_at(current_),
                          sphere_.state_at(1 - current_));
  }

  void run_exchanges(int rounds) {
    cuda::launch_resident(exchange_only, blocks(), threads(), 0, nullptr, data_with(boxes_->data()),
                          mail(is_left_out_), tag_, rounds, sphere_.state_at(current_));
    tag_ += static_cast<unsigned>(rounds);
  }

  // All ranks begin together.
  template <class Launch>
  double seconds_of(Launch launch_one) {
    all_.wait_for_all();
    begin_.record(nullptr);
    launch_one();
    end_.record(nullptr);
    return begin_.seconds_until(end_);
  }

  // Waits for the launch. If any rank has a bad cell, all return to the first step with one and repeat the launch up to
  // that step.
  void look(const planned& launched) {
    found now{};
    found_.download(&now, 1);
    // The bits of errors are ordered like errors, and above them are those of a NaN.
    double of_all[]{now.bad == none_bad ? -HUGE_VAL : -static_cast<double>(now.bad >> 32U),
                    static_cast<double>(now.error)};
    all_.make_largest(of_all);
    if (plan_.is_judged)
      state_.error = static_cast<double>(std::bit_cast<float>(static_cast<unsigned>(of_all[1])));
    if (plan_.is_judged || now.bad != none_bad) clear_found();
    if (std::isfinite(of_all[0])) repeat_up_to(launched, static_cast<long long>(-of_all[0]), now.bad);
    make_room_for_samples();
  }

  void repeat_up_to(const planned& launched, long long step, unsigned long long bad_here) {
    const bool is_here = bad_here != none_bad && static_cast<long long>(bad_here >> 32U) == step;
    const double here =
        is_here ? -static_cast<double>(number_[static_cast<std::size_t>(bad_here & 0xffffffffU)]) : -HUGE_VAL;
    launch(plan_up_to(launched, step));
    finish_attempt(state_, {0, static_cast<int>(-all_.largest(here))});
  }

  ranks::communicator& all_;
  std::vector<int> number_;  // of each cell, on the whole sphere; increasing
  std::unique_ptr<cuda::peer_buffer<unsigned long long>> boxes_;
  cuda::buffer<letter_abroad> letters_;
  bool is_left_out_{};
  cuda::event begin_, end_;
};

using member_on_chip = part_member<part_on_chip, part_on_chip>;

class cuda_tuned_multi final : public parts_solver {
 public:
  explicit cuda_tuned_multi(const device& d)
      : parts_solver(REPRISE_VARIANT_ID, d, {owners_in_order, numbering::as_on_sphere}) {}
};

REPRISE_MEMBER(member_on_chip);

REPRISE_VARIANT(
    solver, cuda_tuned_multi,
    {.summary = "fixed steps, many a launch, a part of the sphere on each rank's chip, mail over NVLink",
     .place = "beyond the paper",
     .precisions = {precision::single},
     .per_unit = work_of_step(data_of(scheme::euler), steps_kind::euler)});

}  // namespace
}  // namespace reprise::atrium
