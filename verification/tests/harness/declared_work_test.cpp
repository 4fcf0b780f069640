// SPDX-License-Identifier: MIT
// Compares what each variant declares for a unit of work, on processors and in emulation, with declared_work.csv. Shares of
// roofs and rates of operations follow from these numbers, and nothing that is measured contradicts a wrong one.
#include <fmt/core.h>

#include <filesystem>
#include <fstream>

#include "solvers/angiogenesis/study.hpp"
#include "solvers/angiogenesis/variant.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/curvature/variant.hpp"
#include "solvers/jacobi/variant.hpp"
#include "solvers/tissue/variant.hpp"
#include "verification/atrium/states.hpp"
#include "verification/tests/support/curvature_surfaces.hpp"
#include "verification/tests/support/every_variant.hpp"

using namespace reprise;
using namespace reprise::verification;

namespace {

// Lines of the table that have been found: what is declared, by variant and problem.
using declarations = std::map<std::string, std::string>;

constexpr const char* heading = "variant,problem,bytes_logical,bytes_dram,bytes_dram_once,flops";

void declare(declarations& all, const harness::target& on, const std::string& problem, const work& w) {
  const std::string key = fmt::format("{},{}", on.variant->id, problem);
  const std::string numbers =
      fmt::format("{:.9g},{:.9g},{:.9g},{:.9g}", w.bytes_logical, w.bytes_dram, w.bytes_dram_once, w.flops);
  INFO(key << " on " << on.device.id);
  CHECK(all.emplace(key, numbers).first->second == numbers);
}

// Declares what declared(solver) returns; a variant may lack this problem.
template <class Solver, class Declared>
void declare_if_any(declarations& all, const harness::target& on, const std::string& problem,
                    Declared declared) {
  try {
    declare(all, on, problem, declared(*made<Solver>(on)));
  } catch (const unavailable&) {
  }
}

template <class Solver>
bool is_a(const harness::target& on) {
  return dynamic_cast<const variant_of<Solver>*>(on.variant) != nullptr;
}

void of_jacobi(declarations& all, const harness::target& on) {
  using namespace reprise::jacobi;
  declare_if_any<solver>(all, on, "double", [](solver& s) {
    s.load_in_double(make_problem(matrix::pinned, 40, 30));
    return s.per_unit_in_double();
  });
}

void of_tissue(declarations& all, const harness::target& on) {
  using namespace reprise::tissue;
  for (const model m : all_models)
    for (const method how : all_methods) {
      if (!has_method(m, how)) continue;
      declare_if_any<solver>(all, on, fmt::format("{} by {}", to_string(m), to_string(how)), [&](solver& s) {
        const problem p = hill_problem(m, 40, 25, usual_spacing(m));
        s.load(p, how, .7 * diffusive_step_limit(p, how));
        return s.per_unit();
      });
    }
}

void of_curvature(declarations& all, const harness::target& on) {
  using namespace reprise::curvature;
  for (const flow motion : all_flows)
    for (const boundary at_border : {boundary::neumann, boundary::manufactured})
      for (const precision arithmetic : on.variant->data.precisions)
        declare_if_any<solver>(
            all, on,
            fmt::format("{} {} {}", to_string(motion),
                        at_border == boundary::neumann ? "unforced" : "manufactured", to_string(arithmetic)),
            [&](solver& s) {
              const problem p = tests::skew_problem(motion, at_border, 13, 10);
              s.load(p, arithmetic);
              s.reset(make_control(p, 1e-3, 1e-6));
              return s.per_unit();
            });
}

void of_angiogenesis(declarations& all, const harness::target& on) {
  using namespace reprise::angiogenesis;
  const problem p = make_problem(slow_parameters(), taxis::nodal, start::step, 18, 1e-2);
  if (is_a<study_runner>(on))
    declare_if_any<study_runner>(all, on, "study", [](study_runner& s) {
      s.load(spread_study(3, 16, 4));
      return s.per_unit();
    });
  else
    for (const factoring when : all_factorings)
      declare_if_any<solver>(all, on, fmt::format("factor {}", to_string(when)), [&](solver& s) {
        s.load(implicit_matrix(p), when);
        return s.per_solve();
      });
}

void of_atrium(declarations& all, const harness::target& on) {
  using namespace reprise::atrium;
  const auto declare_by = [&](scheme how, gate_rule rule, bool is_adaptive) {
    for (const precision arithmetic : on.variant->data.precisions)
      declare_if_any<solver>(
          all, on, fmt::format("{} {} {}", to_string(how), to_string(rule), to_string(arithmetic)),
          [&](solver& s) {
            s.load(verification::atrium::skew_problem(1), arithmetic);
            s.reset(is_adaptive ? adaptive_steps(how, rule, 1e-5, 1e-5, 1) : fixed_steps(how, rule, .01));
            return s.per_unit();
          });
  };
  if (is_black_box(on.variant->id)) return declare_by(scheme::black_box, gate_rule::plain, true);
  for (const scheme how : all_runge_kutta)
    for (const gate_rule rule : {gate_rule::plain, gate_rule::rush_larsen})
      declare_by(how, rule, is_pair(how));
}

declarations of_every_variant() {
  declarations all;
  const std::pair<const char*, void (*)(declarations&, const harness::target&)> families[]{
      {"angiogenesis", of_angiogenesis},
      {"atrium", of_atrium},
      {"curvature", of_curvature},
      {"jacobi", of_jacobi},
      {"tissue", of_tissue}};
  for (const auto& [word, declare_its] : families)
    for_every_target(word, [&](const harness::target& on, const std::string&) {
      if (on.device.kind != backend::emulated && !on.device.on_host) return;
      declare(all, on, "usual", on.variant->data.per_unit);
      declare_its(all, on);
    });
  return all;
}

declarations read_table(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  REQUIRE(std::getline(file, line));
  CHECK(line == heading);
  declarations all;
  while (std::getline(file, line)) {
    const std::size_t end = line.find(',', line.find(',') + 1);
    all[line.substr(0, end)] = line.substr(end + 1);
  }
  return all;
}

// Writes what is found as a new table, and returns its path.
std::string written(const declarations& found) {
  const auto path = std::filesystem::temp_directory_path() / "declared_work.csv";
  std::ofstream file(path);
  file << heading << '\n';
  for (const auto& [key, numbers] : found) file << key << ',' << numbers << '\n';
  return path.string();
}

// Optional libraries may be missing here, and with them variants.
declarations only_of_same_variants(const declarations& all, const declarations& found) {
  const auto variant_in = [](const std::string& key) { return key.substr(0, key.find(',')); };
  std::set<std::string> variants;
  for (const auto& [key, numbers] : found) variants.insert(variant_in(key));
  declarations same;
  for (const auto& [key, numbers] : all)
    if (variants.contains(variant_in(key))) same.emplace(key, numbers);
  return same;
}

}  // namespace

TEST_CASE("each variant declares the work that the table has for it", "[declared_work][emulation]") {
  setenv("REPRISE_OPENCL_SHAPE", "1x64", 1);  // some declare less where a launch makes several steps
  const declarations found = of_every_variant();
  unsetenv("REPRISE_OPENCL_SHAPE");
  const declarations expected = only_of_same_variants(
      read_table(REPRISE_SOURCE_DIR "/verification/tests/harness/declared_work.csv"), found);
  if (found != expected)
    FAIL_CHECK("if the change is meant, count again and take " << written(found) << " as the new table");
  for (const auto& [key, numbers] : found) {
    INFO(key);
    CHECK((expected.contains(key) ? expected.at(key) : "not in the table") == numbers);
  }
}
