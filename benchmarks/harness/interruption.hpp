// SPDX-License-Identifier: MIT
// What a run does when its process is stopped or crashes. A signal to stop ends it with a line that says how to go on.
// A crash inside a case leaves a note in the run's folder, so that --resume leaves that case out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "reports/store/case_id.hpp"

namespace reprise::harness {

// A crash that a note in a run's folder tells of.
struct crash {
  std::string of;       // the case, as text_of_case writes it
  std::string because;  // "SIGSEGV"
};

std::string text_of_case(const reports::case_id& id);

// The note in this folder, if there is one.
std::optional<crash> noted_crash(const std::filesystem::path& folder);
void remove_note(const std::filesystem::path& folder);

// Handles signals while it exists. Only one may exist at a time.
class interruption_guard {
 public:
  explicit interruption_guard(const std::filesystem::path& folder);
  interruption_guard(const interruption_guard&) = delete;
  interruption_guard& operator=(const interruption_guard&) = delete;
  ~interruption_guard();

  // A crash between these two belongs to the case.
  void begin(const reports::case_id& id);
  void end();
};

}  // namespace reprise::harness
