// SPDX-License-Identifier: MIT
// Reading and writing whole files, with an error that names the file and the system's reason.
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

// "write failed on FILE: ENOSPC, No space left on device", from errno, as a reprise::error.
[[noreturn]] void throw_errno(std::string_view call, const std::filesystem::path& file,
                              std::source_location where = std::source_location::current());

// Throws bad_input where the file is missing, is not a regular file, or cannot be read.
std::string read_text(const std::filesystem::path& file);

// Of the file that replace_file writes first.
constexpr std::string_view temporary_ending = ".tmp";

// Replaces the file as one step: a reader, or a kill, finds the old content or the new one. Throws error.
void replace_file(const std::filesystem::path& file, std::string_view content);

// The same for a file that the user named: throws bad_input where it cannot be written.
void write_text(const std::filesystem::path& file, std::string_view content);

// Writes a file that can be made again: a kill may leave half of it. Throws error.
void write_file(const std::filesystem::path& file, std::string_view content);

// With those above it. Throws bad_input where it cannot be made.
void make_folders(const std::filesystem::path& folder);

// Writes everything or throws error.
void write_all(const descriptor& to, std::string_view content, const std::filesystem::path& file);

// Makes the folder's entries durable.
void sync_folder(const std::filesystem::path& folder);

// A name that is safe as one component of a path, from text that comes from a file.
std::string safe_name(std::string_view text);

}  // namespace reprise::reports
