// SPDX-License-Identifier: MIT
// A running SHA-256 whose value is available at any point, so that hashing a growing file takes linear time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace reprise::reports {

class sha256 {
 public:
  sha256();
  sha256(const sha256& other);
  sha256(sha256&&) noexcept = default;
  sha256& operator=(sha256&&) noexcept = default;

  void update(std::string_view bytes);
  std::string hex() const;  // of all bytes so far

 private:
  struct release {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, release> context_;
};

// Of these bytes alone.
std::string sha256_of(std::string_view bytes);

}  // namespace reprise::reports
