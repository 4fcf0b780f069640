// SPDX-License-Identifier: MIT
// Finds a field in the packed file by the lengths of those before it.
#include "reports/store/packed_fields.hpp"

#include "reports/store/files.hpp"
#include "reports/store/packed_text.hpp"

namespace reprise::reports {

namespace fs = std::filesystem;

bool is_packed_with_others(const fs::path& folder, const std::string& path) {
  std::error_code code;
  const auto is_there = [&](const fs::path& file) { return fs::exists(fs::symlink_status(file, code)); };
  return is_there(folder / packed_fields_name) && !is_there(stored_path(folder / path));
}

packed_fields::packed_fields(const fs::path& folder, const std::map<std::string, file_record>& recorded)
    : file_(folder / packed_fields_name) {
  for (const auto& [path, record] : recorded) {
    parts_[path] = {bytes_, record.bytes};
    bytes_ += record.bytes;
  }
}

std::string packed_fields::text_of(const std::string& path) {
  if (!text_) text_ = unpacked(file_, read_text(file_), bytes_);
  const auto [begin, bytes] = parts_.at(path);
  return begin < text_->size() ? text_->substr(begin, bytes) : std::string();
}

}  // namespace reprise::reports
