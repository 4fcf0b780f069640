// SPDX-License-Identifier: MIT
// Searches shapes of kernels, and keeps the fastest ones in a file.
#include "solvers/common/opencl/shape.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include "solvers/common/base/cache_folder.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/opencl/opencl.hpp"

namespace reprise {
namespace {

namespace fs = std::filesystem;

constexpr std::array<int, 5> known_lanes{1, 2, 4, 8, 16};
constexpr std::array<std::size_t, 3> tried_items{16, 64, 256};
constexpr std::size_t usual_items = 64;

// Reads "4x64" or "4x64x2".
std::optional<opencl_shape> parse(std::string_view text) {
  opencl_shape shape;
  const char* const end = text.data() + text.size();
  const auto lanes = std::from_chars(text.data(), end, shape.lanes);
  if (lanes.ec != std::errc() || lanes.ptr == end || *lanes.ptr != 'x') return {};
  const auto items = std::from_chars(lanes.ptr + 1, end, shape.items);
  if (items.ec != std::errc() || shape.items == 0) return {};
  if (items.ptr != end) {
    if (*items.ptr != 'x') return {};
    const auto steps = std::from_chars(items.ptr + 1, end, shape.steps);
    if (steps.ec != std::errc() || steps.ptr != end || shape.steps < 1) return {};
  }
  if (std::find(known_lanes.begin(), known_lanes.end(), shape.lanes) == known_lanes.end()) return {};
  return shape;
}

std::string written(const opencl_shape& shape) {
  return std::to_string(shape.lanes) + "x" + std::to_string(shape.items) +
         (shape.steps == 1 ? "" : "x" + std::to_string(shape.steps));
}

fs::path cache_file() {
  const fs::path folder = cache_folder();
  return folder.empty() ? fs::path() : folder / "opencl_shapes.csv";
}

using shapes = std::map<std::string, opencl_shape>;

// Lines that are no shapes are left out: somebody else wrote them, or half of them.
shapes read_cache(const fs::path& file) {
  shapes all;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto comma = line.rfind(',');
    if (comma == std::string::npos) continue;
    if (const auto shape = parse(std::string_view(line).substr(comma + 1)))
      all[line.substr(0, comma)] = *shape;
  }
  return all;
}

void write_cache(const fs::path& file, const std::string& key, const opencl_shape& shape) {
  shapes all = read_cache(file);
  all[key] = shape;
  std::string text;
  for (const auto& [name, chosen] : all) text += name + "," + written(chosen) + "\n";
  write_cache_file(file, text);
}

// A group's limit is a part of the key, because a driver's settings may change it.
std::string key_of(const device& d, std::string_view kernel, const opencl_limits& limits) {
  std::string key = d.name + "; " + d.driver + "; " + std::string(kernel) + "; " +
                    std::to_string(limits.native_lanes) + "; " + std::to_string(limits.most_items) +
                    (limits.steps.size() == 1 ? "" : "; " + std::to_string(limits.steps.back()));
  std::replace(key.begin(), key.end(), '\n', ' ');
  return key;
}

opencl_shape search(const opencl_limits& limits, const std::function<double(const opencl_shape&)>& seconds) {
  std::vector<std::pair<double, opencl_shape>> tried;
  const auto try_shape = [&](const opencl_shape& shape) {
    const auto is_it = [&](const auto& known) { return known.second == shape; };
    if (std::none_of(tried.begin(), tried.end(), is_it)) tried.emplace_back(seconds(shape), shape);
  };
  const auto best = [&] {
    return std::min_element(tried.begin(), tried.end(),
                            [](const auto& a, const auto& b) { return a.first < b.first; })
        ->second;
  };
  for (const int lanes : known_lanes) {
    const auto wide = static_cast<std::size_t>(lanes);
    const bool is_natural = wide == limits.native_lanes || wide == 2 * limits.native_lanes;
    if (lanes == 1 || (limits.native_lanes > 1 && is_natural))
      try_shape({lanes, std::min(usual_items, limits.most_items)});
  }
  const int lanes = best().lanes;
  for (const std::size_t items : tried_items) try_shape({lanes, std::min(items, limits.most_items)});
  const std::size_t items = best().items;
  for (const int steps : limits.steps) try_shape({lanes, items, steps});
  return best();
}

}  // namespace

std::string to_string(const opencl_shape& shape) {
  return std::to_string(shape.lanes) + (shape.lanes == 1 ? " lane" : " lanes") + " an item, " +
         std::to_string(shape.items) + (shape.items == 1 ? " item" : " items") + " a group" +
         (shape.steps == 1 ? "" : ", " + std::to_string(shape.steps) + " steps a launch");
}

opencl_limits opencl_limits_of(const device& d, std::size_t word_bytes) {
  const opencl_context context(d);
  cl_uint lanes = 1;
  REPRISE_CL(clGetDeviceInfo(context.device_id(),
                             word_bytes == sizeof(double) ? CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE
                                                          : CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
                             sizeof lanes, &lanes, nullptr));
  std::size_t items = 1;
  REPRISE_CL(
      clGetDeviceInfo(context.device_id(), CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof items, &items, nullptr));
  return {std::max<std::size_t>(lanes, 1), std::max<std::size_t>(items, 1), {1}};
}

opencl_shape fastest_shape(const device& d, std::string_view kernel, const opencl_limits& limits,
                           const std::function<double(const opencl_shape&)>& seconds) {
  if (const char* const told = std::getenv("REPRISE_OPENCL_SHAPE")) {
    const auto shape = parse(told);
    if (!shape)
      throw bad_input("REPRISE_OPENCL_SHAPE=" + std::string(told) +
                      " is no shape: give lanes (1, 2, 4, 8 or 16) and items, such as 4x64");
    opencl_shape fitting{shape->lanes, std::min(shape->items, limits.most_items), 1};
    for (const int steps : limits.steps)
      if (steps <= shape->steps) fitting.steps = steps;
    return fitting;
  }
  const fs::path file = cache_file();
  const std::string key = key_of(d, kernel, limits);
  static std::map<std::pair<fs::path, std::string>, opencl_shape> known;  // also where no file can be written
  if (const auto at = known.find({file, key}); at != known.end()) return at->second;
  const shapes kept = file.empty() ? shapes() : read_cache(file);
  const auto at = kept.find(key);
  const bool is_kept = at != kept.end() && at->second.items <= limits.most_items &&
                       std::ranges::count(limits.steps, at->second.steps) > 0;
  const opencl_shape shape = is_kept ? at->second : search(limits, seconds);
  if (!is_kept && !file.empty()) write_cache(file, key, shape);
  known[{file, key}] = shape;
  return shape;
}

opencl_shape fastest_group(const device& d, std::string_view kernel,
                           const std::function<double(const opencl_shape&)>& seconds) {
  opencl_limits limits = opencl_limits_of(d, sizeof(float));
  limits.native_lanes = 1;
  opencl_shape shape = fastest_shape(d, kernel, limits, seconds);
  shape.lanes = 1;  // REPRISE_OPENCL_SHAPE may ask for more
  return shape;
}

double shortest_seconds(stopwatch& clock, int tries, const std::function<void()>& work) {
  double shortest = 0;
  for (int n = 0; n <= tries; ++n) {
    clock.start();
    work();
    const double seconds = clock.stop();
    if (n == 1 || (n > 1 && seconds < shortest)) shortest = seconds;
  }
  return shortest;
}

}  // namespace reprise
