// SPDX-License-Identifier: MIT
// The inputs of the fuzz targets: a small corpus of valid texts, and damaged copies of them.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::fuzz {

// The texts of the files in corpus/NAME, sorted by file name.
std::vector<std::string> corpus_of(std::string_view name);

// Changes, removes or doubles bits, bytes and pieces of the text, or takes them from another text.
std::string mutated(std::string text, const std::string& other, std::mt19937& random);

}  // namespace reprise::fuzz
