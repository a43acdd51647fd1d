// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/shapes_text.h"

#include "tests/testing.h"

namespace stepbench::traces {
namespace {

TEST(ShapesText, JsonShapes_ArePlain) {
  for (const char* plain : {"[]", "[[]]", "[8]", "[[8,32],[],[-1, 0]]", " [ 1 , 2 ] "}) {
    EXPECT_TRUE(are_plain_shapes(plain)) << plain;
  }
  // The blank was found by the fuzzer: it left a value out where JSON needs one.
  for (const char* other : {"", " ", "8", "[", "]", "[1", "[1]]", "[1],[2]", "[1 2]", "[,]", "[1,]",
                            "[01]", "[-]", "[--1]", "[1-2]", "[1.5]", "[[8]", "[\"8\"]"}) {
    EXPECT_FALSE(are_plain_shapes(other)) << other;
  }
}

TEST(ShapesText, EachComma_HasOneBlank) {
  EXPECT_EQ(shapes_text("[[8,32],  []]"), "[[8, 32], []]");
  EXPECT_EQ(shapes_text("[1 2]"), "[1 2]") << "what is none stays as it is";
  EXPECT_EQ(arguments_text("[\"\",\"[2, 2]\" ]"), "[\"\", \"[2, 2]\"]");
}

}  // namespace
}  // namespace stepbench::traces
