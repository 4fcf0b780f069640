// SPDX-License-Identifier: MIT
// An OpenCL driver that crashes as soon as it is loaded.
#include <csignal>

namespace {

[[maybe_unused]] const int crashed = std::raise(SIGSEGV);

}  // namespace
