// SPDX-License-Identifier: MIT
// Walks over the options of the command line and prints them as a manual page or a completion script.
#include "benchmarks/commands/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string_view>
#include <vector>

#include "benchmarks/harness/build_info.hpp"
#include "benchmarks/harness/experiment.hpp"

namespace reprise::benchmarks {
namespace {

struct example {
  std::string_view command;  // "baseline check"; empty: of the program
  std::string_view line, does;
};

constexpr example examples[]{
    {"", "reprise doctor", "what this machine can run, what is missing, and how to install it"},
    {"", "reprise run --out mine", "three minutes of all papers"},
    {"", "reprise report mine", "tables, figures, verdicts and a page in mine/report"},
    {"list", "reprise list 'jacobi/*'", "the variants and experiments of one paper"},
    {"list", "reprise list --json", "the same of all papers, for programs"},
    {"doctor", "reprise doctor", "devices, drivers and toolchains of this machine"},
    {"verify", "reprise verify 'cuda_*'", "check all CUDA variants, in emulation where there is no GPU"},
    {"verify", "reprise verify jacobi/openmp --size 512x1024", "check one variant on one size"},
    {"run", "reprise run --budget 5m --dry-run", "what five minutes would measure, and what not and why"},
    {"run", "reprise run 'jacobi/table*' --device cuda:0 --out mine",
     "all cases of a paper's tables on one GPU"},
    {"run", "reprise run --preset smoke --out smoke", "two minutes, to see that everything works"},
    {"run", "reprise run tissue/fig5 --size 256x256 --variant 'opencl_*'", "chosen cases of one figure"},
    {"run", "reprise run jacobi/table3 --fields --out mine",
     "also keep the solutions, for NumPy and ParaView"},
    {"run", "reprise run --resume --out mine", "finish an interrupted run"},
    {"run", "reprise run --json --out mine | jq 'select(.event == \"case\").value'",
     "follow a run with a program"},
    {"report", "reprise report mine --out page", "write the report of a run to another folder"},
    {"report", "reprise report gpu processor --out both", "one report on two runs"},
    {"report", "reprise report after --against before", "mark what changed since an earlier run"},
    {"claims", "reprise claims", "the headlines of all papers by the runs that come with the program"},
    {"claims", "reprise claims jacobi --run mine", "all claims of one paper by your own run"},
    {"claims", "reprise claims --why texture_is_best", "the rows and the arithmetic behind one verdict"},
    {"baseline check", "reprise baseline check cpu-smoke.csv --run smoke --junit gate.xml",
     "the gate for CI: status 2 if an answer became less accurate"},
    {"baseline save", "reprise baseline save mine.csv --run smoke", "accept the accuracy of a run"},
    {"compare", "reprise compare nvidia-h200 paper:GTX280", "one screen: best variants, ratios, conclusions"},
    {"compare", "reprise compare nvidia-h200 mine --full --out comparison",
     "all tables, one column per device, and times by year"},
    {"compare", "reprise compare before after --noise noise.csv --fail-on slower",
     "status 3 if a case became slower"},
    {"duel", "reprise duel --commit HEAD~1 --variant openmp",
     "has HEAD become slower than the commit before it"},
    {"duel", "reprise duel build/old build/new --margin 2% --out duel",
     "compare two builds, with a table for a review"},
    {"count", "reprise count --variant openmp", "instructions, branches and cache misses of one timed call"},
    {"count", "reprise count build/new --against build/old --out counts",
     "the gate for CI: status 3 if a case needs more instructions"},
    {"collect", "reprise collect fleet --out report", "which of many nodes are slow, wrong or incomplete"},
    {"pack", "reprise pack mine", "rows.csv becomes rows.csv.xz, and so on; the seal stays valid"},
    {"pack", "reprise pack --undo mine", "plain files again"},
    {"manual", "reprise manual man | man -l -", "read the manual page without installing it"},
    {"manual", "source <(reprise manual bash)", "complete commands and options in this shell"},
};

// Whether the example shows the command or, where a command has parts, one of its parts.
bool shows(const example& e, std::string_view command) {
  if (command.empty()) return e.command.empty();
  return e.command == command || e.command.starts_with(std::string(command) + " ");
}

std::string examples_of(std::string_view command, std::string_view indent) {
  std::string text;
  for (const example& e : examples)
    if (shows(e, command)) text += fmt::format("{0}{1}\n{0}    {2}\n", indent, e.line, e.does);
  return text;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_name().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return !option->get_positional(); });
}

// The options of a command and of its parts, each name once: completion does not look at the part that was typed.
std::vector<const CLI::Option*> all_options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> all = options_of(command);
  for (const CLI::App* const part : commands_of(command))
    for (const CLI::Option* const option : options_of(*part))
      if (std::ranges::count(all, option->get_single_name(), &CLI::Option::get_single_name) == 0)
        all.push_back(option);
  return all;
}

