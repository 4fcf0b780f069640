// SPDX-License-Identifier: MIT
// The program `reprise`. Parses, calls the harness and the reports, and is the only place that knows exit
// statuses: 0 good, 1 usage or bad input, 2 wrong answer, 3 slower, 4 undecided, 5 nothing could run.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <new>

#include "benchmarks/baseline_command.hpp"
#include "benchmarks/claims_command.hpp"
#include "benchmarks/collect_command.hpp"
#include "benchmarks/compare_command.hpp"
#include "benchmarks/gather.hpp"
#include "benchmarks/harness/build_info.hpp"
#include "benchmarks/harness/environment.hpp"
#include "benchmarks/harness/overview.hpp"
#include "benchmarks/harness/runner.hpp"
#include "reports/report.hpp"
#include "solvers/common/error.hpp"
#include "solvers/common/ranks.hpp"

namespace {

using namespace reprise;

enum exit_status { good = 0, bad_usage = 1, wrong_answer = 2, slower = 3, undecided = 4, nothing_ran = 5 };

exit_status status_of(const harness::run_outcome& outcome) {
  if (outcome.failed > 0) return wrong_answer;
  return outcome.measured > 0 ? good : nothing_ran;
}

struct options {
  std::vector<std::string> ids{"*"};
  std::vector<std::string> sizes;
  std::vector<std::string> settings;
  std::vector<std::string> folders;
  std::string device{"*"};
  std::string out;
  std::string parameters;
  benchmarks::baseline_request baseline;
  benchmarks::compare_request comparison;
  benchmarks::collect_request fleet;
  std::string fail_on_change{"nothing"};
  std::string preset{"quick"};
  std::string fail_on{"differs"};
  bool resume{};
  bool as_json{};
  std::vector<std::string> engine_flags;
  std::string command;

