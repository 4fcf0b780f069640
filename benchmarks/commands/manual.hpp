// SPDX-License-Identifier: MIT
// The manual page and the completion of shells, made from the same options and examples as --help.
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <string>

namespace reprise::benchmarks {

// Appends examples to the help of the program and of each of its commands.
void add_examples(CLI::App& app);

// `reprise manual FORMAT`
struct manual_request {
  std::string format;  // man, bash, zsh or fish
};

void print_manual(const CLI::App& app, const manual_request& request, std::ostream& out);

}  // namespace reprise::benchmarks
