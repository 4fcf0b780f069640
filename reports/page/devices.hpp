// SPDX-License-Identifier: MIT
// What a report shows about one device: its roofs, how near each variant comes to them, and what a solve costs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/page/figures.hpp"
#include "reports/page/shown_rows.hpp"
#include "reports/store/run.hpp"
#include "reports/text/table.hpp"

namespace reprise::reports {

// A roof over all runs that measured it, by one way to the device: "cuda", "opencl".
struct device_roof {
  std::string way, precision, name, unit;
  double low{no_value}, middle{no_value}, high{no_value};
  std::size_t runs{};
};

struct device_summary {
  std::string name;  // "NVIDIA H200"
  std::string page;  // its file's name
  std::vector<std::string> runs;
  std::vector<document> descriptions;  // in the runs, each once
  std::vector<device_roof> roofs;
  table nearest;  // the case of each variant that comes nearest to a roof, with time, shares and energy
  std::optional<figure> roofline;
};

// One for each board, however many ways lead to it, in the order of the runs. `rows` must be the result of shown_rows for
// the same runs.
std::vector<device_summary> summarise_devices(std::span<const shown_row> rows, std::span<const run> runs);

}  // namespace reprise::reports
