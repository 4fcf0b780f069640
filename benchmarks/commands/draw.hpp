// SPDX-License-Identifier: MIT
// Draws the figures and the page of a report.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace reprise::benchmarks {

// Runs scripts/plot below `home` beside the caller, so that its packages are loaded, and figures drawn, while the report's
// files are still being written. The script ends without a word if the drawing is destroyed before finish().
class drawing {
 public:
  drawing(const std::filesystem::path& report, const std::filesystem::path& home);

  void document_is_written();  // report.json, from which figures are drawn

  // All files are written: waits for the page. Throws bad_input if the script failed: the report lacks its page and
  // pictures, but its tables are complete.
  void finish();

 private:
  struct closer {
    void operator()(std::FILE* pipe) const;
  };
  void say(const char* line);

  std::string by_hand_;  // the command that shows why it failed
  std::unique_ptr<std::FILE, closer> pipe_;
  bool document_is_said_{};
};

// Draws a report that is already written.
void draw(const std::filesystem::path& report, const std::filesystem::path& home);

}  // namespace reprise::benchmarks
