// SPDX-License-Identifier: MIT
// The registry of variants. One file is one variant: its id is its path, and it registers itself with data.
//
// The build passes two facts to every variant's source, taken from the same glob that makes the manifest:
//   REPRISE_VARIANT_ID       "jacobi/cuda_shared"
//   REPRISE_VARIANT_BACKEND  cuda
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/common/device.hpp"

namespace reprise {

enum class precision { single, double_ };
std::string_view to_string(precision p);

// What two runs on the same device with the same input have in common.
enum class determinism { bitwise, bounded, none };
std::string_view to_string(determinism d);

// Bytes and flops per unit of work. A family says in its variant.hpp what a unit is.
struct work {
  double bytes_logical{};    // every access that the algorithm makes, caches or not
  double bytes_dram{};       // compulsory: what must cross the memory bus for every unit
  double bytes_dram_once{};  // compulsory once per solve, however many sweeps or steps it makes
  double flops{};
};

struct variant_data {
  std::string_view summary;  // one line, for people
  std::string_view place;    // in the paper: "section 6.1, Fig 11"
  std::vector<precision> precisions;
  work per_unit;
  determinism repeats{};
};

struct variant {
  std::string id;
  backend runs_on{};
  variant_data data;

  std::string_view family() const { return std::string_view(id).substr(0, id.find('/')); }
  virtual ~variant() = default;
};

// A variant that makes solvers of one family's interface.
template <class Solver>
struct variant_of final : variant {
  std::unique_ptr<Solver> (*make)(const device&);
};

void add_variant(std::unique_ptr<variant> v);

// All registered variants, sorted by id. A CUDA variant is here twice where CUDA was built: once for the
// device and once for the emulator.
const std::vector<std::unique_ptr<variant>>& variants();

template <class Solver>
class registration {
 public:
  registration(std::string_view id, backend runs_on, variant_data data,
               std::unique_ptr<Solver> (*make)(const device&)) {
    auto entry = std::make_unique<variant_of<Solver>>();
    entry->id = id;
    entry->runs_on = runs_on;
    entry->data = std::move(data);
    entry->make = make;
    add_variant(std::move(entry));
  }
};

// What the build saw: one entry for each variant's source file, built or not.
struct manifest_entry {
  std::string_view id;
  std::string_view file;
  backend needs;
  std::string_view not_built;  // the reason, empty when it was built
};
const std::vector<manifest_entry>& manifest();

}  // namespace reprise

// Registers class SOLVER, which is made from a `const device&`, as this file's variant of family interface
// FAMILY.
#define REPRISE_VARIANT(FAMILY, SOLVER, ...)                                                                \
  [[maybe_unused]] const ::reprise::registration<FAMILY> reprise_registered(                                \
      REPRISE_VARIANT_ID, ::reprise::backend::REPRISE_VARIANT_BACKEND, ::reprise::variant_data __VA_ARGS__, \
      [](const ::reprise::device& d) -> std::unique_ptr<FAMILY> { return std::make_unique<SOLVER>(d); })
