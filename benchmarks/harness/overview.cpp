// SPDX-License-Identifier: MIT
// What `reprise list` and `reprise doctor` print.
#include "benchmarks/harness/overview.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "benchmarks/harness/build_info.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/harness/sensors.hpp"
#include "solvers/common/communicator.hpp"
#include "solvers/common/error.hpp"

namespace reprise::harness {
namespace {

bool matches_any(const std::vector<std::string>& globs, std::string_view id) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& g) { return matches(g, id); });
}

struct variant_line {
  std::string id, summary, place, status;
};

std::string status_of(std::string_view id) {
  const auto on = targets_of(id, "*", true);
  if (on.front().what == nullptr) return on.front().reason;
  if (on.front().where.kind == backend::emulated)
    return "checked in emulation only: " + targets_of(id, "*", false).front().reason;
  std::string devices;
  for (const target& t : on) devices += (devices.empty() ? "" : ", ") + t.where.id;
  return "ready on " + devices;
}

variant_line line_of(const manifest_entry& entry) {
  variant_line line{std::string(entry.id), "", "", status_of(entry.id)};
  for (const auto& v : variants())
    if (v->id == entry.id) {
      line.summary = v->data.summary;
      line.place = v->data.place;
    }
  return line;
}

std::string status_of(const experiment& e) {
  int ready = 0;
  int all = 0;
  for (const case_plan& plan : e.plan({})) {
    ++all;
    ready += targets_of(plan.variant, "*", false).front().what != nullptr ? 1 : 0;
  }
  return ready == 0 ? "nothing of it can be timed here" : fmt::format("ready, {} of {} cases", ready, all);
}

// Those that this build has, whether or not this machine has a device for them: a cluster's front end has
// none.
std::vector<std::string> backends_of(const experiment& e) {
  std::set<std::string> backends;
  for (const case_plan& plan : e.plan({}))
    for (const manifest_entry& entry : manifest())
      if (entry.id == plan.variant && entry.not_built.empty()) backends.emplace(to_string(entry.needs));
  return {backends.begin(), backends.end()};
}

const char* cure(backend kind) {
  switch (kind) {
    case backend::cuda:
      return "a CUDA toolkit of version 12 or later to build, NVIDIA's driver and a GPU to run";
    case backend::opencl:
      return "apt install opencl-headers ocl-icd-opencl-dev pocl-opencl-icd, or the vendor's driver";
    case backend::opengl:
      return "apt install libepoxy-dev libegl-dev libegl1 libgl1-mesa-dri, or the vendor's driver";
    case backend::cpu:
    case backend::emulated:
      break;
  }
  return "";
}

bool has_built(backend kind) {
  return std::any_of(manifest().begin(), manifest().end(),
                     [&](const manifest_entry& e) { return e.needs == kind && e.not_built.empty(); });
}

void print_backend(backend kind, std::ostream& out) {
  const discovery& found = devices_of(kind);
  std::string lost;
  std::string reason = found.reason;
  int count = 0;
  for (const manifest_entry& entry : manifest())
    if (entry.needs == kind) {
      ++count;
      if (!has_built(kind)) reason = entry.not_built;
    }
  for (const device& d : found.devices) {
    out << fmt::format("  {:<10}{}\n", d.id, d.name);
    out << fmt::format(
        "  {:<10}{}; {:.0f} GiB{}{}\n", "", d.driver, static_cast<double>(d.memory_bytes) / (1 << 30),
        d.cache_bytes > 0 ? fmt::format(", {:.0f} MiB cache", static_cast<double>(d.cache_bytes) / (1 << 20))
                          : "",
        d.fp64 ? "" : ", no double precision");
    try {
      sensors_of(d)->energy_joules();
      out << fmt::format("  {:<10}energy can be read\n", "");
    } catch (const unavailable& missing) {
      out << fmt::format("  {:<10}no energy: {}\n", "", missing.what());
    }
  }
  if (found.devices.empty()) {
    out << fmt::format("  missing   {}\n", reason);
    out << fmt::format("  costs     {} variants{}\n", count,
                       kind == backend::cuda ? " (they are checked in emulation, never timed)" : "");
    out << fmt::format("  needs     {}\n", cure(kind));
  }
}

// Variants whose device could be used but for a library that was not there when they were built.
void print_missing_libraries(backend kind, std::ostream& out) {
  if (!has_built(kind)) return;
  std::map<std::string_view, int> lost;
  for (const manifest_entry& entry : manifest())
    if (entry.needs == kind && !entry.not_built.empty()) ++lost[entry.not_built];
  for (const auto& [reason, count] : lost) {
    out << fmt::format("  missing   {}\n", reason);
    out << fmt::format("  costs     {} variants\n", count);
  }
}

void print_ranks(std::ostream& out) {
  out << "ranks\n";
  try {
    out << fmt::format("  {:<10}{}\n", "mpi", ranks::communicator::library());
  } catch (const unavailable& missing) {
    out << fmt::format("  missing   {}\n  costs     one problem on several GPUs or hosts\n", missing.what());
    return;
  }
  const std::string_view no_nccl = REPRISE_NCCL_MISSING;
  out << (no_nccl.empty() ? std::string("  nccl      looked for when GPUs of several ranks first exchange\n")
                          : fmt::format("  missing   {}\n  costs     fast exchange between GPUs: "
                                        "REPRISE_EXCHANGE=host goes through the hosts' memory\n",
                                        no_nccl));
}

}  // namespace

void list(const std::vector<std::string>& globs, bool as_json, std::ostream& out) {
  nlohmann::json all{{"variants", nlohmann::json::array()}, {"experiments", nlohmann::json::array()}};
  for (const manifest_entry& entry : manifest())
    if (matches_any(globs, entry.id)) {
      const variant_line line = line_of(entry);
      all["variants"].push_back({{"id", line.id},
                                 {"file", entry.file},
                                 {"summary", line.summary},
                                 {"place", line.place},
                                 {"status", line.status}});
    }
  for (const family& f : families())
    for (const experiment& e : f.experiments)
      if (matches_any(globs, e.layout.id))
        all["experiments"].push_back({{"id", e.layout.id},
                                      {"title", e.layout.title},
                                      {"status", status_of(e)},
                                      {"backends", backends_of(e)}});
  if (all["variants"].empty() && all["experiments"].empty())
    throw bad_input("no variant or experiment matches '" + globs.front() +
                    "': `reprise list` names them all");
  if (as_json) {
    out << all.dump(2) << '\n';
    return;
  }
  for (const char* const kind : {"variants", "experiments"}) {
    if (all[kind].empty()) continue;
    out << kind << '\n';
    for (const auto& entry : all[kind])
      out << fmt::format("  {:<34}{}\n", entry["id"].get<std::string>(), entry["status"].get<std::string>());
  }
}

void doctor(std::ostream& out) {
  all_devices();  // before anything is printed: a driver that crashes starts the program again
  const build_info& build = this_build();
  out << fmt::format("reprise {} ({})\n", build.version, build.git);
  out << fmt::format("  built with {}, {} ({}); CUDA: {}\n", build.compiler, build.build_type, build.flags,
                     build.cuda);
  if (build.build_type != "Release")
    out << "  warning: times of this build mean nothing, use the release preset\n";
  for (backend kind : {backend::cpu, backend::cuda, backend::opencl, backend::opengl}) {
    out << to_string(kind) << '\n';
    print_backend(kind, out);
    print_missing_libraries(kind, out);
  }
  print_ranks(out);
}

}  // namespace reprise::harness
