// SPDX-License-Identifier: MIT
// Signal handlers may only call functions that are safe in them, so that all texts are made beforehand.
#include "benchmarks/harness/interruption.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include "reports/store/files.hpp"

namespace reprise::harness {
namespace {

constexpr auto note_name = ".crashed";

struct handled_signal {
  int number;
  const char* name;
  bool is_crash;
};
constexpr std::array handled{
    handled_signal{SIGINT, "SIGINT", false}, handled_signal{SIGTERM, "SIGTERM", false},
    handled_signal{SIGHUP, "SIGHUP", false}, handled_signal{SIGSEGV, "SIGSEGV", true},
    handled_signal{SIGBUS, "SIGBUS", true},  handled_signal{SIGFPE, "SIGFPE", true},
    handled_signal{SIGILL, "SIGILL", true},  handled_signal{SIGABRT, "SIGABRT", true}};

template <std::size_t Size>
class fixed_text {
 public:
  void set(std::string_view text) {
    length_ = std::min(text.size(), Size);
    std::memcpy(data_.data(), text.data(), length_);
  }
  std::string_view get() const { return {data_.data(), length_}; }

 private:
  std::array<char, Size> data_{};
  std::size_t length_{};
};

// What the handlers read.
fixed_text<4096> note_path;     // ends with a zero
fixed_text<4096> running_case;  // empty between cases
std::array<fixed_text<4096>, handled.size()> last_words;
std::array<struct sigaction, handled.size()> before;

void put(int file, std::string_view text) {
  [[maybe_unused]] const auto written = ::write(file, text.data(), text.size());
}

void leave_note(std::string_view because) {
  if (running_case.get().empty()) return;
  const int file =
      ::open(note_path.get().data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) return;
  put(file, because);
  put(file, "\n");
  put(file, running_case.get());
  ::close(file);
}

// Ends the process as if nobody had handled the signal.
void handle(int number) {
  const auto which =
      static_cast<std::size_t>(std::ranges::find(handled, number, &handled_signal::number) - handled.begin());
  const auto& of = handled.at(which);
  if (of.is_crash) leave_note(of.name);
  put(STDERR_FILENO, last_words.at(which).get());
  ::sigaction(number, &before.at(which), nullptr);
  ::raise(number);
}

}  // namespace

std::string text_of_case(const reports::case_id& id) {
  return reports::csv_fields(id);
}

std::optional<crash> noted_crash(const std::filesystem::path& folder) {
  const auto file = folder / note_name;
  std::error_code code;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file, code))) return {};
  const auto text = reports::read_text(file);
  const auto line = text.find('\n');
  if (line == std::string::npos) return {};
  return crash{text.substr(line + 1), text.substr(0, line)};
}

void remove_note(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::remove(folder / note_name, code);
}

interruption_guard::interruption_guard(const std::filesystem::path& folder) {
  note_path.set(std::filesystem::absolute(folder / note_name).string() + '\0');
  running_case.set("");
  for (std::size_t i = 0; i < handled.size(); ++i) {
    last_words[i].set(fmt::format(
        "\nreprise: {} by {}; what was measured is kept: reprise run --resume --out '{}' goes on\n",
        handled[i].is_crash ? "crashed" : "stopped", handled[i].name, folder.string()));
    ::sigaction(handled[i].number, nullptr, &before[i]);
    // nohup and the like ignore a signal on purpose.
    if (before[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = handle;
    action.sa_flags = SA_NODEFER;
    ::sigaction(handled[i].number, &action, nullptr);
  }
}

interruption_guard::~interruption_guard() {
  for (std::size_t i = 0; i < handled.size(); ++i) ::sigaction(handled[i].number, &before[i], nullptr);
}

void interruption_guard::begin(const reports::case_id& id) {
  running_case.set(text_of_case(id));
}

void interruption_guard::end() {
  running_case.set("");
}

}  // namespace reprise::harness
