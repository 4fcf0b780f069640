// SPDX-License-Identifier: MIT
// Runs scripts/plot and tells it through a pipe how far the report is.
#include "benchmarks/commands/draw.hpp"

#include <fmt/format.h>

#include <csignal>
#include <iostream>

#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {
namespace {

// A script that has ended, because a package is missing, must not end this program too.
class without_pipe_signal {
 public:
  without_pipe_signal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~without_pipe_signal() { std::signal(SIGPIPE, before_); }
  without_pipe_signal(const without_pipe_signal&) = delete;
  without_pipe_signal& operator=(const without_pipe_signal&) = delete;

 private:
  void (*before_)(int);
};

bool is_quotable(const std::filesystem::path& path) {
  return path.string().find('\'') == std::string::npos;
}

}  // namespace

drawing::drawing(const std::filesystem::path& report, const std::filesystem::path& home) {
  const auto script = home / "scripts" / "plot";
  by_hand_ = fmt::format("{} {}", script.string(), report.string());
  if (!is_quotable(script) || !is_quotable(report) || !std::filesystem::exists(script)) return;
  std::cout.flush();  // what is buffered would be written twice
  pipe_.reset(::popen(fmt::format("exec '{}' --wait '{}'", script.string(), report.string()).c_str(), "we"));
}

void drawing::closer::operator()(std::FILE* pipe) const {
  const without_pipe_signal quiet;
  ::pclose(pipe);
}

void drawing::say(const char* line) {
  if (!pipe_) return;
  const without_pipe_signal quiet;
  std::fputs(line, pipe_.get());
  std::fflush(pipe_.get());
}

void drawing::document_is_written() {
  say("document\n");
  document_is_said_ = true;
}

void drawing::finish() {
  // The script prints too. Where nothing can be printed, that is the error, and main() reports it.
  if (!std::cout.flush()) return;
  if (!document_is_said_) document_is_written();
  say("files\n");
  const without_pipe_signal quiet;
  if (!pipe_ || ::pclose(pipe_.release()) != 0)
    throw bad_input(
        fmt::format("figures and page were not drawn; the tables are complete. Run {} to see why", by_hand_));
}

void draw(const std::filesystem::path& report, const std::filesystem::path& home) {
  drawing(report, home).finish();
}

}  // namespace reprise::benchmarks
