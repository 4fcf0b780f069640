// SPDX-License-Identifier: MIT
// The sphere in parts on several ranks, with one thread per rank.
// Place: beyond the paper; on each rank sections 4.1 and 4.4, layout (16).
// Formula: section 3 on (8), gates by (11). A step's error is the maximum over all ranks, so that all
// ranks take the same decision.
//
// In every evaluation of the right-hand side a rank sends the voltages of its border, computes its interior
// while they are on their way, and then computes its border.
#include <chrono>
#include <limits>

#include "solvers/atrium/parts_solver.hpp"
#include "solvers/atrium/structures.hpp"

namespace reprise::atrium {
namespace {

using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point begin) {
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

// The loop over the cells of one rank, and the exchange of voltages across its border.
template <class Real>
class loop_of_part {
 public:
  void use(ranks::communicator& all, const part& p) {
    all_ = &all;
    interior_ = static_cast<std::size_t>(p.interior);
    halo_ = static_cast<std::size_t>(p.halo);
    first_ = static_cast<std::size_t>(p.cells());
    number_ = p.number;
    beside_ = p.beside;
    arriving_.resize(halo_);
    leaving_.clear();
    for (const bordering& b : beside_) leaving_.emplace_back(b.gives.size());
  }

  std::size_t halo() const { return halo_; }

  template <class Voltage, class Body>
  outcome over(std::size_t cells, Voltage voltage, Body body) {
    const auto begin = steady_clock::now();
    if (!is_alone_) send(voltage);
    outcome worst;
    for (std::size_t k = 0; k < interior_; ++k) worst = worse(worst, on_sphere(body(k)));
    const auto done = steady_clock::now();
    if (!is_alone_) receive(voltage);
    spent_.wait += seconds_since(done);
    spent_.exchange += seconds_since(begin);
    for (std::size_t k = interior_; k < cells; ++k) worst = worse(worst, on_sphere(body(k)));
    spent_.step += seconds_since(begin);
    return worst;
  }

  // The largest error and the lowest bad cell of all ranks.
  outcome of_all(const outcome& mine) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    double both[]{mine.error, mine.bad_cell < 0 ? none : -static_cast<double>(mine.bad_cell)};
    all_->make_largest(both);
    return {both[0], both[1] == none ? -1 : static_cast<int>(-both[1])};
  }

  void leave_out_exchange(bool is_left_out) { is_alone_ = is_left_out; }
  // The times since the last call.
  ranks::time_split spent() { return std::exchange(spent_, {}); }

 private:
  outcome on_sphere(const outcome& local) const {
    if (local.bad_cell < 0) return local;
    return {local.error, number_[static_cast<std::size_t>(local.bad_cell)]};
  }

  template <class Voltage>
  void send(Voltage voltage) {
    std::vector<ranks::parcel> parcels;
    for (std::size_t n = 0; n < beside_.size(); ++n) {
      const bordering& b = beside_[n];
      for (std::size_t i = 0; i < b.gives.size(); ++i)
        leaving_[n][i] = voltage(static_cast<std::size_t>(b.gives[i]));
      parcels.push_back({b.rank, leaving_[n].data(), leaving_[n].size() * sizeof(Real),
                         &arriving_[static_cast<std::size_t>(b.first) - first_],
                         static_cast<std::size_t>(b.count) * sizeof(Real)});
    }
    all_->start(parcels);
  }

  template <class Voltage>
  void receive(Voltage voltage) {
    all_->finish();
    for (std::size_t n = 0; n < halo_; ++n) voltage(first_ + n) = arriving_[n];
  }

  ranks::communicator* all_{};
  bool is_alone_{false};
  std::size_t interior_{};
  std::size_t halo_{};
  std::size_t first_{};  // first cell of the halo
  std::vector<int> number_;
  std::vector<bordering> beside_;
  std::vector<Real> arriving_;
  std::vector<std::vector<Real>> leaving_;  // one buffer per neighbour
  ranks::time_split spent_;
};

template <class Real>
class structures_of_part : public structures<Real, loop_of_part<Real>> {
 public:
  void load_part(ranks::communicator& all, const part& p) {
    this->loop_.use(all, p);
    this->load(p.own, precision{});
  }
  loop_of_part<Real>& loop() { return this->loop_; }
  const progress& now() const { return this->state_; }
};

template <class Real>
class on_rank final : public part_solver {
 public:
  on_rank(ranks::communicator& all, const device&) : all_(all) {}

  void load(part p) override { solver_.load_part(all_, p); }
  void reset(const control& c) override { solver_.reset(c); }
  progress advance(double t_end) override { return solver_.advance(t_end); }
  std::vector<cell_state> state() override { return solver_.state(); }
  recording recorded() override { return solver_.recorded(); }
  work per_unit() const override { return solver_.per_unit(); }
  void leave_out_exchange(bool is_left_out) override { solver_.loop().leave_out_exchange(is_left_out); }

  ranks::time_split split(int steps) override {
    const progress before = solver_.now();
    solver_.loop().spent();
    const progress after = solver_.advance(before.t + steps * before.wanted);
    ranks::time_split of_all = solver_.loop().spent();
    const auto attempts =
        static_cast<double>(after.accepted + after.rejected - before.accepted - before.rejected);
    return {of_all.step / attempts, (of_all.step - of_all.wait) / attempts, of_all.exchange / attempts,
            of_all.wait / attempts};
  }

 private:
  ranks::communicator& all_;
  structures_of_part<Real> solver_;
};

using cpu_part = part_member<on_rank<float>, on_rank<double>>;

class mpi_cpu final : public parts_solver {
 public:
  explicit mpi_cpu(const device& d) : parts_solver(REPRISE_VARIANT_ID, d) {}
};

REPRISE_MEMBER(cpu_part);

REPRISE_VARIANT(solver, mpi_cpu,
                {.summary = "the sphere in parts on the ranks of mpirun, one thread each",
                 .place = "beyond the paper; sections 4.1 and 4.4, layout (16)",
                 .precisions = {precision::single, precision::double_},
                 .per_unit = counted(data_of(scheme::euler), gate_rule::rush_larsen, sizeof(float))});

}  // namespace
}  // namespace reprise::atrium
