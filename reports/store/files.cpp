// SPDX-License-Identifier: MIT
// Reads and writes whole files with system calls, because durability needs fsync, which streams do not offer.
#include "reports/store/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "reports/store/refusal.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/message.hpp"

namespace reprise::reports {

descriptor::descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

descriptor& descriptor::operator=(descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

descriptor::~descriptor() {
  if (number_ >= 0) ::close(number_);
}

void throw_errno(std::string_view call, const std::filesystem::path& file, std::source_location where) {
  const int code = errno;
  const char* name = strerrorname_np(code);
  if (code == ENOSPC || code == EDQUOT || code == EFBIG)
    refuse_file(file, "{}, {}; free space and try again, a run with `reprise run --resume`", name,
                std::strerror(code));
  throw error(fmt::format("{} failed on {}: {}, {}", call, file.string(), name != nullptr ? name : "?",
                          std::strerror(code)),
              where);
}

std::string read_text(const std::filesystem::path& file) {
  std::error_code code;
  const auto status = std::filesystem::status(file, code);
  if (!std::filesystem::exists(status)) refuse_file(file, "there is no such file; check the path");
  if (!std::filesystem::is_regular_file(status)) refuse_file(file, "is not a regular file; name a file");
  const descriptor from(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char block[1 << 16];
  for (;;) {
    const ssize_t count = from.get() < 0 ? -1 : ::read(from.get(), block, sizeof block);
    if (count == 0) return text;
    if (count > 0) {
      text.append(block, static_cast<std::size_t>(count));
    } else if (errno != EINTR)
      refuse_file(file, "cannot be read: {}; check its permissions", std::strerror(errno));
  }
}

void write_all(const descriptor& to, std::string_view content, const std::filesystem::path& file) {
  while (!content.empty()) {
    const ssize_t count = ::write(to.get(), content.data(), content.size());
    if (count >= 0) {
      content.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      throw_errno("write", file);
    }
  }
}

void write_file(const std::filesystem::path& file, std::string_view content) {
  const descriptor to(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (to.get() < 0) throw_errno("open", file);
  write_all(to, content, file);
}

void replace_file(const std::filesystem::path& file, std::string_view content) {
  auto temporary = file;
  temporary += temporary_ending;
  {
    const descriptor to(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (to.get() < 0) throw_errno("open", temporary);
    write_all(to, content, temporary);
    if (::fsync(to.get()) != 0) throw_errno("fsync", temporary);
  }
  if (::rename(temporary.c_str(), file.c_str()) != 0) throw_errno("rename", file);
  sync_folder(file.parent_path());
}

void write_text(const std::filesystem::path& file, std::string_view content) {
  std::error_code code;
  if (std::filesystem::is_directory(file, code)) refuse_file(file, "is a folder; name a file");
  try {
    replace_file(file, content);
  } catch (const error& problem) {
    refuse_file(file, "cannot be written: {}; name another file", without_location(problem.what()));
  }
}

void make_folders(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) refuse_file(folder, "cannot be made: {}; choose another folder", code.message());
}

void sync_folder(const std::filesystem::path& folder) {
  const auto name = folder.empty() ? std::filesystem::path(".") : folder;
  const descriptor opened(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) throw_errno("open", name);
  // Some network file systems cannot sync a folder and return EINVAL; then there is nothing to sync.
  if (::fsync(opened.get()) != 0 && errno != EINVAL) throw_errno("fsync", name);
}

std::string safe_name(std::string_view text) {
  constexpr std::size_t longest = 100;
  std::string name(text.substr(0, longest));
  const auto is_safe = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.';
  };
  std::ranges::replace_if(
      name, [&](char c) { return !is_safe(c); }, '_');
  if (name.empty()) return "_";
  if (name.front() == '.') name.front() = '_';
  return name;
}

}  // namespace reprise::reports
