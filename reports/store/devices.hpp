// SPDX-License-Identifier: MIT
// The devices listed in a run's description: their names and their order.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/store/run.hpp"

namespace reprise::reports {

// The device's name in the description, or its id if that has none.
std::string device_name(const run& from, const std::string& id);

// The device's index in the description's list; devices that are not listed come last.
std::size_t device_rank(const run& from, const std::string& id);

// Whether the device is the host's processors: also as OpenCL and OpenGL see them, by PoCL or llvmpipe.
bool is_processor(const run& from, const std::string& id);

// The kind of machine of each run, a number from 0 up: machines of one kind have as many hardware threads, and processors and
// GPUs of the same names. A run that lists no processor or no GPU is of the first kind that it fits.
std::vector<std::size_t> kinds_of_machines(std::span<const run> runs);

// Whether the run lists a GPU.
bool has_gpu(const run& r);

// The name for display, with the id if two devices of the run have the same name.
std::string device_label(const run& from, const std::string& id);

// The same for a page: ways to a board other than CUDA are told by their names, "NVIDIA H200 (OpenCL)", and the id only
// where a run has two boards of one name.
std::string device_on_page(const run& from, const std::string& id);

// A board or processor, with the ids through which it is accessible: "cuda:0" and "opencl:1".
struct board {
  std::string name;
  std::vector<std::string> ids;
};

// Adds the device to the board that it is another id of, or as a new board. Two boards of the same name are
// distinguished because a board has only one id per backend.
void add_device(std::vector<board>& boards, const std::string& id, const std::string& name);

// Ids and names, in the description's order.
std::vector<std::pair<std::string, std::string>> listed_devices(const run& from);

}  // namespace reprise::reports