// Every command has these; a manual says it once.
bool is_help(const CLI::Option& option) {
  return !option.get_positional() && option.get_single_name().starts_with("help");
}

bool takes_value(const CLI::Option& option) {
  return option.get_expected_max() > 0;
}

// The values that an option or argument accepts, if they are a list; otherwise none.
std::vector<std::string> values_of(std::string_view command, std::string_view name) {
  if (name == "preset") return {"smoke", "quick", "paper"};
  if (name == "precision") return {"single", "double"};
  if (name == "fail-on" && command == "claims") return {"refuted", "undecided", "any", "never"};
  if (name == "fail-on") return {"slower", "wrong", "any"};
  if (name == "FORMAT") return {"man", "bash", "zsh", "fish"};
  if (name == "EXPERIMENTS" || name == "IDS") {
    std::vector<std::string> ids;
    for (const harness::family& f : harness::families()) {
      if (command == "claims") ids.push_back(f.word);
      if (command == "run" || command == "list")
        for (const harness::experiment& e : f.experiments) ids.push_back(e.layout.id);
    }
    if (command == "verify" || command == "list")
      for (const manifest_entry& entry : manifest()) ids.emplace_back(entry.id);
    return ids;
  }
  return {};
}

// The values of the command's first argument.
std::vector<std::string> argument_values(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options())
    if (option->get_positional()) return values_of(command.get_name(), option->get_single_name());
  return {};
}

// roff takes a line that begins with a dot or quote for a request, and "\" for an escape.
std::string roff(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else if (c == '\'')
      safe += "\\(aq";
    else
      safe += c;
  }
  return safe.starts_with('.') ? "\\&" + safe : safe;
}

void print_man_examples(std::string_view command, std::ostream& out) {
  for (const example& e : examples)
    if (shows(e, command)) out << ".TP\n.B " << roff(e.line) << '\n' << roff(e.does) << '\n';
}

void print_man_option(const CLI::Option& option, std::ostream& out) {
  out << ".TP\n.B "
      << roff(option.get_positional() ? option.get_single_name() : option.get_name(false, true));
  if (!option.get_positional() && takes_value(option)) out << " \\fIVALUE\\fR";
  out << '\n' << roff(option.get_description());
  if (const std::string usual = option.get_default_str(); !usual.empty()) out << " (" << roff(usual) << ')';
  out << '\n';
}

void print_man_command(const CLI::App& command, const std::string& name, std::ostream& out) {
  out << ".SS " << roff(name) << '\n' << roff(command.get_description()) << '\n';
  for (const CLI::Option* const option : command.get_options())
    if (!is_help(*option)) print_man_option(*option, out);
  for (const CLI::App* const part : commands_of(command))
    print_man_command(*part, name + " " + part->get_name(), out);
  print_man_examples(command.get_name(), out);
}

void print_man(const CLI::App& app, std::ostream& out) {
  out << ".TH REPRISE 1 \"\" \"reprise " << roff(harness::this_build().version) << "\"\n"
      << ".SH NAME\nreprise \\- " << roff(app.get_description()) << '\n'
      << ".SH SYNOPSIS\n.B reprise\n.I COMMAND\n[\\fIARGUMENTS\\fR]\n.SH OPTIONS\n";
  for (const CLI::Option* const option : options_of(app)) print_man_option(*option, out);
  out << ".SH COMMANDS\n";
  for (const CLI::App* const command : commands_of(app))
    print_man_command(*command, command->get_name(), out);
  out << ".SH EXIT STATUS\n0 good, 1 usage or bad input, 2 a wrong answer, 3 slower, 4 undecided, 5 nothing "
         "could run.\n"
      << ".SH EXAMPLES\n";
  print_man_examples("", out);
}

std::string option_names(const std::vector<const CLI::Option*>& options) {
  std::string names;
  for (const CLI::Option* const option : options)
    for (const std::string& name : option->get_lnames()) names += (names.empty() ? "--" : " --") + name;
  return names;
}

std::string command_names(const CLI::App& app) {
  std::string names;
  for (const CLI::App* const command : commands_of(app))
    names += (names.empty() ? "" : " ") + command->get_name();
  return names;
}

