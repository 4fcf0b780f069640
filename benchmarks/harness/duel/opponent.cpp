// SPDX-License-Identifier: MIT
// Starts the process with a socket at its standard input, whose end is no signal to this process, and a pipe at its standard
// output; its standard error goes to a file without a name.
#include "benchmarks/harness/duel/opponent.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "solvers/common/base/error.hpp"

namespace reprise::duels {
namespace {

using steady_clock = std::chrono::steady_clock;

constexpr std::size_t longest_answer = std::size_t{64} << 20;  // bytes

std::array<int, 2> pipe_of_own() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw error("pipe2 failed");
  return ends;
}

std::array<int, 2> sockets_of_own() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw error("socketpair failed");
  return ends;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

opponent::opponent(std::vector<std::string> command, std::vector<std::string> environment) {
  const auto [input_end, input] = sockets_of_own();
  const auto [output, output_end] = pipe_of_own();
  input_ = input;
  output_ = output;
  errors_ = ::memfd_create("errors", MFD_CLOEXEC);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors_, STDERR_FILENO);
  const int failed = ::posix_spawnp(&process_, command.front().c_str(), &actions, nullptr,
                                    pointers_to(command).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(input_end);
  ::close(output_end);
  if (failed != 0) {
    for (const int file : {input_, output_, errors_}) ::close(file);
    throw bad_input(command.front() + " cannot be started: " + std::strerror(failed));
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

// A side that has ended is no failure here; receive() tells of it.
void opponent::send(const nlohmann::json& request) {
  const std::string line = request.dump() + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const auto written = ::send(input_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (written <= 0) return;
    sent += static_cast<std::size_t>(written);
  }
}

nlohmann::json opponent::receive(int seconds) {
  const std::string line = read_line(seconds);
  nlohmann::json answer = nlohmann::json::parse(line, nullptr, false);
  if (!answer.is_object()) throw lost_side("gave no answer but: " + line.substr(0, 120));
  if (const auto problem = answer.find("error"); problem != answer.end()) {
    const std::string what = problem->is_string() ? problem->get<std::string>() : problem->dump();
    if (answer.contains("unavailable")) throw cannot_run(what);
    throw refused(what);
  }
  return answer;
}

nlohmann::json opponent::ask(const nlohmann::json& request, int seconds) {
  send(request);
  return receive(seconds);
}

std::string opponent::read_line(int seconds) {
  const auto until = steady_clock::now() + std::chrono::seconds(seconds);
  for (;;) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (unread_.size() > longest_answer) throw lost_side("gave an answer without an end");
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now()).count();
    pollfd one{output_, POLLIN, 0};
    if (left <= 0 || ::poll(&one, 1, static_cast<int>(left)) == 0)
      throw lost_side(fmt::format("gave no answer within {} s", seconds));
    std::array<char, 4096> part{};
    const auto count = ::read(output_, part.data(), part.size());
    if (count <= 0) throw lost_side(how_it_ended());
    unread_.append(part.data(), static_cast<std::size_t>(count));
  }
}

// A side that has closed its output is about to end, or never will.
std::string opponent::how_it_ended() {
  int status = 0;
  bool has_ended = false;
  for (int i = 0; i < 100 && !has_ended; ++i) {
    has_ended = ::waitpid(process_, &status, WNOHANG) != 0;
    if (!has_ended) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (!has_ended) return "closed its output and goes on";
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