  std::vector<harness::grid_size> parsed_sizes() const {
    std::vector<harness::grid_size> parsed;
    for (const std::string& text : sizes) parsed.push_back(harness::parse_size(text));
    return parsed;
  }
};

// Where the published numbers, claims and scripts are: beside the program's sources, or where the user says.
std::filesystem::path home() {
  const char* const set = std::getenv("REPRISE_HOME");
  return set != nullptr ? set : REPRISE_SOURCE_DIR;
}

exit_status run(const options& o) {
  harness::run_request request;
  request.experiments = o.ids;
  request.plan = {harness::parse_preset(o.preset), o.parsed_sizes()};
  for (const std::string& text : o.settings)
    if (!request.plan.settings.insert(harness::parse_setting(text)).second)
      throw bad_input("setting '" + text + "' is the second of its name: give it once");
  if (!o.parameters.empty()) harness::add_parameters(request, o.parameters);
  request.device_glob = o.device;
  request.resume = o.resume;
  request.engine_flags = o.engine_flags;
  request.command = o.command;
  request.out = o.out.empty() ? "runs/" + harness::utc_stamp() : o.out;
  const auto outcome = harness::run_experiments(request, std::cout);
  std::cout << fmt::format("{} cases measured, {} skipped, {} failed; rows in {}\n", outcome.measured,
                           outcome.skipped, outcome.failed, request.out.string());
  return status_of(outcome);
}

exit_status verify(const options& o) {
  const auto outcome = harness::verify_variants({o.ids, o.parsed_sizes(), o.device}, std::cout);
  std::cout << fmt::format("{} right, {} wrong, {} skipped\n", outcome.measured, outcome.failed,
                           outcome.skipped);
  return status_of(outcome);
}

// Draws figures and the page. Its absence costs pictures, not the tables.
void draw(const std::filesystem::path& report) {
  const std::filesystem::path script = home() / "scripts" / "plot";
  const std::string command = fmt::format("'{}' '{}'", script.string(), report.string());
  std::cout.flush();  // the script prints too
  if (command.find('\'', 1) != script.string().size() + 1 || !std::filesystem::exists(script) ||
      std::system(command.c_str()) != 0)
    std::cerr << "reprise: figures and page were not drawn; the tables are complete. Run " << script.string()
              << " " << report.string() << " to see why\n";
}

exit_status report(const options& o) {
  reports::report_request request{benchmarks::gather(home(), o.folders), {}, {}};
  for (const std::string& remark : benchmarks::remarks_on(request))
    std::cerr << "reprise: " << remark << '\n';
  request.assumptions = request.published_dir / "assumptions.md";
  request.out =
      o.out.empty() ? std::filesystem::path(o.folders.front()) / "report" : std::filesystem::path(o.out);
  reports::write_report(request);
  draw(request.out);
  std::cout << "report in " << request.out.string() << '\n';
  return good;
}

exit_status claims(const options& o) {
  using benchmarks::concern;
  const concern fail_on = benchmarks::parse_concern(o.fail_on);
  const auto counts = benchmarks::print_claims({o.ids, o.folders, home(), o.as_json}, std::cout, std::cerr);
  const bool differs = fail_on == concern::differs || fail_on == concern::any;
  const bool not_run = fail_on == concern::not_run || fail_on == concern::any;
  if (differs && counts.at(reports::verdict::differs) > 0) return wrong_answer;
  if (not_run && counts.at(reports::verdict::not_run_here) > 0) return nothing_ran;
  return good;
}

std::pair<CLI::Option*, CLI::Option*> add_device_and_size(CLI::App* command, options& o) {
  CLI::Option* const device =
      command
          ->add_option("--device", o.device, "only devices whose id matches this shell glob, e.g. 'cuda:*'")
          ->capture_default_str();
  CLI::Option* const size =
      command->add_option("--size", o.sizes, "WIDTHxHEIGHT instead of the usual sizes; may be repeated")
          ->allow_extra_args(false);
  return {device, size};
}

void add_list(CLI::App& app, options& o) {
  CLI::App* const command =
      app.add_subcommand("list", "name variants and experiments, each ready or with its reason");
  command->add_option("IDS", o.ids, "shell globs over ids");
  command->add_flag("--json", o.as_json, "for programs");
}

void add_verify(CLI::App& app, options& o) {
  CLI::App* const command =
      app.add_subcommand("verify", "check variants against their references, without timing them");
  command->add_option("IDS", o.ids, "shell globs over variants' ids");
  add_device_and_size(command, o);
}

void add_run(CLI::App& app, options& o) {
  CLI::App* const command = app.add_subcommand(
      "run", "verify, then time; writes a run folder. Flags of Google Benchmark may follow after --");
  CLI::Option* const ids = command->add_option("EXPERIMENTS", o.ids, "shell globs over experiments' ids");
  CLI::Option* const level =
      command->add_option("--preset", o.preset, "smoke, quick or paper")->capture_default_str();
  const auto [device, size] = add_device_and_size(command, o);
  CLI::Option* const setting =
      command
          ->add_option("--set", o.settings,
                       "NAME=NUMBER instead of a family's own, e.g. eps=1e-6; may be repeated")
          ->allow_extra_args(false);
  CLI::Option* const parameters =
      command->add_option("--parameters", o.parameters, "a file of NAME = NUMBER lines, all of angiogenesis");
  CLI::Option* const out = command->add_option(
      "--out", o.out, "the run's folder: new or empty; runs/<time in UTC> where not given");
  command->add_flag("--resume", o.resume, "finish the run in --out as it was started")
      ->needs(out)
      ->excludes(ids)
      ->excludes(level)
      ->excludes(device)
      ->excludes(size)
      ->excludes(setting)
      ->excludes(parameters);
}

void add_report(CLI::App& app, options& o) {
  CLI::App* const command =
      app.add_subcommand("report", "tables, figures, verdicts and a page from run folders");
  command->add_option("RUN", o.folders, "run folders")->required();
  command->add_option("--out", o.out, "the report's folder; report/ in the first run's where not given");
}

void add_claims(CLI::App& app, options& o) {
  CLI::App* const command =
      app.add_subcommand("claims", "every claim of the papers with its verdict and what it rests on");
  command->add_option("IDS", o.ids, "shell globs over papers' words and WORD/CLAIM");
  command
      ->add_option("--run", o.folders,
                   "a run's folder; may be repeated. reports/recorded/ where none is given")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--fail-on", o.fail_on,
          "differs: exit status 2 where a claim differs; not-run: 5 where one was not run here; any: "
          "either, 2 first; never: 0")
      ->capture_default_str();
  command->add_flag("--json", o.as_json, "for programs");
}

