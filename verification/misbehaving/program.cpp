// SPDX-License-Identifier: MIT
// The program, to be called by gpus.cpp.
#define main program_main
#include "benchmarks/main.cpp"
