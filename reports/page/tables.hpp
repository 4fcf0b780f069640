// SPDX-License-Identifier: MIT
// The paper's tables, redrawn: a layout filled with published rows first, then measured ones.
#pragma once

#include <span>

#include "reports/page/shown_rows.hpp"
#include "reports/store/layout.hpp"
#include "reports/text/table.hpp"

namespace reprise::reports {

// One line for each device and variant. Its first columns are source, device, variant, and other fields that
// distinguish lines. The others are sizes if the layout has one metric, otherwise metrics.
table make_table(const layout& shape, std::span<const shown_row> rows);

}  // namespace reprise::reports
