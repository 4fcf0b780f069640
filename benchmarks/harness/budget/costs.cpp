// SPDX-License-Identifier: MIT
// Reads, records and predicts the costs of cases.
#include "benchmarks/harness/budget/costs.hpp"

#include <algorithm>
#include <fstream>

#include "benchmarks/harness/roofs/rows.hpp"
#include "reports/store/csv.hpp"
#include "reports/store/files.hpp"

namespace reprise::budget {
namespace {

namespace csv = reports::csv;

// How far a ratio of roofs may move a prediction: most cases are not limited by the memory alone.
constexpr double most_scaling = 8;

// The weight, in predicted seconds, of the belief that the predictions are right.
constexpr double belief_seconds = 5;

double corrected(double predicted, double spent, double prior) {
  return (spent + prior * belief_seconds) / (predicted + belief_seconds);
}

}  // namespace

std::string class_of(const device& d) {
  const std::string kind(to_string(d.kind));
  return d.on_host && d.kind != backend::cpu ? kind + "_on_host" : kind;
}

cost_key key_of(const harness::step& s) {
  return {class_of(s.on.device), s.plan.variant, std::string(to_string(s.plan.arithmetic)), s.plan.size,
          s.plan.parameter};
}

std::string group_of(const harness::step& s) {
  return std::string(reports::family_of(s.plan.variant)) + " " + class_of(s.on.device);
}

cost_table cost_table::read(const std::filesystem::path& file) {
  cost_table table;
  csv::for_each<cost_columns.size()>(
      file, reports::read_text(file), cost_columns, [&](const csv::record<cost_columns.size()>& line) {
        const csv::place at{file, line.line};
        const auto& [kind, variant, precision, size, parameter, seconds, roof] = line.fields;
        const double value = csv::to_number(seconds, "seconds", at);
        if (!(value >= 0)) throw at.complaint("a cost is a number of seconds from 0, not '{}'", seconds);
        const double copy = roof.empty() ? 0 : csv::to_number(roof, "flops_roof", at);
        table.add({kind, variant, precision, size, parameter}, {value, copy});
      });
  return table;
}

std::optional<cost> cost_table::find(const cost_key& key) const {
  const auto at = costs_.find(key);
  return at == costs_.end() ? std::nullopt : std::optional(at->second);
}

void cost_log::add(const cost_key& key, const cost& c) const {
  const bool is_new = !std::filesystem::exists(file_);
  std::ofstream out(file_, std::ios::app);
  if (is_new) out << csv::line({cost_columns.begin(), cost_columns.end()});
  out << csv::fields(key.device_class, key.variant, key.precision, key.size, key.parameter, c.seconds,
                     c.flops_roof);
}

double cost_log::seconds_so_far() const {
  if (!std::filesystem::exists(file_)) return 0;
  double sum = 0;
  // A kill may have cut the last line off.
  const std::string text = reports::read_text(file_);
  csv::for_each<cost_columns.size()>(file_, text.substr(0, text.rfind('\n') + 1), cost_columns,
                                     [&](const auto& line) {
                                       sum += csv::to_number(line.fields[5], "seconds", {file_, line.line});
                                     });
  return sum;
}

double estimator::uncorrected(const harness::step& s) const {
  const auto found = known_.find(key_of(s));
  if (!found) return s.weight;
  const auto roof = roofs_.find(class_of(s.on.device));
  if (roof == roofs_.end() || roof->second <= 0 || found->flops_roof <= 0) return found->seconds;
  // Sampling lasts as long on any machine.
  const double sampling = std::min(found->seconds, harness::base_seconds(level_));
  const double scale = std::clamp(found->flops_roof / roof->second, 1 / most_scaling, most_scaling);
  return sampling + (found->seconds - sampling) * scale;
}

double estimator::correction(const std::string& group) const {
  const double general = corrected(all_.predicted, all_.spent, 1);
  const auto own = learned_.find(group);
  return own == learned_.end() ? general : corrected(own->second.predicted, own->second.spent, general);
}

double estimator::seconds(const harness::step& s) const {
  return s.on.variant == nullptr ? 0 : correction(group_of(s)) * uncorrected(s);
}

double estimator::roof_seconds(const device& d) const {
  const auto found = known_.find({class_of(d), std::string(roofs_variant), "", "", ""});
  return found ? found->seconds : harness::expected_roof_seconds(level_);
}

void estimator::learn(const harness::step& s, double seconds) {
  const double predicted = uncorrected(s);
  auto& own = learned_[group_of(s)];
  for (ratio* r : {&own, &all_}) {
    r->predicted += predicted;
    r->spent += seconds;
  }
}

}  // namespace reprise::budget
