// SPDX-License-Identifier: MIT
// The jacobi paper's experiments: the variants and sizes of each table and figure, and
// rates in the paper's accounting.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "benchmarks/harness/derivation.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/harness/timed_work.hpp"
#include "reference/jacobi/reference.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/jacobi/variant.hpp"
#include "verification/jacobi/check.hpp"
#include "verification/jacobi/problem_check.hpp"

namespace reprise::harness {
namespace {

namespace check = verification::jacobi;
using jacobi::matrix;
using reports::layout;
using reports::row;

constexpr int sweeps = 1000;  // as many as the paper times
constexpr int height = 1024;
const std::string time_metric = "time_1000_sweeps";
const std::vector<int> printed_widths{508, 511, 512, 513, 516};

using names = std::vector<std::string>;
const names gpus_compared{"opengl_luminance", "opengl_rgba", "cuda_shared", "cuda_texture"};

// All variants in solvers/jacobi, found by their files: a new variant needs no line here.
names everything() {
  return variants_of("jacobi");
}

// A check sweeps in two calls, about half of the sweeps in each. With one sweep less than twice as many as a
// variant combines, the second call makes the longest pass, and the first one needs the shorter ones.
int sweeps_for_all_passes(const jacobi::solver& s) {
  return 2 * s.sweeps_at_once() - 1;
}

// The variants that declare double precision.
names in_double_precision() {
  names all;
  for (const std::string& name : everything())
    if (std::ranges::any_of(variants(), [&](const auto& v) {
          return v->id == "jacobi/" + name && std::ranges::count(v->data.precisions, precision::double_) > 0;
        }))
      all.push_back(name);
  return all;
}

class jacobi_subject final : public subject {
 public:
  jacobi_subject(std::unique_ptr<jacobi::solver> s, grid_size size, precision arithmetic,
                 std::vector<int> checked_sweeps)
      : solver_(std::move(s)),
        size_(size),
        arithmetic_(arithmetic),
        checked_sweeps_(std::move(checked_sweeps)) {}

  void load() override { check::load(*solver_, expected(checked_sweeps_.front())->problem(), arithmetic_); }
  std::vector<checkers::finding> verify() override {
    std::vector<checkers::finding> all;
    for (int count : checked_sweeps_) judge(count, all);
    if (solver_->sweeps_at_once() > 1) judge(sweeps_for_all_passes(*solver_), all);
    return all;
  }
  double run(int repeats) override {
    return clocked(*solver_, [&] { solver_->sweep(repeats); });
  }
  std::vector<checkers::finding> judge_timed_work(int repeats) override {
    std::vector<checkers::finding> findings{judge_windows(repeats)};
    if (1.0 * size_.width * size_.height * repeats > affordable_work) return findings;
    sweep_from_start({repeats});
    const checkers::finding whole = check::judge_answer(*solver_, *expected(repeats), arithmetic_).front();
    findings.push_back({"timed_run_error", whole.value, whole.limit, whole.reason});
    return findings;
  }

  std::optional<accounted> account() override {
    if (arithmetic_ == precision::single) return {};
    return accounted{1.0 * size_.width * size_.height * sweeps, solver_->per_unit_in_double()};
  }
  void read_back() override { check::answer_of(*solver_, arithmetic_); }

  // The iterate after as many sweeps as are timed, from the start.
  final_state end() override {
    const Eigen::VectorXd x = after_calls({sweeps});
    const auto known = expected(checked_sweeps_.front());
    const jacobi::problem& p = known->problem();
    const Eigen::VectorXd f = Eigen::Map<const Eigen::VectorXf>(p.f.data(), p.nodes()).cast<double>();
    reports::field drawn;
    drawn.name = "x";
    drawn.nx = p.nx;
    drawn.ny = p.ny;
    drawn.x1 = p.nx - 1;
    drawn.y1 = p.ny - 1;
    drawn.values.assign(x.begin(), x.end());
    const double residual = (f - reference::jacobi::matrix_of(p) * x).norm() / f.norm();
    return {{drawn},
            {{"iterate_norm", x.norm(), "1", "Euclidean norm of x after 1000 sweeps"},
             {"iterate_residual", residual, "1", "|f - A x| / |f| after 1000 sweeps, Euclidean norms"}}};
  }

