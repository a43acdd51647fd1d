// SPDX-License-Identifier: Apache-2.0
#include "harness/base/digest.h"

#include "tests/testing.h"

namespace stepbench {
namespace {

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : sha256(bytes)) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

// Values of coreutils' sha256sum; the padding changes at 55, 56 and 64 bytes.
TEST(Sha256, LengthsAroundTheBlock_MatchCoreutils) {
  EXPECT_EQ(hex_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_of(std::string(55, 'a')),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(hex_of(std::string(56, 'a')),
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(hex_of(std::string(64, 'a')),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
  EXPECT_EQ(hex_of(std::string(1000, 'a')),
            "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}

TEST(Digest, KnownText_KeepsItsDigest) {
  EXPECT_EQ(digest(""), "99aa06d3014798d8");
  EXPECT_EQ(digest("abc"), "06b05ab6733a6185");
  EXPECT_NE(digest("abd"), digest("abc"));
}

}  // namespace
}  // namespace stepbench
