// SPDX-License-Identifier: MIT
// Builds the angiogenesis problems and reads parameter files.
#include "solvers/angiogenesis/problem.hpp"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <numbers>
#include <sstream>
#include <string>

#include "solvers/common/base/error.hpp"

namespace reprise::angiogenesis {
namespace {

std::string printed(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

void require_sense(const parameters& with) {
  for (const auto& [name, member] : parameter_names) {
    const double value = with.*member;
    const std::string said = "the parameter " + std::string(name) + " is " + printed(value);
    if (!std::isfinite(value)) throw bad_input(said + ": give a finite number");
    // a1, a2 and a3 may turn attraction into repulsion; the other parameters cannot be negative.
    const bool may_be_negative = name == "a1" || name == "a2" || name == "a3";
    if (!may_be_negative && value < 0) throw bad_input(said + ": give a number that is not negative");
  }
  if (!(with.eps > 0)) throw bad_input("the parameter eps is 0: give a positive number");
}

// Upper estimate for solvers that need only a few vectors and sparse matrices.
constexpr double bytes_per_node = 1000;

void require_nodes(int nodes) {
  const std::string said = "a grid of " + std::to_string(nodes) + " nodes ";
  if (nodes < 3) throw bad_input(said + "is too small: give at least 3");
  constexpr int most = std::numeric_limits<int>::max() / 64;
  if (nodes > most)
    throw bad_input(said + "is more than the solvers can count: give at most " + std::to_string(most));
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  constexpr double gib = 1 << 30;
  if (bytes_per_node * nodes > .8 * present)
    throw bad_input(said + "needs " + printed(bytes_per_node * nodes / gib) + " GiB, this machine has " +
                    printed(present / gib) + ": give fewer");
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Parses one non-empty line into the parameter that it names, and returns that parameter.
double parameters::*read_line(std::string_view line, parameters& into, const std::string& where) {
  const auto equals = line.find('=');
  const std::string_view name = trimmed(line.substr(0, equals));
  if (equals == std::string_view::npos)
    throw bad_input(where + "'" + std::string(line) + "' is not NAME = NUMBER");
  const std::string_view number = trimmed(line.substr(equals + 1));
  for (const auto& [known, member] : parameter_names) {
    if (name != known) continue;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), into.*member);
    if (read.ec != std::errc() || read.ptr != number.data() + number.size())
      throw bad_input(where + "'" + std::string(number) + "' for " + std::string(name) + " is no number");
    return member;
  }
  std::string names;
  for (const auto& [known, member] : parameter_names) names += " " + std::string(known);
  throw bad_input(where + "there is no parameter '" + std::string(name) + "': give" + names);
}

double wave(int k, double x) {
  return std::cos(k * std::numbers::pi * x);
}

// The values of C, P, I and F at node i.
std::array<double, fields> initial_values(start from, const problem& p, int i) {
  const double x = p.x(i);
  if (from == start::smooth)
    return {.5 + .25 * wave(1, x), .0625 + .03125 * wave(1, x), .0625 + .03125 * wave(2, x),
            .0625 + .015625 * wave(1, x)};
  // The comparison is x <= 0.1 without rounding. The three constants differ, because otherwise a solver that
  // confuses P and F would hardly be noticed.
  return {10 * i <= p.nodes - 1 ? 1.0 : 0.0, .03, .05, .08};
}

}  // namespace

parameters slow_parameters() {
  return {.d_c = .001,
          .d_p = .005,
          .d_i = .005,
          .k1 = .1,
          .k2 = .1,
          .k3 = .1,
          .k4 = .1,
          .k5 = .05,
          .k6 = .05,
          .a1 = .1,
          .a2 = .1,
          .a3 = .2,
          .a4 = 1,
          .eps = .45};
}

parameters fast_parameters() {
  return {.d_c = .1,
          .d_p = .1,
          .d_i = .1,
          .k1 = 1,
          .k2 = 1,
          .k3 = 1,
          .k4 = 1,
          .k5 = 1,
          .k6 = 1,
          .a1 = 1,
          .a2 = 1,
          .a3 = 1,
          .a4 = 1,
          .eps = .1};
}

parameters parse_parameters(std::string_view text, const std::filesystem::path& file) {
  parameters with;
  std::vector<double parameters::*> seen;
  int number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end).substr(0, text.substr(0, end).find('#')));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.empty()) continue;
    const std::string where = file.string() + ", line " + std::to_string(number) + ": ";
    const auto member = read_line(line, with, where);
    for (const auto& other : seen)
      if (other == member) throw bad_input(where + "'" + std::string(line) + "' gives a parameter again");
    seen.push_back(member);
  }
  std::string missing;
  for (const auto& [name, member] : parameter_names) {
    bool is_there = false;
    for (const auto& other : seen) is_there = is_there || other == member;
    if (!is_there) missing += " " + std::string(name);
  }
  if (!missing.empty()) throw bad_input(file.string() + ": no value is given for" + missing);
  require_sense(with);
  return with;
}

parameters read_parameters(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw bad_input("cannot read the parameter file " + file.string());
  std::ostringstream text;
  text << in.rdbuf();  // opening a directory succeeds, and reading it fails here
  if (text.bad()) throw bad_input("cannot read the parameter file " + file.string());
  return parse_parameters(text.str(), file);
}

std::string_view to_string(taxis reading) {
  constexpr std::array<std::string_view, 3> names{"nodal", "analytic", "conservative"};
  return names.at(static_cast<std::size_t>(reading));
}

problem empty_problem(const parameters& with, taxis reading, int nodes, double dt) {
  require_nodes(nodes);
  if (!(dt > 0) || std::isinf(dt))
    throw bad_input("the step dt is " + printed(dt) + ": give a positive number");
  require_sense(with);
  return {.parameters = with, .reading = reading, .nodes = nodes, .dt = dt, .u0 = {}};
}

problem make_problem(const parameters& with, taxis reading, start from, int nodes, double dt) {
  problem p = empty_problem(with, reading, nodes, dt);
  const auto m = static_cast<std::size_t>(nodes);
  p.u0.resize(fields * m);
  for (int i = 0; i < nodes; ++i) {
    const auto values = initial_values(from, p, i);
    for (std::size_t f = 0; f < fields; ++f) p.u0[f * m + static_cast<std::size_t>(i)] = values[f];
  }
  return p;
}

named_case default_case() {
  return {"default", make_problem(slow_parameters(), taxis::nodal, start::step, 100, 1e-3), 100};
}

named_case stress_case() {
  return {"stress", make_problem(slow_parameters(), taxis::nodal, start::step, 100, .1), 20};
}

named_case smooth_case() {
  return {"smooth", make_problem(fast_parameters(), taxis::nodal, start::smooth, 100, 1e-3), 100};
}

}  // namespace reprise::angiogenesis
