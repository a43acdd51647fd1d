// SPDX-License-Identifier: Apache-2.0
#include "harness/fleet/proof.h"

#include "harness/base/hex.h"
#include "harness/base/sha256.h"

namespace stepbench::fleet {
namespace {

constexpr std::size_t kBlock = 64;  // SHA-256 block size

std::string hash(std::string_view bytes) {
  const Sha256 made = sha256(bytes);
  return {made.begin(), made.end()};
}

}  // namespace

std::string proof(std::string_view token, std::string_view role, std::string_view of_rank,
                  std::string_view of_controller) {
  std::string key(token.size() > kBlock ? hash(token) : std::string(token));
  key.resize(kBlock, '\0');
  std::string inner;
  std::string outer;
  for (const char byte : key) {
    inner.push_back(static_cast<char>(byte ^ 0x36));
    outer.push_back(static_cast<char>(byte ^ 0x5c));
  }
  for (const std::string_view part : {role, of_rank, of_controller}) {
    inner += std::to_string(part.size()) + ':';
    inner += part;
  }
  return hex_text(hash(outer + hash(inner)));
}

bool is_same(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned differs = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    differs |= static_cast<unsigned>(static_cast<unsigned char>(one[i] ^ other[i]));
  }
  return differs == 0;
}

}  // namespace stepbench::fleet
