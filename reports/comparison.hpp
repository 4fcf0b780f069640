// SPDX-License-Identifier: MIT
// Devices side by side: what is compared, whether it may be, and one column for each device.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "reports/claims.hpp"
#include "reports/layout.hpp"
#include "reports/row.hpp"
#include "reports/run_folder.hpp"

namespace reprise::reports {

// What the user names: a run's folder; a recorded device, which may have several runs; or the board of a
// paper, whose printed rows stand for a run's.
struct compared {
  std::string name;
  bool is_paper{};
  std::vector<run> runs;
};

struct comparison_sources {
  std::filesystem::path recorded_dir;   // <device>/<run>
  std::filesystem::path published_dir;  // <word>.csv
  std::filesystem::path claims_dir;     // <word>.csv
  std::vector<family_layout> families;
};

// Throws bad_input for a name that is none of the three, with those that there are.
compared read_compared(const std::string& name, const comparison_sources& from);

// Properties of runs that may differ only where the user says so.
std::vector<std::string> variable_properties();

// Throws bad_input with one line where the same run is given twice.
void require_once(std::span<const compared> all);

// Throws bad_input with one line where runs of an experiment differ in preset, sizes, settings, version or
// build, unless `vary` names it, and where that names something else.
void require_same_properties(std::span<const compared> all, std::span<const std::string> vary);

// The same for both, and where one has no experiment in common with any other or no precision in common
// where they have the same case.
void require_alike(std::span<const compared> all, std::span<const std::string> vary);

// Keys of run.json that runs have different texts for, a line each.
std::vector<std::string> differences_in(std::span<const compared> all,
                                        std::initializer_list<const char*> keys);

// What else differs between runs, a line each: it may be why the numbers do.
std::vector<std::string> other_differences(std::span<const compared> all);

// One board or processor of what is compared: its ids are the ways to reach it, "cuda:0" and "opencl:1".
struct device_column {
  std::string label;
  std::size_t owner{};  // in the list of what is compared
  std::vector<std::string> ids;
};

// Devices that have numbers, in the order of what is compared.
std::vector<device_column> columns_of(std::span<const compared> all);

struct compared_cell {
  double value{no_value};
  double share{no_value};  // percent of the roof that is nearer, as measured in the same run
  std::string roof;        // "copy" or "flops"
  double per_joule{no_value};
};

struct compared_line {
  std::string variant, precision, size, parameter, metric, unit;
  std::vector<compared_cell> cells;  // one for each column
};

// A table or a figure of the paper.
struct compared_table {
  std::string id, title;
  std::vector<compared_line> lines;
};

// The numbers of every table and figure that has some. Where `any_precision`, a line does not ask for it.
std::vector<compared_table> compare_tables(std::span<const compared> all,
                                           std::span<const device_column> columns,
                                           std::span<const family_layout> families, bool any_precision);

// The roofs of each device: a line for each roof and precision.
compared_table compare_roofs(std::span<const compared> all, std::span<const device_column> columns);

struct compared_claim {
  std::string family, id, text;
  std::vector<verdict> outcomes;  // one for each column; not_run_here where it rests on no row of the device
};

// The conclusions about shapes (who wins, slopes, crossovers), judged anew for each device.
std::vector<compared_claim> compare_claims(std::span<const compared> all,
                                           std::span<const device_column> columns,
                                           const comparison_sources& from);

}  // namespace reprise::reports
