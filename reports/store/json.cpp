// SPDX-License-Identifier: MIT
// Reads and writes JSON.
#include "reports/store/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "reports/store/refusal.hpp"

namespace reprise::reports {

using nlohmann::json;

document::document() : document(json()) {}
document::document(json value) : value_(std::make_unique<json>(std::move(value))) {}
document::document(const document& other) : document(*other) {}
document::document(document&& other) noexcept = default;
document& document::operator=(document other) noexcept {
  std::swap(value_, other.value_);
  return *this;
}
document::~document() = default;

std::string to_text(const json& value) {
  return value.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

json parse_json(const std::filesystem::path& file, const std::string& text) {
  constexpr int deepest = 64;  // limited because copying and writing recurse
  const auto limit_depth = [&](int depth, json::parse_event_t, json&) {
    if (depth > deepest)
      refuse_file(file, "is nested more than {} deep; restore the file or run again", deepest);
    return true;
  };
  try {
    return json::parse(text, limit_depth);
  } catch (const json::parse_error& problem) {
    refuse_file(file, "is not JSON at byte {}; restore the file or run again", problem.byte);
  } catch (const json::exception&) {
    refuse_file(file, "is not JSON; restore the file or run again");
  }
}

json number_or_null(double value) {
  return std::isfinite(value) ? json(value) : json();
}

const json& entry_of(const json& object, const std::string& key) {
  static const json none;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? none : *found;
}

std::string text_of(const json& object, const std::string& key) {
  const auto& entry = entry_of(object, key);
  return entry.is_string() ? entry.get<std::string>() : std::string();
}

}  // namespace reprise::reports
