// SPDX-License-Identifier: MIT
// Finds out how much of a core another hardware thread takes. A hypervisor may have given that thread to another virtual machine:
// then no counter of this machine shows who shares the core's units.
#pragma once

namespace reprise::harness {

// How long work takes that fills the units of the calling thread's core, as a multiple of the shortest time seen in this program
// on that processor; at least 1. Each time is counted in that of work which leaves the units idle, so the clock's rate does not
// matter. Takes a third of a millisecond.
double crowding();

// The largest of this thread's OpenMP threads.
double crowding_of_team();

}  // namespace reprise::harness
