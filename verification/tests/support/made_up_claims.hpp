// SPDX-License-Identifier: MIT
// Writes and reads claims, with a few bounds for them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/judging/claims.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace reprise::testing {

inline const std::string claim_header =
    "id,headline,place,claim,class,quantity,published,unit,bound,partly,otherwise,decided_by,reason\n";

inline const std::string some_bounds =
    "kind,of,range,sentence,reason\n"
    "about,times,0.5..2,about N times,r\n"
    "beats,value,>1,better,r\n"
    "wins,value,<1,faster,r\n"
    "at_least_three,value,>=3,three,r\n"
    "near,plus,-0.1..0.1,near N,r\n"
    "digit,digits,-0.5..0.5,a printed number,r\n"
    "equal,plus,0..0,equal,r\n";

// Writes jacobi.csv and bounds.csv into the folder.
inline void put_claims(const std::filesystem::path& folder, const std::string& lines) {
  put(folder / "bounds.csv", some_bounds);
  put(folder / "jacobi.csv", claim_header + lines);
}

// The claims of these lines.
inline std::vector<reports::claim> claims_in(const std::string& lines) {
  const temporary_folder folder;
  put_claims(folder.path(), lines);
  return reports::read_claims(folder / "jacobi.csv", reports::read_bounds(folder / "bounds.csv"));
}

}  // namespace reprise::testing
