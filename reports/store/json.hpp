// SPDX-License-Identifier: MIT
// JSON for code whose headers do not include the JSON library, and checked reading and writing of JSON.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace reprise::reports {

// Owns a JSON value and copies it with itself. Null by default.
class document {
 public:
  document();
  document(nlohmann::json value);
  document(const document& other);
  document(document&& other) noexcept;
  document& operator=(document other) noexcept;
  ~document();

  nlohmann::json& operator*() { return *value_; }
  const nlohmann::json& operator*() const { return *value_; }

 private:
  std::unique_ptr<nlohmann::json> value_;
};

// Indented JSON; bytes that are invalid UTF-8, as in some device names, are replaced.
std::string to_text(const nlohmann::json& value);

// Throws bad_input if the text is not JSON, or is nested deeper than any file of a run.
nlohmann::json parse_json(const std::filesystem::path& file, const std::string& text);

// The number; null if it is not finite.
nlohmann::json number_or_null(double value);

// The object's entry; null if it is missing or the value is not an object.
const nlohmann::json& entry_of(const nlohmann::json& object, const std::string& key);

// A text of the object; empty if the key is missing or not a text.
std::string text_of(const nlohmann::json& object, const std::string& key);

}  // namespace reprise::reports
