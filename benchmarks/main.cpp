// SPDX-License-Identifier: MIT
// The program `reprise`. Parses the command line and calls the commands. Only this file decides exit
// statuses: 0 good, 1 usage or bad input, 2 wrong answer, 3 slower, 4 undecided, 5 nothing could run.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <new>

#include "benchmarks/commands/baseline.hpp"
#include "benchmarks/commands/claims.hpp"
#include "benchmarks/commands/collect.hpp"
#include "benchmarks/commands/compare.hpp"
#include "benchmarks/commands/count.hpp"
#include "benchmarks/commands/doctor.hpp"
#include "benchmarks/commands/duel.hpp"
#include "benchmarks/commands/help.hpp"
#include "benchmarks/commands/home.hpp"
#include "benchmarks/commands/list.hpp"
#include "benchmarks/commands/manual.hpp"
#include "benchmarks/commands/pack.hpp"
#include "benchmarks/commands/report.hpp"
#include "benchmarks/commands/run.hpp"
#include "benchmarks/commands/verify.hpp"
#include "benchmarks/harness/build_info.hpp"
#include "benchmarks/harness/count/protocol.hpp"
#include "benchmarks/harness/count/side.hpp"
#include "benchmarks/harness/duel/protocol.hpp"
#include "benchmarks/harness/duel/side.hpp"
#include "benchmarks/harness/nearest.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/host_processors.hpp"
#include "solvers/common/ranks/ranks.hpp"

