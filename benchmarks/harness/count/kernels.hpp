// SPDX-License-Identifier: MIT
// What compiled CUDA kernels need: registers, spills and shared memory, and which instructions they have.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::counting {

struct kernel_needs {
  std::string architecture;  // "sm_90"
  std::string name;          // demangled
  int registers{};
  int spilled{};  // bytes of local memory of a thread: spills, and arrays that no registers hold
  int shared{};   // bytes of static shared memory of a block
  std::map<std::string, int> instructions{};  // by operation; empty if unknown
};

struct kernel_list {
  std::vector<kernel_needs> kernels;
  std::string source;   // what said so: "the device cuda:0", "cuobjdump"
  std::string missing;  // why there are none
  std::string no_mix;   // why their instructions are unknown
};

// Asks a CUDA device, or else cuobjdump about the program's file.
kernel_list kernels_of(const std::filesystem::path& program, const nlohmann::json& on_device,
                       const std::filesystem::path& scratch);

// Parse what `cuobjdump --dump-resource-usage` and `cuobjdump -sass` print. Lines that are nothing known are passed over.
std::vector<kernel_needs> read_resource_usage(std::string_view text);
void add_instructions(std::vector<kernel_needs>& kernels, std::istream& sass);

nlohmann::json to_json(const kernel_list& all);
kernel_list kernels_in(const nlohmann::json& j);  // throws nlohmann::json::exception

}  // namespace reprise::counting
