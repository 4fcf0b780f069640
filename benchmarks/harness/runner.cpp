// SPDX-License-Identifier: MIT
// Runs experiments into a run folder. A case measured for one experiment serves every other that needs the
// same.
#include "benchmarks/harness/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <ostream>
#include <set>

#include "benchmarks/harness/environment.hpp"
#include "benchmarks/harness/lost_devices.hpp"
#include "benchmarks/harness/measure.hpp"
#include "benchmarks/harness/roof_rows.hpp"
#include "benchmarks/harness/roofs.hpp"
#include "reports/run_folder.hpp"
#include "solvers/common/error.hpp"

namespace reprise::harness {
namespace {

using reports::row;

struct step {
  const experiment* of{};
  case_plan plan;
  target on;
  double weight{};  // expected share of the time, for the ETA
};

std::vector<const experiment*> selected(const std::vector<std::string>& globs) {
  std::vector<const experiment*> chosen;
  for (const std::string& pattern : globs) {
    bool any = false;
    for (const family& f : families())
      for (const experiment& e : f.experiments)
        if (matches(pattern, e.layout.id)) {
          any = true;
          if (std::find(chosen.begin(), chosen.end(), &e) == chosen.end()) chosen.push_back(&e);
        }
    if (!any) throw bad_input("no experiment is called '" + pattern + "': `reprise list` names them");
  }
  return chosen;
}

// A setting that no experiment chosen knows would change nothing, silently.
void require_settings(const std::vector<const experiment*>& chosen, const plan_request& request) {
  for (const auto& [name, value] : request.settings)
    for (const experiment* e : chosen) {
      const auto& own = find_family(reports::family_of(e->layout.id))->settings;
      if (std::find(own.begin(), own.end(), name) == own.end())
        throw bad_input(
            fmt::format("{} has no setting '{}': {}", e->layout.id, name,
                        own.empty() ? "it has none at all" : fmt::format("it has {}", fmt::join(own, ", "))));
    }
}

// The seconds that sampling and checking a small case take.
double base_seconds(preset level) {
  switch (level) {
    case preset::smoke:
      return .15;
    case preset::quick:
      return 1.5;
    case preset::paper:
      break;
  }
  return 5;
}

// A guess of a case's seconds: its sampling, for its reference a time that grows with its nodes, and a
// repeat, where that is long.
double weight_of(const case_plan& plan, const device& on, preset level) {
  const double repeat = plan.expected_seconds ? plan.expected_seconds(on) : 0;
  return base_seconds(level) + plan.units_per_repeat * 2e-6 + std::min(repeat, 60.0);
}

std::vector<step> plan_steps(const std::vector<const experiment*>& experiments, const run_request& request) {
  require_settings(experiments, request.plan);
  std::vector<step> steps;
  for (const experiment* e : experiments)
    for (const case_plan& plan : e->plan(request.plan)) {
      std::vector<target> targets = targets_of(plan.variant, request.device_glob, false);
      if (plan.is_on_ranks) targets.resize(1);
      for (const target& on : targets)
        steps.push_back(
            {e, plan, on, on.what == nullptr ? 0 : weight_of(plan, on.where, request.plan.level)});
    }
  return steps;
}

std::string key_of(const row& r, bool with_experiment) {
  return (with_experiment ? r.experiment : "") + '\n' + r.variant + '\n' + r.device + '\n' + r.precision +
         '\n' + r.size + '\n' + r.parameter;
}

std::string label_of(const step& s) {
  const std::string_view name = std::string_view(s.plan.variant).substr(s.plan.variant.find('/') + 1);
  return fmt::format("{} {}@{}{}", s.of->layout.id, name, s.plan.size,
                     s.on.what == nullptr ? "" : " " + s.on.where.id);
}

nlohmann::json to_json(const run_request& request) {
  nlohmann::json sizes = nlohmann::json::array();
  for (const grid_size& size : request.plan.sizes)
    sizes.push_back(fmt::format("{}x{}", size.width, size.height));
  return {{"experiments", request.experiments},
          {"preset", to_string(request.plan.level)},
          {"sizes", sizes},
          {"settings", request.plan.settings},
          {"device", request.device_glob}};
}

// What an interrupted run was asked for.
void restore(run_request& request, const nlohmann::json& description) {
  try {
    const nlohmann::json& asked = description.at("request");
    request.experiments = asked.at("experiments").get<std::vector<std::string>>();
    request.plan.level = parse_preset(asked.at("preset").get<std::string>());
    request.plan.sizes.clear();
    for (const auto& size : asked.at("sizes"))
      request.plan.sizes.push_back(parse_size(size.get<std::string>()));
    request.plan.settings = asked.value("settings", std::map<std::string, double>{});
    request.device_glob = asked.at("device").get<std::string>();
  } catch (const nlohmann::json::exception&) {
    throw bad_input((request.out / "run.json").string() +
                    " does not say what the run was asked for: start a new run in another folder");
  }
}

class execution {
 public:
  execution(run_request request, std::ostream& out)
      : request_(std::move(request)),
        out_(out),
        experiments_(selected(request_.experiments)),
        steps_(plan_steps(experiments_, request_)),
        engine_(request_.engine_flags),
        folder_(reports::run_folder::create(request_.out, describe())) {}

