// SPDX-License-Identifier: MIT
// Reads cuobjdump's lists, and keeps kernels as JSON.
#include "benchmarks/harness/count/kernels.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>

#include "benchmarks/harness/duel/command.hpp"
#include "reports/store/files.hpp"

namespace reprise::counting {
namespace {

using nlohmann::json;

// The file of a kernel in an unnamed namespace: nvcc puts it into the name, with numbers that depend on the build's place.
const std::regex own_namespace("\\d+(_GLOBAL__N__[0-9a-f]+_\\d+_(\\w+?)_cu_[0-9a-f]+_\\d+)");

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

// "cuda_shared: reprise::jacobi::(anonymous namespace)::sweep_shared(...)"
std::string readable(const std::string& mangled) {
  std::smatch found;
  const std::string file = std::regex_search(mangled, found, own_namespace) ? found[2].str() + ": " : "";
  return file + demangled(mangled);
}

std::optional<std::string> architecture_in(const std::string& line) {
  static const std::regex pattern("arch = (sm_\\w+)|code for (sm_\\w+)");
  std::smatch found;
  if (!std::regex_search(line, found, pattern)) return {};
  return found[1].matched ? found[1].str() : found[2].str();
}

int number_after(const std::string& line, const std::string& label) {
  const auto at = line.find(label);
  return at == std::string::npos ? 0 : std::atoi(line.c_str() + at + label.size());
}

std::optional<std::string> name_after(const std::string& line, std::string_view label) {
  const auto at = line.find(label);
  if (at == std::string::npos) return {};
  std::string name = line.substr(at + label.size());
  while (!name.empty() && (name.back() == ':' || name.back() == ' ')) name.pop_back();
  return name;
}

// The operation of an instruction, as IMAD of "/*0010*/  @!P0 IMAD.WIDE R2, R3, 0x4, R4 ;"; empty if the line has none.
std::string operation_in(std::string_view line) {
  constexpr std::string_view blank = " \t{";
  const auto skip = [&] { line.remove_prefix(std::min(line.find_first_not_of(blank), line.size())); };
  skip();
  const auto end = line.find("*/");
  if (!line.starts_with("/*") || line.starts_with("/* ") || end == std::string_view::npos) return "";
  line.remove_prefix(end + 2);
  skip();
  if (line.starts_with('@')) {
    line.remove_prefix(std::min(line.find(' '), line.size()));
    skip();
  }
  const auto is_part = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  return {line.begin(), std::ranges::find_if_not(line, is_part)};
}

// Same architecture and name twice: a kernel that several files have.
void sort_once(std::vector<kernel_needs>& kernels) {
  const auto key = [](const kernel_needs& k) { return std::pair(k.name, k.architecture); };
  std::ranges::stable_sort(kernels, {}, key);
  const auto rest = std::ranges::unique(kernels, {}, key);
  kernels.erase(rest.begin(), rest.end());
}

// The tool of PATH, or of the usual place of the toolkit.
std::string cuobjdump(const std::filesystem::path& scratch) {
  for (const char* const name : {"cuobjdump", "/usr/local/cuda/bin/cuobjdump"})
    if (duels::succeeds({name, "--version"}, scratch / "cuobjdump.version")) return name;
  return "";
}

json to_json(const kernel_needs& k) {
  return {{"architecture", k.architecture}, {"name", k.name},     {"registers", k.registers},
          {"spilled", k.spilled},           {"shared", k.shared}, {"instructions", k.instructions}};
}

kernel_needs kernel_in(const json& j) {
  return {j.at("architecture"), j.at("name"),   j.at("registers"),
          j.at("spilled"),      j.at("shared"), j.at("instructions")};
}

}  // namespace

std::vector<kernel_needs> read_resource_usage(std::string_view text) {
  std::vector<kernel_needs> kernels;
  std::istringstream lines{std::string(text)};
  std::string architecture, name;
  for (std::string line; std::getline(lines, line);) {
    if (const auto found = architecture_in(line)) architecture = *found;
    if (const auto found = name_after(line, "Function ")) name = *found;
    if (line.find("REG:") == std::string::npos || name.empty()) continue;
    // Local memory is on the stack since ptxas 4.
    kernels.push_back({architecture, readable(name), number_after(line, "REG:"),
                       number_after(line, "STACK:") + number_after(line, "LOCAL:"),
                       number_after(line, "SHARED:")});
    name.clear();
  }
  sort_once(kernels);
  return kernels;
}

void add_instructions(std::vector<kernel_needs>& kernels, std::istream& sass) {
  std::map<std::pair<std::string, std::string>, std::map<std::string, int>> mixes;
  std::string architecture;
  std::map<std::string, int>* mix = nullptr;
  for (std::string line; std::getline(sass, line);) {
    if (const std::string what = operation_in(line); !what.empty()) {
      if (mix != nullptr) ++(*mix)[what];
    } else if (const auto name = name_after(line, "Function : ")) {
      mix = &mixes[{architecture, readable(*name)}];
      mix->clear();
    } else if (const auto level = architecture_in(line)) {
      architecture = *level;
    }
  }
  for (kernel_needs& k : kernels)
    if (const auto own = mixes.find({k.architecture, k.name}); own != mixes.end())
      k.instructions = own->second;
}

kernel_list kernels_of(const std::filesystem::path& program, const json& on_device,
                       const std::filesystem::path& scratch) {
  kernel_list all;
  const std::string tool = cuobjdump(scratch);
  const auto output = scratch / "kernels.txt";
  if (!on_device.empty()) {
    all.source = "the CUDA device";
    for (const json& k : on_device)
      all.kernels.push_back(
          {k.at("architecture"), readable(k.at("name")), k.at("registers"), k.at("spilled"), k.at("shared")});
    sort_once(all.kernels);
  } else if (!tool.empty() && duels::succeeds({tool, "--dump-resource-usage", program.string()}, output)) {
    all.source = "cuobjdump";
    all.kernels = read_resource_usage(reports::read_text(output));
  }
  if (all.kernels.empty()) {
    all.missing =
        "no CUDA device, and no cuobjdump that finds kernels in the program: it is a part of the CUDA "
        "toolkit";
  } else if (tool.empty() || !duels::succeeds({tool, "-sass", program.string()}, output)) {
    all.no_mix = "no cuobjdump with nvdisasm, which are parts of the CUDA toolkit";
  } else {
    std::ifstream sass(output);
    add_instructions(all.kernels, sass);
  }
  std::error_code code;
  std::filesystem::remove(output, code);
  return all;
}

json to_json(const kernel_list& all) {
  json kernels = json::array();
  for (const kernel_needs& k : all.kernels) kernels.push_back(to_json(k));
  return {{"kernels", kernels}, {"source", all.source}, {"missing", all.missing}, {"no_mix", all.no_mix}};
}

kernel_list kernels_in(const json& j) {
  kernel_list all;
  for (const json& k : j.at("kernels")) all.kernels.push_back(kernel_in(k));
  all.source = j.at("source");
  all.missing = j.at("missing");
  all.no_mix = j.at("no_mix");
  return all;
}

}  // namespace reprise::counting
