// SPDX-License-Identifier: MIT
// Keeps the texts in one set, whose nodes never move.
#include "reports/store/shared_text.hpp"

#include <mutex>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "reports/store/unused_texts.hpp"

namespace reprise::reports {
namespace {

struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  std::size_t operator()(const kept_text& kept) const { return (*this)(std::string_view(kept.text)); }
};

struct same_text {
  using is_transparent = void;
  static std::string_view view(std::string_view text) { return text; }
  static std::string_view view(const kept_text& kept) { return kept.text; }
  bool operator()(const auto& a, const auto& b) const { return view(a) == view(b); }
};

class pool {
 public:
  // Counts the object that asks as a user.
  const kept_text* copy_of(std::string_view text) {
    const std::lock_guard held(mutex_);
    auto known = texts_.find(text);
    if (known == texts_.end()) known = texts_.emplace(text).first;
    known->users.fetch_add(1, std::memory_order_relaxed);
    return &*known;
  }

  // A text without users gets one only under the lock, so none comes back while it is removed.
  void remove_unused() {
    const std::lock_guard held(mutex_);
    std::erase_if(texts_,
                  [](const kept_text& kept) { return kept.users.load(std::memory_order_acquire) == 0; });
  }

  std::size_t size() const {
    const std::lock_guard held(mutex_);
    return texts_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_set<kept_text, text_hash, same_text> texts_;
};

// Never destroyed, because objects with static storage may hold texts longer.
pool& all_texts() {
  static pool& texts = *new pool;
  return texts;
}

}  // namespace

const kept_text& shared_text::none() {
  static const kept_text& empty = *new kept_text("");
  return empty;
}

shared_text::shared_text(std::string_view text) : kept_(text.empty() ? &none() : all_texts().copy_of(text)) {}

void remove_unused_texts() {
  all_texts().remove_unused();
}

std::size_t kept_texts() {
  return all_texts().size();
}

void to_json(nlohmann::json& to, const shared_text& text) {
  to = text.str();
}

}  // namespace reprise::reports
