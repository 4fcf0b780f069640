// SPDX-License-Identifier: MIT
// One problem on several processes. `mpirun -n 4 reprise ...` starts four ranks. Rank 0 runs the whole
// program; the others wait for orders from a variant on rank 0.
//
// A variant that works on several ranks has a `member` on each of them, including rank 0: its part
// of the problem. On rank 0 the variant creates a `team`, which creates the members, and calls
// commands that the variant defines:
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
// Members communicate through their communicator: halos by start() and finish(), errors by largest().
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/common/base/device.hpp"
#include "solvers/common/ranks/communicator.hpp"
#include "solvers/common/ranks/message.hpp"

namespace reprise::ranks {

// Number of ranks started; 1 without mpirun.
int count();

// One rank's part of a variant. The constructor must not wait for other ranks, because
// theirs may have failed earlier.
class member {
 public:
  virtual ~member() = default;
  // Executes a command that rank 0 calls, with the data that it sends. The result is sent back to rank 0.
  virtual message execute(int command, message& with) = 0;
};

using member_maker = std::unique_ptr<member> (*)(communicator&, const device&);

// Registers a variant's member by a static object in the variant's file; see REPRISE_MEMBER.
class member_registration {
 public:
  member_registration(std::string_view variant_id, backend runs_on, member_maker make);
};

// Whether members wait for each other in a command. If a member fails in a command that runs apart, rank 0
// gets the error and goes on. In a command that runs together (a collective), the other members would wait
// for ever, so all ranks stop with the reason of the one that failed.
enum class manner { apart, together };

// The members on the first `size` ranks, as rank 0 sees them. Its functions rethrow what a member threw, with
// its rank, as error, unavailable or bad_input.
class team {
 public:
  // Rank 0 gets the device `first`. CUDA ranks on one host take its GPUs in order, starting there; on any
  // other backend they share the host's first device. Throws unavailable if fewer ranks were started, or if a
  // host has more ranks than GPUs.
  team(std::string_view variant_id, const device& first, int size);
  team(const team&) = delete;
  team& operator=(const team&) = delete;
  ~team();

  int size() const { return size_; }
  // Runs a command on all members and returns their results in the order of ranks.
  std::vector<message> call(int command, manner how = manner::apart) { return call(command, message(), how); }
  std::vector<message> call(int command, const message& to_all, manner how = manner::apart);
  std::vector<message> call(int command, std::vector<message> to_each, manner how = manner::apart);

 private:
  std::vector<message> answers_after(struct reply of_first);
  void unmake();

  int number_;
  int size_;
};

// Where the time of a step goes, in seconds, on the rank that takes longest.
struct time_split {
  double step{};
  double compute{};   // the step without the wait
  double exchange{};  // of borders, from packing to arrival
  double wait{};      // for borders, with nothing left to compute
};

// The additional interface of a variant that runs on several ranks. Its solver has
// this as a second base class.
class spread {
 public:
  virtual ~spread() = default;
  // Uses only the first `count` of the started ranks; the default is all of them. Call
  // it before loading the problem.
  virtual void use_ranks(int count) = 0;
  // Leaves out the exchange of borders. The answers are then wrong: this serves to
  // measure what the exchange costs.
  virtual void leave_out_exchange(bool is_left_out) = 0;
  // Takes `steps` more steps from the current state and returns their time split.
  virtual time_split split(int steps) = 0;
};

// Lives from the beginning to the end of main. On rank 0 the constructor throws bad_input if any rank runs
// another build of the program, and the destructor ends serve() on the other ranks.
class session {
 public:
  session();
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();

  bool is_first() const;
  // On all other ranks: executes the orders of teams on rank 0 until its session ends.
  void serve();

 private:
  bool is_one_build_{true};
};

}  // namespace reprise::ranks

// Registers class MEMBER as this file's variant's part on each rank. MEMBER is constructed from
// a communicator and a device.
#define REPRISE_MEMBER(MEMBER)                                                            \
  [[maybe_unused]] const ::reprise::ranks::member_registration reprise_registered_member( \
      REPRISE_VARIANT_ID, ::reprise::backend::REPRISE_VARIANT_BACKEND,                    \
      [](::reprise::ranks::communicator& all, const ::reprise::device& mine)              \
          -> std::unique_ptr<::reprise::ranks::member> { return std::make_unique<MEMBER>(all, mine); })
