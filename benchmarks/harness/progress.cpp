// SPDX-License-Identifier: MIT
// Progress as lines and as events.
#include "benchmarks/harness/progress.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "reports/store/json.hpp"

namespace reprise::harness {
namespace {

using reports::number_or_null;

class lines final : public progress {
 public:
  explicit lines(std::ostream& out) : out_(out) {}

  void note(const std::string& text) override { out_ << text << std::flush; }

  void finish(const std::string& label, const std::string& said, const run_position& now) override {
    out_ << fmt::format("[{:>3}/{}] eta {:.0f} s  {}: {}\n", now.done, now.total, now.eta_seconds, label,
                        said)
         << std::flush;
  }

  void finish(const case_report& report, const run_position& now) override {
    if (!report.said.empty()) finish(report.label, report.said + note_on(report.from), now);
  }

 private:
  std::ostream& out_;
};

std::string_view name_of(case_report::origin from) {
  constexpr std::array<std::string_view, 3> names{"measured", "reused", "resumed"};
  return names.at(static_cast<std::size_t>(from));
}

class events final : public progress {
 public:
  explicit events(std::ostream& out) : out_(out) {}

  void begin(const std::filesystem::path& folder, std::size_t steps) override {
    print({{"event", "begin"}, {"schema", 1}, {"folder", folder.string()}, {"steps", steps}});
  }

  void note(const std::string& text) override {
    const auto end = text.find_last_not_of('\n');  // the event has its own end
    print({{"event", "note"}, {"text", end == std::string::npos ? "" : text.substr(0, end + 1)}});
  }

  void start(const std::string& label) override { print({{"event", "start"}, {"label", label}}); }

  void finish(const std::string& label, const std::string& said, const run_position& now) override {
    print(with_position({{"event", "step"}, {"label", label}, {"text", said}}, now));
  }

  void finish(const case_report& report, const run_position& now) override {
    const auto& r = report.first;
    print(with_position({{"event", "case"},
                         {"label", report.label},
                         {"experiment", r.experiment.str()},
                         {"variant", r.variant.str()},
                         {"device", r.device.str()},
                         {"precision", r.precision.str()},
                         {"size", r.size.str()},
                         {"parameter", r.parameter.str()},
                         {"metric", r.metric.str()},
                         {"value", number_or_null(r.value)},
                         {"unit", r.unit.str()},
                         {"q1", number_or_null(r.q1)},
                         {"q3", number_or_null(r.q3)},
                         {"samples", r.samples},
                         {"status", r.status.str()},
                         {"reason", r.reason.str()},
                         {"roof_share_percent", number_or_null(report.share)},
                         {"roof", report.roof},
                         {"from", name_of(report.from)}},
                        now));
  }

  void end(const run_outcome& counts) override {
    print({{"event", "end"},
           {"measured", counts.measured},
           {"skipped", counts.skipped},
           {"failed", counts.failed}});
  }

 private:
  static nlohmann::json with_position(nlohmann::json event, const run_position& now) {
    event["done"] = now.done;
    event["total"] = now.total;
    event["eta_seconds"] = number_or_null(now.eta_seconds);
    return event;
  }

  // Names and reasons may come from files and drivers, so they need not be UTF-8.
  void print(const nlohmann::json& event) {
    out_ << event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n' << std::flush;
  }

  std::ostream& out_;
};

}  // namespace

std::string note_on(case_report::origin from) {
  if (from == case_report::origin::reused) return " (measured before)";
  return from == case_report::origin::resumed ? " (already there)" : "";
}

std::unique_ptr<progress> line_progress(std::ostream& out) {
  return std::make_unique<lines>(out);
}

std::unique_ptr<progress> event_progress(std::ostream& out) {
  return std::make_unique<events>(out);
}

}  // namespace reprise::harness