void add_baseline(CLI::App& app, options& o) {
  CLI::App* const command =
      app.add_subcommand("baseline", "keep how right a run's answers are, and hold a later run against it");
  command->require_subcommand(1);
  CLI::App* const save = command->add_subcommand("save", "write the orders, errors and counts of a run");
  CLI::App* const check =
      command->add_subcommand("check", "tell what drifted; exit status 2 where an answer is less right");
  for (CLI::App* const one : {save, check}) {
    one->add_option("FILE", o.baseline.file, "the baseline, a CSV file")->required();
    one->add_option("--run", o.baseline.run, "a run's folder")->required();
  }
  check->add_option("--junit", o.baseline.junit, "write JUnit's XML, for CI systems, to this file");
}

exit_status baseline(const CLI::App& command, const options& o) {
  if (command.got_subcommand("check"))
    return benchmarks::check_baseline(o.baseline, std::cout) ? good : wrong_answer;
  benchmarks::save_baseline(o.baseline, std::cout);
  return good;
}

void add_compare(CLI::App& app, options& o) {
  CLI::App* const command = app.add_subcommand(
      "compare", "devices side by side; of two runs on one device also what became faster or slower");
  auto& request = o.comparison;
  command
      ->add_option("NAMES", request.names,
                   "runs' folders, recorded devices like nvidia-h200, papers' boards like paper:GTX280")
      ->required();
  command
      ->add_option("--only", request.experiments, "only tables and figures whose id matches this shell glob")
      ->capture_default_str();
  command
      ->add_option(
          "--vary", request.vary,
          "compare although this differs: preset, sizes, settings, version, build or precision; may be "
          "repeated")
      ->allow_extra_args(false);
  command->add_option("--out", request.out, "also write Markdown and CSV to this folder");
  CLI::Option* const noise =
      command->add_option("--noise", request.noise, "this machine's noise, as --floor wrote it");
  CLI::Option* const fail_on =
      command
          ->add_option("--fail-on", o.fail_on_change,
                       "slower: exit status 3 where a case became slower; wrong: 2 where "
                       "one became wrong; any: either, 2 first, or 4 where one is undecided")
          ->capture_default_str();
  command
      ->add_option(
          "--floor", request.floor,
          "instead of comparing, learn this machine's noise from five or more runs of the same thing "
          "and write it to this file")
      ->excludes(noise)
      ->excludes(fail_on);
}

exit_status compare(const options& o) {
  auto request = o.comparison;
  request.concern = benchmarks::parse_fail_on(o.fail_on_change);
  switch (benchmarks::compare(request, home(), std::cout)) {
    case benchmarks::comparison_outcome::wrong:
      return wrong_answer;
    case benchmarks::comparison_outcome::slower:
      return slower;
    case benchmarks::comparison_outcome::undecided:
      return undecided;
    case benchmarks::comparison_outcome::good:
      break;
  }
  return good;
}

void add_collect(CLI::App& app, options& o) {
  CLI::App* const command = app.add_subcommand(
      "collect",
      "one report from the runs of many nodes: which are slow, wrong or died; exit status 2 where a node "
      "answered wrongly, 3 where one is slower than others of its devices, 4 where a run is incomplete");
  auto& request = o.fleet;
  command->add_option("DIR", request.folders, "folders of runs, or with runs anywhere below")->required();
  command->add_option("--vary", request.vary, "as for compare; may be repeated")->allow_extra_args(false);
  command->add_option("--noise", request.noise, "such a node's noise, as compare --floor wrote it");
  command->add_option("--out", request.out, "also write a page, CSV and Markdown to this folder");
}

