// SPDX-License-Identifier: MIT
// States of cells that reach every branch of the kinetics: each side of each switch, each removable singularity
// and the ends of its series, and the thresholds of the calcium store's release.
#pragma once

#include "solvers/atrium/problem.hpp"

namespace reprise::verification::atrium {

// A sphere whose cells are in these states, one after the other. Spheres of few cells take different ones, and
// other amounts of acetylcholine. Stimuli begin and end within the time of a few steps. Under the plain rule no
// voltage is so low that the gate m needs shorter steps than all others.
reprise::atrium::problem covering_problem(int subdivisions, reprise::atrium::gate_rule rule);

// A sphere whose cells have smoothly different states far from rest, with the same stimuli. In a few steps this reveals
// errors that a wave would show late.
reprise::atrium::problem skew_problem(int subdivisions);

// The number of different states. A sphere of three subdivisions has room for all.
std::size_t covering_states();

// F_n of the fact sheet, the signal that opens the release, in units in which its thresholds are 250 and 50.
double release_signal(const reprise::atrium::cell_parameters& p, const reprise::atrium::cell_state& y);

}  // namespace reprise::verification::atrium
