// SPDX-License-Identifier: MIT
// Starts the process with pipes at its standard input and output; its standard error goes to a file without a name.
#include "benchmarks/harness/duel/opponent.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "benchmarks/harness/duel/protocol.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::duels {
namespace {

constexpr int longest_answer_ms = 600'000;

std::array<int, 2> pipe_of_own() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw error("pipe2 failed");
  return ends;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

opponent::opponent(const std::filesystem::path& program,
                   const std::map<std::string, std::string>& environment) {
  const auto [input_end, input] = pipe_of_own();
  const auto [output, output_end] = pipe_of_own();
  input_ = input;
  output_ = output;
  errors_ = ::memfd_create("errors", MFD_CLOEXEC);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors_, STDERR_FILENO);
  std::vector<std::string> words{program.string(), side_command};
  std::vector<std::string> variables = environment_with(environment);
  const int failed = ::posix_spawn(&process_, program.c_str(), &actions, nullptr, pointers_to(words).data(),
                                   pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(input_end);
  ::close(output_end);
  if (failed != 0) {
    process_ = 0;
    throw bad_input(program.string() + " cannot be started: " + std::strerror(failed));
  }
}

opponent::~opponent() {
  ::close(input_);
  ::close(output_);
  ::close(errors_);
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void opponent::send(const nlohmann::json& request) {
  const std::string line = request.dump() + "\n";
  // A side that has ended must not end the referee by a signal; receive() tells of it.
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  [[maybe_unused]] const auto written = ::write(input_, line.data(), line.size());
  ::sigaction(SIGPIPE, &before, nullptr);
}

nlohmann::json opponent::receive() {
  const std::string line = read_line();
  nlohmann::json answer = nlohmann::json::parse(line, nullptr, false);
  if (!answer.is_object()) throw lost_side("gave no answer but: " + line.substr(0, 120));
  if (answer.contains("error")) throw refused(answer["error"].get<std::string>());
  return answer;
}

nlohmann::json opponent::ask(const nlohmann::json& request) {
  send(request);
  return receive();
}

std::string opponent::read_line() {
  for (;;) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    pollfd one{output_, POLLIN, 0};
    if (::poll(&one, 1, longest_answer_ms) == 0) throw lost_side("gave no answer for ten minutes");
    std::array<char, 4096> part{};
    const auto count = ::read(output_, part.data(), part.size());
    if (count <= 0) throw lost_side(how_it_ended());
    unread_.append(part.data(), static_cast<std::size_t>(count));
  }
}

std::string opponent::how_it_ended() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = 0;
  std::array<char, 200> text{};
  const auto size = ::lseek(errors_, 0, SEEK_END);
  const auto count =
      ::pread(errors_, text.data(), text.size(), std::max<off_t>(0, size - static_cast<off_t>(text.size())));
  std::string last(text.data(), static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  while (!last.empty() && last.back() == '\n') last.pop_back();
  last = last.substr(last.rfind('\n') + 1);
  const std::string how = WIFSIGNALED(status) ? fmt::format("died of signal {} ({})", WTERMSIG(status),
                                                            ::strsignal(WTERMSIG(status)))
                                              : fmt::format("ended with status {}", WEXITSTATUS(status));
  return last.empty() ? how : how + ": " + last;
}

void opponent::stay_on(int processor) const {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  std::error_code code;
  const std::filesystem::path tasks = fmt::format("/proc/{}/task", process_);
  for (const auto& task : std::filesystem::directory_iterator(tasks, code))
    ::sched_setaffinity(std::stoi(task.path().filename().string()), sizeof(one), &one);
}

}  // namespace reprise::duels
