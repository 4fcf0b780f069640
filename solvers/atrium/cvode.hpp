// SPDX-License-Identifier: MIT
// A C++ layer over SUNDIALS 6: owning handles and a check for all calls.
#pragma once

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>

#include <cstdlib>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>

#include "solvers/common/base/error.hpp"

// Calls SUNDIALS. If the call fails, throws reprise::error with the call, the flag and the source location.
// If the call creates an object, the result owns it.
#define REPRISE_SUNDIALS(CALL) ::reprise::atrium::sundials::check((CALL), #CALL)

namespace reprise::atrium::sundials {

inline void release(SUNContext c) {
  SUNContext_Free(&c);
}
inline void release(N_Vector v) {
  N_VDestroy(v);
}
inline void release(SUNNonlinearSolver s) {
  SUNNonlinSolFree(s);
}
inline void release(SUNLinearSolver s) {
  SUNLinSolFree(s);
}
inline void release(void* memory) {
  CVodeFree(&memory);
}

template <class Handle>
struct releasing {
  using pointer = Handle;
  void operator()(Handle h) const { release(h); }
};
template <class Handle>
using owned = std::unique_ptr<std::remove_pointer_t<Handle>, releasing<Handle>>;

using context = owned<SUNContext>;
using vector = owned<N_Vector>;
using nonlinear_solver = owned<SUNNonlinearSolver>;
using linear_solver = owned<SUNLinearSolver>;
using integrator = owned<void*>;

inline void check(int flag, const std::string& call,
                  std::source_location where = std::source_location::current()) {
  if (flag >= 0) return;
  const std::unique_ptr<char, decltype(&std::free)> name(CVodeGetReturnFlagName(flag), &std::free);
  throw error(call + " failed: " + name.get() + " (" + std::to_string(flag) + ")", where);
}

// Takes ownership of the object that a call has created. A null pointer means that the call failed.
template <class Handle>
owned<Handle> check(Handle made, const std::string& call,
                    std::source_location where = std::source_location::current()) {
  if (made == nullptr) check(CV_MEM_FAIL, call, where);
  return owned<Handle>(made);
}

inline context make_context() {
  SUNContext raw = nullptr;
  REPRISE_SUNDIALS(SUNContext_Create(nullptr, &raw));
  return context(raw);
}

}  // namespace reprise::atrium::sundials
