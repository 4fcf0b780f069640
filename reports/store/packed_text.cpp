// SPDX-License-Identifier: MIT
// Packs with liblzma. The settings are fixed, so that one version of the library makes the same bytes everywhere.
#include "reports/store/packed_text.hpp"

#include <fmt/format.h>
#include <lzma.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "reports/store/refusal.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::reports {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t level = 6 | LZMA_PRESET_EXTREME;
// The longest dictionary is longer than nearly all files of runs. One that is longer than the text only costs time.
constexpr std::size_t shortest_dictionary = LZMA_DICT_SIZE_MIN;
constexpr std::size_t longest_dictionary = std::size_t{8} << 20U;
constexpr std::uint64_t most_memory = std::uint64_t{256} << 20U;

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

std::string meaning_of(lzma_ret code) {
  if (code == LZMA_FORMAT_ERROR) return "it is no xz file";
  if (code == LZMA_BUF_ERROR) return "its end is missing";
  if (code == LZMA_MEMLIMIT_ERROR) return "it needs more memory than any file of a run";
  if (code == LZMA_OPTIONS_ERROR) return "it is packed in an unknown way";
  return "its contents do not have their checksum";
}

struct decoder {
  decoder() {
    if (lzma_stream_decoder(&stream, most_memory, 0) != LZMA_OK)
      throw error("lzma_stream_decoder failed: no memory");
  }
  ~decoder() { lzma_end(&stream); }
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;

  lzma_stream stream = LZMA_STREAM_INIT;
};

}  // namespace

fs::path packed_path(fs::path file) {
  file += packed_ending;
  return file;
}

fs::path stored_path(const fs::path& file) {
  std::error_code code;
  const auto is_there = [&](const fs::path& p) { return fs::exists(fs::symlink_status(p, code)); };
  const auto packed_file = packed_path(file);
  return !is_there(file) && is_there(packed_file) ? packed_file : file;
}

std::string packed(std::string_view text) {
  lzma_options_lzma options{};
  if (lzma_lzma_preset(&options, level)) throw error("lzma_lzma_preset failed: unknown level");
  options.dict_size = static_cast<std::uint32_t>(
      std::clamp(std::bit_ceil(text.size()), shortest_dictionary, longest_dictionary));
  std::array<lzma_filter, 2> filters{
      {{.id = LZMA_FILTER_LZMA2, .options = &options}, {.id = LZMA_VLI_UNKNOWN, .options = nullptr}}};
  std::string bytes(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t length = 0;
  const auto code =
      lzma_stream_buffer_encode(filters.data(), LZMA_CHECK_CRC64, nullptr, bytes_of(text), text.size(),
                                reinterpret_cast<std::uint8_t*>(bytes.data()), &length, bytes.size());
  if (code != LZMA_OK)
    throw error(fmt::format("lzma_stream_buffer_encode failed: code {}", static_cast<int>(code)));
  bytes.resize(length);
  return bytes;
}

std::string unpacked(const fs::path& file, std::string_view bytes, std::size_t most) {
  decoder from;
  from.stream.next_in = bytes_of(bytes);
  from.stream.avail_in = bytes.size();
  const auto block = std::make_unique<std::array<std::uint8_t, 1 << 16>>();
  std::string text;
  for (auto code = LZMA_OK; code != LZMA_STREAM_END;) {
    from.stream.next_out = block->data();
    from.stream.avail_out = block->size();
    code = lzma_code(&from.stream, LZMA_FINISH);
    if (code != LZMA_OK && code != LZMA_STREAM_END)
      refuse_file(file, "is damaged: {}; restore the file or run again", meaning_of(code));
    text.append(reinterpret_cast<const char*>(block->data()), block->size() - from.stream.avail_out);
    if (text.size() > most)
      refuse_file(file, "holds more than the {} bytes that run.json records; restore the file or run again",
                  most);
  }
  if (from.stream.avail_in > 0)
    refuse_file(file,
                "has {} bytes after its end: something was appended to it; restore the file or run again",
                from.stream.avail_in);
  return text;
}

}  // namespace reprise::reports
