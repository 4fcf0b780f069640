// SPDX-License-Identifier: MIT
// Compares what each variant declares for a unit of work, on processors and in emulation, with declared_work.csv. Shares of
// roofs and rates of operations follow from these numbers, and nothing that is measured contradicts a wrong one.
#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "solvers/angiogenesis/study.hpp"
#include "solvers/angiogenesis/variant.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/common/emulation/control.hpp"
#include "solvers/curvature/variant.hpp"
#include "solvers/jacobi/variant.hpp"
#include "solvers/tissue/variant.hpp"
#include "verification/atrium/states.hpp"
#include "verification/tests/support/curvature_surfaces.hpp"
#include "verification/tests/support/every_variant.hpp"
#include "verification/tests/support/source_dir.hpp"

using namespace reprise;
using namespace reprise::verification;

namespace {

// Lines of the table that have been found: what is declared, by variant and problem.
using declarations = std::map<std::string, std::string>;

constexpr const char* heading =
    "variant,problem,bytes_logical,bytes_dram,bytes_dram_once,flops,bytes_shared,functions,exchanges";

void declare(declarations& all, const harness::target& on, const std::string& problem, const work& w) {
  const std::string key = fmt::format("{},{}", on.variant->id, problem);
  const std::string numbers =
      fmt::format("{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g}", w.bytes_logical, w.bytes_dram,
                  w.bytes_dram_once, w.flops, w.bytes_shared, w.functions, w.exchanges);
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
  const auto declare_steps = [&](model m, method how, precision arithmetic, const std::string& name) {
    declare_if_any<solver>(all, on, name, [&](solver& s) {
      const problem p = hill_problem(m, 40, 25, usual_spacing(m));
      s.load(p, how, .7 * diffusive_step_limit(p, how), arithmetic);
      return s.per_unit();
    });
  };
  for (const model m : all_models)
    for (const method how : all_methods) {
      if (!has_method(m, how)) continue;
      const std::string name = fmt::format("{} by {}", to_string(m), to_string(how));
      declare_steps(m, how, precision::double_, name);
      if (how == method::runge_kutta) declare_steps(m, how, precision::single, name + " single");
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
  // Large grids are cut into strips.
  if (on.device.kind == backend::emulated)
    declare_if_any<solver>(all, on, "large", [&](solver& s) {
      s.load(tests::skew_problem(flow::mean_curvature, boundary::manufactured, 13, 1400), precision::double_);
      return s.per_unit();
    });
}

void of_angiogenesis(declarations& all, const harness::target& on) {
  using namespace reprise::angiogenesis;
  const problem p = make_problem(slow_parameters(), taxis::nodal, start::step, 18, 1e-2);
  if (is_a<study_runner>(on))
    for (const int nodes : {16, 100})
      declare_if_any<study_runner>(all, on, fmt::format("study of {} nodes", nodes), [&](study_runner& s) {
        s.load(spread_study(3, nodes, 4));
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

namespace {

// What is declared of a unit of work must agree with what the emulation saw of the launches that made it.
template <class Solver, class Load, class Run>
void compare_with_launches(const harness::target& on, const std::string& problem, Load load, Run run) {
  INFO(on.variant->id << ", " << problem);
  try {
    const auto s = made<Solver>(on);
    load(*s);
    const cuda::launch_kinds before = cuda::launches_seen();
    const work declared = run(*s);
    const cuda::launch_kinds after = cuda::launches_seen();
    CHECK((declared.bytes_shared > 0) == (after.with_shared_memory > before.with_shared_memory));
    CHECK((declared.exchanges > 0) == (after.of_resident_blocks > before.of_resident_blocks));
  } catch (const unavailable&) {
  }
}

void launches_of_jacobi(const harness::target& on) {
  using namespace reprise::jacobi;
  const auto sweep = [](solver& s) { s.sweep(2 * s.sweeps_at_once()); };
  compare_with_launches<solver>(
      on, "single", [](solver& s) { s.load(make_problem(matrix::pinned, 40, 30)); },
      [&](solver& s) {
        sweep(s);
        return on.variant->data.per_unit;
      });
  compare_with_launches<solver>(
      on, "double", [](solver& s) { s.load_in_double(make_problem(matrix::pinned, 40, 30)); },
      [&](solver& s) {
        sweep(s);
        return s.per_unit_in_double();
      });
}

void launches_of_tissue(const harness::target& on) {
  using namespace reprise::tissue;
  for (const model m : all_models)
    for (const precision arithmetic : on.variant->data.precisions)
      compare_with_launches<solver>(
          on, fmt::format("{} {}", to_string(m), to_string(arithmetic)),
          [&](solver& s) {
            const problem p = hill_problem(m, 40, 25, usual_spacing(m));
            s.load(p, method::euler, .7 * diffusive_step_limit(p, method::euler), arithmetic);
          },
          [](solver& s) {
            s.step(9);
            return s.per_unit();
          });
}

void launches_of_curvature(const harness::target& on) {
  using namespace reprise::curvature;
  for (const flow motion : all_flows)
    for (const precision arithmetic : on.variant->data.precisions) {
      const problem p = tests::skew_problem(motion, boundary::manufactured, 13, 10);
      compare_with_launches<solver>(
          on, fmt::format("{} {}", to_string(motion), to_string(arithmetic)),
          [&](solver& s) {
            s.load(p, arithmetic);
            s.reset(make_control(p, 1e-3, 1e-6));
          },
          [](solver& s) {
            s.advance(1e-3);
            return s.per_unit();
          });
    }
}

void launches_of_angiogenesis(const harness::target& on) {
  using namespace reprise::angiogenesis;
  if (is_a<study_runner>(on)) {
    for (const int nodes : {16, 100})
      compare_with_launches<study_runner>(
          on, fmt::format("study of {} nodes", nodes),
          [&](study_runner& s) { s.load(spread_study(2, nodes, 2)); },
          [](study_runner& s) {
            s.run();
            return s.per_unit();
          });
    return;
  }
  const matrix a = implicit_matrix(make_problem(slow_parameters(), taxis::nodal, start::step, 18, 1e-2));
  for (const factoring when : all_factorings)
    compare_with_launches<solver>(
        on, std::string(to_string(when)), [&](solver& s) { s.load(a, when); },
        [&](solver& s) {
          std::vector<double> x(a.size());
          s.solve(std::vector<double>(a.size(), 1), x);
          return s.per_solve();
        });
}

void launches_of_atrium(const harness::target& on) {
  using namespace reprise::atrium;
  if (is_black_box(on.variant->id)) return;
  for (const bool is_adaptive : {false, true})
    for (const precision arithmetic : on.variant->data.precisions)
      compare_with_launches<solver>(
          on, fmt::format("{} {}", is_adaptive ? "adaptive" : "fixed", to_string(arithmetic)),
          [&](solver& s) {
            s.load(verification::atrium::skew_problem(1), arithmetic);
            s.reset(is_adaptive
                        ? adaptive_steps(scheme::bogacki_shampine, gate_rule::rush_larsen, 1e-5, 1e-5, 1)
                        : fixed_steps(scheme::euler, gate_rule::rush_larsen, .01));
          },
          [](solver& s) {
            s.advance(.03);
            return s.per_unit();
          });
}

}  // namespace

TEST_CASE("shared memory and blocks that wait for each other are declared where launches have them",
          "[declared_work][emulation]") {
  const std::pair<const char*, void (*)(const harness::target&)> families[]{
      {"angiogenesis", launches_of_angiogenesis},
      {"atrium", launches_of_atrium},
      {"curvature", launches_of_curvature},
      {"jacobi", launches_of_jacobi},
      {"tissue", launches_of_tissue}};
  const cuda::launch_kinds before = cuda::launches_seen();
  for (const auto& [word, launch_its] : families)
    for_every_target(word, [&](const harness::target& on, const std::string&) {
      if (on.device.kind == backend::emulated) launch_its(on);
    });
  CHECK(cuda::launches_seen().with_shared_memory > before.with_shared_memory);
  CHECK(cuda::launches_seen().of_resident_blocks > before.of_resident_blocks);
}

TEST_CASE("an OpenCL variant with local memory declares what it takes", "[declared_work]") {
  const declarations table =
      read_table(testing::source_dir() + "/verification/tests/harness/declared_work.csv");
  int with_local_memory = 0;
  for (const manifest_entry& entry : manifest()) {
    std::ifstream file(fmt::format("{}/solvers/{}.cl", testing::source_dir(), entry.id));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    bool declares = false;
    bool is_known = false;
    for (const auto& [key, numbers] : table) {
      if (!key.starts_with(std::string(entry.id) + ",")) continue;
      is_known = true;
      std::vector<std::string> cells;
      std::stringstream stream(numbers);
      for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
      declares = declares || cells.at(4) != "0";
    }
    if (!is_known || text.empty()) continue;
    INFO(entry.id);
    static const std::regex declaration(R"(\blocal (double|float|int|unsigned|number|REAL)\b)");
    const bool has_local = std::regex_search(text, declaration);
    CHECK(declares == has_local);
    with_local_memory += has_local ? 1 : 0;
  }
  CHECK(with_local_memory > 3);
}

TEST_CASE("each variant declares the work that the table has for it", "[declared_work][emulation]") {
  setenv("REPRISE_OPENCL_SHAPE", "1x64", 1);  // some declare less where a launch makes several steps
  const declarations found = of_every_variant();
  unsetenv("REPRISE_OPENCL_SHAPE");
  const declarations expected = only_of_same_variants(
      read_table(testing::source_dir() + "/verification/tests/harness/declared_work.csv"), found);
  if (found != expected)
    FAIL_CHECK("if the change is meant, count again and take " << written(found) << " as the new table");
  for (const auto& [key, numbers] : found) {
    INFO(key);
    CHECK((expected.contains(key) ? expected.at(key) : "not in the table") == numbers);
  }
}
