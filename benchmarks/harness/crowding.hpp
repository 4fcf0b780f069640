// SPDX-License-Identifier: MIT
// Finds out how much of a core another hardware thread takes, and how far processors are from each other. A hypervisor decides on
// both, and no counter of this machine shows it.
#pragma once

namespace reprise::harness {

// How long work takes that fills the units of the calling thread's core, as a multiple of the shortest time seen on that
// processor since the machine was started; at least 1. Each time is counted in that of work which leaves the units idle, so the
// clock's rate does not matter. Takes a third of a millisecond. Not for several threads at once.
double crowding();

// How long a single chain of operations took, and several side by side, which fill the units of a core.
struct pace {
  double serial{}, parallel{};
};

// The same of a pace that a thread in a team of this size had on a processor.
double crowding(const pace& now, int threads, int processor);

// The largest of this thread's OpenMP threads, which work at the same time, as in a solver. The shortest times are those of teams
// of this size: hardware threads of a core that both belong to the team are no disturbance. The threads must be bound.
double crowding_of_team();

// How long it takes until one of this thread's OpenMP threads sees what another one has written, on average round the team, as a
// multiple of the shortest time seen since the machine was started; at least 1. A hypervisor moves the processors of a virtual
// machine to cores that share a cache, or to cores that are far apart. The threads must be bound.
double distance_of_team();

// The same of a time and the shortest one. Two hardware threads of a core hear of each other sooner than two cores, but are no
// better place for work: no time within a shared cache counts as longer than at best.
double distance(double seconds, double shortest);

}  // namespace reprise::harness
