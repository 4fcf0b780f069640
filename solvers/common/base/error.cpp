// SPDX-License-Identifier: MIT
// Appends the source location of a failure to its message.
#include "solvers/common/base/error.hpp"

#include <cstring>

namespace reprise {
namespace {

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

}  // namespace

error::error(const std::string& what, std::source_location where)
    : std::runtime_error(what + " (" + base_name(where.file_name()) + ":" + std::to_string(where.line()) +
                         ")") {}

}  // namespace reprise
