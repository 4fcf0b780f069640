// SPDX-License-Identifier: MIT
// The registry of variants. Each variant is one source file: the id is the file's path,
// and the file registers itself.
//
// The build passes two definitions to every variant's source, from the same glob that makes the manifest:
//   REPRISE_VARIANT_ID       "jacobi/cuda_shared"
//   REPRISE_VARIANT_BACKEND  cuda
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "solvers/common/base/device.hpp"
#include "solvers/common/base/device_choice.hpp"

namespace reprise {

enum class precision { single, double_ };
std::string_view to_string(precision p);

// How far two runs with the same input on the same device agree.
enum class determinism { bitwise, bounded, none };
std::string_view to_string(determinism d);

// What a unit of work asks of the device. Each family defines its unit in its variant.hpp. Launches are not declared:
// they are counted as they are made (launches.hpp).
struct work {
  double bytes_logical{};    // all accesses of the algorithm, whether or not a cache serves them
  double bytes_dram{};       // compulsory traffic to main memory for every unit
  double bytes_dram_once{};  // compulsory traffic once per solve, however many sweeps or steps it makes
  double flops{};
  // Accesses of the memory that a block's threads share, as the kernel makes them: each distinct byte that an access of a
  // warp names, at least the 128 bytes of a transfer.
  double bytes_shared{};
  // Exponentials, logarithms, hyperbolic tangents and powers that the kernel evaluates; no tables, roots or divisions.
  double functions{};
  // In a pass over all units, how often blocks of one launch wait, one time after the other, for values that other blocks
  // leave in memory. Blocks of a cluster, which reach each other's shared memory, do not.
  double exchanges{};
};

// What an access of a warp to shared memory takes at least.
constexpr double shared_transfer_bytes = 128;

struct variant_data {
  std::string_view summary;  // one line for the report
  std::string_view place;    // place in the paper, such as "section 6.1, Fig 11"
  std::vector<precision> precisions;
  work per_unit;
  determinism repeats{determinism::bitwise};  // unless the variant says otherwise
};

struct variant {
  std::string id;
  backend runs_on{};
  variant_data data;

  std::string_view family() const { return std::string_view(id).substr(0, id.find('/')); }
  virtual ~variant() = default;
};

// Creates one of two classes by precision. It takes two classes instead of a template because GCC 12 confuses
// templates of the same name in two unnamed namespaces when they are template arguments.
template <class Interface, class Single, class Double, class... From>
std::unique_ptr<Interface> made_in(precision p, From&&... from) {
  if (p == precision::single) return std::make_unique<Single>(std::forward<From>(from)...);
  return std::make_unique<Double>(std::forward<From>(from)...);
}

// Base of a solver that combines two such classes: it creates one with made() when a problem is loaded, and
// forwards all calls to typed().
template <class Solver, class Single, class Double>
class either_precision : public Solver, public chooses_for_device {
 public:
  explicit either_precision(const device& d) : device_(d) {}

  std::string choice() const override {
    const auto* const chooser = dynamic_cast<const chooses_for_device*>(typed_.get());
    return chooser != nullptr ? chooser->choice() : "";
  }

 protected:
  Solver& made(precision p) {
    typed_.reset();  // frees the old problem before allocating the new one
    typed_ = made_in<Solver, Single, Double>(p, device_);
    return typed();
  }
  Solver& typed() const { return *typed_; }

 private:
  device device_;
  std::unique_ptr<Solver> typed_;
};

// A variant whose solvers implement one family's interface.
template <class Solver>
struct variant_of final : variant {
  std::unique_ptr<Solver> (*make)(const device&);
};

void add_variant(std::unique_ptr<variant> v);

// All registered variants, sorted by id. If CUDA was built, a CUDA variant appears twice: once for the
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

// The build's manifest: one entry for each variant's source file, whether it was built or not.
struct manifest_entry {
  std::string_view id;
  std::string_view file;
  backend needs;
  std::string_view not_built;  // the reason; empty if the variant was built
};
const std::vector<manifest_entry>& manifest();

}  // namespace reprise

// Registers class SOLVER as this file's variant of the family interface FAMILY. SOLVER is
// constructed from a `const device&`.
#define REPRISE_VARIANT(FAMILY, SOLVER, ...)                                                                \
  [[maybe_unused]] const ::reprise::registration<FAMILY> reprise_registered(                                \
      REPRISE_VARIANT_ID, ::reprise::backend::REPRISE_VARIANT_BACKEND, ::reprise::variant_data __VA_ARGS__, \
      [](const ::reprise::device& d) -> std::unique_ptr<FAMILY> { return std::make_unique<SOLVER>(d); })