namespace {

using namespace reprise;
using namespace benchmarks;

constexpr int bad_usage = 1;

int status_of(outcome o) {
  constexpr std::array statuses{0, 2, 3, 4, 5};
  return statuses.at(static_cast<std::size_t>(o));
}

// The requests of all commands. The command line fills in the one of the command that was typed.
struct options {
  list_request list;
  harness::verify_request verification;
  run_request run;
  report_request report;
  claims_request claims;
  baseline_request baseline;
  compare_request comparison;
  duel_request duel;
  count_request count;
  collect_request fleet;
  pack_request packing;
  manual_request manual;
};

// An option that takes one value each time it is given.
CLI::Option* add_repeated(CLI::App* command, const std::string& name, std::vector<std::string>& values,
                          const std::string& text) {
  return command->add_option(name, values, text + "; may be repeated")->allow_extra_args(false);
}

std::pair<CLI::Option*, CLI::Option*> add_device_and_size(CLI::App* command, std::string& glob,
                                                          std::vector<std::string>& sizes) {
  auto* const device =
      command
          ->add_option("--device", glob, "use only devices whose id matches this shell glob, e.g. 'cuda:*'")
          ->capture_default_str();
  auto* const size =
      add_repeated(command, "--size", sizes,
                   "use this size instead of the default ones: WIDTHxHEIGHT, or 400 nodes for angiogenesis");
  return {device, size};
}

void add_list(CLI::App& app, list_request& request) {
  auto* const command = app.add_subcommand("list", "list variants and experiments: ready, or why not");
  command->add_option("IDS", request.ids, "ids of variants or experiments, or shell globs");
  command->add_flag("--json", request.as_json, "print JSON");
}

void add_verify(CLI::App& app, harness::verify_request& request) {
  auto* const command =
      app.add_subcommand("verify", "check variants against their references without timing them");
  command->add_option("IDS", request.variants, "ids of variants, or shell globs");
  add_device_and_size(command, request.device_glob, request.sizes);
}

void add_run(CLI::App& app, run_request& request) {
  auto* const command = app.add_subcommand(
      "run", "check and time experiments, and write a run folder; flags after -- go to Google Benchmark");
  auto* const ids =
      command->add_option("EXPERIMENTS", request.experiments, "ids of experiments, or shell globs");
  auto* const level =
      command
          ->add_option(
              "--preset", request.preset,
              "how much to run: smoke (two minutes), quick (three minutes, or the time of --budget) or paper "
              "(the papers' own sizes and counts: hours to days)")
          ->capture_default_str();
  const auto [device, size] = add_device_and_size(command, request.device_glob, request.sizes);
  auto* const setting = add_repeated(command, "--set", request.settings,
                                     "set a parameter of the experiments, NAME=NUMBER, e.g. eps=1e-6");
  auto* const variant = add_repeated(command, "--variant", request.choice.variants,
                                     "run only cases of variants that match this shell glob, e.g. 'cuda_*'");
  auto* const precision = command
                              ->add_option("--precision", request.choice.precision,
                                           "run only cases in this precision: single or double")
                              ->check(CLI::IsMember({"single", "double"}));
  auto* const parameter =
      add_repeated(command, "--parameter", request.choice.parameters,
                   "run only cases whose parameter matches this shell glob, e.g. '*heun*'");
  auto* const parameters =
      command->add_option("--parameters", request.parameters,
                          "read all parameters of angiogenesis from a file of NAME = NUMBER lines");
  auto* const fields = command->add_flag(
      "--fields", request.plan.writes_end,
      "also record the final state of every case: a grid as CSV, and all nodes and digits as NumPy's .npy");
  auto* const out = command->add_option(
      "--out", request.out, "write the run to this new or empty folder; the default is runs/<time in UTC>");
  auto* const budget = command->add_option(
      "--budget", request.budget,
      "plan a run of this length, e.g. 5m: headlines first, then a part of each table and "
      "figure that can be read on its own, then more; none: all cases. The default is 3m for "
      "--preset quick where no experiments or cases are chosen, otherwise none");
  auto* const plan = command->add_option("--plan", request.plan_of,
                                         "measure the cases that the plan of this finished run measured");
  auto* const dry_run =
      command->add_flag("--dry-run", request.dry_run, "print what would be measured, with times, and end");
  command
      ->add_flag("--json", request.as_events,
                 "print one JSON object a line for each event, as benchmarks/harness/events.schema.json says")
      ->excludes(dry_run);
  auto* const resume = command->add_flag("--resume", request.resume,
                                         "finish the run in --out with the options that it was started with");
  resume->needs(out);
  for (auto* const other :
       {ids, level, size, setting, variant, precision, parameter, parameters, budget, fields}) {
    resume->excludes(other);
    plan->excludes(other);
  }
  for (auto* const other : {device, plan, dry_run}) resume->excludes(other);
}

void add_report(CLI::App& app, report_request& request) {
  auto* const command =
      app.add_subcommand("report", "write tables, figures, verdicts and a page from run folders");
  command->add_option("RUN", request.runs, "folders of runs")->required();
  add_repeated(command, "--against", request.against,
               "mark what changed since this earlier run: verdicts, and numbers beyond their intervals");
  command->add_option("--out", request.out,
                      "write the report to this folder; the default is report/ in the first run's folder");
}

void add_claims(CLI::App& app, claims_request& request) {
  auto* const command = app.add_subcommand(
      "claims", "print the papers' headlines, or each claim with its verdict and evidence");
  command->add_option("IDS", request.ids, "papers or claims: WORD or WORD/CLAIM, or shell globs");
  add_repeated(command, "--run", request.runs, "judge by this run's folder, not by all of reports/recorded/");
  command
      ->add_option_function<std::string>(
          "--fail-on", [&request](const std::string& name) { request.fail_on = parse_concern(name); },
          "choose what makes the exit status non-zero. refuted: 2 if a conclusion no longer or never held, "
          "or a "
          "number differs; undecided: 4 if a claim is undecided; any: both, 2 first; never: always 0")
      ->default_str("refuted");
  command->add_flag("--json", request.as_json, "print JSON");
  add_repeated(command, "--why", request.why,
               "explain this claim, or those that match this shell glob: sentence, rows, arithmetic, bounds "
               "and reason");
}

void add_baseline(CLI::App& app, baseline_request& request) {
  auto* const command =
      app.add_subcommand("baseline", "save the accuracy of a run, and check later runs against it");
  command->require_subcommand(1);
  auto* const save = command->add_subcommand("save", "write a run's orders, errors and counts to a file");
  auto* const check = command->add_subcommand(
      "check", "list the numbers that changed; exit status 2 if an answer is less accurate");
  for (auto* const one : {save, check}) {
    one->add_option("FILE", request.file, "the baseline's CSV file")->required();
    one->add_option("--run", request.run, "a run's folder")->required();
  }
  check->add_option("--junit", request.junit, "also write the result to this file as JUnit XML");
}

void add_compare(CLI::App& app, compare_request& request) {
  auto* const command = app.add_subcommand("compare",
                                           "print a summary of devices side by side and, for two runs on one "
                                           "device, what became faster or slower");
  command
      ->add_option(
          "NAMES", request.names,
          "folders of runs, recorded devices such as nvidia-h200, or papers' boards such as paper:GTX280")
      ->required();
  command
      ->add_option("--only", request.experiments,
                   "compare only tables and figures whose id matches this shell glob")
      ->capture_default_str();
  add_repeated(command, "--vary", request.vary,
               "compare runs although this differs between them: preset, sizes, settings, version, build or "
               "precision");
  command->add_flag("--full", request.is_full, "print all tables, with ratios, below the summary");
  command->add_option(
      "--out", request.out,
      "also write all tables as Markdown and CSV to this folder, and a figure of times by year");
  auto* const noise =
      command->add_option("--noise", request.noise, "use the noise that --floor wrote for this machine");
  command
      ->add_option(
          "--margin", request.margin,
          "say which cases have a noise floor above this difference, for which only duel is fine enough")
      ->capture_default_str();
  auto* const concern =
      command
          ->add_option_function<std::string>(
              "--fail-on", [&request](const std::string& name) { request.concern = parse_fail_on(name); },
              "choose what makes the exit status non-zero. slower: 3 if a case became slower; wrong: 2 if "
              "one "
              "became wrong; any: both, 2 first, and 4 if one is undecided")
          ->default_str("nothing");
  command
      ->add_option("--floor", request.floor,
                   "do not compare: measure this machine's noise from five or more runs of the same cases "
                   "and write it "
                   "to this file")
      ->excludes(noise)
      ->excludes(concern);
}

void add_duel(CLI::App& app, duel_request& request) {
  auto* const command = app.add_subcommand(
      "duel",
      "time two programs side by side, and tell which is faster; exit status 3 if B is slower than A in a "
      "case, 4 if one is undecided, 2 if an answer is wrong");
  auto* const sides = command->add_option("SIDES", request.sides,
                                          "A and B: programs, build folders, installed prefixes, or commits");
  sides->expected(0, 2);
  command->add_option("--commit", request.commit, "A is this commit and B is HEAD; both are built and kept")
      ->excludes(sides);
  add_repeated(command, "--only", request.experiments,
               "time only experiments that match this shell glob; without a choice of cases, each variant's "
               "largest case on each device is timed");
  command->add_option("--preset", request.preset, "take the cases of this preset: smoke, quick or paper")
      ->capture_default_str();
  add_device_and_size(command, request.device, request.sizes);
  add_repeated(command, "--set", request.settings, "set a parameter of the experiments, NAME=NUMBER");
  add_repeated(command, "--variant", request.variants, "time only variants that match this shell glob");
  add_repeated(command, "--parameter", request.parameters,
               "time only cases whose parameter matches this shell glob");
  command->add_option("--precision", request.precision, "time only cases in this precision: single or double")
      ->check(CLI::IsMember({"single", "double"}));
  command->add_option("--margin", request.margin, "call a smaller difference SAME")->capture_default_str();
  command->add_option("--budget", request.budget,
                      "the longest time for each case, e.g. 1m; the default is 20s");
  command
      ->add_option("--mode", request.mode,
                   "turns: the sides take turns of a few milliseconds; together: they run at the "
                   "same time, each on a processor of its own, and change places")
      ->check(CLI::IsMember({"turns", "together"}))
      ->capture_default_str();
  command->add_option("--threads", request.threads, "threads of a side on processors")->capture_default_str();
  command->add_option("--seed", request.seed, "draw orders and places with this seed")->capture_default_str();
  command->add_option("--out", request.out,
                      "also write duel.json, duel.md, duel.svg and pairs.csv to this folder");
  command->add_flag("--json", request.as_json, "print JSON");
}

void add_count(CLI::App& app, count_request& request) {
  auto* const command = app.add_subcommand(
      "count",
      "count the instructions, branches, cache misses and allocations of one timed call, on processors and "
      "in "
      "emulation, and what compiled kernels need; with --against, exit status 3 if a case needs more "
      "instructions, 4 if one is not judged, 2 if an answer is wrong");
  command->add_option("BUILD", request.build,
                      "a program, build folder, installed prefix or commit; the default is this program");
  command->add_option("--against", request.against,
                      "compare with this build, counted in the same way, or with counts of --out");
  command->add_option("--margin", request.margin, "call a smaller growth of a case's instructions SAME")
      ->capture_default_str();
  add_repeated(command, "--only", request.experiments,
               "count only cases of experiments that match this shell glob");
  command->add_option("--preset", request.preset, "take the cases of this preset: smoke, quick or paper")
      ->capture_default_str();
  add_repeated(command, "--size", request.sizes,
               "use this size instead of the smallest ones: WIDTHxHEIGHT, or 400 nodes for angiogenesis");
  add_repeated(command, "--set", request.settings, "set a parameter of the experiments, NAME=NUMBER");
  add_repeated(command, "--variant", request.variants, "count only variants that match this shell glob");
  add_repeated(command, "--parameter", request.parameters,
               "count only cases whose parameter matches this shell glob");
  command
      ->add_option("--precision", request.precision, "count only cases in this precision: single or double")
      ->check(CLI::IsMember({"single", "double"}));
  command->add_flag("--all", request.has_all,
                    "count each variant's whole solves by every method and model too, which takes an hour");
  command->add_option("--jobs", request.jobs,
                      "cases that are counted at the same time; the default is one on each processor");
  command->add_option("--out", request.out,
                      "also write counts.json to this folder and, with --against, gate.json and gate.md");
  command->add_flag("--json", request.as_json, "print JSON");
}

void add_collect(CLI::App& app, collect_request& request) {
  auto* const command = app.add_subcommand(
      "collect",
      "report on the runs of many nodes: which are slow, wrong or incomplete; exit status 2 if a node gave a "
      "wrong answer, 3 if one is slower than others with the same device, 4 if a run is incomplete");
  command->add_option("DIR", request.folders, "folders of runs, or folders that contain them at any depth")
      ->required();
  add_repeated(command, "--vary", request.vary,
               "report on runs although this differs between them, as in compare");
  command->add_option("--noise", request.noise, "use the noise that compare --floor wrote for such a node");
  command->add_option("--out", request.out, "also write a page, CSV and Markdown to this folder");
}

void add_pack(CLI::App& app, pack_request& request) {
  auto* const command = app.add_subcommand(
      "pack", "make the files of finished runs small without loss; every command reads packed runs");
  command->add_option("RUN", request.runs, "folders of runs")->required();
  command->add_flag("--undo", request.undo, "unpack them");
}

void add_manual(CLI::App& app, manual_request& request) {
  auto* const command =
      app.add_subcommand("manual", "print the manual page, or the completion script of a shell");
  command->add_option("FORMAT", request.format, "man, bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"man", "bash", "zsh", "fish"}));
}

outcome dispatch(const CLI::App& app, options& o) {
  if (app.got_subcommand("verify")) return verify(o.verification, std::cout);
  if (app.got_subcommand("run")) {
    o.run.home = find_home();
    o.run.names_experiments = app.get_subcommand("run")->count("EXPERIMENTS") > 0;
    return run(o.run, std::cout);
  }
  if (app.got_subcommand("claims")) {
    o.claims.home = find_home();
    return claims(o.claims, std::cout, std::cerr);
  }
  if (app.got_subcommand("compare")) return compare_and_draw(o.comparison, find_home(), std::cout);
  if (app.got_subcommand("duel")) return duel(o.duel, std::cout, std::cerr);
  if (app.got_subcommand("count")) return count(o.count, std::cout, std::cerr);
  if (app.got_subcommand("collect")) return collect_and_draw(o.fleet, find_home(), std::cout);
  if (app.got_subcommand("list")) {
    o.list.home = find_home();
    list(o.list, std::cout);
  }
  if (app.got_subcommand("pack")) pack(o.packing, std::cout);
  if (app.got_subcommand("manual")) print_manual(app, o.manual, std::cout);
  if (app.got_subcommand("doctor")) doctor(std::cout);
  if (app.got_subcommand("report")) report(o.report, find_home(), std::cout, std::cerr);
  if (!app.got_subcommand("baseline")) return outcome::good;
  if (app.get_subcommand("baseline")->got_subcommand("check")) return check_baseline(o.baseline, std::cout);
  save_baseline(o.baseline, std::cout);
  return outcome::good;
}

// Throws bad_input if the first word is not a command: CLI11 would only say that it needs one.
void require_known_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands({})) names.push_back(command->get_name());
  if (arguments.empty() || arguments.front().starts_with('-') ||
      std::ranges::count(names, arguments.front()) > 0)
    return;
  throw bad_input("no command is called '" + arguments.front() + "'" +
                  harness::nearest(arguments.front(), names) + ": reprise --help lists them");
}

