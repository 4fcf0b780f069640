// SPDX-License-Identifier: MIT
// Devices on which a variant can run, and their discovery per backend.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reprise {

enum class backend { cpu, cuda, emulated, opencl, opengl };

std::string_view to_string(backend kind);

struct device {
  backend kind{};
  int index{};
  std::string id;      // "cpu", "cuda:0", "opencl:1", "opengl:0", "emulated"
  std::string name;    // the vendor's product name
  std::string driver;  // driver, runtime and their versions
  std::size_t memory_bytes{};
  std::size_t cache_bytes{};  // last-level cache; 0 if unknown
  bool fp64{true};
  std::string pci;             // "0000:1b:00.0" if known; ids with the same address are one board
  bool on_host{false};         // runs on the processors of the host, like PoCL and llvmpipe
  bool in_host_memory{false};  // buffers live in the host's memory: a CPU device or an integrated GPU
};

struct discovery {
  std::vector<device> devices;
  std::string reason;  // why there are no devices, and how to get one; empty if there are
};

// A backend registers itself by a static object of this type, so no central list is needed.
class backend_registration {
 public:
  backend_registration(backend kind, discovery (*discover)());
};

// Looks for the devices of one backend, once per process. A backend that was not built has no devices;
// its reason is in the manifest.
const discovery& devices_of(backend kind);

// All devices of all backends that were built: GPUs first, the emulator last.
std::vector<device> all_devices();

}  // namespace reprise
