// SPDX-License-Identifier: MIT
// Checks tissue variants without timing them.
#include "benchmarks/tissue/verified_problems.hpp"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "solvers/tissue/variant.hpp"
#include "verification/tissue/branches.hpp"
#include "verification/tissue/check.hpp"
#include "verification/tissue/problem_check.hpp"

namespace reprise::harness::tissue_cases {
namespace {

namespace check = verification::tissue;
using tissue::method;
using tissue::model;
using tissue::problem;

// What is verified: a problem, what was asked for, and a step.
struct verified_problem {
  std::string name;
  problem data;
  check::asked papers;
  double dt{};
};

verified_problem hill_of(model m, const grid_size& size, method how, const std::string& name) {
  verified_problem v{.name = name,
                     .data = tissue::hill_problem(m, size.width, size.height, tissue::usual_spacing(m)),
                     .papers = {.model = m, .nx = size.width, .ny = size.height}};
  v.dt = .7 * reference::tissue::paper::step_limit(m, how, reference::tissue::paper::spacing(m));
  return v;
}

verified_case verify_case(tissue::solver& s, const verified_problem& v, method how, precision arithmetic) {
  constexpr long steps = 9;
  return verified(v.name, [&] {
    s.load(v.data, how, v.dt, arithmetic);
    auto findings = check::verify(s, *check::expect_steps(v.data, how, v.dt, steps), arithmetic);
    findings.push_back(check::judge_problem(v.data, v.papers));
    return findings;
  });
}

// No initial state of the paper, so there is nothing to compare the problem with.
verified_case verify_branches(tissue::solver& s, const std::string& name, const problem& p, method how,
                              precision arithmetic) {
  return verified(name, [&] {
    s.load(p, how, check::branch_dt, arithmetic);
    return check::verify(s, *check::expect_steps(p, how, check::branch_dt, check::fewest_steps(how)),
                         arithmetic);
  });
}

// Borders, on a grid that is not a multiple of a tile.
std::vector<verified_problem> border_problems(model m, const std::string& kind, method how) {
  std::vector<verified_problem> all;
  for (const tissue::edge border : {tissue::edge::mirrored, tissue::edge::periodic}) {
    verified_problem v = hill_of(m, {37, 21}, how, fmt::format("{} {}", kind, to_string(border)));
    v.data.border = v.papers.border = border;
    all.push_back(std::move(v));
  }
  return all;
}

// Problems that distinguish switch forms and options, each in a state that reaches every branch of the model.
std::vector<std::pair<std::string, problem>> option_problems(model m) {
  const problem plain = check::branch_problem(m, 37, 33);
  std::vector<std::pair<std::string, problem>> all;
  const auto add = [&](const std::string& name, auto change) {
    problem p = plain;
    change(p);
    check::set_branch_values(p);
    all.emplace_back(name, std::move(p));
  };
  if (m == model::fitzhugh_nagumo) return all;
  for (const tissue::switch_form form : tissue::all_switch_forms)
    if (form != tissue::switch_form::cubic)
      add(fmt::format("switch {}", to_string(form)), [&](problem& p) { p.form = form; });
  add("tanh replaced", [](problem& p) { p.replaces_tanh = true; });
  add("wide layers", [](problem& p) { p.steepness = 11; });
  if (m == model::karma) add("pow", [](problem& p) { p.multiplies_powers = false; });
  if (m == model::bueno_orovio) {
    add("sharp constants", [](problem& p) { p.has_sharp_constants = true; });
    add("all options", [](problem& p) {
      p.has_sharp_constants = p.replaces_tanh = true;
      p.form = tissue::switch_form::quintic;
    });
  }
  return all;
}

// The starts of the long runs: their problems are compared with the paper's, whatever solves them.
std::vector<verified_problem> start_problems(model m, const std::string& kind, method how) {
  const double dx = tissue::usual_spacing(m);
  verified_problem lifted = hill_of(m, {24, 24}, how, kind + " lifted");
  lifted.data = tissue::lifted_problem(m, 24, 24, dx);
  lifted.papers.from = check::beginning::lifted;
  verified_problem spiral = hill_of(m, {48, 48}, how, kind + " spiral");
  spiral.data = tissue::spiral_problem(m, 48, dx);
  spiral.papers.from = check::beginning::spiral;
  if (m == model::bueno_orovio) spiral.data.has_sharp_constants = spiral.papers.has_sharp_constants = true;
  return {lifted, spiral};
}

// In the emulator, each of the few blocks must process more than one tile of the tall grid. The wide one has more than one
// strip, and rows that begin at multiples of 16 bytes.
std::vector<grid_size> verified_sizes(const device& d, precision arithmetic) {
  const bool is_emulated = d.kind == backend::emulated;
  const grid_size largest = is_emulated ? grid_size{3, 820} : grid_size{130, 97};
  // Which cells a kernel reads and writes does not depend on the precision.
  if (arithmetic == precision::single) return {{25, 33}, largest};
  std::vector<grid_size> sizes{{3, 3}, {25, 33}, {49, 23}, largest};
  if (is_emulated) sizes.push_back({132, 5});
  if (!is_emulated) sizes.insert(sizes.end(), {{5, 4}, {24, 24}, {64, 57}});
  return sizes;
}

// Tissue wider than one tile, which ends within a vector: what a tile writes beyond the last column may be the ghost cells
// of another tile. Neighbours have unlike values, and the spacing is the usual one, so that no ghost cell is right by chance
// and each of them matters.
void verify_wide_tissue(std::vector<verified_case>& results, tissue::solver& s, model m,
                        const std::string& kind, method how) {
  for (const grid_size size : {grid_size{257, 9}, grid_size{300, 20}})
    for (const tissue::edge border :
         {tissue::edge::no_flux, tissue::edge::mirrored, tissue::edge::periodic}) {
      problem p = check::branch_problem(m, size.width, size.height);
      p.dx = tissue::usual_spacing(m);
      p.border = border;
      const std::string name = fmt::format("{} {}x{} {}", kind, size.width, size.height, to_string(border));
      results.push_back(verify_branches(s, name, p, how, precision::double_));
    }
}

// Options and borders need a program of their own in OpenCL, so they are checked with one method and in double precision:
// no experiment asks for them in single, and the kernels in CUDA lack the options there. Wide tissue is cheap on the host.
void verify_options(std::vector<verified_case>& results, tissue::solver& s, const device& d, model m,
                    const std::string& kind, method how, precision arithmetic) {
  results.push_back(
      verify_branches(s, kind + " branches", check::branch_problem(m, 37, 33), how, arithmetic));
  if (arithmetic == precision::single) return;
  if (how == method::runge_kutta || d.kind == backend::cpu) verify_wide_tissue(results, s, m, kind, how);
  if (how != method::runge_kutta) return;
  for (const verified_problem& v : border_problems(m, kind, how))
    results.push_back(verify_case(s, v, how, arithmetic));
  for (const verified_problem& v : start_problems(m, kind, how))
    results.push_back(verify_case(s, v, how, arithmetic));
  for (const auto& [name, p] : option_problems(m))
    results.push_back(verify_branches(s, fmt::format("{} {}", kind, name), p, how, arithmetic));
}

}  // namespace

std::vector<verified_case> verify_variant(const variant& v, const device& d,
                                          std::span<const grid_size> sizes) {
  const auto s = dynamic_cast<const variant_of<tissue::solver>&>(v).make(d);
  std::vector<verified_case> results;
  for (const precision arithmetic : v.data.precisions) {
    const std::vector<grid_size> own = verified_sizes(d, arithmetic);
    for (const model m : tissue::all_models)
      for (const method how : tissue::all_methods) {
        if (!has_method(m, how)) continue;
        const std::string kind = fmt::format("{} {} {}", to_string(m), to_string(how), to_string(arithmetic));
        for (const grid_size& size : sizes.empty() ? std::span<const grid_size>(own) : sizes)
          results.push_back(verify_case(
              *s, hill_of(m, size, how, fmt::format("{} {}x{} cells", kind, size.width, size.height)), how,
              arithmetic));
        if (sizes.empty()) verify_options(results, *s, d, m, kind, how, arithmetic);
      }
  }
  return results;
}

}  // namespace reprise::harness::tissue_cases
