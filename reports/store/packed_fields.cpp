// SPDX-License-Identifier: MIT
// Finds a field in the packed file by the lengths of those before it.
#include "reports/store/packed_fields.hpp"

#include "reports/store/files.hpp"
#include "reports/store/packed_text.hpp"

namespace reprise::reports {

namespace fs = std::filesystem;

packed_fields::packed_fields(const fs::path& folder, const recorded_fields& fields)
    : folder_(folder), file_(folder / packed_fields_name) {
  for (const auto& [path, bytes] : fields) {
    parts_[path] = {bytes_, bytes};
    bytes_ += bytes;
  }
}

bool packed_fields::holds(const std::string& path) const {
  std::error_code code;
  return fs::exists(fs::symlink_status(file_, code)) &&
         !fs::exists(fs::symlink_status(stored_path(folder_ / path), code));
}

std::string packed_fields::text_of(const std::string& path) {
  if (!text_) text_ = unpacked(file_, read_text(file_), bytes_);
  const auto [begin, bytes] = parts_.at(path);
  return begin < text_->size() ? text_->substr(begin, bytes) : std::string();
}

}  // namespace reprise::reports
