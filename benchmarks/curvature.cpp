// SPDX-License-Identifier: MIT
// The curvature paper's experiments: which variants on which grids make each table and figure, and how the
// paper counts.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

#include "benchmarks/harness/experiment.hpp"
#include "reference/curvature/reference.hpp"
#include "solvers/common/error.hpp"
#include "solvers/curvature/variant.hpp"
#include "verification/curvature_check.hpp"

namespace reprise::harness {
namespace {

namespace check = verification::curvature;
namespace exact = reference::curvature;
using curvature::flow;
using curvature::merson;
using curvature::problem;
using curvature::setting;
using reports::layout;
using reports::row;

constexpr double usual_eps = 5e-7;
constexpr double table_end = .1;
constexpr int intervals = 20;  // M
const std::string time_metric = "time_solve";

using names = std::vector<std::string>;

// Whatever file there is in solvers/curvature: a new variant needs no line here.
names everything() {
  names all;
  for (const manifest_entry& entry : manifest())
    if (entry.id.starts_with("curvature/")) all.emplace_back(entry.id.substr(entry.id.find('/') + 1));
  return all;
}

// The paper's row "16^2" has 15 cells a side; its other rows have as many as they say.
int cells_of(int label) {
  return label == 16 ? 15 : label;
}

double inner_nodes(const problem& p) {
  return 1.0 * (p.cells_x - 1) * (p.cells_y - 1);
}

// What one solve is: the problem, its arithmetic and the times at which the surface is looked at.
struct task {
  flow what{};
  setting how{setting::manufactured};
  precision arithmetic{precision::double_};
  std::vector<double> times;  // of samples, the first after zero
  bool draws{};
  double eps{usual_eps};
};

problem problem_of(const task& t, grid_size size) {
  const int nx = cells_of(size.width);
  const int ny = cells_of(size.height);
  return t.how == setting::manufactured ? curvature::manufactured_problem(t.what, nx, ny)
                                        : curvature::evolution_problem(t.what, nx, ny);
}

task table_task(flow what, precision arithmetic) {
  task t{.what = what, .how = setting::manufactured, .arithmetic = arithmetic, .times = {}, .draws = false};
  for (int k = 1; k <= intervals; ++k)
    t.times.push_back(k == intervals ? table_end : k * table_end / intervals);
  return t;
}

// The times of Figs 1 and 2; the runs of Table 8 end with them.
task evolution_task(flow what, precision arithmetic, bool draws) {
  return {.what = what,
          .how = setting::neumann,
          .arithmetic = arithmetic,
          .times = what == flow::mean_curvature ? std::vector{.025, .1, .5} : std::vector{.01, .025, .1},
          .draws = draws};
}

class solve final : public subject {
 public:
  solve(std::unique_ptr<curvature::solver> s, task t, grid_size size)
      : solver_(std::move(s)),
        task_(std::move(t)),
        problem_(problem_of(task_, size)),
        control_(curvature::make_control(problem_, task_.times.back(), task_.eps)) {}

  void load() override { solver_->load(problem_, task_.arithmetic); }

  std::vector<checkers::finding> verify() override {
    auto findings = check::verify(*solver_, *check::expect_steps(problem_), task_.arithmetic);
    if (was_looked_at_ && task_.how == setting::neumann) findings.push_back(decay());
    if (was_looked_at_ && task_.how == setting::manufactured) findings.push_back(error_of_order_two());
    return findings;
  }

  double run(int repeats) override {
    double seconds = 0;
    for (int r = 0; r < repeats; ++r) seconds += solve_once();
    return seconds;
  }

  void read_back() override { solver_->surface(); }

  std::optional<accounted> account() override {
    return accounted{inner_nodes(problem_) * static_cast<double>(last_.accepted + last_.rejected),
                     solver_->per_unit()};
  }

  std::vector<found> results() override {
    std::vector<found> all{{"accepted_steps", static_cast<double>(last_.accepted), "1"},
                           {"rejected_steps", static_cast<double>(last_.rejected), "1"},
                           {"rhs_evaluations", static_cast<double>(last_.evaluations), "1"}};
    if (task_.how == setting::manufactured) {
      all.push_back({"error_l1", errors_.l1, "1"});
      all.push_back({"error_l2", errors_.l2, "1"});
      all.push_back({"error_linf", errors_.linf, "1"});
    } else {
      all.push_back({"area_start", measures_.front().first, "1"});
      all.push_back({"area_end", measures_.back().first, "1"});
      all.push_back({"willmore_energy_start", measures_.front().second, "1"});
      all.push_back({"willmore_energy_end", measures_.back().second, "1"});
    }
    return all;
  }

