// SPDX-License-Identifier: MIT
// Draws a dot and a whisker for each case.
#include "benchmarks/harness/duel/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reprise::duels {
namespace {

constexpr int line_height = 22, names_width = 430, plot_width = 360, verdict_width = 110, head = 34,
              foot = 30;

// Text of cases comes from other programs.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text)
    safe += c == '<'   ? "&lt;"
            : c == '>' ? "&gt;"
            : c == '&' ? "&amp;"
            : c == '"' ? "&quot;"
                       : std::string(1, c);
  return safe;
}

std::string colour_of(const std::string& verdict) {
  if (verdict == "SLOWER" || verdict == "FAILED") return "#b3261e";
  if (verdict == "FASTER") return "#1b6e3c";
  return verdict == "SAME" ? "#3a5a8c" : "#77716a";
}

double reach_of(const std::vector<shown_ratio>& ratios, double margin) {
  double reach = 2 * margin;
  for (const shown_ratio& r : ratios)
    for (const double end : {r.logarithm.value, r.logarithm.low, r.logarithm.high})
      if (std::isfinite(end)) reach = std::max(reach, std::abs(end));
  return 1.05 * reach;
}

}  // namespace

std::string to_svg(const std::vector<shown_ratio>& ratios, double margin) {
  const double reach = reach_of(ratios, margin);
  const auto x = [&](double logarithm) {
    return names_width + plot_width * (std::clamp(logarithm / reach, -1., 1.) + 1) / 2;
  };
  const int lines_height = line_height * static_cast<int>(ratios.size());
  const int height = head + lines_height + foot;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n"
      "<title>How much longer B takes than A</title>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n"
      "<text x=\"{2:.1f}\" y=\"20\" text-anchor=\"middle\">time of B compared with A, 99 % intervals</text>\n"
      "<rect x=\"{3:.1f}\" y=\"{4}\" width=\"{5:.1f}\" height=\"{6}\" fill=\"#eee9e2\"/>\n"
      "<line x1=\"{2:.1f}\" x2=\"{2:.1f}\" y1=\"{4}\" y2=\"{7}\" stroke=\"#888\"/>\n",
      names_width + plot_width + verdict_width, height, x(0), x(-margin), head, x(margin) - x(-margin),
      lines_height, head + lines_height);
  double y = head + line_height / 2.;
  for (const shown_ratio& r : ratios) {
    const std::string colour = colour_of(r.verdict);
    svg += fmt::format(
        "<text x=\"6\" y=\"{:.1f}\">{}</text>\n<text x=\"{}\" y=\"{:.1f}\" fill=\"{}\">{}</text>\n", y + 4,
        escaped(r.name), names_width + plot_width + 8, y + 4, colour, escaped(r.verdict));
    if (std::isfinite(r.logarithm.value))
      svg += fmt::format(
          "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"2\"/>\n"
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n",
          x(std::isfinite(r.logarithm.low) ? r.logarithm.low : -reach),
          x(std::isfinite(r.logarithm.high) ? r.logarithm.high : reach), y, y, colour, x(r.logarithm.value),
          y, colour);
    y += line_height;
  }
  for (const double end : {-reach / 1.05, 0., reach / 1.05})
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:+.1f} %</text>\n", x(end),
                       height - 10, 100 * std::expm1(end));
  return svg + "</svg>\n";
}

}  // namespace reprise::duels