  execution(run_request request, reports::run_folder folder, std::ostream& out)
      : request_(std::move(request)),
        out_(out),
        experiments_(selected(request_.experiments)),
        steps_(plan_steps(experiments_, request_)),
        engine_(request_.engine_flags),
        folder_(std::move(folder)) {
    for (const row& r : folder_.rows()) remember(r);
  }

  run_outcome run() {
    leave_known_to_memory();
    for (const step& s : steps_) weight_left_ += s.weight;
    light_left_ = std::count_if(steps_.begin(), steps_.end(), [](const step& s) { return s.weight == 0; });
    find_roofs_left();
    measure_roofs();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const step& s = steps_[i];
      const auto begin = steady_clock::now();
      const std::string said = execute(s);
      account_for(s, seconds_since(begin));
      ++steps_done_;
      if (!said.empty()) say(label_of(s) + ": " + said);
      if (i + 1 == steps_.size() || steps_[i + 1].of != s.of) derive(*s.of);
    }
    write_roofs();
    folder_.describe({{"finished", utc_now()}});
    return outcome_;
  }

 private:
  using steady_clock = std::chrono::steady_clock;

  static double seconds_since(steady_clock::time_point begin) {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
  }

  void say(const std::string& text) {
    out_ << fmt::format("[{:>3}/{}] eta {:.0f} s  {}\n", roofs_done_ + steps_done_,
                        roofs_left_.size() + steps_.size(), eta_seconds(), text)
         << std::flush;
  }

  nlohmann::json describe() const {
    nlohmann::json description = describe_machine(devices_in_use(), request_.command);
    description["name"] = std::filesystem::absolute(request_.out).lexically_normal().filename().string();
    description["request"] = to_json(request_);
    return description;
  }

  std::vector<device> devices_in_use() const {
    std::vector<device> used;
    for (const device& d : all_devices())
      if (std::any_of(steps_.begin(), steps_.end(),
                      [&](const step& s) { return s.on.what != nullptr && s.on.where.id == d.id; }))
        used.push_back(d);
    return used;
  }

  std::string run_name() const { return reports::text_of(folder_.description(), "name"); }

  // What is there already, and what an earlier experiment of this run measures, takes no time.
  void leave_known_to_memory() {
    std::set<std::string> seen;
    for (step& s : steps_) {
      const row label = case_row(run_name(), s.of->layout.id, s.plan, s.on);
      const std::string key = key_of(label, false);
      const bool is_repeated = !seen.insert(key).second || known_.contains(key);
      if (done_.contains(key_of(label, true)) || (is_repeated && !s.plan.has_fields)) s.weight = 0;
    }
  }

