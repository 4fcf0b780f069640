// SPDX-License-Identifier: MIT
// Finds the libraries by the names that the build found: without the minor version, or at their place.
#include "solvers/common/cuda/vendor_libraries.hpp"

namespace reprise {

#ifdef REPRISE_CUBLAS_NAMES
const late_library& cublas::functions() {
  static const late_library loaded({REPRISE_CUBLAS_NAMES}, "install libcublas of the CUDA toolkit");
  return loaded;
}
#endif

#ifdef REPRISE_CUSOLVER_NAMES
const late_library& cusolver::functions() {
  static const late_library loaded({REPRISE_CUSOLVER_NAMES}, "install libcusolver of the CUDA toolkit");
  return loaded;
}
#endif

#ifdef REPRISE_CUSPARSE_NAMES
const late_library& cusparse::functions() {
  static const late_library loaded({REPRISE_CUSPARSE_NAMES}, "install libcusparse of the CUDA toolkit");
  return loaded;
}
#endif

#ifdef REPRISE_MAGMA_NAMES
const late_library& magma::functions() {
  static const late_library loaded(
      {REPRISE_MAGMA_NAMES}, "put the folder of libmagma.so, built for this CUDA, into LD_LIBRARY_PATH");
  return loaded;
}
#endif

}  // namespace reprise
