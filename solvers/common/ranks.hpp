// SPDX-License-Identifier: MIT
// One problem on several processes. `mpirun -n 4 reprise ...` starts four ranks: rank 0 is the whole program,
// the others wait for what a variant on rank 0 wants of them.
//
// A variant that works on several ranks has on each of them, rank 0 included, a `member`: its part of the
// problem. On rank 0 the variant makes a `team`, which makes the members, and calls commands of its own:
//
//   class part final : public ranks::member {
//    public:
//     part(ranks::communicator& all, const device& mine);
//     ranks::message execute(int command, ranks::message& with) override;   // load, advance, state ...
//   };
//   REPRISE_MEMBER(part);
//
//   ranks::team parts(REPRISE_VARIANT_ID, device, ranks::count());
//   parts.call(load, messages_for_each_rank);
//   parts.call(advance, message_to_all, ranks::manner::together);
//
// Members reach each other through their communicator: halos with start() and finish(), errors with
// largest().
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/common/communicator.hpp"
#include "solvers/common/device.hpp"
#include "solvers/common/message.hpp"

namespace reprise::ranks {

// How many were started: 1 without mpirun.
int count();

// Its constructor must not wait for other ranks, one of which may have failed to come so far.
class member {
 public:
  virtual ~member() = default;
  // What rank 0 calls, with what it sends along; what is returned goes back to it.
  virtual message execute(int command, message& with) = 0;
};

using member_maker = std::unique_ptr<member> (*)(communicator&, const device&);

// By a static object of the variant's file; see REPRISE_MEMBER.
class member_registration {
 public:
  member_registration(std::string_view variant_id, backend runs_on, member_maker make);
};

// Whether members wait for each other in a command. Where one of them fails in one that all do apart, rank 0
// hears of it and goes on; of one that they do together the others would wait for ever, so that all ranks
// stop with the reason of the one that failed.
enum class manner { apart, together };

// On rank 0: the members on the first `size` ranks. Its functions throw what a member threw, with its rank,
// as the same type: error, unavailable or bad_input.
class team {
 public:
  // With `first` for rank 0 and, on a GPU, the next ones of each host for the other ranks there. Throws
  // unavailable for more ranks than were started, and for more on a host than it has GPUs.
  team(std::string_view variant_id, const device& first, int size);
  team(const team&) = delete;
  team& operator=(const team&) = delete;
  ~team();

  int size() const { return size_; }
  // What each returned, by rank.
  std::vector<message> call(int command, manner how = manner::apart) { return call(command, message(), how); }
  std::vector<message> call(int command, const message& to_all, manner how = manner::apart);
  std::vector<message> call(int command, std::vector<message> to_each, manner how = manner::apart);

 private:
  std::vector<message> answers_after(struct reply of_first);
  void unmake();

  int number_;
  int size_;
};

// Where the time of a step goes, in seconds, of the rank that takes longest.
struct time_split {
  double step{};
  double compute{};   // what is left of the step without the wait
  double exchange{};  // of borders, from packing them to their arrival
  double wait{};      // for them, with nothing to compute
};

// What is asked of a variant on several ranks besides its paper's interface; a solver that is one has this
// as a second base.
class spread {
 public:
  virtual ~spread() = default;
  // The first so many of those that were started, which are all otherwise. Before the problem is loaded.
  virtual void use_ranks(int count) = 0;
  // Without exchange answers are wrong: this is for timing what it costs.
  virtual void leave_out_exchange(bool is_left_out) = 0;
  // Of so many steps more, from where the solver is.
  virtual time_split split(int steps) = 0;
};

// From the beginning of main to its end. On rank 0 it compares the builds of all ranks, and throws bad_input
// where one differs; its destructor lets the others go.
class session {
 public:
  session();
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();

  bool is_first() const;
  // On all other ranks: does what teams on rank 0 want until that ends.
  void serve();

 private:
  bool is_one_build_{true};
};

}  // namespace reprise::ranks

// Makes class MEMBER, from a communicator and a device, this file's variant's part on each rank.
#define REPRISE_MEMBER(MEMBER)                                                            \
  [[maybe_unused]] const ::reprise::ranks::member_registration reprise_registered_member( \
      REPRISE_VARIANT_ID, ::reprise::backend::REPRISE_VARIANT_BACKEND,                    \
      [](::reprise::ranks::communicator& all, const ::reprise::device& mine)              \
          -> std::unique_ptr<::reprise::ranks::member> { return std::make_unique<MEMBER>(all, mine); })
