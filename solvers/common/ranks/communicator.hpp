// SPDX-License-Identifier: MIT
// Processes (ranks) that work on one problem, and their communication: messages, exchanges of borders with
// neighbours, and small reductions. All calls of MPI in the program are behind this interface.
//
// Without mpirun, or without MPI, there is a single rank. Then nothing is sent, and all calls still work.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "solvers/common/ranks/message.hpp"

namespace reprise::ranks {

// One neighbour's part of an exchange, in host memory: what to send to it, and where to store what it sends.
// Both sides must agree on the sizes. If a size is 0, nothing is sent in that direction.
struct parcel {
  int rank{};
  const void* from{};
  std::size_t from_bytes{};
  void* to{};
  std::size_t to_bytes{};
};

class communicator {
 public:
  communicator();  // of this process alone
  communicator(communicator&&) noexcept;
  communicator& operator=(communicator&&) noexcept;
  ~communicator();

  // All processes that mpirun started, or this process alone without mpirun. The first call initialises MPI.
  // Throws bad_input if mpirun started several processes of a program without MPI.
  static communicator& world();
  // Initialises MPI for a library that needs it even in a single process. Does nothing if it is initialised.
  static void start_for_library();
  // The first `count` ranks of this communicator. Exactly those ranks must call it.
  communicator first(int count) const;

  int rank() const;
  int size() const;
  int rank_on_host() const;  // 0 for the first rank on this host
  // How many ranks on this host may use one of this rank's processors, itself included. All ranks must call it.
  int sharing_processors() const;

  // Sends to and receives from all neighbours at once. The memory must not be touched
  // between start() and finish().
  void start(std::span<const parcel> parcels);
  void finish();
  void exchange(std::span<const parcel> parcels) {
    start(parcels);
    finish();
  }

  // Reductions over all ranks. Every rank gets the same result.
  double largest(double of_mine);
  void make_largest(std::span<double> values);  // element by element
  double sum(double of_mine);
  // The lowest rank's non-empty text, prefixed with "rank N: " unless N is 0.
  std::string first_of(const std::string& mine);
  void wait_for_all();

  void send(int rank, const message& m);
  // A patient receiver sleeps if it waits for long, and so leaves the processor to others.
  enum class patience { none, patient };
  message receive(int rank, patience how = patience::none);

  // Ends all ranks at once. (mpirun does the same if a rank dies.)
  [[noreturn]] static void stop_all(int status);
  // Shuts MPI down. Must come after the last call on any communicator.
  static void leave();
  // The name of the MPI library. Throws unavailable if the program was built without MPI.
  static std::string library();

 private:
  struct state;
  explicit communicator(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

// Rank and process count from the launcher's environment variables, available before MPI is initialised.
struct started {
  int rank{0};
  int count{1};
};
started by_launcher();

}  // namespace reprise::ranks
