// SPDX-License-Identifier: MIT
// Compares the time of a case with what the same program took for it on the same machine before. What no counter shows, such as
// another virtual machine's use of a cache, is known by its effect where a case was measured before.
#pragma once

#include <string>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/harness/shortest_times.hpp"

namespace reprise::harness {

// What must be equal for two times of a case to be alike: its name with the engine, settings, device, threads, the variables of
// the environment that variants and their libraries read, and the libraries that are installed. Empty for a case on several
// ranks, whose hosts and network would have to be equal too.
std::string work_of_case(const std::string& name, const case_plan& plan, const device& on);

// How much longer the work took than at best, in words, if it is more than a quarter; empty otherwise.
std::string slower_than_before(const shortest_times& known, const std::string& work, double seconds);

// The shortest times of cases that this program has measured on this machine since the machine was started.
shortest_times& case_times_here();

// Writes them for later runs, and removes those of programs that have not run for a month.
void keep_case_times();

}  // namespace reprise::harness
