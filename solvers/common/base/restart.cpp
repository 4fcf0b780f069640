// SPDX-License-Identifier: MIT
// Prepares the arguments and environment of the restart beforehand, because a signal handler
// may call very few functions.
//
// A handler of SIGABRT is not enough: LLVM, which OpenCL drivers contain, puts its own in its place, and the C library's
// abort() then ends the program. So this file has the program's abort(), which the libraries that it loads find first.
#include "solvers/common/base/restart.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

namespace reprise {
namespace {

struct start {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;
};

start& next() {
  static start prepared;
  return prepared;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> arguments;
  for (std::size_t begin = 0; begin < all.size(); begin += arguments.back().size() + 1)
    arguments.emplace_back(all.c_str() + begin);
  return arguments;
}

volatile sig_atomic_t is_prepared = 0;

void start_again(int crash) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);  // the restarted program would inherit the blocked signal
  execve("/proc/self/exe", next().argv.data(), next().envp.data());
  signal(crash, SIG_DFL);
  raise(crash);
}

void start_again_at_exit() {
  if (is_prepared != 0) start_again(SIGABRT);
}

}  // namespace

restart_on_crash::restart_on_crash(const std::string& name, const std::string& value) {
  start& prepared = next();
  prepared.arguments = own_arguments();
  prepared.environment.clear();
  for (char** entry = environ; *entry != nullptr; ++entry) prepared.environment.emplace_back(*entry);
  prepared.environment.push_back(name + '=' + value);
  prepared.argv = pointers_to(prepared.arguments);
  prepared.envp = pointers_to(prepared.environment);
  struct sigaction action {};
  action.sa_handler = start_again;
  for (std::size_t i = 0; i < crashes.size(); ++i) sigaction(crashes[i], &action, &before_[i]);
  [[maybe_unused]] static const int is_registered = std::atexit(start_again_at_exit);
  is_prepared = 1;
}

restart_on_crash::~restart_on_crash() {
  is_prepared = 0;
  for (std::size_t i = 0; i < crashes.size(); ++i) sigaction(crashes[i], &before_[i], nullptr);
}

}  // namespace reprise

extern "C" void abort() noexcept {
  if (reprise::is_prepared != 0) reprise::start_again(SIGABRT);
  sigset_t aborted;
  sigemptyset(&aborted);
  sigaddset(&aborted, SIGABRT);
  sigprocmask(SIG_UNBLOCK, &aborted, nullptr);
  raise(SIGABRT);
  signal(SIGABRT, SIG_DFL);  // the handler came back
  raise(SIGABRT);
  _exit(EXIT_FAILURE);
}
