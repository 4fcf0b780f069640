// SPDX-License-Identifier: MIT
// Sizes of problems, and the form in which a family accepts them on the command line.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace reprise::harness {

struct grid_size {
  int width{};
  int height{1};
};

// Returns "512x1024", the form of sizes in rows.
std::string to_string(const grid_size& size);

std::vector<grid_size> squares(std::initializer_list<int> sides);

// The form of a size on the command line.
// - nothing: the family accepts no sizes
// - nodes: "400"
// - grid: "512x1024"
enum class size_form { nothing, nodes, grid };

struct size_grammar {
  size_form form{size_form::grid};
  std::string advice{"give WIDTHxHEIGHT, for example 512x1024"};
};

// Parses a size on behalf of `who`, which messages name. Throws bad_input for a form other than the accepted
// one, for a side below 1, and for more nodes than fit into this machine's memory together with their
// reference solution.
grid_size parse_size(const std::string& text, const size_grammar& taken = {},
                     const std::string& who = "a run");

}  // namespace reprise::harness
