// SPDX-License-Identifier: MIT
// The texts that the doors are tried with: a small corpus of good ones, and damaged copies of them.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::fuzz {

// The files of corpus/NAME, in the order of their names.
std::vector<std::string> corpus_of(std::string_view name);

// Bits, bytes and pieces changed, left out, doubled and taken from another text.
std::string mutated(std::string text, const std::string& other, std::mt19937& random);

}  // namespace reprise::fuzz
