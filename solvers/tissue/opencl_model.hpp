// SPDX-License-Identifier: MIT
// Build options of models.cl for a problem, and the layout of a state in a buffer: field after field.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "solvers/common/opencl/opencl.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::tissue {

inline std::string opencl_option(const char* name, int value) {
  return " -D " + std::string(name) + "=" + std::to_string(value);
}

inline std::string opencl_options(const problem& p, method m) {
  const int gates = m == method::implicit_euler ? 1 : m == method::rush_larsen ? 2 : 0;
  return "-cl-std=CL1.2" + opencl_option("MODEL", static_cast<int>(p.model)) +
         opencl_option("FORM", static_cast<int>(p.form)) +
         opencl_option("BORDER", static_cast<int>(p.border)) + opencl_option("GATES", gates) +
         (p.has_sharp_constants ? " -D SHARP" : "") + (p.replaces_tanh ? " -D REPLACES_TANH" : "") +
         (p.multiplies_powers ? " -D POWERS" : "");
}

inline std::vector<double> flattened(const std::vector<std::vector<double>>& fields) {
  std::vector<double> flat;
  for (const auto& field : fields) flat.insert(flat.end(), field.begin(), field.end());
  return flat;
}

inline std::vector<std::vector<double>> fields_in(const opencl_buffer<double>& state, std::size_t cells) {
  std::vector<std::vector<double>> fields;
  for (std::size_t first = 0; first < state.size(); first += cells)
    fields.push_back(state.read(first, cells));
  return fields;
}

}  // namespace reprise::tissue
