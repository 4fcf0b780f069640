// SPDX-License-Identifier: MIT
// What a variant can run on, and how the program finds out what there is.
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
  std::string name;    // what the vendor calls it
  std::string driver;  // driver, runtime and their versions
  std::size_t memory_bytes{};
  std::size_t cache_bytes{};  // last-level cache; 0 where it cannot be known
  bool fp64{true};
  std::string pci;             // "0000:1b:00.0" where it is known: tells which ids mean the same board
  bool on_host{false};         // runs on the processors of the host, like PoCL and llvmpipe
  bool in_host_memory{false};  // its buffers take the host's memory: on the host, or a GPU without its own
};

struct discovery {
  std::vector<device> devices;
  std::string reason;  // why there is none, and how to get one; empty when there is
};

// A backend announces itself by a static object of this type, so that nobody keeps a list.
class backend_registration {
 public:
  backend_registration(backend kind, discovery (*discover)());
};

// Looks for the devices of one backend, once per process. A backend that was not built has none; its reason
// comes from the manifest.
const discovery& devices_of(backend kind);

// Every device of every backend that was built, GPUs first, the emulator last.
std::vector<device> all_devices();

}  // namespace reprise
