// SPDX-License-Identifier: MIT
// Keeps the texts in one set, whose nodes never move.
#include "reports/store/shared_text.hpp"

#include <mutex>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace reprise::reports {
namespace {

struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

class pool {
 public:
  const std::string* copy_of(std::string_view text) {
    const std::lock_guard held(mutex_);
    auto known = texts_.find(text);
    if (known == texts_.end()) known = texts_.emplace(text).first;
    return &*known;
  }

 private:
  std::mutex mutex_;
  std::unordered_set<std::string, text_hash, std::equal_to<>> texts_;
};

// Never destroyed, because objects with static storage may hold texts longer.
pool& all_texts() {
  static pool& texts = *new pool;
  return texts;
}

}  // namespace

shared_text::shared_text(std::string_view text) {
  static const std::string none;
  text_ = text.empty() ? &none : all_texts().copy_of(text);
}

void to_json(nlohmann::json& to, const shared_text& text) {
  to = text.str();
}

}  // namespace reprise::reports
