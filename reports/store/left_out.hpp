// SPDX-License-Identifier: MIT
// Samples that were left out because something disturbed them: what a row says of them, and how many are too many.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/store/row.hpp"

namespace reprise::reports {

// What the reason of a row says: "3 of 20 samples left out: EVIDENCE".
std::string left_out_note(std::size_t left_out, std::size_t all, const std::string& evidence);

// Whether so many of all samples were left out that the others were probably disturbed too, and nobody noticed.
bool are_too_many_left_out(std::size_t left_out, std::size_t all);

// Whether a disturbance of the timed work falsifies the row.
bool is_of_time(const row& r);

// Gives the row the status of a disturbed time, and puts the evidence before its reason.
void mark_disturbed(row& r, const std::string& evidence);

// Gives cases with too many samples left out the status of a disturbed time, because programs of the past did not.
void mark_too_many_left_out(std::vector<row>& rows);

}  // namespace reprise::reports
