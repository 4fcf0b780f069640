// SPDX-License-Identifier: MIT
// The program's main under another name, to be called by gpus.cpp.
#define main program_main
#include "benchmarks/main.cpp"