// Arguments before `--` are the program's, those after it Google Benchmark's.
std::vector<std::string> split_arguments(int argc, char** argv, run_request& run) {
  std::vector<std::string> own;
  bool ours = true;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (ours && argument == "--")
      ours = false;
    else
      (ours ? own : run.engine_flags).push_back(argument);
    run.command += (i > 1 ? " " : "reprise ") + argument;
  }
  return own;
}

// An empty text names nothing, and a control character would reach the terminal wherever the text is repeated.
void require_printable(const CLI::App& app) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 127; };
  for (const auto* command : app.get_subcommands())
    for (const auto* option : command->get_options())
      for (const auto& text : option->results()) {
        if (text.empty()) throw bad_input(option->get_name() + ": is empty: leave it out or name something");
        if (std::ranges::any_of(text, is_control))
          throw bad_input(option->get_name() + ": has a control character: choose another name");
      }
}

int parse_and_run(int argc, char** argv) {
  options o;
  CLI::App app{
      "Re-runs the GPU experiments of five papers on this machine: every answer is checked before it is "
      "timed."};
  app.name("reprise");
  app.formatter(std::make_shared<help_format>());  // the commands inherit it
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(harness::this_build().version));
  app.set_help_all_flag("--help-all", "print the help of all commands");
  add_list(app, o.list);
  app.add_subcommand(
      "doctor",
      "list devices, drivers and toolchains: what is missing, what that excludes, how to install it");
  add_verify(app, o.verification);
  add_run(app, o.run);
  add_report(app, o.report);
  add_claims(app, o.claims);
  add_baseline(app, o.baseline);
  add_compare(app, o.comparison);
  add_duel(app, o.duel);
  add_count(app, o.count);
  add_collect(app, o.fleet);
  add_pack(app, o.packing);
  add_manual(app, o.manual);
  add_examples(app);
  std::vector<std::string> arguments = split_arguments(argc, argv, o.run);
  require_known_command(app, arguments);
  std::ranges::reverse(arguments);  // CLI11 takes its arguments from the back
  try {
    app.parse(arguments);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& problem) {
    throw bad_input(std::string(problem.what()) + " (see reprise --help)");
  }
  require_printable(app);
  if (!o.run.engine_flags.empty() && !app.got_subcommand("run"))
    throw bad_input("only `reprise run` takes flags after --");
  return status_of(dispatch(app, o));
}

// Prints a message as one line. With several ranks only the first prints.
int complain(std::string what, int status) {
  if (ranks::by_launcher().rank > 0) return status;
  std::ranges::replace(what, '\n', ' ');
  std::cerr << "reprise: " << what << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    reprise::settle_threads();
    ranks::session all;
    if (!all.is_first()) {
      all.serve();
      return 0;
    }
    if (argc == 2 && std::string_view(argv[1]) == reprise::duels::side_command) {
      reprise::duels::serve_referee();
      return 0;
    }
    if (argc == 2 && std::string_view(argv[1]) == reprise::counting::side_command) {
      reprise::counting::serve_counter();
      return 0;
    }
    const int status = parse_and_run(argc, argv);
    if (!std::cout.flush() && status == 0)
      return complain("the output could not be written: see that its disk is not full", bad_usage);
    return status;
  } catch (const unavailable& missing) {
    return complain(missing.what(), status_of(outcome::nothing_ran));
  } catch (const std::bad_alloc&) {
    return complain("this machine's memory is too small for that: give a smaller --size", bad_usage);
  } catch (const std::exception& problem) {
    return complain(problem.what(), bad_usage);
  }
}
