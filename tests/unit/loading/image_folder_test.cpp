// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/jpeg/jpeg_folder.h"

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/loading/test_images.h"
#include "workloads/data/internal/generate/make_jpeg_files.h"

namespace stepbench {
namespace {

std::vector<std::string> relative(const data::ImageFolder& folder, const fs::path& root) {
  std::vector<std::string> names;
  for (const data::ImageFolder::File& file : folder.files) {
    names.push_back(fs::path(file.path).lexically_relative(root).string() + " " +
                    std::to_string(file.label));
  }
  return names;
}

TEST(ImageFolder, Order_IsThatOfTorchvision) {
  const test::TemporaryFolder root;
  for (const char* name : {"dog/b.jpg", "dog/a.JPEG", "dog/B.jpg", "dog/z/1.jpg", "dog/z-2/1.jpg",
                           "cat/2.png", "cat/10.jpg", "cat/notes.txt", "top.jpg"}) {
    root.write(name, "");
  }
  const data::ImageFolder found = data::scan_image_folder(root.path());
  EXPECT_THAT(found.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(relative(found, root.path()),
              ElementsAre("cat/10.jpg 0", "cat/2.png 0", "dog/B.jpg 1", "dog/a.JPEG 1",
                          "dog/b.jpg 1", "dog/z/1.jpg 1", "dog/z-2/1.jpg 1"));
}

TEST(ImageFolder, Links_AreFollowedButNotInCircles) {
  const test::TemporaryFolder root;
  root.write("a/1.jpg", "");
  fs::create_directory_symlink("..", root.path() / "a" / "up");
  fs::create_directory_symlink("a", root.path() / "b");
  fs::create_symlink("nowhere.jpg", root.path() / "a" / "2.jpg");
  const data::ImageFolder found = data::scan_image_folder(root.path());
  EXPECT_THAT(found.classes, ElementsAre("a", "b"));
  EXPECT_LT(found.files.size(), 20U);
  EXPECT_THAT(relative(found, root.path()).front(), "a/1.jpg 0");
}

TEST(ImageFolder, WrongFolder_IsNamed) {
  const test::TemporaryFolder root;
  const std::string missing = (root.path() / "none").string();
  EXPECT_THAT(
      [&] { (void)data::scan_image_folder(missing); },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr(missing), HasSubstr("stepbench data make"))));
  EXPECT_THAT([&] { (void)data::scan_image_folder(root.path()); },
              ThrowsMessage<ConfigError>(HasSubstr("no sub-folder")));
  root.write("file", "");
  EXPECT_THAT([&] { (void)data::scan_image_folder(root.path() / "file"); },
              ThrowsMessage<ConfigError>(HasSubstr("is not a folder")));
  root.write("empty/readme.txt", "");
  EXPECT_THAT([&] { (void)data::scan_image_folder(root.path()); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("/empty:"), HasSubstr("has no image"))));
}

data::JpegFolderPlan small(const fs::path& out) {
  return {.out = out, .images = 7, .classes = 3, .width = 40, .height = 30};
}

TEST(MakeJpegFolder, EachClass_IsFilledWithProgress) {
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

TEST(MakeJpegFolder, Images_FollowFromSeedAndIndex) {
  const data::JpegFolderPlan plan = small("");
  EXPECT_EQ(data::make_photograph(plan, 3), data::make_photograph(plan, 3));
  EXPECT_NE(data::make_photograph(plan, 3), data::make_photograph(plan, 4));
  data::JpegFolderPlan other = plan;
  other.seed = 1;
  EXPECT_NE(data::make_photograph(plan, 3), data::make_photograph(other, 3));
}

TEST(MakeJpegFolder, FileSizes_AreThoseOfImageNet) {
  const data::JpegFolderPlan plan;
  double bytes = 0;
  constexpr int kImages = 40;
  for (int i = 0; i < kImages; ++i)
    bytes += static_cast<double>(data::make_photograph(plan, i).size());
  EXPECT_NEAR(bytes / kImages, 109e3, 11e3);
}

}  // namespace
}  // namespace stepbench
