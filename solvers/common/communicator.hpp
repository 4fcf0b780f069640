// SPDX-License-Identifier: MIT
// Processes that work on one problem, its ranks, and how they reach each other: messages, exchanges of
// borders with neighbours, small reductions. All of the program's calls of MPI are behind this.
//
// Without mpirun there is one rank, and without MPI too: then nothing is sent, and every call works.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "solvers/common/message.hpp"

namespace reprise::ranks {

// A neighbour's share of an exchange, in host memory: what it gets, and where what it sends is put. Both
// sides must agree on the sizes; of no bytes nothing is sent.
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

  // Every process that mpirun started, which it calls MPI_Init for the first time it is asked; this process
  // alone where none did. Throws bad_input where mpirun has started several of a program without MPI.
  static communicator& world();
  // The first `count` ranks of this one. All of them, and only they, must call it.
  communicator first(int count) const;

  int rank() const;
  int size() const;
  int rank_on_host() const;  // 0 for the first of those that run on this host

  // Sends to and receives from every neighbour at once. From start to finish the memory must be left alone.
  void start(std::span<const parcel> parcels);
  void finish();
  void exchange(std::span<const parcel> parcels) {
    start(parcels);
    finish();
  }

  // The same on every rank.
  double largest(double of_mine);
  void make_largest(std::span<double> values);  // each of its own
  double sum(double of_mine);
  // Of the ranks that give a text that is not empty, the first one's; with its rank where that is not 0.
  std::string first_of(const std::string& mine);
  void wait_for_all();

  void send(int rank, const message& m);
  // A patient one leaves the processor to others while nothing comes.
  enum class patience { none, patient };
  message receive(int rank, patience how = patience::none);

  // Ends all ranks at once. (mpirun does the same where a rank dies.)
  [[noreturn]] static void stop_all(int status);
  // After the last call of any communicator.
  static void leave();
  // The library behind all this; throws unavailable where the program was built without one.
  static std::string library();

 private:
  struct state;
  explicit communicator(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

// As mpirun and its like tell a process through its environment, before any MPI.
struct started {
  int rank{0};
  int count{1};
};
started by_launcher();

}  // namespace reprise::ranks