  std::vector<reports::field> fields() override { return drawn_; }

 private:
  double solve_once() {
    solver_->reset(control_);
    exact::space_time_norms norms(task_.times.back() / static_cast<double>(task_.times.size()));
    if (!was_looked_at_) look(0, norms);
    double seconds = 0;
    for (double t : task_.times) {
      solver_->clock().start();
      last_ = solver_->advance(t);
      seconds += solver_->clock().stop();
      const std::string failure = check::failure_of(last_);
      if (!failure.empty()) throw std::runtime_error(failure);
      if (!was_looked_at_) look(t, norms);
    }
    if (!was_looked_at_ && task_.how == setting::manufactured) errors_ = norms.result();
    was_looked_at_ = true;
    return seconds;
  }

  // At the surface, between two stretches of the clock; once, as every run gives the same.
  void look(double t, exact::space_time_norms& norms) {
    const std::vector<double> u = solver_->surface();
    if (task_.how == setting::manufactured) return norms.add(problem_, u, t);
    measures_.emplace_back(exact::area(problem_, u), exact::willmore_energy(problem_, u));
    if (!task_.draws) return;
    reports::field f;
    f.name = fmt::format("t={:g}", t);
    f.nx = problem_.nodes_x();
    f.ny = problem_.nodes_y();
    f.x0 = f.y0 = -problem_.half_width;
    f.x1 = f.y1 = problem_.half_width;
    f.values = u;
    drawn_.push_back(std::move(f));
  }

  // The flows are the steepest descents of area and of Willmore's functional.
  checkers::finding decay() const {
    const auto value = [&](const std::pair<double, double>& m) {
      return task_.what == flow::mean_curvature ? m.first : m.second;
    };
    const double ratio = value(measures_.back()) / value(measures_.front());
    return {task_.what == flow::mean_curvature ? "area_ratio" : "willmore_energy_ratio", ratio, 1,
            "the flow lowers it"};
  }

  checkers::finding error_of_order_two() const {
    const double h = std::max(problem_.h_x(), problem_.h_y());
    const double constant = task_.what == flow::mean_curvature ? .5 : 40;
    return {"error_linf_over_h2", errors_.linf / (h * h), constant,
            "the scheme is of second order, with a constant of about 0.16 for mean-curvature and 6 for "
            "Willmore flow on "
            "fine grids, and a few times that on coarse ones"};
  }

