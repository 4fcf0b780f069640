// SPDX-License-Identifier: MIT
// Forwards the question to the part that knows CUDA, if it was built.
#include "solvers/common/base/kernel_needs.hpp"

namespace reprise {
namespace {

kernel_asker& asker() {
  static kernel_asker registered = nullptr;
  return registered;
}

}  // namespace

kernel_asker_registration::kernel_asker_registration(kernel_asker ask) {
  asker() = ask;
}

std::vector<kernel_need> needs_of_kernels() {
  return asker() == nullptr ? std::vector<kernel_need>{} : asker()();
}

}  // namespace reprise
