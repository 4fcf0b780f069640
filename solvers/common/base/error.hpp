// SPDX-License-Identifier: MIT
// The three kinds of failure as exception types: a failed call, a missing part, and bad input.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace reprise {

// A call failed although all that it needs is present. The message names the call, the error
// code and the source location.
class error : public std::runtime_error {
 public:
  explicit error(const std::string& what, std::source_location where = std::source_location::current());
};

// A device, a library or an extension is missing. This is not a failure of the program: the message
// becomes the reason in a result row.
class unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The user asked for something impossible. The message is one line that says what was wrong and what to do.
class bad_input : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace reprise
