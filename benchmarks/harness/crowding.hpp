// SPDX-License-Identifier: MIT
// Finds out how much of a core another hardware thread takes, and how far processors are from each other. A hypervisor decides on
// both, and no counter of this machine shows it.
#pragma once

#include <functional>
#include <vector>

namespace reprise::harness {

// How long work takes that fills the units of the calling thread's core, as a multiple of the shortest time seen on that
// processor since the machine was started; at least 1. Each time is counted in that of work which leaves the units idle, so the
// clock's rate does not matter. Takes a third of a millisecond. Not for several threads at once.
double crowding();

// How long a single chain of operations took, and several side by side, which fill the units of a core: usually, and at most.
struct pace {
  double serial{}, parallel{}, longest_parallel{};
};

// The same of the pace that a thread had on a processor.
double crowding_of_thread(const pace& now, int processor);

// The same of this thread's OpenMP threads, which work at the same time, as in a solver. A team is as fast as its slowest thread,
// so the slowest one counts, and the shortest times are those of the slowest in teams of this size. The threads must be bound.
double crowding_of_team();

// The same of the paces that the threads of a team had.
double crowding_of_team(const std::vector<pace>& threads);

// What lasts of a crowding: where it is above `most`, the least of three looks some milliseconds apart. With many threads there is
// often one that the hypervisor takes from its core just then.
double lasting(const std::function<double()>& look, double most);

// How long it takes until one of this thread's OpenMP threads sees what another one has written, on average round the team, as a
// multiple of the shortest time seen since the machine was started; at least 1. A hypervisor moves the processors of a virtual
// machine to cores that share a cache, or to cores that are far apart. The threads must be bound.
double distance_of_team();

// The same of a time and the shortest one. Two hardware threads of a core hear of each other sooner than two cores, but are no
// better place for work: no time within a shared cache counts as longer than at best.
double distance(double seconds, double shortest);

}  // namespace reprise::harness
