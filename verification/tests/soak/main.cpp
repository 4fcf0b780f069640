// SPDX-License-Identifier: MIT
// Runs a family's experiments repeatedly in one process until it is killed. scripts/soak watches it.
//
// usage: repeated_runs WORD DEVICES SIZE
#include <malloc.h>

#include <cstdio>
#include <iostream>

#include "benchmarks/harness/runner.hpp"
#include "verification/tests/support/temporary_folder.hpp"

int main(int argc, char** argv) {
  using namespace reprise;
  if (argc != 4) {
    std::fputs("usage: repeated_runs WORD DEVICES SIZE\n", stderr);
    return 1;
  }
  try {
    harness::run_request request;
    request.experiments = {std::string(argv[1]) + "/*"};
    request.device_glob = argv[2];
    request.plan.level = harness::preset::smoke;
    add_sizes(request, {argv[3]});
    for (;;) {
      const testing::temporary_folder folder;
      request.out = folder / "run";
      run_experiments(request, std::cout);
      // Prints the heap in use, because resident memory hides leaks within memory that the allocator keeps.
      const auto heap = ::mallinfo2();
      std::cout << "run ended: " << ((heap.uordblks + heap.hblkhd) >> 10U) << " KiB in use" << std::endl;
    }
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "repeated_runs: %s\n", problem.what());
    return 1;
  }
}