  std::unique_ptr<curvature::solver> solver_;
  task task_;
  problem problem_;
  curvature::control control_;
  merson last_;
  bool was_looked_at_{};
  exact::norms errors_{};
  std::vector<std::pair<double, double>> measures_;  // area and Willmore energy at each sample
  std::vector<reports::field> drawn_;
};

// For deciding what a preset can afford: within a factor of two or three on machines of today.
double expected_seconds(const task& t, const std::string& variant, const problem& p, const device& on) {
  const double attempts =
      std::max(1.2 * t.times.back() / largest_stable_step(p), static_cast<double>(t.times.size()));
  const double nodes = static_cast<double>(p.nodes()) * (t.what == flow::willmore ? 4 : 1);
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  if (variant == "cpu_serial") return attempts * nodes * 1.6e-7;
  if (on.on_host) return attempts * (nodes * 1.6e-7 / cores + 2e-5);
  if (variant.ends_with("merson")) return attempts * (1e-4 + nodes * 1e-10);
  if (variant == "cuda_resident") return attempts * (1.5e-5 + nodes * 2.5e-11);
  return attempts * (2.5e-5 + nodes * 6e-11);
}

case_plan plan_solve(const std::string& name, const task& t, grid_size size, const std::string& parameter) {
  const problem p = problem_of(t, size);
  make_control(p, t.times.back(), t.eps);  // what it refuses is refused before anything is measured
  case_plan plan;
  plan.variant = "curvature/" + name;
  plan.arithmetic = t.arithmetic;
  plan.size = fmt::format("{}x{}", size.width, size.height);
  plan.parameter = parameter;
  plan.metric = time_metric;
  plan.units_per_repeat = inner_nodes(p);
  plan.footprint_bytes = p.nodes() * 7 * (t.arithmetic == precision::single ? 4 : 8);
  plan.has_fields = t.draws;
  if (t.what == flow::willmore && t.arithmetic == precision::single)
    plan.note = "in single precision w amplifies rounding by 1/h^2 and its flux does so again";
  plan.expected_seconds = [t, name, p](const device& on) { return expected_seconds(t, name, p, on); };
  plan.make = [t, size](const variant& v, const device& d) -> std::unique_ptr<subject> {
    const auto& typed = dynamic_cast<const variant_of<curvature::solver>&>(v);
    return std::make_unique<solve>(typed.make(d), t, size);
  };
  return plan;
}

std::vector<grid_size> squares(std::initializer_list<int> labels) {
  std::vector<grid_size> sizes;
  for (int label : labels) sizes.push_back({label, label});
  return sizes;
}

std::vector<grid_size> table_sizes(flow what, preset level) {
  if (what == flow::willmore) return level == preset::smoke ? squares({16}) : squares({16, 32, 64, 128, 256});
  return level == preset::smoke ? squares({16, 32}) : squares({16, 32, 64, 128, 256, 512, 1024});
}

std::string parameter_of(const task& t) {
  std::string text =
      fmt::format("{}={}", t.how == setting::manufactured ? "flow" : "evolution", to_string(t.what));
  if (t.eps != usual_eps) text += fmt::format(";eps={:g}", t.eps);
  return text;
}

task with_settings(task t, const plan_request& request) {
  const auto eps = request.settings.find("eps");
  if (eps != request.settings.end()) t.eps = eps->second;
  return t;
}

auto table_cases(flow what, precision arithmetic) {
  return [=](const plan_request& request) {
    std::vector<case_plan> plans;
    const task t = with_settings(table_task(what, arithmetic), request);
    for (const grid_size& size : request.sizes.empty() ? table_sizes(what, request.level) : request.sizes)
      for (const std::string& name : everything())
        plans.push_back(plan_solve(name, t, size, parameter_of(t)));
    return plans;
  };
}

std::vector<grid_size> evolution_sizes(preset level) {
  return level == preset::smoke ? squares({32}) : squares({128});
}

std::vector<case_plan> evolution_cases(const plan_request& request) {
  std::vector<case_plan> plans;
  for (const grid_size& size : request.sizes.empty() ? evolution_sizes(request.level) : request.sizes)
    for (const auto& [what, arithmetic] : {std::pair{flow::mean_curvature, precision::single},
                                           {flow::mean_curvature, precision::double_},
                                           {flow::willmore, precision::double_}})
      for (const std::string& name : everything()) {
        const task t = with_settings(evolution_task(what, arithmetic, false), request);
        plans.push_back(plan_solve(name, t, size, parameter_of(t)));
      }
  return plans;
}

// A grid that any machine can afford, and the paper's.
auto figure_cases(flow what) {
  return [what](const plan_request& request) {
    std::vector<case_plan> plans;
    const task t = with_settings(evolution_task(what, precision::double_, true), request);
    const auto sizes = request.level == preset::smoke ? squares({32}) : squares({128, 32});
    for (const grid_size& size : request.sizes.empty() ? sizes : request.sizes)
      for (const char* const name : {"cuda_resident", "openmp"})
        plans.push_back(plan_solve(name, t, size, parameter_of(t)));
    return plans;
  };
}

bool is_right(const row& r, const std::string& metric) {
  return r.metric == metric && r.status == "ok";
}

// (34) between a row and the one with half the cells.
std::vector<row> orders(std::span<const row> rows) {
  std::vector<row> all;
  for (const char* const norm : {"l1", "l2", "linf"})
    for (const row& fine : rows) {
      if (!is_right(fine, fmt::format("error_{}", norm))) continue;
      const int label = parse_size(fine.size).width;
      const std::string coarse_size = fmt::format("{0}x{0}", label / 2);
      for (const row& coarse : rows) {
        if (coarse.metric != fine.metric || coarse.status != "ok" || coarse.size != coarse_size ||
            coarse.variant != fine.variant || coarse.device != fine.device)
          continue;
        const double ratio = 1.0 * cells_of(label) / cells_of(label / 2);
        all.push_back(derived(fine, fmt::format("eoc_{}", norm),
                              std::log(coarse.value / fine.value) / std::log(ratio), "1",
                              "against the grid " + coarse_size));
      }
    }
  return all;
}

using case_key = std::tuple<std::string, std::string, std::string>;  // size, precision, parameter

case_key key_of(const row& r) {
  return {r.size, r.precision, r.parameter};
}

std::vector<row> speedups(std::span<const row> rows) {
  std::map<case_key, double> serial;
  std::map<case_key, double> parallel;
  for (const row& r : rows) {
    if (!is_right(r, time_metric)) continue;
    if (r.variant == "curvature/cpu_serial") serial[key_of(r)] = r.value;
    if (r.variant == "curvature/openmp") parallel[key_of(r)] = r.value;
  }
  std::vector<row> all;
  for (const row& r : rows) {
    if (!is_right(r, time_metric)) continue;
    if (serial.contains(key_of(r)) && r.variant != "curvature/cpu_serial")
      all.push_back(
          derived(r, "speedup_over_serial", serial[key_of(r)] / r.value, "1", "over cpu_serial in this run"));
    if (parallel.contains(key_of(r)) && r.variant.find("cuda") != std::string::npos)
      all.push_back(
          derived(r, "speedup_over_openmp", parallel[key_of(r)] / r.value, "1", "over openmp in this run"));
  }
  return all;
}

// Speed-ups, and the paper's flops of a right-hand side over the time.
std::vector<row> rates(std::span<const row> rows) {
  std::vector<row> all = speedups(rows);
  for (const row& r : rows) {
    if (!is_right(r, time_metric)) continue;
    for (const row& count : rows) {
      if (!is_right(count, "rhs_evaluations") || count.variant != r.variant || count.device != r.device ||
          key_of(count) != key_of(r))
        continue;
      const grid_size size = parse_size(r.size);
      const double nodes = (cells_of(size.width) + 1.0) * (cells_of(size.height) + 1.0);
      const double flops =
          paper_flops(r.parameter.ends_with("willmore") ? flow::willmore : flow::mean_curvature);
      all.push_back(
          derived(r, "gflops_paper", flops * nodes * count.value / r.value * 1e-9, "GFLOP/s",
                  fmt::format("{} a node and evaluation, as section 4.3 counts, without forcing", flops)));
    }
  }
  return all;
}

// Table 1: the kernels of the faithful variant, one by one.
constexpr int launches = 200;
const std::string kernel_metric = "time_200_launches";

class kernel_alone final : public subject {
 public:
  kernel_alone(std::unique_ptr<curvature::solver> s, flow what, grid_size size, std::string name)
      : solver_(std::move(s)),
        problem_(curvature::manufactured_problem(what, cells_of(size.width), cells_of(size.height))),
        name_(std::move(name)) {}

