// SPDX-License-Identifier: Apache-2.0
// Proof that both ends know the token, which is never sent.
#include "harness/fleet/group_lines.h"

#include <gtest/gtest.h>

#include "harness/base/digest.h"

namespace stepbench::fleet {
namespace {

std::string hash(std::string_view text) {
  const auto digest = sha256(text);
  return hex_text({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

// Examples of FIPS 180-4, and lengths at which the padding begins another block.
TEST(Sha256, StandardExamples_Match) {
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Proof, OtherEndOrConnection_Differs) {
  // HMAC-SHA-256 of "1:a2:bb0:" with the key "key".
  EXPECT_EQ(proof("key", "a", "bb", ""),
            "c093934adfb0c8c8dbd7ea04dc09e34d736278e54d805ae8a6bcad23f588e03d");
  const std::string one = proof("token", kRank, "1", "23");
  EXPECT_NE(proof("token", kController, "1", "23"), one);
  EXPECT_NE(proof("token", kRank, "12", "3"), one);
  EXPECT_NE(proof("other", kRank, "1", "23"), one);
  EXPECT_EQ(proof("token", kRank, "1", "23"), one);
}

TEST(Proof, ComparesTheWholeText) {
  EXPECT_TRUE(is_same("", ""));
  EXPECT_TRUE(is_same("ab", "ab"));
  EXPECT_FALSE(is_same("ab", "aB"));
  EXPECT_FALSE(is_same("ab", "abc"));
}

}  // namespace
}  // namespace stepbench::fleet
