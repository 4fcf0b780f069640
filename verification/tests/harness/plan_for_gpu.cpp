// SPDX-License-Identifier: MIT
// Plans a run of five minutes for a made-up machine with a GPU, and tells which headlines the plan leaves out. Fails unless these are
// the ones that are known to take longer.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "benchmarks/harness/budget/plan.hpp"
#include "benchmarks/harness/run_request.hpp"
#include "benchmarks/harness/runner.hpp"
#include "solvers/common/base/error.hpp"

namespace {

using namespace reprise;

device made_up(backend kind, const std::string& id, const std::string& name, bool on_host) {
  device d;
  d.kind = kind;
  d.id = id;
  d.name = name;
  d.memory_bytes = std::size_t{128} << 30;
  d.cache_bytes = std::size_t{60} << 20;
  d.on_host = on_host;
  d.in_host_memory = on_host;
  if (!on_host) d.pci = "0000:01:00.0";
  return d;
}

discovery only(const device& d) {
  return {{d}, ""};
}

// In place of the machine that this is.
void register_made_up_machine() {
  const backend_registration cpu(backend::cpu,
                                 [] { return only(made_up(backend::cpu, "cpu", "CPU", true)); });
  const backend_registration cuda(backend::cuda,
                                  [] { return only(made_up(backend::cuda, "cuda:0", "GPU", false)); });
  const backend_registration opengl(backend::opengl,
                                    [] { return only(made_up(backend::opengl, "opengl:0", "GPU", false)); });
  const backend_registration opencl(backend::opencl, [] {
    return discovery{{made_up(backend::opencl, "opencl:0", "CPU", true),
                      made_up(backend::opencl, "opencl:1", "GPU", false)},
                     ""};
  });
}

// The ones whose parts on processors take minutes, and then those whose largest cases do so on a GPU.
const std::set<std::string> known_to_take_longer{
    "angiogenesis/speedup_over_one_core", "atrium/gpu_over_processors",   "curvature/speedup_single",
    "curvature/speedup_double",           "curvature/second_order",       "curvature/single_is_as_accurate",
    "curvature/willmore_needs_double",    "tissue/runge_kutta_over_heun", "tissue/runge_kutta_is_cheapest"};

struct headlines {
  std::set<std::string> measured, left_out;
};

headlines headlines_in(const std::string& plan) {
  headlines found;
  std::set<std::string>* where = &found.measured;
  std::istringstream lines(plan);
  for (std::string line; std::getline(lines, line);) {
    if (line == "leaves out") where = &found.left_out;
    std::istringstream words(line);
    if (std::string kind, name; words >> kind >> name && kind == "headline") where->insert(name);
  }
  return found;
}

int judge(const std::filesystem::path& home) {
  harness::run_request request;
  request.budget_seconds = 300;
  request.home = home;
  const auto steps = harness::steps_of(request);
  const budget::plan plan(steps, home, request.plan.level, request.budget_seconds);
  const std::string text = plan.text();
  const headlines found = headlines_in(text);
  std::printf("%s%zu headlines measured, %zu left out\n", text.c_str(), found.measured.size(),
              found.left_out.size());
  std::set<std::string> surprising;
  std::ranges::set_symmetric_difference(found.left_out, known_to_take_longer,
                                        std::inserter(surprising, surprising.end()));
  for (const std::string& name : surprising) std::printf("not as expected: %s\n", name.c_str());
  return surprising.empty() && !found.measured.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw bad_input("usage: plan_for_gpu HOME");
  register_made_up_machine();
  return judge(argv[1]);
} catch (const std::exception& problem) {
  std::fprintf(stderr, "plan_for_gpu: %s\n", problem.what());
  return 1;
}
