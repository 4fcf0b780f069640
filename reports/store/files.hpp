// SPDX-License-Identifier: MIT
// Reads and writes whole files; errors name the file and the system's reason.
#pragma once

#include <filesystem>
#include <source_location>
#include <string>
#include <string_view>

namespace reprise::reports {

// Owns a file descriptor.
class descriptor {
 public:
  explicit descriptor(int number = -1) : number_(number) {}
  descriptor(descriptor&& other) noexcept;
  descriptor& operator=(descriptor&& other) noexcept;
  ~descriptor();

  int get() const { return number_; }

 private:
  int number_;
};

// Throws reprise::error "write failed on FILE: ENOSPC, No space left on device", made from errno.
[[noreturn]] void throw_errno(std::string_view call, const std::filesystem::path& file,
                              std::source_location where = std::source_location::current());

// Throws bad_input if the file is missing, is not a regular file, or cannot be read.
std::string read_text(const std::filesystem::path& file);

// The suffix of the file that replace_file writes before renaming it.
constexpr std::string_view temporary_ending = ".tmp";

// Replaces the file atomically: after a kill, and for readers, it holds the old or
// the new content. Throws error.
void replace_file(const std::filesystem::path& file, std::string_view content);

// The same for a file named by the user: throws bad_input if it cannot be written.
void write_text(const std::filesystem::path& file, std::string_view content);

// Writes a file that can be regenerated: a kill may leave it half written. Throws error.
void write_file(const std::filesystem::path& file, std::string_view content);

// Creates the folder and its parents. Throws bad_input on failure.
void make_folders(const std::filesystem::path& folder);

// Writes all of the content or throws error.
void write_all(const descriptor& to, std::string_view content, const std::filesystem::path& file);

// Makes the folder's entries durable (fsync).
void sync_folder(const std::filesystem::path& folder);

// Turns text from a file into a name that is safe as one component of a path.
std::string safe_name(std::string_view text);

}  // namespace reprise::reports
