// SPDX-License-Identifier: MIT
// Sets the pages of cases, as HTML without scripts or anything to load.
#include "reports/case_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "reports/csv.hpp"
#include "reports/devices.hpp"
#include "reports/tables.hpp"

namespace reprise::reports {
namespace {

constexpr auto style =
    ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem "
    "auto;padding:0 1rem;overflow-wrap:anywhere}h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}"
    "table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;"
    "padding:.25rem .6rem .25rem 0;border-bottom:1px solid #8886;font-variant-numeric:tabular-nums}"
    "svg{width:100%;height:8rem;overflow:visible}figure{margin:0}a{color:LinkText}";

std::string for_html(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// Both rows and samples of a case have these.
template <class Record>
auto case_of(const Record& r) {
  return std::tie(r.experiment, r.variant, r.device, r.precision, r.size, r.parameter);
}

std::string rows_table(const std::vector<const row*>& rows) {
  std::string text =
      "<table><thead><tr><th>metric</th><th>value</th><th>unit</th><th>quartiles</th><th>samples</th>"
      "<th>status</th><th>note</th></tr></thead><tbody>\n";
  for (const auto* r : rows) {
    const auto quartiles = std::isnan(r->q1) ? std::string() : fmt::format("{:.6g} to {:.6g}", r->q1, r->q3);
    const auto value = std::isnan(r->value) ? std::string() : csv::number(r->value);
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        for_html(r->metric), value, for_html(r->unit), quartiles, r->samples, for_html(r->status),
        for_html(r->reason));
  }
  return text + "</tbody></table>\n";
}

// The samples in the order in which they were taken, from the least to the greatest.
std::string strip_of(const std::vector<double>& values, const std::string& metric) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double range = *high > *low ? *high - *low : 1;
  const double step = 100 / static_cast<double>(std::max<std::size_t>(1, values.size() - 1));
  auto text = fmt::format(
      "<figure><svg viewBox=\"-2 -5 104 60\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{} "
      "samples "
      "of {}, from {:.6g} to {:.6g}\">",
      values.size(), for_html(metric), *low, *high);
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format(
        "<path d=\"M{:.4g} {:.4g}h0\" stroke=\"currentColor\" stroke-width=\"4\" stroke-linecap=\"round\" "
        "vector-effect=\"non-scaling-stroke\"/>",
        static_cast<double>(i) * step, 50 - 50 * (values[i] - *low) / range);
  return text + fmt::format(
                    "</svg><figcaption>In the order in which they were taken, from {:.6g} below to {:.6g} "
                    "above.</figcaption></figure>\n",
                    *low, *high);
}

std::string samples_of(const std::string& metric, const std::vector<const sample*>& samples) {
  std::vector<double> values;
  for (const auto* s : samples) {
    if (std::isfinite(s->value)) values.push_back(s->value);
  }
  auto text = fmt::format("<h2>{} samples of {}</h2>\n", values.size(), for_html(metric));
  if (values.size() > 1) text += strip_of(values, metric);
  text += "<p>";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i > 0 ? ", " : "") + csv::number(values[i]);
  return text + "</p>\n";
}

struct one_case {
  std::vector<const row*> rows;
  std::map<std::string, std::vector<const sample*>> samples;  // by metric
};

std::string page_of(const run& from, const one_case& found) {
  const auto& r = *found.rows.front();
  const auto title = for_html(fmt::format("{} on {}", r.variant, device_label(from, r.device)));
  auto text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><title>{}</title><link rel=\"icon\" "
      "href=\"data:,\"><style>{}</style></head><body>\n<h1>{}</h1>\n",
      title, style, title);
  const auto what = [](const std::string& part) { return part.empty() ? part : ", " + for_html(part); };
  text += fmt::format("<p>{}{}{}{}; run {}. <a href=\"../../../index.html\">Back to the report</a></p>\n",
                      for_html(r.experiment), what(r.size), what(r.precision), what(r.parameter),
                      for_html(name_of(from)));
  text += rows_table(found.rows);
  for (const auto& [metric, samples] : found.samples) text += samples_of(metric, samples);
  return text + "</body></html>\n";
}

}  // namespace

case_pages make_case_pages(std::span<const run> runs, const std::vector<std::string>& folders) {
  case_pages all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::map<decltype(case_of(std::declval<const row&>())), std::size_t> known;
    std::vector<one_case> cases;
    for (const auto& r : runs[i].rows) {
      if (std::isnan(r.value)) continue;
      const auto [at, is_new] = known.try_emplace(case_of(r), cases.size());
      if (is_new) cases.emplace_back();
      cases[at->second].rows.push_back(&r);
    }
    for (const auto& s : runs[i].samples) {
      if (const auto at = known.find(case_of(s)); at != known.end())
        cases[at->second].samples[s.metric].push_back(&s);
    }
    for (std::size_t n = 0; n < cases.size(); ++n) {
      const auto path = fmt::format("rows/{}/cases/{}.html", folders[i], n + 1);
      all.pages.push_back({path, page_of(runs[i], cases[n])});
      for (const auto* r : cases[n].rows) all.links[r] = path;
    }
  }
  return all;
}

}  // namespace reprise::reports
