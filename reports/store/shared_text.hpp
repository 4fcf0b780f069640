// SPDX-License-Identifier: MIT
// An immutable text of which the program keeps one copy. A million rows have a few thousand different texts, so
// that a row is small, and equal texts are recognised by their address.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <concepts>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

namespace reprise::reports {

// Converts to and from strings. The copies are kept until the program ends.
class shared_text {
 public:
  shared_text() : shared_text(std::string_view()) {}
  shared_text(std::string_view text);
  shared_text(const std::string& text) : shared_text(std::string_view(text)) {}
  shared_text(const char* text) : shared_text(std::string_view(text)) {}

  const std::string& str() const { return *text_; }
  operator const std::string&() const { return *text_; }
  operator std::string_view() const { return *text_; }

  bool empty() const { return text_->empty(); }
  std::size_t size() const { return text_->size(); }
  std::size_t find(std::string_view part, std::size_t from = 0) const { return text_->find(part, from); }
  std::size_t find(char one, std::size_t from = 0) const { return text_->find(one, from); }
  std::string substr(std::size_t from, std::size_t count = std::string::npos) const {
    return text_->substr(from, count);
  }
  bool starts_with(std::string_view part) const { return text_->starts_with(part); }
  bool ends_with(std::string_view part) const { return text_->ends_with(part); }
  void clear() { *this = shared_text(); }
  shared_text& operator+=(std::string_view more) { return *this = *text_ + std::string(more); }

  bool operator==(const shared_text& other) const { return text_ == other.text_; }
  std::strong_ordering operator<=>(const shared_text& other) const {
    return text_ == other.text_ ? std::strong_ordering::equal : *text_ <=> *other.text_;
  }
  bool operator==(const std::string& other) const { return *text_ == other; }
  bool operator==(std::string_view other) const { return *text_ == other; }
  bool operator==(const char* other) const { return *text_ == other; }

  // By address, so in constant time.
  std::size_t hash() const noexcept { return std::hash<const void*>{}(text_); }

 private:
  const std::string* text_;
};

// Anything else that can be read as a text: a string, a literal.
template <class Text>
concept other_text =
    std::convertible_to<const Text&, std::string_view> && !std::same_as<std::decay_t<Text>, shared_text>;

template <other_text Text>
std::string operator+(const shared_text& a, const Text& b) {
  return a.str() + b;
}
template <other_text Text>
std::string operator+(const Text& a, const shared_text& b) {
  return a + b.str();
}
inline std::string operator+(const shared_text& a, const shared_text& b) {
  return a.str() + b.str();
}

inline std::ostream& operator<<(std::ostream& out, const shared_text& text) {
  return out << text.str();
}

void to_json(nlohmann::json& to, const shared_text& text);

}  // namespace reprise::reports

template <>
struct std::hash<reprise::reports::shared_text> {
  std::size_t operator()(const reprise::reports::shared_text& text) const noexcept { return text.hash(); }
};

template <>
struct fmt::formatter<reprise::reports::shared_text> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const reprise::reports::shared_text& text, Context& context) const {
    return fmt::formatter<std::string_view>::format(text.str(), context);
  }
};

// Lets algorithms such as std::ranges::find compare a shared_text with a string.
template <template <class> class One, template <class> class Other>
struct std::basic_common_reference<reprise::reports::shared_text, std::string, One, Other> {
  using type = const std::string&;
};
template <template <class> class One, template <class> class Other>
struct std::basic_common_reference<std::string, reprise::reports::shared_text, One, Other> {
  using type = const std::string&;
};
