// SPDX-License-Identifier: MIT
// Loads libraries and finds functions with the dynamic linker.
#include "solvers/common/base/late_library.hpp"

#include <dlfcn.h>

#include "solvers/common/base/error.hpp"

namespace reprise {

late_library::late_library(std::initializer_list<const char*> names, const std::string& how_to_get)
    : name_(*names.begin()) {
  for (const char* name : names)
    if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) throw unavailable(name_ + " was not found: " + how_to_get);
}

void* late_library::address_of(const char* name) const {
  void* const address = dlsym(handle_, name);
  if (address == nullptr) throw unavailable(name_ + " has no " + name);
  return address;
}

}  // namespace reprise
