// SPDX-License-Identifier: MIT
// The text of --help: lines of 80 characters, broken at words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace reprise::benchmarks {

class help_format final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
};

}  // namespace reprise::benchmarks
