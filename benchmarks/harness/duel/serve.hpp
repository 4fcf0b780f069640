// SPDX-License-Identifier: MIT
// Answers another process's requests: JSON documents, a line each, on the standard input and output.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

namespace reprise::duels {

// Says the introduction, then answers requests until the input ends. An exception becomes an answer with "error". Everything
// else that is printed goes to the standard error.
void serve(const nlohmann::json& introduction,
           const std::function<nlohmann::json(const nlohmann::json&)>& answer);

}  // namespace reprise::duels
