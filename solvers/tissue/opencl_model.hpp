// SPDX-License-Identifier: MIT
// How models.cl is built for a problem.
#pragma once

#include <string>

#include "solvers/tissue/problem.hpp"

namespace reprise::tissue {

inline std::string opencl_option(const char* name, int value) {
  return " -D " + std::string(name) + "=" + std::to_string(value);
}

inline std::string opencl_options(const problem& p, method m) {
  const int gates = m == method::implicit_euler ? 1 : m == method::rush_larsen ? 2 : 0;
  return "-cl-std=CL1.2" + opencl_option("MODEL", static_cast<int>(p.what)) +
         opencl_option("FORM", static_cast<int>(p.form)) +
         opencl_option("BORDER", static_cast<int>(p.border)) + opencl_option("GATES", gates) +
         (p.has_sharp_constants ? " -D SHARP" : "") + (p.replaces_tanh ? " -D REPLACES_TANH" : "") +
         (p.multiplies_powers ? " -D POWERS" : "");
}

}  // namespace reprise::tissue
