// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/jpeg/image_folder.h"

#include <gmock/gmock.h>

#include "harness/base/error.h"
#include "tests/unit/loading/test_images.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::string> relative(const data::ImageFolder& folder, const fs::path& root) {
  std::vector<std::string> names;
  for (const data::ImageFolder::File& file : folder.files) {
    names.push_back(fs::path(file.path).lexically_relative(root).string() + " " +
                    std::to_string(file.label));
  }
  return names;
}

TEST(ImageFolder, ListsClassesAndFilesInTheOrderOfTorchvision) {
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

TEST(ImageFolder, FollowsLinksButNotInCircles) {
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

TEST(ImageFolder, SaysWhichFolderIsWrongAndHow) {
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

}  // namespace
}  // namespace stepbench
