// SPDX-License-Identifier: MIT
// Finds the notes of samples left out in the reasons of rows.
#include "reports/store/left_out.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <unordered_map>

namespace reprise::reports {
namespace {

constexpr std::string_view note_end = " samples left out: ";
constexpr std::string_view mark = "disturbed: ";

// "17 of 20 samples left out" if these numbers before the end of a note are "17 of 20" and too many; otherwise empty.
std::string too_many_left_out_by(std::string_view before_end) {
  const auto semicolon = before_end.rfind("; ");
  const auto numbers = before_end.substr(semicolon == std::string_view::npos ? 0 : semicolon + 2);
  std::size_t left_out{}, all{};
  const char* const last = numbers.data() + numbers.size();
  const auto first = std::from_chars(numbers.data(), last, left_out);
  constexpr std::string_view between = " of ";
  const std::string_view rest(first.ptr, last);
  if (first.ec != std::errc() || !rest.starts_with(between)) return {};
  const auto second = std::from_chars(first.ptr + between.size(), last, all);
  const bool is_note = second.ec == std::errc() && second.ptr == last;
  return is_note && are_too_many_left_out(left_out, all) ? fmt::format("{} samples left out", numbers) : "";
}

// The note of too many samples left out, without its evidence. Empty if the reason has none.
std::string too_many_left_out_in(std::string_view reason) {
  for (auto end = reason.find(note_end); end != std::string_view::npos; end = reason.find(note_end, end + 1))
    if (auto note = too_many_left_out_by(reason.substr(0, end)); !note.empty()) return note;
  return {};
}

}  // namespace

std::string left_out_note(std::size_t left_out, std::size_t all, const std::string& evidence) {
  return fmt::format("{} of {}{}{}", left_out, all, note_end, evidence);
}

bool are_too_many_left_out(std::size_t left_out, std::size_t all) {
  return 5 * left_out > 3 * all;
}

bool is_of_time(const row& r) {
  return r.unit == "s" || r.unit == "GB/s" || r.unit == "GFLOP/s" || r.unit == "J" || r.unit == "%";
}

void mark_disturbed(row& r, const std::string& evidence) {
  r.status = "disturbed";
  r.reason = fmt::format("{}{}{}{}", mark, evidence, r.reason.empty() ? "" : "; ", r.reason.str());
}

void mark_too_many_left_out(std::vector<row>& rows) {
  std::unordered_map<case_id, std::string> cases;
  for (const row& r : rows) {
    // A mark that a right row has was only noted on purpose.
    if (r.status != "ok" || r.reason.str().starts_with(mark)) continue;
    if (auto note = too_many_left_out_in(r.reason.str()); !note.empty()) cases.emplace(r, std::move(note));
  }
  if (cases.empty()) return;
  for (row& r : rows) {
    if (r.status != "ok" || !is_of_time(r)) continue;
    const auto found = cases.find(r);
    if (found == cases.end()) continue;
    mark_disturbed(r, found->second);
  }
}

}  // namespace reprise::reports
