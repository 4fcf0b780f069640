// SPDX-License-Identifier: MIT
// A shared library that is loaded when its first function is called, so that the program starts quickly and also runs
// where the library is missing. Its functions are found by name.
#pragma once

#include <initializer_list>
#include <string>

namespace reprise {

class late_library {
 public:
  // Tries the names in turn. Throws unavailable, with `how_to_get`, if none can be loaded.
  late_library(std::initializer_list<const char*> names, const std::string& how_to_get);
  late_library(const late_library&) = delete;
  late_library& operator=(const late_library&) = delete;

  // Throws unavailable if the library has no such function.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(address_of(name));
  }

 private:
  void* address_of(const char* name) const;

  std::string name_;
  void* handle_{};  // never closed: unloading a driver's library at exit is known to crash
};

}  // namespace reprise

#define REPRISE_TEXT_OF(NAME) #NAME
// Also of a name that is a macro for another one.
#define REPRISE_TEXT(NAME) REPRISE_TEXT_OF(NAME)

// The function NAME of LIBRARY::functions(), looked up once.
#define REPRISE_LATE(LIBRARY, NAME)                                                                   \
  ([]() -> decltype(&NAME) {                                                                          \
    static const auto found = LIBRARY::functions().template find<decltype(NAME)>(REPRISE_TEXT(NAME)); \
    return found;                                                                                     \
  }())
