// SPDX-License-Identifier: MIT
// The three ways in which something can go wrong, as types: a failure, a missing part, and bad input.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace reprise {

// A call failed although everything it needs is there. The message names the call, the code and the place.
class error : public std::runtime_error {
 public:
  explicit error(const std::string& what, std::source_location where = std::source_location::current());
};

// A device, a library or an extension is not there. Not a failure: it becomes the reason of a row.
class unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The user asked for something that cannot be: one line that says what was wrong and what to do.
class bad_input : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace reprise
