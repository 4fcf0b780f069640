// SPDX-License-Identifier: MIT
// Lays out options and commands in two columns.
#include "benchmarks/commands/help.hpp"

#include "reports/text/wrapped.hpp"

namespace reprise::benchmarks {
namespace {

constexpr std::size_t names_begin = 2, texts_begin = 26;

// The text's lines, the first of which begins in the column `used`, all others in the column `begin`.
std::string column(const std::string& text, std::size_t used, std::size_t begin) {
  std::string all;
  const auto lines = reports::filled(text, reports::terminal_width - used, reports::terminal_width - begin);
  for (const std::string& line : lines) all += (all.empty() ? "" : "\n" + std::string(begin, ' ')) + line;
  return all;
}

// A name and what it means. The meaning begins on a line of its own if the name is long.
std::string entry(const std::string& name, const std::string& text) {
  const std::string head = std::string(names_begin, ' ') + column(name, names_begin, 2 * names_begin + 2);
  if (text.empty()) return head + '\n';
  const bool is_short = reports::width(head) + 2 <= texts_begin;
  const std::string gap =
      is_short ? std::string(texts_begin - reports::width(head), ' ') : '\n' + std::string(texts_begin, ' ');
  return head + gap + column(text, texts_begin, texts_begin) + '\n';
}

}  // namespace

std::string help_format::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

std::string help_format::make_subcommand(const CLI::App* command) const {
  return entry(command->get_display_name(true), command->get_description());
}

std::string help_format::make_description(const CLI::App* app) const {
  return reports::wrapped(Formatter::make_description(app));
}

std::string help_format::make_usage(const CLI::App* app, std::string name) const {
  return reports::wrapped(Formatter::make_usage(app, std::move(name)));
}

}  // namespace reprise::benchmarks
