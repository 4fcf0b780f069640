// SPDX-License-Identifier: MIT
// Loads each installed driver as the ICD loader would, and keeps the error messages.
#include "solvers/common/opencl/drivers.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace reprise {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> driver_files() {
  const char* const elsewhere = std::getenv("OCL_ICD_VENDORS");
  const fs::path place = elsewhere != nullptr ? elsewhere : "/etc/OpenCL/vendors";
  if (place.extension() == ".icd") return {place};
  std::vector<fs::path> files;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(place, code))
    if (entry.path().extension() == ".icd") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string flaw_of(const fs::path& file) {
  std::ifstream in(file);
  std::string library;
  if (!std::getline(in, library)) return "names no library";
  if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) return library + " gives no platform";
  const char* const why = dlerror();
  return why != nullptr ? why : library + " cannot be loaded";
}

}  // namespace

std::string flaws_of_opencl_drivers() {
  std::string flaws;
  for (const fs::path& file : driver_files())
    flaws += (flaws.empty() ? " (" : "; ") + file.filename().string() + ": " + flaw_of(file);
  return flaws.empty() ? "" : flaws + ")";
}

}  // namespace reprise
