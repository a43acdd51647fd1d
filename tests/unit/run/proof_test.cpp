// SPDX-License-Identifier: Apache-2.0
// Proof that both ends know the token, which is never sent.
#include "harness/run/internal/group_lines.h"

#include "tests/testing.h"

namespace stepbench::run {
namespace {

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

TEST(Proof, Texts_AreComparedToTheirEnd) {
  EXPECT_TRUE(is_same("", ""));
  EXPECT_TRUE(is_same("ab", "ab"));
  EXPECT_FALSE(is_same("ab", "aB"));
  EXPECT_FALSE(is_same("ab", "abc"));
}

}  // namespace
}  // namespace stepbench::run
