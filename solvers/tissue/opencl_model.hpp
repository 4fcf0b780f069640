// SPDX-License-Identifier: MIT
// Build options of models.cl for a problem, and the layout of a state in a buffer: field after field.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "solvers/common/opencl/opencl.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::tissue {

inline std::string opencl_option(const char* name, int value) {
  return " -D " + std::string(name) + "=" + std::to_string(value);
}

template <class Real>
std::string opencl_options(const problem& p, method m) {
  const char* const arithmetic =
      sizeof(Real) == sizeof(double) ? " -D REAL=double" : " -D REAL=float -D SINGLE";
  const int gates = m == method::implicit_euler ? 1 : m == method::rush_larsen ? 2 : 0;
  return "-cl-std=CL1.2" + std::string(arithmetic) + opencl_option("MODEL", static_cast<int>(p.model)) +
         opencl_option("FORM", static_cast<int>(p.form)) +
         opencl_option("BORDER", static_cast<int>(p.border)) + opencl_option("GATES", gates) +
         (p.has_sharp_constants ? " -D SHARP" : "") + (p.replaces_tanh ? " -D REPLACES_TANH" : "") +
         (p.multiplies_powers ? " -D POWERS" : "");
}

// Double precision is an extension of OpenCL.
template <class Real>
void require_precision(const device& d) {
  if (sizeof(Real) == sizeof(double) && !d.fp64) throw unavailable("no cl_khr_fp64 on " + d.id);
}

template <class Real>
std::vector<Real> flattened(const std::vector<std::vector<double>>& fields) {
  std::vector<Real> flat;
  for (const auto& field : fields) flat.insert(flat.end(), field.begin(), field.end());
  return flat;
}

template <class Real>
std::vector<std::vector<double>> fields_in(const opencl_buffer<Real>& state, std::size_t cells) {
  std::vector<std::vector<double>> fields;
  for (std::size_t first = 0; first < state.size(); first += cells) {
    const std::vector<Real> values = state.read(first, cells);
    fields.emplace_back(values.begin(), values.end());
  }
  return fields;
}

}  // namespace reprise::tissue
