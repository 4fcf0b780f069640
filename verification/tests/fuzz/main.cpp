// SPDX-License-Identifier: MIT
// Reads mutated texts for a given number of runs, and keeps inputs that are refused in a new way as further
// starting points. Writes an input on which a reader fails to a file. Called by scripts/fuzz.
#include <sanitizer/common_interface_defs.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "reports/store/files.hpp"
#include "verification/tests/fuzz/mutation.hpp"
#include "verification/tests/fuzz/targets.hpp"

namespace {

using namespace reprise;

constexpr unsigned most_seconds = 20;  // for one input
constexpr std::size_t longest = 1 << 14;

std::string current;
std::filesystem::path kept;

void keep_current() {
  reports::write_file(kept, current);
  std::fprintf(stderr, "the input is in %s\n", kept.c_str());
}

void tell_of_hang(int) {
  keep_current();
  std::fputs("it takes too long\n", stderr);
  std::_Exit(1);
}

// The message without digits and non-ASCII bytes, which differ between inputs of the same kind.
std::string kind_of(std::string said) {
  std::erase_if(said, [](char c) { return (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 128; });
  return said.substr(0, 80);
}

void fuzz_one(const fuzz::target& target, long runs, unsigned seed) {
  constexpr std::size_t most_starts = 500;
  auto starts = fuzz::corpus_of(target.name);
  std::set<std::string> answers;
  std::mt19937 random(seed);
  long accepted = 0;
  for (long i = 0; i < runs; ++i) {
    current = fuzz::mutated(starts[random() % starts.size()], starts[random() % starts.size()], random);
    current.resize(std::min(current.size(), longest));
    ::alarm(most_seconds);
    const auto said = refusal_of(target, current);
    accepted += said.empty() ? 1 : 0;
    const bool is_new = answers.insert(kind_of(said)).second || (said.empty() && random() % 64 == 0);
    if (is_new && starts.size() < most_starts) starts.push_back(current);
  }
  std::printf("%s: %ld inputs, %ld accepted, %zu kinds of answers\n", target.name.data(), runs, accepted,
              answers.size());
}

}  // namespace

int main(int count, char** words) {
  const auto& targets = fuzz::file_targets();
  const auto target = std::ranges::find(targets, count == 5 ? words[1] : "", &fuzz::target::name);
  if (target == targets.end()) {
    std::fputs("usage: reprise_fuzz TARGET RUNS SEED KEPT\n", stderr);
    return 1;
  }
  kept = words[4];
  __sanitizer_set_death_callback(keep_current);
  std::signal(SIGALRM, tell_of_hang);
  try {
    fuzz_one(*target, std::atol(words[2]), static_cast<unsigned>(std::atol(words[3])));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", words[1], problem.what());
    keep_current();
    return 1;
  }
  return 0;
}
