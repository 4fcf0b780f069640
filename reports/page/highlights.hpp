// SPDX-License-Identifier: MIT
// The lines that summarise a report: at most three for each paper.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/page/paper.hpp"

namespace reprise::reports {

std::vector<std::string> highlights(std::span<const paper> papers);

}  // namespace reprise::reports
