// SPDX-License-Identifier: MIT
// An immutable text of which the program keeps one copy. A million rows have a few thousand different texts, so
// that a row is small, and equal texts are recognised by their address.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <compare>
#include <concepts>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace reprise::reports {

// The program's one copy of a text, and how many objects refer to it.
struct kept_text {
  std::string text;
  mutable std::atomic<long> users{0};

  explicit kept_text(std::string_view of) : text(of) {}
};

// Converts to and from strings. A copy that no object refers to any more stays until remove_unused_texts().
class shared_text {
 public:
  shared_text() : kept_(&none()) {}
  shared_text(std::string_view text);
  shared_text(const std::string& text) : shared_text(std::string_view(text)) {}
  shared_text(const char* text) : shared_text(std::string_view(text)) {}

  shared_text(const shared_text& other) noexcept : kept_(other.kept_) { take(); }
  shared_text(shared_text&& other) noexcept : kept_(std::exchange(other.kept_, &none())) {}
  shared_text& operator=(const shared_text& other) noexcept { return *this = shared_text(other); }
  shared_text& operator=(shared_text&& other) noexcept {
    std::swap(kept_, other.kept_);
    return *this;
  }
  ~shared_text() { release(); }

  const std::string& str() const { return kept_->text; }
  operator const std::string&() const { return str(); }
  operator std::string_view() const { return str(); }

  bool empty() const { return str().empty(); }
  std::size_t size() const { return str().size(); }
  std::size_t find(std::string_view part, std::size_t from = 0) const { return str().find(part, from); }
  std::size_t find(char one, std::size_t from = 0) const { return str().find(one, from); }
  std::string substr(std::size_t from, std::size_t count = std::string::npos) const {
    return str().substr(from, count);
  }
  bool starts_with(std::string_view part) const { return str().starts_with(part); }
  bool ends_with(std::string_view part) const { return str().ends_with(part); }
  void clear() { *this = shared_text(); }
  shared_text& operator+=(std::string_view more) { return *this = shared_text(str() + std::string(more)); }

  bool operator==(const shared_text& other) const { return kept_ == other.kept_; }
  std::strong_ordering operator<=>(const shared_text& other) const {
    return kept_ == other.kept_ ? std::strong_ordering::equal : str() <=> other.str();
  }
  bool operator==(const std::string& other) const { return str() == other; }
  bool operator==(std::string_view other) const { return str() == other; }
  bool operator==(const char* other) const { return str() == other; }

  // By address, so in constant time.
  std::size_t hash() const noexcept { return std::hash<const void*>{}(kept_); }

 private:
  // The empty text, which is not counted.
  static const kept_text& none();

  void take() noexcept {
    if (!empty()) kept_->users.fetch_add(1, std::memory_order_relaxed);
  }
  void release() noexcept {
    if (!empty()) kept_->users.fetch_sub(1, std::memory_order_release);
  }

  const kept_text* kept_;
};

// How many different texts the program keeps now.
std::size_t kept_texts();

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
