// SPDX-License-Identifier: MIT
// The measured number that stands beside a printed one: from which rows it comes, how far it lies from print, and what a
// reader must know of it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/judging/assessment.hpp"
#include "reports/page/measured_lookup.hpp"
#include "reports/page/printed_layout.hpp"
#include "reports/page/shown_rows.hpp"

namespace reprise::reports {

// How far the measured number lies from the printed one. `same`: the printed digits, or within 5 %; then up to a factor
// of two, up to ten, and beyond, below and above.
enum class band { none, same, near_below, below, far_below, near_above, above, far_above };
std::string_view to_string(band b);

struct measured_number {
  const row* from{};                                      // null if there is none
  double value{no_value}, low{no_value}, high{no_value};  // in the cell's unit
  double ratio{no_value};                                 // to the printed number
  band distance{band::none};
  std::string device;              // its name
  std::string text, ratio_text;    // with "7.1e-3" for powers
  const row* beside{};             // what it was divided by or computed from too
  std::string beside_text;         // "of 113 GB/s"
  std::string runs_text;           // "155 to 319": where other runs of the case differ
  std::string verdict, claim;      // of the claim that holds the cell; empty if none does
  std::string reason;              // why there is none
  std::vector<std::string> notes;  // what a reader must know of it
  std::vector<std::size_t> runs;   // of its rows
};

// A choice of a device and, in place of the paper's variant, of another one.
struct table_view {
  std::string device, variant;
  std::string variant_name{};
};

// The number in print that a measured one stands beside.
struct print_of_cell {
  const row* published{};
  double value{no_value}, half_unit{};  // in the cell's unit
  std::string unit;
};

// Finds and compares the measured numbers of cells. The arguments must outlive it.
class cell_measurer {
 public:
  cell_measurer(const measured_lookup& lookup, const assessment& judged, std::span<const run> runs,
                const variant_names& names);

  measured_number measure(const layout_cell& cell, const printed_layout& layout, const table_view& view,
                          const print_of_cell& printed) const;
  // The same with this row of those that the cell may show; nothing if it may not show it.
  std::optional<measured_number> measure_row(const layout_cell& cell, const printed_layout& layout,
                                             const table_view& view, const print_of_cell& printed,
                                             const row& wanted) const;

 private:
  struct operands {
    const measured_lookup::found* number{};
    const measured_lookup::found* beside{};
  };

  measured_number measure(const layout_cell& cell, const printed_layout& layout, const table_view& view,
                          const print_of_cell& printed, operands from) const;
  bool take(measured_number& to, const layout_cell& cell, const operands& from,
            const std::string& unit) const;
  void add_verdict(measured_number& to, const row& published) const;
  void add_notes(measured_number& to, const layout_cell& cell, const row_key& selector,
                 const operands& from) const;
  void add_other_runs(measured_number& to, const layout_cell& cell, const row_key& selector,
                      const operands& from, const std::string& unit) const;

  const measured_lookup& lookup_;
  const assessment& judged_;
  std::span<const run> runs_;
  const variant_names& names_;
  struct decided {
    std::size_t claim{};
    double by{};  // the row's number
  };
  std::multimap<number_id, decided> claims_;  // that a number decides
};

// Whether the selector is of what a device reached with nothing else to do.
bool is_roof(const row_key& selector);

}  // namespace reprise::reports
