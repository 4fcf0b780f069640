// SPDX-License-Identifier: MIT
// Damages texts in the ways in which files get damaged.
#include "verification/tests/fuzz/mutation.hpp"

#include <algorithm>
#include <filesystem>

#include "reports/store/files.hpp"
#include "verification/tests/support/source_dir.hpp"

namespace reprise::fuzz {
namespace {

std::size_t any_place(const std::string& in, std::mt19937& random) {
  return random() % (in.size() + 1);
}

}  // namespace

std::vector<std::string> corpus_of(std::string_view name) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(testing::source_dir()) /
                                                              "verification/tests/fuzz/corpus" / name))
    files.push_back(file.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& file : files) texts.push_back(reports::read_text(file));
  return texts;
}

std::string mutated(std::string text, const std::string& other, std::mt19937& random) {
  static const std::string huge(20, '9');
  static const std::string nul(1, '\0');
  static const std::vector<std::string> pieces = {
      ",",    "\"",  "\"\"", "\n", "\r\n", "{",   "}", "@",  "..", "-",    "e308",         "e-400",
      "nan",  "inf", "-1",   "0",  huge,   "0x1", " ", "\t", nul,  "\xff", "\xef\xbb\xbf", "[",
      "null", "../", "(",    ")",  "=",    "%",   "#"};
  for (auto rounds = random() % 4 + 1; rounds > 0; --rounds) {
    const auto at = any_place(text, random);
    const auto length = std::min<std::size_t>(random() % 20, text.size() - at);
    switch (random() % 6) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, pieces[random() % pieces.size()]);
        break;
      case 3:
        text.replace(at, length, pieces[random() % pieces.size()]);
        break;
      case 4:
        text.insert(at, text.substr(any_place(text, random), length));
        break;
      default:
        text = text.substr(0, at) + other.substr(any_place(other, random));
    }
  }
  return text;
}

}  // namespace reprise::fuzz
