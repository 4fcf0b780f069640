// SPDX-License-Identifier: MIT
// Numbers with the digits that they deserve: those in print, three significant ones, or those that an interval allows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reprise::reports {

// A printed number with the digits that it has in print: `half_unit` is half a unit of its last digit, 0 for a count.
// With powers, numbers below one are written "7.1e-3".
std::string printed_text(double value, double half_unit, bool has_powers);

// Three significant digits, fewer if the quartiles or the interval [low, high] are wider, but at least two: "4.0" for an
// order. Counts below a million in full.
std::string brief_text(double value, double low, double high);

// The same without an interval, "1.00" too.
std::string brief_text(double value);

// The same as a power of ten if it is below one: "7.10e-3".
std::string power_text(double value, double low, double high);

// The same with a unit, whose prefix is chosen so that the number is readable; without the unit if that is the one of
// the table's column: "0.520" or "1.20 ms" in a column of seconds.
std::string brief_text(double value, double low, double high, std::string_view unit_of_column);

// The unit in which a column of such typical numbers is readable: the column's own one for numbers from a thousandth to a
// million, and else one of another prefix.
std::string_view readable_unit(double typical, std::string_view unit_of_column);

// The name of a unit in print: "µs".
std::string_view printed_unit(std::string_view unit);

// A time for a terminal, with three significant digits at most: "1.2 ms".
std::string seconds_text(double seconds);

// How many of `to` one of `from` is; nothing if the units measure different things.
std::optional<double> unit_factor(std::string_view from, std::string_view to);

// "7.1e-3" as "7.1·10⁻³", and as LaTeX.
std::string with_superscripts(std::string_view text);
std::string with_latex_powers(std::string_view text);

}  // namespace reprise::reports