// Words are offered by the command that was typed; after an option with a list of values, these. Folders and files
// are offered everywhere else.
void print_bash(const CLI::App& app, std::ostream& out) {
  out << "# Completion of reprise for bash\n"
         "_reprise() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=''\n"
         "  if ((COMP_CWORD == 1)); then\n"
      << fmt::format("    words='{} {}'\n", command_names(app), option_names(options_of(app)))
      << "  else\n    case ${COMP_WORDS[1]}:$before in\n";
  for (const CLI::App* const command : commands_of(app))
    for (const CLI::Option* const option : all_options_of(*command)) {
      const std::string name = option->get_single_name();
      if (const auto values = values_of(command->get_name(), name); !values.empty())
        out << fmt::format("      {}:--{}) words='{}' ;;\n", command->get_name(), name,
                           fmt::join(values, " "));
    }
  for (const CLI::App* const command : commands_of(app))
    out << fmt::format("      {}:*) words='{} {} {}' ;;\n", command->get_name(),
                       option_names(all_options_of(*command)), command_names(*command),
                       fmt::join(argument_values(*command), " "));
  out << "    esac\n  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "}\ncomplete -o default -F _reprise reprise\n";
}

// A text within '...' of a zsh specification, where brackets and colons have a meaning.
std::string zsh(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'')
      safe += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      safe += std::string("\\") + c;
    else
      safe += c;
  }
  return safe;
}

void print_zsh_command(const CLI::App& command, std::ostream& out) {
  const std::string of = command.get_name();
  out << fmt::format("    {})\n      _arguments \\\n", of);
  for (const CLI::Option* const option : all_options_of(command)) {
    const std::string name = option->get_single_name();
    const auto values = values_of(of, name);
    const std::string value = !takes_value(*option) ? ""
                              : values.empty()      ? ":value:_files"
                                                    : fmt::format(":value:({})", fmt::join(values, " "));
    for (const std::string& longer : option->get_lnames())
      out << fmt::format("        '--{}[{}]{}' \\\n", longer, zsh(option->get_description()), value);
  }
  const auto words = argument_values(command);
  const std::string parts = command_names(command);
  out << fmt::format(
      "        '*:argument:{}' ;;\n",
      words.empty() && parts.empty() ? "_files" : fmt::format("({}{})", parts, fmt::join(words, " ")));
}

void print_zsh(const CLI::App& app, std::ostream& out) {
  out << "#compdef reprise\n_reprise() {\n  if ((CURRENT == 2)); then\n    local -a commands=(\n";
  for (const CLI::App* const command : commands_of(app))
    out << fmt::format("      '{}:{}'\n", command->get_name(), zsh(command->get_description()));
  for (const CLI::Option* const option : options_of(app))
    out << fmt::format("      '--{}:{}'\n", option->get_lnames().front(), zsh(option->get_description()));
  out << "    )\n    _describe command commands\n    return\n  fi\n"
         "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n";
  for (const CLI::App* const command : commands_of(app)) print_zsh_command(*command, out);
  out << "  esac\n}\nif [[ $funcstack[1] == _reprise ]]; then _reprise \"$@\"; else compdef _reprise "
         "reprise; fi\n";
}

std::string fish(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

void print_fish(const CLI::App& app, std::ostream& out) {
  out << "# Completion of reprise for fish\n";
  for (const CLI::Option* const option : options_of(app))
    out << fmt::format("complete -c reprise -n __fish_use_subcommand -l {} -d '{}'\n",
                       option->get_lnames().front(), fish(option->get_description()));
  for (const CLI::App* const command : commands_of(app)) {
    const std::string of = command->get_name();
    out << fmt::format("complete -c reprise -n __fish_use_subcommand -a {} -d '{}'\n", of,
                       fish(command->get_description()));
    const std::string seen = fmt::format("complete -c reprise -n '__fish_seen_subcommand_from {}'", of);
    for (const CLI::Option* const option : all_options_of(*command)) {
      const auto values = values_of(of, option->get_single_name());
      const std::string value = !takes_value(*option) ? ""
                                : values.empty()      ? " -r"
                                                      : fmt::format(" -x -a '{}'", fmt::join(values, " "));
      for (const std::string& name : option->get_lnames())
        out << fmt::format("{} -l {}{} -d '{}'\n", seen, name, value, fish(option->get_description()));
    }
    if (const auto words = argument_values(*command); !words.empty())
      out << fmt::format("{} -a '{}'\n", seen, fmt::join(words, " "));
    if (const std::string parts = command_names(*command); !parts.empty())
      out << fmt::format("{} -a '{}'\n", seen, parts);
  }
}

}  // namespace

void add_examples(CLI::App& app) {
  app.footer("Examples:\n" + examples_of("", "  "));
  for (CLI::App* const command : app.get_subcommands({})) {
    command->footer("Examples:\n" + examples_of(command->get_name(), "  "));
    for (CLI::App* const part : command->get_subcommands({})) {
      const std::string name = command->get_name() + " " + part->get_name();
      part->footer("Examples:\n" + examples_of(name, "  "));
    }
  }
}

void print_manual(const CLI::App& app, const manual_request& request, std::ostream& out) {
  const std::map<std::string, void (*)(const CLI::App&, std::ostream&)> formats{
      {"man", print_man}, {"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
  formats.at(request.format)(app, out);
}

}  // namespace reprise::benchmarks
