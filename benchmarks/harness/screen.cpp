// SPDX-License-Identifier: MIT
// Draws the progress of a run on a terminal.
#include "benchmarks/harness/screen.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/text/digits.hpp"
#include "reports/text/wrapped.hpp"

namespace reprise::harness {
namespace {

constexpr std::size_t most_results = 5;

// The widths of a line's columns in characters.
struct columns {
  int name, bar;
};

columns columns_for(int width) {
  return width < 70 ? columns{14, 10} : columns{22, 24};
}

constexpr std::string_view green = "32", red = "31", yellow = "33", faint = "2";

// A line of the screen: what is shown, and its colour; empty for the usual one.
struct painted {
  std::string text;
  std::string_view colour{};
};

// At most `width` characters. A character of several bytes is kept whole.
std::string cut(const std::string& text, std::size_t width) {
  std::size_t shown = 0, at = 0;
  while (at < text.size()) {
    std::size_t next = at + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80U) ++next;
    if (shown == width) return text.substr(0, at);
    ++shown;
    at = next;
  }
  return text;
}

std::string clock_text(double seconds) {
  constexpr double longest = 1e6 * 3600;  // more is no estimate
  if (!(seconds < longest)) return "?";
  const auto whole = static_cast<long>(std::ceil(std::max(0., seconds)));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string bar(std::size_t done, std::size_t total, int width) {
  const double part = total > 0 ? std::min(1., static_cast<double>(done) / static_cast<double>(total)) : 0;
  const auto full = static_cast<std::size_t>(part * width);
  return std::string(full, '#') + std::string(static_cast<std::size_t>(width) - full, '.');
}

std::string result_text(const case_report& report) {
  const auto& r = report.first;
  if (r.status == "failed" || r.status == "skipped") return r.status + ", " + r.reason;
  std::string text = reports::seconds_text(r.value);
  if (r.q1 < r.q3) text += fmt::format("  spread {:.1f} %", 100 * (r.q3 - r.q1) / r.value);
  if (!std::isnan(report.share)) text += fmt::format("  {:.0f} % of roof ({})", report.share, report.roof);
  if (r.status == "disturbed") text += "  disturbed";
  if (const auto note = note_on(report.from); !note.empty()) text += " " + note;
  return text;
}

std::string_view colour_of(const reports::row& r) {
  return r.status == "failed" ? red : r.status == "disturbed" ? yellow : r.status == "skipped" ? faint : "";
}

// The number of cases of an experiment.
struct tally {
  std::string id;
  std::size_t done{}, total{}, failed{}, skipped{};

  bool is_complete() const { return done >= total; }
};

std::string counts_of(const tally& t) {
  std::string text;
  if (t.failed > 0) text += fmt::format("  {} failed", t.failed);
  if (t.skipped > 0) text += fmt::format("  {} skipped", t.skipped);
  return text;
}

class screen final : public progress {
 public:
  screen(std::ostream& out, std::function<screen_style()> style) : out_(out), style_(std::move(style)) {}

  void note(const std::string& text) override {
    erase();
    out_ << fitting(text) << std::flush;
  }

  void start(const std::string& label) override {
    running_ = label;
    draw();
  }

  void finish(const std::string& label, const std::string& said, const run_position& now) override {
    now_ = now;
    scroll({label + ": " + said});
  }

  void finish(const case_report& report, const run_position& now) override {
    now_ = now;
    running_.clear();
    tally& of = tally_of(report.first.experiment, now);
    if (report.first.status == "failed") ++of.failed;
    if (report.first.status == "skipped") ++of.skipped;
    if (!report.said.empty()) remember(report);
    // What is wrong must not vanish from the screen.
    if (report.first.status == "failed") scroll({report.label + ": " + result_text(report), red});
    if (report.first.status == "skipped" && !report.said.empty())
      scroll({report.label + ": " + result_text(report), faint});
    if (of.is_complete() && !now.may_grow) return complete(of);
    draw();
  }

  // Experiments of which a plan left out the rest have no line yet.
  void end(const run_outcome&) override {
    erase();
    const auto style = style_();
    for (const tally& t : begun_) print(line_about(t), style);
    out_ << std::flush;
  }

 private:
  void remember(const case_report& report) {
    const auto space = report.label.find(' ');  // the experiment has a line of its own
    const auto of = space == std::string::npos ? report.label : report.label.substr(space + 1);
    last_.push_back({of + "  " + result_text(report), colour_of(report.first)});
    if (last_.size() > most_results) last_.pop_front();
  }

  tally& tally_of(const std::string& id, const run_position& now) {
    auto at = std::ranges::find(begun_, id, &tally::id);
    if (at == begun_.end()) at = begun_.insert(begun_.end(), {id});
    at->done = now.done_of_experiment;
    at->total = now.total_of_experiment;
    return *at;
  }

  static painted line_about(const tally& t) {
    const auto cases = t.is_complete() ? fmt::format("{}", t.done) : fmt::format("{} of {}", t.done, t.total);
    return {fmt::format("{}: {} case{}{}", t.id, cases, t.total == 1 ? "" : "s", counts_of(t)),
            t.failed > 0 ? red : green};
  }

  // A complete experiment scrolls up, so that the lines that move stay few.
  void complete(const tally& t) {
    const painted line = line_about(t);
    std::erase_if(begun_, [id = t.id](const tally& other) { return other.id == id; });
    scroll(line);
  }

  // Prints a line that stays, above those that are redrawn.
  void scroll(const painted& line) {
    erase();
    const auto style = style_();
    print({fitting(line.text), line.colour}, style);
    draw();
  }

  // Lines that stay are wrapped at spaces, not cut.
  std::string fitting(const std::string& text) const {
    return reports::wrapped(text, static_cast<std::size_t>(std::max(1, style_().width)));
  }

  void erase() {
    if (drawn_ > 0) out_ << fmt::format("\x1b[{}F\x1b[J", drawn_);
    drawn_ = 0;
    out_ << std::flush;
  }

  void print(const painted& line, const screen_style& style) {
    if (style.has_colours && !line.colour.empty())
      out_ << "\x1b[" << line.colour << 'm' << line.text << "\x1b[0m\n";
    else
      out_ << line.text << '\n';
  }

  std::vector<painted> lines_for(const screen_style& style) const {
    const auto [name_width, bar_width] = columns_for(style.width);
    std::vector<painted> lines;
    for (const tally& t : begun_) {
      if (t.is_complete()) continue;  // until the plan chooses more of it
      lines.push_back({fmt::format("{:<{}} {} {:>4}/{}{}", t.id, name_width, bar(t.done, t.total, bar_width),
                                   t.done, t.total, counts_of(t))});
    }
    for (const painted& line : last_) lines.push_back({"  " + line.text, line.colour});
    if (!running_.empty()) lines.push_back({"now: " + running_, faint});
    lines.push_back(
        {fmt::format("{:<{}} {} {:>4}/{}  eta {}", "all", name_width, bar(now_.done, now_.total, bar_width),
                     now_.done, now_.total, clock_text(now_.eta_seconds))});
    return lines;
  }

  // Only the last lines if the window is too low for all: the cursor cannot go above its top.
  void draw() {
    erase();
    const auto style = style_();
    auto lines = lines_for(style);
    const auto room = static_cast<std::size_t>(std::max(1, style.height - 1));
    if (lines.size() > room) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(room));
    // A line that wraps would be two to erase.
    for (const painted& line : lines)
      print({cut(line.text, static_cast<std::size_t>(std::max(1, style.width - 1))), line.colour}, style);
    drawn_ = lines.size();
    out_ << std::flush;
  }

  std::ostream& out_;
  std::function<screen_style()> style_;
  std::vector<tally> begun_;
  std::deque<painted> last_;
  std::string running_;
  run_position now_;
  std::size_t drawn_{};  // lines below which the cursor stands
};

}  // namespace

screen_style style_of_terminal() {
  screen_style style;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    style.width = size.ws_col;
    style.height = size.ws_row;
  }
  const char* const no_colour = std::getenv("NO_COLOR");
  style.has_colours = no_colour == nullptr || *no_colour == '\0';
  return style;
}

bool is_screen() {
  const char* const kind = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb" && *kind != '\0';
}

std::unique_ptr<progress> screen_progress(std::ostream& out, std::function<screen_style()> style) {
  return std::make_unique<screen>(out, std::move(style));
}

}  // namespace reprise::harness