  void load() override { solver_->load(problem_, precision::double_); }
  std::vector<checkers::finding> verify() override {
    return check::verify(*solver_, *check::expect_steps(problem_), precision::double_);
  }
  double run(int repeats) override {
    const auto& launch = kernel().launch;
    solver_->clock().start();
    for (int r = 0; r < repeats; ++r) launch();
    return solver_->clock().stop();
  }
  void read_back() override { solver_->surface(); }
  std::optional<accounted> account() override {
    return accounted{1.0 * launches, {.bytes_logical = kernel().bytes, .bytes_dram = kernel().bytes}};
  }
  std::vector<found> results() override { return {{"occupancy", kernel().occupancy, "1"}}; }

 private:
  const curvature::kernel_probe& kernel() {
    if (kernels_.empty()) kernels_ = solver_->kernels();
    const auto at =
        std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& k) { return k.name == name_; });
    if (at == kernels_.end()) throw unavailable("this variant has no kernel " + name_);
    return *at;
  }

  std::unique_ptr<curvature::solver> solver_;
  problem problem_;
  std::string name_;
  std::vector<curvature::kernel_probe> kernels_;
};

std::vector<case_plan> kernel_cases(const plan_request& request) {
  std::vector<case_plan> plans;
  const auto sizes = squares({request.level == preset::smoke ? 64 : 512});
  for (const grid_size& size : request.sizes.empty() ? sizes : request.sizes)
    for (const auto& [kernel, what] : {std::pair{"sums", flow::mean_curvature},
                                       {"error", flow::mean_curvature},
                                       {"mean_curvature", flow::mean_curvature},
                                       {"willmore", flow::willmore},
                                       {"forcing_mean_curvature", flow::mean_curvature},
                                       {"forcing_willmore", flow::willmore}}) {
      case_plan plan;
      plan.variant = "curvature/cuda_merson";
      plan.arithmetic = precision::double_;
      plan.size = fmt::format("{}x{}", size.width, size.height);
      plan.parameter = fmt::format("kernel={}", kernel);
      plan.metric = kernel_metric;
      plan.repeats = launches;
      plan.units_per_repeat = 1;
      plan.footprint_bytes =
          5 * sizeof(double) * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
      plan.make = [what, size, name = std::string(kernel)](const variant& v,
                                                           const device& d) -> std::unique_ptr<subject> {
        const auto& typed = dynamic_cast<const variant_of<curvature::solver>&>(v);
        return std::make_unique<kernel_alone>(typed.make(d), what, size, name);
      };
      plans.push_back(std::move(plan));
    }
  return plans;
}