  void remember(const row& r) {
    done_.insert(key_of(r, true));
    const bool is_computed = r.status == "ok" && r.samples == 0;  // for its experiment, not measured
    if (r.status != "failed" && !is_computed) known_[key_of(r, false)].push_back(r);
  }

  // Returns what to say of it: nothing where a variant is skipped for a reason that was given before.
  std::string execute(const step& s) {
    const row label = case_row(run_name(), s.of->layout.id, s.plan, s.on);
    if (done_.contains(key_of(label, true))) return count_known(label);
    const auto known = known_.find(key_of(label, false));
    if (known != known_.end() && !s.plan.has_fields) return reuse(label, known->second);
    const std::string lost = lost_.reason(s.on.where);
    const target on = lost.empty() ? s.on : target{nullptr, s.on.where, lost};
    const measured_case measured = measure(s.plan, on, request_.plan.level, engine_, label);
    if (measured.rows.front().status == "failed") lost_.ask(s.on.where);
    folder_.append(measured.rows, measured.samples, measured.fields);
    for (const row& r : measured.rows) remember(r);
    return count(measured.rows.front());
  }

  std::string count(const row& first) {
    if (first.status == "ok") {
      ++outcome_.measured;
      return fmt::format("ok {:.4g} ms", 1e3 * first.value);
    }
    ++(first.status == "failed" ? outcome_.failed : outcome_.skipped);
    if (first.status == "skipped" && !said_.insert(first.variant + first.reason).second) return "";
    return first.status + ", " + first.reason;
  }

