// SPDX-License-Identifier: MIT
// The check around calls of cuSPARSE, and its handle.
#pragma once

#include <cusparse.h>

#include <source_location>
#include <string>

#include "solvers/common/base/error.hpp"

namespace reprise::cusparse {

inline void check(cusparseStatus_t code, const char* call,
                  std::source_location where = std::source_location::current()) {
  if (code != CUSPARSE_STATUS_SUCCESS)
    throw error(std::string(call) + " failed: " + cusparseGetErrorName(code), where);
}

class library {
 public:
  library() { check(cusparseCreate(&handle_), "cusparseCreate"); }
  library(const library&) = delete;
  library& operator=(const library&) = delete;
  ~library() { static_cast<void>(cusparseDestroy(handle_)); }
  cusparseHandle_t get() const { return handle_; }

 private:
  cusparseHandle_t handle_{};
};

}  // namespace reprise::cusparse