// The paper's name for compulsory bytes over time, and how much of an attempt right-hand sides take.
std::vector<row> kernel_rates(std::span<const row> rows) {
  std::vector<row> all;
  std::map<std::tuple<std::string, std::string>, std::map<std::string, double>> seconds;
  for (const row& r : rows) {
    if (is_right(r, "bandwidth_compulsory"))
      all.push_back(derived(r, "bandwidth_kernel", r.value, r.unit, "each value read and written once"));
    if (is_right(r, kernel_metric)) seconds[{r.device, r.size}][r.parameter] = r.value;
  }
  for (const row& r : rows) {
    if (!is_right(r, kernel_metric) || r.parameter != "kernel=mean_curvature") continue;
    auto& of = seconds[{r.device, r.size}];
    if (!of.contains("kernel=sums") || !of.contains("kernel=error") ||
        !of.contains("kernel=forcing_mean_curvature"))
      continue;
    const double rhs = 5 * (of["kernel=mean_curvature"] + of["kernel=forcing_mean_curvature"]);
    const double others = 5 * of["kernel=sums"] + of["kernel=error"];
    row share = derived(r, "rhs_time_share", 100 * rhs / (rhs + others), "%",
                        "of an attempt's kernels: five right-hand sides with forcing, five sums, one error");
    share.parameter.clear();
    all.push_back(share);
  }
  return all;
}

experiment table(const std::string& name, const std::string& title, const std::string& note, names metrics,
                 std::function<std::vector<case_plan>(const plan_request&)> plan,
                 std::function<std::vector<row>(std::span<const row>)> derive) {
  layout l{.id = "curvature/" + name,
           .title = title,
           .note = note,
           .shape = layout::kind::table,
           .metrics = std::move(metrics)};
  return {std::move(l), std::move(plan), std::move(derive)};
}

experiment surfaces(const std::string& name, const std::string& title, flow what) {
  layout l{.id = "curvature/" + name,
           .title = title,
           .note = "Neumann borders, from sin(3 pi r) on [-2, 2]^2, double precision, eps 5e-7.",
           .shape = layout::kind::fields,
           .metrics = {time_metric}};
  l.columns = {"t=0"};
  for (double t : evolution_task(what, precision::double_, true).times)
    l.columns.push_back(fmt::format("t={:g}", t));
  l.quantity = "u";
  return {std::move(l), figure_cases(what), {}};
}

verified_case verify_case(curvature::solver& s, const std::string& what, const problem& p,
                          precision arithmetic, bool to_the_end) {
  return verified(what, [&] {
    s.load(p, arithmetic);
    return to_the_end ? check::verify(s, check::run_expectation(p), arithmetic)
                      : check::verify(s, *check::expect_steps(p), arithmetic);
  });
}

