// SPDX-License-Identifier: MIT
// Escapes text for LaTeX, character by character.
#include "reports/text/latex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace reprise::reports {
namespace {

// Behind these a name or a parameter may be broken, and a text behind spaces too.
constexpr std::string_view joints = ";,=_/-", joints_and_spaces = ";,=_/- ";

// Takes the first piece from a text that may be broken behind these signs.
std::string_view take_piece(std::string_view& text, std::string_view signs) {
  const auto sign = text.find_first_of(signs);
  const auto piece = text.substr(0, sign == std::string_view::npos ? sign : sign + 1);
  text.remove_prefix(piece.size());
  return piece;
}

// Asterisks and brackets would be arguments of the \\ before them, and of no other command.
const std::map<char, std::string_view>& commands() {
  static const std::map<char, std::string_view> all{{'\\', "\\textbackslash{}"},
                                                    {'{', "\\{"},
                                                    {'}', "\\}"},
                                                    {'$', "\\$"},
                                                    {'&', "\\&"},
                                                    {'#', "\\#"},
                                                    {'%', "\\%"},
                                                    {'_', "\\_"},
                                                    {'^', "\\textasciicircum{}"},
                                                    {'~', "\\textasciitilde{}"},
                                                    {'<', "\\textless{}"},
                                                    {'>', "\\textgreater{}"},
                                                    {'|', "\\textbar{}"},
                                                    {'"', "\\textquotedblright{}"},
                                                    {'[', "{[}"},
                                                    {'*', "{*}"}};
  return all;
}

struct symbol {
  std::string_view text, command;
};
constexpr std::array<symbol, 24> symbols{
    {{"∞", "$\\infty$"}, {"×", "$\\times$"}, {"÷", "$\\div$"},    {"±", "$\\pm$"},    {"·", "$\\cdot$"},
     {"…", "\\dots{}"},  {"µ", "$\\mu$"},    {"μ", "$\\mu$"},     {"δ", "$\\delta$"}, {"Δ", "$\\Delta$"},
     {"σ", "$\\sigma$"}, {"π", "$\\pi$"},    {"≈", "$\\approx$"}, {"≤", "$\\leq$"},   {"≥", "$\\geq$"},
     {"→", "$\\to$"},    {"°", "$^\\circ$"}, {"₀", "$_0$"},       {"₁", "$_1$"},      {"–", "--"},
     {"—", "---"},       {"’", "'"},         {"\u00a0", "~"},     {"\u202f", "\\,"}}};

constexpr std::array<std::string_view, 11> superscripts{"⁰", "¹", "²", "³", "⁴", "⁵",
                                                        "⁶", "⁷", "⁸", "⁹", "⁻"};

// The superscripts at the beginning of the text as ASCII, which are removed.
std::string take_superscripts(std::string_view& text) {
  std::string digits;
  const auto is_first = [&](std::string_view s) { return text.starts_with(s); };
  for (auto s = std::ranges::find_if(superscripts, is_first); s != superscripts.end();
       s = std::ranges::find_if(superscripts, is_first)) {
    digits += "0123456789-"[s - superscripts.begin()];
    text.remove_prefix(s->size());
  }
  return digits;
}

// The bytes of the character at the beginning of a text that is not empty; 1 if they are no UTF-8.
std::size_t length_of_first(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (length > text.size()) return 1;
  const auto follows = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), follows) ? length
                                                                                                    : 1;
}

// Whether LaTeX composes the letter from one without an accent in every encoding of fonts.
bool is_accented(std::string_view letter) {
  static constexpr std::string_view lacking = "ÐÞðþ×÷";
  return letter.size() == 2 && letter >= "À" && letter <= "ÿ" &&
         lacking.find(letter) == std::string_view::npos;
}

std::string for_latex_one(std::string_view character) {
  if (character.size() > 1) {
    const auto known = std::ranges::find(symbols, character, &symbol::text);
    if (known != symbols.end()) return std::string(known->command);
    return is_accented(character) ? std::string(character) : "?";
  }
  const char c = character.front();
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x80) return "?";
  if (byte < 0x20 || byte == 0x7F) return " ";
  const auto known = commands().find(c);
  return known == commands().end() ? std::string(1, c) : std::string(known->second);
}

}  // namespace

std::string for_latex(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    if (const auto digits = take_superscripts(text); !digits.empty()) {
      result += fmt::format("$^{{{}}}$", digits);
      continue;
    }
    // Two hyphens, as before an option's name, would become a dash.
    if (text.front() == '-' && result.ends_with('-')) result += "{}";
    const auto length = length_of_first(text);
    result += for_latex_one(text.substr(0, length));
    text.remove_prefix(length);
  }
  return result;
}

std::string for_latex_with_breaks(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    result += for_latex(take_piece(text, joints));
    if (!text.empty()) result += "\\allowbreak{}";
  }
  return result;
}

double latex_length(std::string_view text) {
  constexpr double capital = 1.4;
  double length = 0;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (!continues) length += c >= 'A' && c <= 'Z' ? capital : 1;
  }
  return length;
}

double length_of_longest_piece(std::string_view text) {
  double longest = 0;
  while (!text.empty()) longest = std::max(longest, latex_length(take_piece(text, joints_and_spaces)));
  return longest;
}

std::vector<std::string> latex_lines(const std::vector<std::string>& words, double width,
                                     double width_of_character) {
  std::vector<std::string> lines;
  for (const auto& word : words) {
    if (!lines.empty() && latex_length(lines.back() + " " + word) * width_of_character <= width)
      lines.back() += " " + word;
    else
      lines.push_back(word);
  }
  return lines;
}

std::string_view latex_rules() {
  return "\\providecommand{\\toprule}{\\hline}\\providecommand{\\midrule}{\\hline\\noalign{\\smallskip}}"
         "\\providecommand{\\bottomrule}{\\hline}\n"
         "\\providecommand{\\addlinespace}{\\noalign{\\smallskip}}"
         "\\ifdefined\\cmidrule\\else\\def\\cmidrule(#1)#2{\\cline{#2}}\\fi\n";
}

}  // namespace reprise::reports
