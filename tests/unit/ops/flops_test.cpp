// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/flops.h"

#include <gtest/gtest.h>

namespace stepbench::ops {
namespace {

TEST(Flops, AMultiplyAddIsTwo) {
  EXPECT_EQ(flops("aten::mm", "[[8, 32], [32, 64]]"), 2 * 8 * 32 * 64);
  EXPECT_EQ(flops("aten::addmm", "[[64], [8, 32], [32, 64], [], []]"), 2 * 8 * 32 * 64);
  EXPECT_EQ(flops("aten::bmm", "[[3, 8, 32], [3, 32, 64]]"), 3 * 2 * 8 * 32 * 64);
  EXPECT_EQ(flops("aten::baddbmm", "[[3, 8, 64], [3, 8, 32], [3, 32, 64], [], []]"),
            3 * 2 * 8 * 32 * 64);
}

TEST(Flops, ElementwiseOpsCountTheResult) {
  EXPECT_EQ(flops("aten::add", "[[4, 5], [5], []]"), 20);
  EXPECT_EQ(flops("aten::mul", "[[5], [4, 1]]"), 20);
  EXPECT_EQ(flops("aten::mul", "[[], []]"), 1);
}

// The first convolution of ResNet-18 at batch 2.
constexpr std::string_view kStem = "[[2, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], []]";
constexpr std::string_view kStemArguments = R"(["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "1"])";

TEST(Flops, AConvolutionNeedsItsStrideAndPadding) {
  EXPECT_EQ(flops("aten::conv2d", kStem, kStemArguments), 2LL * 2 * 64 * 112 * 112 * 3 * 7 * 7);
  EXPECT_EQ(flops("aten::conv2d", kStem), std::nullopt);
  EXPECT_EQ(flops("aten::conv2d", kStem, R"(["", "", "", "[2]", "[3]", "[1]", "1"])"),
            flops("aten::conv2d", kStem, kStemArguments));
}

TEST(Flops, GroupsAreInTheWeightsShape) {
  EXPECT_EQ(flops("aten::conv2d", "[[1, 32, 8, 8], [32, 1, 3, 3], [], [], [], [], []]",
                  R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "32"])"),
            2 * 8 * 8 * 32 * 9);
}

TEST(Flops, BackwardCountsEachGradientThatIsAskedFor) {
  constexpr std::string_view kShapes =
      "[[2, 64, 112, 112], [2, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], [], []]";
  const std::int64_t forward = *flops("aten::conv2d", kStem, kStemArguments);
  EXPECT_EQ(flops("aten::convolution_backward", kShapes), 2 * forward);
  EXPECT_EQ(flops("aten::convolution_backward", kShapes,
                  R"(["", "", "", "[0]", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1",)"
                  R"( "[False, True, False]"])"),
            forward);
}

TEST(Flops, AttentionIsTwoMatrixProductsAndItsBackwardFive) {
  constexpr std::string_view kForward = "[[2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 8], [], []]";
  constexpr std::string_view kBackward =
      "[[2, 4, 16, 8], [2, 4, 16, 8], [2, 4, 32, 8], [2, 4, 32, 8], [2, 4, 16, 8], []]";
  const std::int64_t product = 2 * 2 * 4 * 16 * 32 * 8;
  EXPECT_EQ(flops("aten::_scaled_dot_product_flash_attention_for_cpu", kForward), 2 * product);
  EXPECT_EQ(flops("aten::_scaled_dot_product_flash_attention_for_cpu_backward", kBackward),
            5 * product);
}

TEST(Flops, WhatOnlyCallsACountedOpHasNone) {
  EXPECT_EQ(flops("aten::linear", "[[8, 32], [64, 32], [64]]"), std::nullopt);
  EXPECT_EQ(flops("aten::scaled_dot_product_attention", "[[2, 4, 16, 8], [2, 4, 32, 8]]"),
            std::nullopt);
}

TEST(Flops, InputsThatDoNotFitGiveNothing) {
  for (const std::string_view shapes : {"", "[", "[[8, 32]", "[[8, 32], [x]]", "[[8], [8]]",
                                        "[[8, 32], []]", "[]", "[[8, 32]]] "}) {
    EXPECT_EQ(flops("aten::mm", shapes), std::nullopt) << shapes;
  }
}

}  // namespace
}  // namespace stepbench::ops
