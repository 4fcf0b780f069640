// SPDX-License-Identifier: MIT
// Computes SHA-256 with OpenSSL.
#include "reports/store/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "solvers/common/base/error.hpp"

namespace reprise::reports {
namespace {

void check(bool good, const char* call, std::source_location where = std::source_location::current()) {
  if (!good) throw error(fmt::format("{} failed: OpenSSL offers no SHA-256", call), where);
}

}  // namespace

void sha256::release::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}

sha256::sha256() : context_(EVP_MD_CTX_new()) {
  check(context_ != nullptr, "EVP_MD_CTX_new");
  check(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1, "EVP_DigestInit_ex");
}

sha256::sha256(const sha256& other) : context_(EVP_MD_CTX_new()) {
  check(context_ != nullptr, "EVP_MD_CTX_new");
  check(EVP_MD_CTX_copy_ex(context_.get(), other.context_.get()) == 1, "EVP_MD_CTX_copy_ex");
}

void sha256::update(std::string_view bytes) {
  check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1, "EVP_DigestUpdate");
}

std::string sha256::hex() const {
  const sha256 copy(*this);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  check(EVP_DigestFinal_ex(copy.context_.get(), digest.data(), &size) == 1, "EVP_DigestFinal_ex");
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

std::string sha256_of(std::string_view bytes) {
  sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace reprise::reports
