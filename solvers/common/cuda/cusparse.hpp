// SPDX-License-Identifier: MIT
// cuSPARSE, loaded when it is first needed, the check around its calls, and its handle.
#pragma once

#include <cusparse.h>

#include <source_location>
#include <string>

#include "solvers/common/base/error.hpp"
#include "solvers/common/cuda/vendor_libraries.hpp"

namespace reprise::cusparse {

inline void check(cusparseStatus_t code, const char* call,
                  std::source_location where = std::source_location::current()) {
  if (code != CUSPARSE_STATUS_SUCCESS)
    throw error(std::string(call) + " failed: " + REPRISE_LATE(cusparse, cusparseGetErrorName)(code), where);
}

#define REPRISE_CUSPARSE(NAME, ...) \
  reprise::cusparse::check(REPRISE_LATE(reprise::cusparse, NAME)(__VA_ARGS__), #NAME)

class library {
 public:
  library() { REPRISE_CUSPARSE(cusparseCreate, &handle_); }
  library(const library&) = delete;
  library& operator=(const library&) = delete;
  ~library() { static_cast<void>(REPRISE_LATE(cusparse, cusparseDestroy)(handle_)); }
  cusparseHandle_t get() const { return handle_; }

 private:
  cusparseHandle_t handle_{};
};

}  // namespace reprise::cusparse
