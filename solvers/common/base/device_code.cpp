// SPDX-License-Identifier: MIT
// Texts about the code that a GPU runs.
#include "solvers/common/base/device_code.hpp"

namespace reprise {
namespace {

std::string cure(int device) {
  return "build with -DCMAKE_CUDA_ARCHITECTURES=" + std::to_string(device);
}

}  // namespace

device_code describe_code(int device, int binary, int source) {
  const std::string runs = source < binary
                               ? "compute_" + std::to_string(source) + ", compiled by the driver (JIT)"
                               : "sm_" + std::to_string(binary);
  if (binary >= device && source >= device) return {runs, "", false};
  return {runs,
          "runs older code than its own sm_" + std::to_string(device) + ": " + runs + "; " + cure(device) +
              " for its full speed",
          false};
}

device_code describe_missing_code(int device, const std::string& why) {
  return {"", "has no code for its sm_" + std::to_string(device) + " (" + why + "): " + cure(device), true};
}

}  // namespace reprise
