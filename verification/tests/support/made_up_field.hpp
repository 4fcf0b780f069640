// SPDX-License-Identifier: MIT
// Generated fields: a wave in x on a plane that rises with y.
#pragma once

#include <cmath>
#include <string>

#include "reports/store/field.hpp"
#include "reports/store/row.hpp"

namespace reprise::testing {

inline reports::field field_of(const reports::row& r, const std::string& name, int nx, int ny) {
  reports::field f{r, name, nx, ny, -4, 4, 0, 4, {}};
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) f.values.push_back(std::sin(8.0 * i / (nx - 1) - 4) + 0.5 * j / (ny - 1));
  return f;
}

}  // namespace reprise::testing
