// SPDX-License-Identifier: MIT
// The version, compiler and flags with which this program was built.
#pragma once

#include <string_view>

namespace reprise::harness {

struct build_info {
  std::string_view version, git, compiler, flags, build_type, cuda;
};

const build_info& this_build();

}  // namespace reprise::harness