// One inner node, no square, one less and one more than a tile or a strip, and something larger.
std::vector<grid_size> verified_cells(const device& d) {
  std::vector<grid_size> sizes{{2, 2}, {3, 2}, {21, 14}, {33, 9}};
  if (d.kind != backend::emulated) sizes.insert(sizes.end(), {{63, 66}, {64, 70}, {65, 33}, {130, 301}});
  return sizes;
}

std::vector<verified_case> verify_variant(const variant& v, const device& d,
                                          std::span<const grid_size> sizes) {
  const auto s = dynamic_cast<const variant_of<curvature::solver>&>(v).make(d);
  const std::vector<grid_size> own = verified_cells(d);
  std::vector<verified_case> results;
  for (flow what : curvature::all_flows)
    for (setting how : curvature::all_settings)
      for (precision arithmetic : v.data.precisions) {
        const std::string kind =
            fmt::format("{} {} {}", to_string(what), to_string(how), to_string(arithmetic));
        for (const grid_size& size : sizes.empty() ? std::span<const grid_size>(own) : sizes)
          results.push_back(verify_case(*s,
                                        fmt::format("{} {}x{} cells, {} steps", kind, size.width, size.height,
                                                    check::stepwise_expectation::steps),
                                        skew_problem(what, how, size.width, size.height), arithmetic, false));
        if (sizes.empty())
          results.push_back(verify_case(*s, kind + " 13x10 cells, adaptive", skew_problem(what, how, 13, 10),
                                        arithmetic, true));
      }
  return results;
}

family make_family() {
  const names errors{"error_l1", "eoc_l1", "error_l2", "eoc_l2", "error_linf", "eoc_linf"};
  const names times{time_metric,           "gflops_paper",   "gflops",         "speedup_over_serial",
                    "speedup_over_openmp", "accepted_steps", "rejected_steps", "share_of_copy_roof"};
  const std::string measured =
      "T = 0.1 in 20 intervals, eps 5e-7, against the exact solution. Row 16 has 15 cells.";
  const std::string timed =
      "Time of the whole solve to T = 0.1, no set-up and no transfer. The paper's GFLOPS count the forcing, "
      "which it does not give; ours are 85 or 303 flops a node and evaluation.";
  family f{"curvature",
           "The CUDA implementation of the method of lines for the curvature dependent flows",
           {},
           {"eps"},
           verify_variant};
  f.experiments = {
      table("table3", "Table 3: errors of mean-curvature flow, double precision", measured, errors,
            table_cases(flow::mean_curvature, precision::double_), orders),
      table("table2", "Table 2: errors of mean-curvature flow, single precision", measured, errors,
            table_cases(flow::mean_curvature, precision::single), orders),
      table("table4", "Table 4: errors of Willmore flow, double precision", measured, errors,
            table_cases(flow::willmore, precision::double_), orders),
      table("table1", "Table 1: occupancy and throughput of each kernel",
            "Double precision. Occupancy from the runtime's calculator; bytes read and written once, over a "
            "launch.",
            {"occupancy", "bandwidth_kernel", "share_of_copy_roof", "rhs_time_share"}, kernel_cases,
            kernel_rates),
      table("table5", "Table 5: time of mean-curvature flow, single precision", timed, times,
            table_cases(flow::mean_curvature, precision::single), rates),
      table("table6", "Table 6: time of mean-curvature flow, double precision", timed, times,
            table_cases(flow::mean_curvature, precision::double_), rates),
      table("table7", "Table 7: time of Willmore flow, double precision",
            timed + " Row 256 of the paper's CPU columns lacks a digit.", times,
            table_cases(flow::willmore, precision::double_), rates),
      table("table8", "Table 8: time of the evolutions of Figs 1 and 2",
            "To t = 0.5 for mean-curvature and t = 0.1 for Willmore flow, as the figures end.",
            {time_metric, "speedup_over_serial", "speedup_over_openmp", "accepted_steps", "rejected_steps"},
            evolution_cases, speedups),
      surfaces("fig1", "Fig 1: evolution by mean-curvature flow", flow::mean_curvature),
      surfaces("fig2", "Fig 2: evolution by Willmore flow", flow::willmore),
  };
  return f;
}

const family_registration registered(make_family);

}  // namespace
}  // namespace reprise::harness
