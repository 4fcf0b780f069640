// SPDX-License-Identifier: MIT
// The parameters of a case: an ordered list of parts "NAME=TEXT", such as "method=heun;dt=0.01".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reprise::reports {

class parameters {
 public:
  explicit parameters(std::string_view text);

  bool has(std::string_view name) const { return !part(name).empty(); }
  std::string text_of(std::string_view name) const;  // empty if there is no such part
  double number(std::string_view name) const;        // NaN unless the whole text is a number
  parameters without(std::string_view name) const;
  parameters only(std::string_view name) const;
  std::string text() const;

 private:
  std::string_view part(std::string_view name) const;  // empty if there is none

  std::vector<std::string> parts_;
};

}  // namespace reprise::reports