  std::string count_known(const row& label) {
    const auto& rows = folder_.rows();
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](const row& r) { return key_of(r, true) == key_of(label, true); });
    return noted(count(*found), " (already there)");
  }

  std::string reuse(const row& label, const std::vector<row>& known) {
    std::vector<row> copies;
    for (row r : known) {
      if (r.experiment != known.front().experiment) break;  // one experiment's set of rows is enough
      if (r.status == "ok") r.reason += (r.reason.empty() ? "" : "; ") + ("measured in " + r.experiment);
      r.experiment = label.experiment;
      copies.push_back(std::move(r));
    }
    folder_.append(copies, {});
    for (const row& r : copies) done_.insert(key_of(r, true));
    return noted(count(copies.front()), " (measured before)");
  }

  static std::string noted(const std::string& said, const char* note) {
    return said.empty() ? "" : said + note;
  }

  void derive(const experiment& e) {
    if (!e.derive) return;
    std::vector<row> own;
    std::set<std::string> there;
    for (const row& r : folder_.rows())
      if (r.experiment == e.layout.id) {
        own.push_back(r);
        there.insert(key_of(r, true) + '\n' + r.metric);
      }
    std::vector<row> derived = e.derive(own);
    std::erase_if(derived, [&](const row& r) { return there.contains(key_of(r, true) + '\n' + r.metric); });
    if (!derived.empty()) folder_.append(derived, {});
  }

  // Of the devices in use, and of those through which their memory is reached too.
  void find_roofs_left() {
    for (const device& in_use : devices_in_use())
      for (const device& d : same_memory(in_use)) {
        const bool is_there = std::any_of(roofs_left_.begin(), roofs_left_.end(),
                                          [&](const device& known) { return known.id == d.id; });
        if (!is_there && !has_roofs(d)) roofs_left_.push_back(d);
      }
  }

  // Whether an interrupted run has them already.
  bool has_roofs(const device& d) const { return done_.contains(key_of(roof_label(run_name(), d), true)); }

  recorded_roofs roofs_of(const device& d) {
    const row label = roof_label(run_name(), d);
    recorded_roofs found = record_roofs(d, request_.plan.level, label, lost_.reason(d));
    if (found.has_failures) lost_.ask(d);
    return found;
  }

  // First of all, since the first case would otherwise wait for them.
  void measure_roofs() {
    for (const device& d : roofs_left_) {
      const auto begin = steady_clock::now();
      const std::string text = roofs_of(d).text;
      roof_seconds_ += seconds_since(begin);
      ++roofs_done_;
      say("harness/roofs " + d.id + ": " + text);
    }
  }

  // Last of all, since a case that seems too fast has them measured again.
  void write_roofs() {
    std::vector<row> rows;
    nlohmann::json described = nlohmann::json::array();
    for (const device& d : roofs_left_) {
      const recorded_roofs found = roofs_of(d);
      rows.insert(rows.end(), found.rows.begin(), found.rows.end());
      described.insert(described.end(), found.described.begin(), found.described.end());
    }
    if (rows.empty()) return;
    folder_.append(rows, {});
    folder_.describe({{"roofs", described}});
  }

  // What is not measured is still written, and waits for its disk.
  void account_for(const step& s, double seconds) {
    weight_left_ -= s.weight;
    weight_spent_ += s.weight;
    (s.weight > 0 ? seconds_spent_ : light_seconds_) += seconds;
    if (s.weight > 0) return;
    --light_left_;
    ++light_done_;
  }

  double eta_seconds() const {
    const double light =
        light_done_ > 0 ? light_seconds_ / light_done_ * static_cast<double>(light_left_) : 0;
    // The first cases say little of the rest: until some seconds have passed, the guess counts too.
    constexpr double guess = 5;
    const double a_weight = (seconds_spent_ + guess) / (weight_spent_ + guess);
    return roof_eta_seconds() + light + a_weight * std::max(0.0, weight_left_);
  }

  // The roofs have a time of their own, which says nothing of the cases'.
  double roof_eta_seconds() const {
    const double each = roofs_done_ > 0 ? roof_seconds_ / static_cast<double>(roofs_done_)
                                        : expected_roof_seconds(request_.plan.level);
    return each * static_cast<double>(roofs_left_.size() - roofs_done_);
  }

  run_request request_;
  std::ostream& out_;
  std::vector<const experiment*> experiments_;
  std::vector<step> steps_;
  sampler engine_;
  lost_devices lost_;
  reports::run_folder folder_;
  std::set<std::string> done_;
  std::set<std::string> said_;                     // variants skipped, with the reason
  std::map<std::string, std::vector<row>> known_;  // by case, in the order they were measured
  std::vector<device> roofs_left_;                 // whose roofs are not recorded yet
  std::size_t roofs_done_{};                       // of these, those measured
  double roof_seconds_{};
  std::size_t steps_done_{};
  double weight_left_{};
  double weight_spent_{};
  double seconds_spent_{};
  std::ptrdiff_t light_left_{};  // steps without weight
  int light_done_{};
  double light_seconds_{};
  run_outcome outcome_;
};

}  // namespace

void add_parameters(run_request& request, const std::filesystem::path& file) {
  std::set<std::string> words;
  for (const experiment* e : selected(request.experiments)) words.emplace(reports::family_of(e->layout.id));
  for (const std::string& word : words) {
    const family& f = *find_family(word);
    if (!f.read_parameters)
      throw bad_input(fmt::format("{} takes no file of parameters: name experiments that do", word));
    for (const auto& [name, value] : f.read_parameters(file))
      if (!request.plan.settings.emplace(name, value).second)
        throw bad_input(fmt::format("setting '{}' is in {} too: give it once", name, file.string()));
  }
}

run_outcome run_experiments(const run_request& request, std::ostream& out) {
  if (!request.resume) return execution(request, out).run();
  reports::run_folder folder = reports::run_folder::resume(request.out);
  run_request restored = request;
  restore(restored, folder.description());
  return execution(restored, std::move(folder), out).run();
}

}  // namespace reprise::harness
