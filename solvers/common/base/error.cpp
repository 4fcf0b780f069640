// SPDX-License-Identifier: MIT
// Appends the source location of a failure to its message, and takes it away for users.
#include "solvers/common/base/error.hpp"

#include <cstring>
#include <regex>

#include "solvers/common/base/message.hpp"

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

std::string without_location(std::string_view message) {
  static const std::regex location(R"( \([A-Za-z0-9_]+\.(cpp|hpp|cu):[0-9]+\)$)");
  return std::regex_replace(std::string(message), location, "");
}

}  // namespace reprise