exit_status collect(const options& o) {
  const auto outcome = benchmarks::collect(o.fleet, home(), std::cout);
  if (!o.fleet.out.empty()) {
    draw(o.fleet.out);
    std::cout << "fleet in " << o.fleet.out.string() << '\n';
  }
  switch (outcome) {
    case benchmarks::fleet_outcome::wrong:
      return wrong_answer;
    case benchmarks::fleet_outcome::slower:
      return slower;
    case benchmarks::fleet_outcome::incomplete:
      return undecided;
    case benchmarks::fleet_outcome::good:
      break;
  }
  return good;
}

exit_status dispatch(const CLI::App& app, const options& o) {
  if (app.got_subcommand("list")) harness::list(o.ids, o.as_json, std::cout);
  if (app.got_subcommand("doctor")) harness::doctor(std::cout);
  if (app.got_subcommand("verify")) return verify(o);
  if (app.got_subcommand("run")) return run(o);
  if (app.got_subcommand("report")) return report(o);
  if (app.got_subcommand("claims")) return claims(o);
  if (app.got_subcommand("compare")) return compare(o);
  if (app.got_subcommand("collect")) return collect(o);
  if (app.got_subcommand("baseline")) return baseline(*app.get_subcommand("baseline"), o);
  return good;
}

// What stands before `--` is ours, what follows is Google Benchmark's.
std::vector<std::string> split_arguments(int argc, char** argv, options& o) {
  std::vector<std::string> own;
  bool ours = true;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (ours && argument == "--")
      ours = false;
    else
      (ours ? own : o.engine_flags).push_back(argument);
    o.command += (i > 1 ? " " : "reprise ") + argument;
  }
  return own;
}

int parse_and_run(int argc, char** argv) {
  options o;
  CLI::App app{
      "Re-runs the GPU experiments of five papers on this machine: every answer is checked before it is "
      "timed."};
  app.name("reprise");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(harness::this_build().version));
  app.set_help_all_flag("--help-all", "help for every command");
  add_list(app, o);
  app.add_subcommand("doctor",
                     "devices, drivers and toolchains; what is missing, what it costs, how to get it");
  add_verify(app, o);
  add_run(app, o);
  add_report(app, o);
  add_claims(app, o);
  add_baseline(app, o);
  add_compare(app, o);
  add_collect(app, o);
  std::vector<std::string> arguments = split_arguments(argc, argv, o);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes its arguments from the back
  try {
    app.parse(arguments);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& problem) {
    throw bad_input(std::string(problem.what()) + " (see reprise --help)");
  }
  if (!o.engine_flags.empty() && !app.got_subcommand("run"))
    throw bad_input("only `reprise run` takes flags after --");
  return dispatch(app, o);
}

// One line, whatever a message holds. Of several ranks the first one speaks for all.
int complain(std::string what, exit_status status) {
  if (ranks::by_launcher().rank > 0) return status;
  std::replace(what.begin(), what.end(), '\n', ' ');
  std::cerr << "reprise: " << what << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    ranks::session all;
    if (!all.is_first()) {
      all.serve();
      return good;
    }
    const int status = parse_and_run(argc, argv);
    if (!std::cout.flush() && status == good)
      return complain("the output could not be written: see that its disk is not full", bad_usage);
    return status;
  } catch (const unavailable& missing) {
    return complain(missing.what(), nothing_ran);
  } catch (const std::bad_alloc&) {
    return complain("this machine's memory is too small for that: give a smaller --size", bad_usage);
  } catch (const std::exception& problem) {
    return complain(problem.what(), bad_usage);
  }
}