 private:
  static constexpr double affordable_work = 1.2e9;  // nodes times sweeps: a few seconds on two cores

  void judge(int count, std::vector<checkers::finding>& all) {
    checkers::append(all, check::verify(*solver_, *expected(count), arithmetic_));
  }

  // Makes these numbers of sweeps, each in one call from where the last one ended.
  void sweep_from_start(std::initializer_list<int> calls) {
    solver_->reset();
    for (const int count : calls)
      if (count > 0) solver_->sweep(count);
  }
  Eigen::VectorXd after_calls(std::initializer_list<int> calls) {
    sweep_from_start(calls);
    return check::answer_of(*solver_, arithmetic_);
  }

  // Sweeps within one call as long as a sample, then sweeps of two samples that follow each other, and sweeps
  // from the state that the samples left.
  checkers::finding judge_windows(int repeats) {
    const auto known = expected(checked_sweeps_.front());
    const auto judge_sweeps = [&](const Eigen::VectorXd& before, long count, const Eigen::VectorXd& after) {
      return check::judge_sweeps(known->problem(), before, static_cast<int>(count), after, arithmetic_);
    };
    std::vector<checkers::finding> findings;
    const Eigen::VectorXd left = check::answer_of(*solver_, arithmetic_);
    solver_->sweep(window_sweeps);
    findings.push_back(judge_sweeps(left, window_sweeps, check::answer_of(*solver_, arithmetic_)));
    for (const window& w : windows_of(repeats, window_sweeps, to_string(size_)))
      findings.push_back(judge_sweeps(after_calls({static_cast<int>(w.begin)}), w.steps,
                                      after_calls({static_cast<int>(w.end())})));
    const int in_all = 1 + 2 * repeats;
    const int last = std::min(in_all, window_sweeps);
    findings.push_back(judge_sweeps(after_calls({in_all - last}), last, after_calls({1, repeats, repeats})));
    return checkers::worst_of(findings);
  }

  static constexpr int window_sweeps = 16;

  std::shared_ptr<const check::expectation> expected(int count) const {
    return check::expect(matrix::neumann, size_.width, size_.height, count);
  }

