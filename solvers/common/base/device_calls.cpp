// SPDX-License-Identifier: MIT
// Looks up the hooks of a device's backend.
#include "solvers/common/base/device_calls.hpp"

#include <map>

#include "solvers/common/base/error.hpp"

namespace reprise {
namespace {

std::map<backend, device_calls>& known() {
  static std::map<backend, device_calls> map;
  return map;
}

}  // namespace

device_calls_registration::device_calls_registration(backend kind, device_calls calls) {
  known()[kind] = calls;
}

void use(const device& d) {
  const auto calls = known().find(d.kind);
  if (calls != known().end() && calls->second.use != nullptr) calls->second.use(d);
}

std::string why_lost(const device& d) {
  const auto calls = known().find(d.kind);
  if (calls == known().end() || calls->second.ask == nullptr) return "";
  try {
    calls->second.ask(d);
  } catch (const unavailable&) {  // the device has too little free memory for the check, but it works
  } catch (const error& failure) {
    return failure.what();
  }
  return "";
}

device_code code_of(const device& d) {
  const auto calls = known().find(d.kind);
  if (calls == known().end() || calls->second.code == nullptr) return {};
  try {
    return calls->second.code(d);
  } catch (const error&) {  // why_lost() says what is wrong with the device
    return {};
  }
}

}  // namespace reprise
