// SPDX-License-Identifier: MIT
// Matches globs with fnmatch.
#include "reports/store/glob.hpp"

#include <fnmatch.h>

#include <algorithm>

#include "reports/store/case_id.hpp"

namespace reprise::reports {

bool matches_glob(const std::string& pattern, std::string_view text) {
  if (pattern.find_first_of("*?[\\") == std::string::npos)
    return pattern == text;  // true of most patterns, and many times faster
  return fnmatch(pattern.c_str(), std::string(text).c_str(), 0) == 0;
}

bool matches(const std::string& pattern, std::string_view id) {
  if (pattern.find('/') != std::string::npos) return matches_glob(pattern, id);
  const bool begins_with_wildcard = pattern.find_first_of("*?[") == 0;
  return matches_glob(pattern, short_name(id)) || (!begins_with_wildcard && matches_glob(pattern, id));
}

bool matches_any(std::span<const std::string> patterns, std::string_view id) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) { return matches(pattern, id); });
}

}  // namespace reprise::reports