  std::unique_ptr<jacobi::solver> solver_;
  grid_size size_;
  precision arithmetic_;
  std::vector<int> checked_sweeps_;
};

// Ten sweeps are few enough that a missing one stands out from rounding. The paper preset also checks as many
// sweeps as are timed, if the reference is affordable at this size.
std::vector<int> checked_sweeps(preset level, grid_size size) {
  constexpr double affordable_nodes = 1.1e6;
  if (level == preset::paper && 1.0 * size.width * size.height <= affordable_nodes) return {10, sweeps};
  return {10};
}

case_plan plan_case(const std::string& name, grid_size size, preset level, precision arithmetic) {
  case_plan plan;
  plan.variant = "jacobi/" + name;
  plan.arithmetic = arithmetic;
  plan.size = to_string(size);
  plan.metric = time_metric;
  plan.cold_metric = "time_1_sweep_cold";
  plan.repeats = sweeps;
  plan.units_per_repeat = 1.0 * size.width * size.height;
  const std::size_t words = 13;  // of a node, both iterates included
  plan.footprint_bytes = static_cast<std::size_t>(plan.units_per_repeat) * words *
                         (arithmetic == precision::single ? sizeof(float) : sizeof(double));
  plan.make = around<jacobi::solver>([=](auto s) {
    return std::make_unique<jacobi_subject>(std::move(s), size, arithmetic, checked_sweeps(level, size));
  });
  return plan;
}

using sizes_of = std::vector<grid_size> (*)(preset);

auto cases(names variants, sizes_of sizes, precision arithmetic = precision::single) {
  return [variants = std::move(variants), sizes, arithmetic](const plan_request& request) {
    return plans_for(request.sizes_or(sizes(request.level)), variants,
                     [&](const grid_size& size, const auto& name) {
                       return plan_case(name, size, request.level, arithmetic);
                     });
  };
}

std::vector<grid_size> of_widths(const std::vector<int>& widths) {
  std::vector<grid_size> sizes;
  for (int width : widths) sizes.push_back({width, height});
  return sizes;
}

std::vector<grid_size> printed(preset) {
  return of_widths(printed_widths);
}

// Every width from 480 to 576 in the paper preset; every fourth and those of the tables in the quick preset.
std::vector<grid_size> width_sweep(preset level) {
  if (level == preset::smoke) return printed(level);
  std::vector<int> widths;
  for (int width = 480; width <= 576; ++width)
    if (level == preset::paper || width % 4 == 0 ||
        std::ranges::find(printed_widths, width) != printed_widths.end())
      widths.push_back(width);
  return of_widths(widths);
}

// Software OpenGL is slow, and the comparison of Fig 18 does not need every width.
std::vector<grid_size> few_widths(preset level) {
  if (level == preset::paper) return width_sweep(level);
  return level == preset::smoke ? of_widths({512}) : of_widths({480, 508, 512, 513, 544, 576});
}

std::vector<grid_size> growing_widths(preset level) {
  if (level == preset::smoke) return of_widths({128});
  return of_widths({128, 256, 512, 768, 1024});
}

std::vector<grid_size> square(preset) {
  return {{1024, 1024}};
}

std::vector<grid_size> large_squares(preset level) {
  if (level == preset::smoke) return {{512, 512}};
  return {{2048, 2048}, {4096, 4096}};
}

std::vector<row> speedups(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& r : rows)
    if (is_right(r, time_metric))
      add({"jacobi/cpu_interleaved", "speedup_over_cpu", "over cpu_interleaved in this run"}, all, rows, r);
  return all;
}

// Operations or bytes per node of each variant as the paper counts them. These counts differ from the true
// ones, so their rates are separate metrics.
using per_node = std::map<std::string, double>;

auto rate(const std::string& metric, const std::string& unit, double scale, per_node counts) {
  return [=](std::span<const row> rows) {
    std::vector<row> all;
    for (const row& r : rows) {
      const auto count = counts.find(r.variant);
      if (!is_right(r, time_metric) || count == counts.end()) continue;
      const double nodes = reports::nodes_of(r.size);
      all.push_back(derived(r, metric, count->second * nodes * sweeps / r.value * scale, unit,
                            fmt::format("{} a node, as the paper counts", count->second)));
    }
    return all;
  };
}

constexpr double giga = 1e-9;
constexpr double gibi = 1.0 / (1 << 30);

const per_node paper_flops{{"jacobi/cpu_interleaved", 37},
                           {"jacobi/cuda_shared", 30},
                           {"jacobi/cuda_texture", 33},
                           {"jacobi/opengl_luminance", 36},
                           {"jacobi/opengl_rgba", 36}};
const per_node paper_bytes{{"jacobi/cpu_interleaved", 80},
                           {"jacobi/cuda_shared", 80},
                           {"jacobi/cuda_texture", 80},
                           {"jacobi/opengl_luminance", 80},
                           {"jacobi/opengl_rgba", 80}};
const per_node paper_device_bytes{{"jacobi/cuda_shared", 56},
                                  {"jacobi/cuda_texture", 48},
                                  {"jacobi/opengl_luminance", 48},
                                  {"jacobi/opengl_rgba", 48}};

experiment table(const std::string& name, const std::string& title, const std::string& note,
                 std::vector<std::string> metrics, names variants, sizes_of sizes, deriver derive = {}) {
  return harness::table("jacobi/" + name, title, note, std::move(metrics), cases(std::move(variants), sizes),
                        std::move(derive));
}

experiment figure(const std::string& name, const std::string& title, const std::string& note, names variants,
                  sizes_of sizes, const std::string& published_in = "") {
  layout l{.id = "jacobi/" + name,
           .title = title,
           .note = note,
           .shape = layout::kind::figure,
           .metrics = {time_metric},
           .x = "width",
           .x_label = "width (nodes)",
           .y_label = "time of 1000 sweeps (s)",
           .log_y = !published_in.empty(),  // the paper's hardware is far slower than today's
           .published_in = published_in};
  return {std::move(l), cases(std::move(variants), sizes), {}};
}

std::vector<experiment> tables() {
  const std::string timed = "Time of 1000 sweeps, matrix \"neumann\", no set-up and no transfer.";
  const std::string accounting = "The paper's count of operations and bytes stands beside the true one.";
  return {
      table("table1", "Table 1: time against width, CUDA Simple, Aligned and 2D", timed + " Height 1024.",
            {time_metric}, {"cuda_simple", "cuda_aligned", "cuda_2d"}, printed),
      table("table2", "Table 2: time against width, CUDA 2D and Shared",
            timed + " Height 1024. The paper's caption says Aligned where its rows are 2D.", {time_metric},
            {"cuda_2d", "cuda_shared"}, printed),
      table("table3", "Table 3: time and speed-up over the CPU at 1024x1024",
            timed + " The speed-up is over the paper's one-thread code on the same machine.",
            {time_metric, "speedup_over_cpu", "time_to_solution", "time_1_sweep_cold"}, everything(), square,
            speedups),
      table("table4", "Table 4: GFLOPS on the CPU", accounting,
            {"peak_flops", "gflops_paper", "share_of_peak_flops", "gflops", "share_of_flops_roof"},
            {"cpu_interleaved"}, square, rate("gflops_paper", "GFLOP/s", giga, paper_flops)),
      table("table5", "Table 5: GFLOPS on the GPU",
            accounting + " The paper's text introduces it as Table 4.",
            {"peak_flops", "gflops_paper", "share_of_peak_flops", "gflops", "share_of_flops_roof"},
            gpus_compared, square, rate("gflops_paper", "GFLOP/s", giga, paper_flops)),
      table("table6", "Table 6: transfer rate on the CPU",
            accounting + " The paper's GB/s are GiB/s, its peaks are decimal.",
            {"peak_bandwidth", "bandwidth_paper", "share_of_peak_bandwidth", "bandwidth_compulsory",
             "share_of_copy_roof", "share_of_binding_roof"},
            {"cpu_interleaved"}, square, rate("bandwidth_paper", "GB/s", gibi, paper_bytes)),
      table("table7", "Table 7: transfer rate on the GPU",
            accounting + " The paper's GB/s are GiB/s, its peaks are decimal.",
            {"peak_bandwidth", "bandwidth_paper", "share_of_peak_bandwidth", "bandwidth_logical",
             "share_of_copy_roof", "share_of_binding_roof"},
            gpus_compared, square, rate("bandwidth_paper", "GB/s", gibi, paper_bytes)),
      table("table8", "Table 8: transfer rate on the GPU, device memory only", accounting,
            {"peak_bandwidth", "device_bandwidth_paper", "share_of_peak_device_bandwidth",
             "bandwidth_compulsory", "share_of_copy_roof", "share_of_binding_roof"},
            gpus_compared, square, rate("device_bandwidth_paper", "GB/s", gibi, paper_device_bytes)),
      table("large", "Beyond the paper: grids that no cache holds",
            timed + " At 1024x1024 all arrays fit into the cache of a recent GPU; here they do not.",
            {time_metric, "bandwidth_compulsory", "share_of_copy_roof", "share_of_binding_roof",
             "energy_1000_sweeps"},
            everything(), large_squares),
      harness::table("jacobi/large_double", "Beyond the paper: large grids in double precision",
                     timed + " The variants that also work in double precision.",
                     {time_metric, "bandwidth_compulsory", "share_of_copy_roof", "share_of_binding_roof",
                      "energy_1000_sweeps"},
                     cases(in_double_precision(), large_squares, precision::double_)),
  };
}

std::vector<experiment> figures() {
  return {
      figure("fig18", "Fig 18: OpenGL with luminance and with RGBA textures",
             "Height 1024. The paper's text does not give the figure's axes: ours are width and time of 1000 "
             "sweeps.",
             {"opengl_luminance", "opengl_rgba"}, few_widths),
      figure(
          "fig19", "Fig 19: the width's influence on CUDA Simple, Aligned and 2D",
          "Height 1024, every width from 480 to 576 in the paper's preset. Published points are Table 1's.",
          {"cuda_simple", "cuda_aligned", "cuda_2d"}, width_sweep, "jacobi/table1"),
      figure("fig20", "Fig 20: CUDA 2D against Shared",
             "Height 1024. The paper's caption says Aligned. Published points are Table 2's.",
             {"cuda_2d", "cuda_shared"}, width_sweep, "jacobi/table2"),
      figure("fig21", "Fig 21: CPU and GPU", "Height 1024. Published points are Table 3's.",
             {"cpu_interleaved", "openmp", "opengl_luminance", "opengl_rgba", "opengl_compute",
              "opencl_simple", "cuda_shared", "cuda_texture", "cuda_resident"},
             growing_widths, "jacobi/table3"),
      figure("fig22", "Fig 22: GPUs only", "Height 1024. Published points are Table 3's.",
             {"opengl_luminance", "opengl_rgba", "opengl_compute", "opencl_simple", "cuda_shared",
              "cuda_texture", "cuda_resident"},
             growing_widths, "jacobi/table3"),
  };
}

template <class Expectation>
verified_case verify_case(jacobi::solver& s, const std::string& what, const Expectation& e,
                          precision arithmetic) {
  return verified(what, [&] {
    check::load(s, e.problem(), arithmetic);
    return check::verify(s, e, arithmetic);
  });
}

// One node, no interior, no whole block, one node fewer and one more than a block or a
// segment, and something large.
std::vector<grid_size> verified_sizes(const device& d) {
  std::vector<grid_size> sizes{{1, 1},    {2, 2},    {5, 1},    {1, 7},    {37, 23}, {130, 67},
                               {508, 16}, {511, 16}, {512, 16}, {513, 16}, {516, 16}};
  if (d.kind != backend::emulated) sizes.push_back({1000, 600});
  return sizes;
}

void verify_problem(std::vector<verified_case>& results) {
  for (const grid_size& size : {grid_size{1, 1}, grid_size{1, 7}, grid_size{37, 23}})
    for (matrix kind : jacobi::all_matrices)
      results.push_back(verified(
          fmt::format("the problem {} {}x{}", to_string(kind), size.width, size.height),
          [&] { return check::judge_problem(jacobi::make_problem(kind, size.width, size.height), kind); }));
}

std::vector<verified_case> verify_variant(const variant& v, const device& d,
                                          std::span<const grid_size> sizes) {
  const auto s = dynamic_cast<const variant_of<jacobi::solver>&>(v).make(d);
  const std::vector<grid_size> own = verified_sizes(d);
  std::vector<verified_case> results;
  for (const grid_size& size : sizes.empty() ? std::span<const grid_size>(own) : sizes)
    for (matrix kind : jacobi::all_matrices)
      for (precision arithmetic : v.data.precisions) {
        const auto add = [&](int count) {
          results.push_back(verify_case(*s,
                                        fmt::format("{} {} {}x{}, {} sweeps", to_string(kind),
                                                    to_string(arithmetic), size.width, size.height, count),
                                        *check::expect(kind, size.width, size.height, count), arithmetic));
        };
        add(1);
        add(10);
        if (s->sweeps_at_once() > 1) add(sweeps_for_all_passes(*s));
      }
  if (!sizes.empty()) return results;
  verify_problem(results);
  for (precision arithmetic : v.data.precisions) {
    const check::converged_expectation converged(12, 9, arithmetic);
    results.push_back(verify_case(
        *s, fmt::format("pinned {} 12x9, {} sweeps, solved", to_string(arithmetic), converged.sweeps()),
        converged, arithmetic));
  }
  return results;
}

family make_family() {
  return {"jacobi",
          "A comparison of OpenGL and CUDA for a weighted Jacobi iteration on the bidomain equations",
          joined({tables(), figures()}),
          {},
          verify_variant};
}

const family_registration registered(make_family);

}  // namespace
}  // namespace reprise::harness
