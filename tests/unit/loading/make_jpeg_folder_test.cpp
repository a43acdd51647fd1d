// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/generate/make_jpeg_folder.h"

#include <gmock/gmock.h>

#include "harness/base/error.h"
#include "tests/unit/loading/test_images.h"
#include "workloads/data/jpeg/image_folder.h"

namespace stepbench {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

data::JpegFolderPlan small(const std::filesystem::path& out) {
  return {.out = out, .images = 7, .classes = 3, .width = 40, .height = 30};
}

TEST(MakeJpegFolder, FillsEveryClassAndSaysHowFarItIs) {
  const test::TemporaryFolder root;
  std::int64_t last = 0;
  const data::MadeFolder made =
      data::make_jpeg_folder(small(root.path() / "set"), [&](std::int64_t done) { last = done; });
  EXPECT_EQ(made.made, 7);
  EXPECT_EQ(last, 7);
  const data::ImageFolder found = data::scan_image_folder(root.path() / "set");
  EXPECT_EQ(found.classes.size(), 3U);
  EXPECT_EQ(found.files.size(), 7U);
}

TEST(MakeJpegFolder, ImagesAreAFunctionOfSeedAndIndex) {
  const data::JpegFolderPlan plan = small("");
  EXPECT_EQ(data::make_photograph(plan, 3), data::make_photograph(plan, 3));
  EXPECT_NE(data::make_photograph(plan, 3), data::make_photograph(plan, 4));
  data::JpegFolderPlan other = plan;
  other.seed = 1;
  EXPECT_NE(data::make_photograph(plan, 3), data::make_photograph(other, 3));
}

TEST(MakeJpegFolder, TheFilesHaveTheSizesOfImageNets) {
  const data::JpegFolderPlan plan;
  double bytes = 0;
  constexpr int kImages = 40;
  for (int i = 0; i < kImages; ++i)
    bytes += static_cast<double>(data::make_photograph(plan, i).size());
  EXPECT_NEAR(bytes / kImages, 109e3, 11e3);
}

TEST(MakeJpegFolder, ASecondCallDoesNothingAndAnInterruptedOneIsFinished) {
  const test::TemporaryFolder root;
  const data::JpegFolderPlan plan = small(root.path());
  const data::MadeFolder first = data::make_jpeg_folder(plan, {});
  EXPECT_EQ(data::make_jpeg_folder(plan, {}).made, 0);
  const data::ImageFolder found = data::scan_image_folder(root.path());
  std::filesystem::remove(found.files[2].path);
  const data::MadeFolder again = data::make_jpeg_folder(plan, {});
  EXPECT_EQ(again.made, 1);
  EXPECT_EQ(again.bytes, first.bytes);
}

TEST(MakeJpegFolder, RefusesAFolderWithOtherThingsInIt) {
  const test::TemporaryFolder root;
  root.write("thesis.txt", "x");
  EXPECT_THAT([&] { data::make_jpeg_folder(small(root.path()), {}); },
              ThrowsMessage<ConfigError>(HasSubstr("not empty")));
  EXPECT_THAT([&] { data::make_jpeg_folder(small(root.path() / "thesis.txt"), {}); },
              ThrowsMessage<ConfigError>(HasSubstr("is not a folder")));
  data::JpegFolderPlan plan = small(root.path() / "set");
  data::make_jpeg_folder(plan, {});
  plan.images = 8;
  EXPECT_THAT([&] { data::make_jpeg_folder(plan, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("another made set")));
}

TEST(MakeJpegFolder, NamesTheOptionThatIsWrong) {
  data::JpegFolderPlan plan = small("never");
  plan.images = 2;
  EXPECT_THAT([&] { data::make_jpeg_folder(plan, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("--images: 2 images")));
  plan = small("never");
  plan.quality = 0;
  EXPECT_THAT([&] { data::make_jpeg_folder(plan, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("--quality: 0 is outside")));
}

}  // namespace
}  // namespace stepbench
