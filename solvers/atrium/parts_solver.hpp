// SPDX-License-Identifier: MIT
// A solver in parts on several ranks. Rank 0 cuts the sphere, sends each rank its part, sends commands to
// all, and gathers their results.
//
// A part_solver solves one part. Its functions are those of `solver`, for the part. The progress that
// advance() returns must be the same on every rank, because all ranks follow it.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "solvers/atrium/partition.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/common/ranks/ranks.hpp"

namespace reprise::atrium {

class part_solver {
 public:
  virtual ~part_solver() = default;
  virtual void load(part p) = 0;  // must be followed by reset
  virtual void reset(const control& c) = 0;
  virtual progress advance(double t_end) = 0;  // bad cells have their numbers on the whole sphere
  virtual std::vector<cell_state> state() = 0;
  virtual recording recorded() = 0;
  virtual work per_unit() const = 0;
  virtual void leave_out_exchange(bool is_left_out) = 0;
  virtual ranks::time_split split(int steps) = 0;
};

enum part_command {
  load_part,
  reset_part,
  advance_part,
  state_of_part,
  record_of_part,
  leave_out,
  split_part
};

// Creates the solver of the right precision when a part arrives.
template <class Single, class Double>
class part_member final : public ranks::member {
 public:
  part_member(ranks::communicator& all, const device& mine) : all_(all), device_(mine) {}

  ranks::message execute(int command, ranks::message& with) override {
    ranks::message answer;
    switch (command) {
      case load_part:
        load(with);
        return answer;
      case reset_part:
        solver_->reset(with.get<control>());
        return answer.put(solver_->per_unit());
      case advance_part:
        return answer.put(solver_->advance(with.get<double>()));
      case state_of_part:
        return answer.put(solver_->state());
      case record_of_part: {
        const recording kept = solver_->recorded();
        return answer.put(kept.t).put(kept.v);
      }
      case leave_out:
        solver_->leave_out_exchange(with.get<bool>());
        return answer;
      case split_part:
        return answer.put(solver_->split(with.get<int>()));
      default:
        throw error("no command " + std::to_string(command));
    }
  }

 private:
  void load(ranks::message& with) {
    const auto arithmetic = with.get<precision>();
    if (!solver_ || arithmetic != arithmetic_) {
      solver_.reset();  // frees the old problem before allocating the new one
      solver_ = made_in<part_solver, Single, Double>(arithmetic, all_, device_);
      arithmetic_ = arithmetic;
    }
    solver_->load(part_in(with));
    with = {};  // frees the message
  }

  ranks::communicator& all_;
  device device_;
  precision arithmetic_{};
  std::unique_ptr<part_solver> solver_;
};

// How the sphere is cut.
struct cutting {
  std::vector<int> (*owners)(const mesh& m, int parts){owners_of};
  numbering order{numbering::border_last};
};

class parts_solver : public solver, public ranks::spread {
 public:
  parts_solver(std::string_view variant_id, const device& d, const cutting& how = {})
      : id_(variant_id), device_(d), cutting_(how), wanted_(ranks::count()) {}

  void use_ranks(int count) override { wanted_ = count; }

  void load(const problem& p, precision arithmetic) override {
    const std::vector<int> owner = cutting_.owners(p.mesh, wanted_);
    std::vector<part> parts = parts_of(p, owner, wanted_, cutting_.order);
    if (!team_ || team_->size() != wanted_) {
      team_.reset();
      team_ = std::make_unique<ranks::team>(id_, device_, wanted_);
    }
    std::vector<ranks::message> messages;
    number_.clear();
    column_.clear();
    for (part& one : parts) {
      put(messages.emplace_back().put(arithmetic), one);
      number_.push_back(std::move(one.number));
      column_.push_back(std::move(one.column));
      one = {};
    }
    team_->call(load_part, std::move(messages));
    reset(fixed_steps(scheme::euler, gate_rule::rush_larsen, 1));
  }

  void reset(const control& c) override {
    ranks::message m;
    auto answers = team_->call(reset_part, m.put(c));
    work_ = answers.front().get<work>();
  }

  progress advance(double t_end) override {
    ranks::message m;
    auto answers = team_->call(advance_part, m.put(t_end), ranks::manner::together);
    return answers.front().get<progress>();
  }

  std::vector<cell_state> state() override {
    std::size_t cells = 0;
    for (const auto& own : number_) cells += own.size();
    std::vector<cell_state> all(cells);
    auto answers = team_->call(state_of_part);
    for (std::size_t rank = 0; rank < answers.size(); ++rank) {
      const std::vector<int>& number = number_[rank];
      answers[rank].get_each<cell_state>(number.size(), [&](std::size_t n, const cell_state& y) {
        all[static_cast<std::size_t>(number[n])] = y;
      });
    }
    return all;
  }

  recording recorded() override {
    std::size_t columns = 0;
    for (const auto& own : column_) columns += own.size();
    recording all;
    auto answers = team_->call(record_of_part);
    for (std::size_t rank = 0; rank < answers.size(); ++rank) {
      const auto t = answers[rank].get_all<double>();
      const auto v = answers[rank].get_all<double>();
      if (column_[rank].empty()) continue;
      all.t = t;
      all.v.resize(t.size() * columns);
      for (std::size_t n = 0; n < v.size(); ++n) {
        const std::size_t own = column_[rank].size();
        all.v[n / own * columns + static_cast<std::size_t>(column_[rank][n % own])] = v[n];
      }
    }
    return all;
  }

  stopwatch& clock() override { return clock_; }
  work per_unit() const override { return work_; }

  void leave_out_exchange(bool is_left_out) override {
    ranks::message m;
    team_->call(leave_out, m.put(is_left_out));
  }

  ranks::time_split split(int steps) override {
    ranks::message m;
    ranks::time_split longest;
    for (ranks::message& answer : team_->call(split_part, m.put(steps), ranks::manner::together)) {
      const auto of_one = answer.get<ranks::time_split>();
      longest.step = std::max(longest.step, of_one.step);
      longest.compute = std::max(longest.compute, of_one.compute);
      longest.exchange = std::max(longest.exchange, of_one.exchange);
      longest.wait = std::max(longest.wait, of_one.wait);
    }
    return longest;
  }

 private:
  std::string id_;
  device device_;
  cutting cutting_;
  int wanted_;  // number of ranks
  std::unique_ptr<ranks::team> team_;
  std::vector<std::vector<int>> number_;  // of each rank's cells, on the whole sphere
  std::vector<std::vector<int>> column_;  // of each rank's recorded cells
  work work_{};
  steady_stopwatch clock_;
};

}  // namespace reprise::atrium
