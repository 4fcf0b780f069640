// SPDX-License-Identifier: MIT
// Known boards and processors: one name for each, although papers and drivers name it differently, with its year and
// the peak rates that its vendor states.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reports/store/row.hpp"

namespace reprise::reports {

struct known_board {
  std::string id;                    // "GTX 280"
  std::vector<std::string> aliases;  // "PH 280", as a paper names it; "NVIDIA H200", as a driver does
  int year{};                        // in which it came to market
  double bandwidth{no_value};        // GB/s
  double single_rate{no_value};      // GFLOP/s; NaN if it cannot compute in this precision
  double double_rate{no_value};
};

// Letters and digits in lower case: "gtx280" for "GTX 280".
std::string plain_name(std::string_view text);

class board_names {
 public:
  board_names() = default;
  explicit board_names(std::vector<known_board> boards) : boards_(std::move(boards)) {}

  // The board with this name or alias, however it is spaced and capitalised; null if it is unknown.
  const known_board* find(std::string_view name) const;
  // Its id, or the name itself if it is unknown.
  std::string id_of(const std::string& name) const;
  const std::vector<known_board>& all() const { return boards_; }

 private:
  std::vector<known_board> boards_;
};

// Throws bad_input with file and line for a board that cannot be read.
board_names read_boards(const std::filesystem::path& file);

}  // namespace reprise::reports
