// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/jpeg/jpeg_sample.h"

#include "tests/testing.h"

namespace stepbench {
namespace {

TEST(RandomResizedCrop, Draws_StayInImageScaleAndRatio) {
  int flips = 0;
  double share = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    data::Philox random(1, static_cast<std::uint64_t>(i));
    const data::Crop crop = data::random_resized_crop(500, 375, random);
    ASSERT_GE(crop.left, 0);
    ASSERT_GE(crop.top, 0);
    ASSERT_LE(crop.left + crop.width, 500);
    ASSERT_LE(crop.top + crop.height, 375);
    const double ratio = static_cast<double>(crop.width) / static_cast<double>(crop.height);
    ASSERT_GE(ratio, 0.73);
    ASSERT_LE(ratio, 1.36);
    ASSERT_GE(crop.width * crop.height, 0.075 * 500 * 375);
    flips += crop.flip ? 1 : 0;
    share += static_cast<double>(crop.width * crop.height) / (500 * 375) / kDraws;
  }
  EXPECT_NEAR(flips, kDraws / 2, 400);
  EXPECT_NEAR(share, 0.434, 0.01);  // of torchvision 0.26 over 6,000 draws
}

TEST(RandomResizedCrop, NoFit_TakesTheLargestCentre) {
  data::Philox random(1, 1);
  const data::Crop wide = data::random_resized_crop(1000, 10, random);
  EXPECT_EQ(wide.height, 10);
  EXPECT_EQ(wide.width, 13);
  EXPECT_EQ(wide.left, 493);
  const data::Crop tall = data::random_resized_crop(3, 1000, random);
  EXPECT_EQ(tall.width, 3);
  EXPECT_EQ(tall.height, 4);
  EXPECT_EQ(tall.top, 498);
}

TEST(RandomResizedCrop, SinglePixel_IsTakenWhole) {
  data::Philox random(1, 2);
  const data::Crop crop = data::random_resized_crop(1, 1, random);
  EXPECT_EQ(crop.width, 1);
  EXPECT_EQ(crop.height, 1);
}

TEST(CenterWindow, HalfPixels_RoundAsInTorchvision) {
  const data::CenterWindow window =
      data::center_window(500, 375, 256, 224);  // Resize(256) gives 341 x 256
  EXPECT_EQ(window.resized_width, 341);
  EXPECT_EQ(window.resized_height, 256);
  EXPECT_EQ(window.left, 58);  // round(58.5): halves to even
  EXPECT_EQ(window.top, 16);
}

}  // namespace
}  // namespace stepbench
