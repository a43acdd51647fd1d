// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/jpeg/jpeg_folder.h"

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/loading/formats.h"

namespace stepbench {
namespace {

struct Sample {
  std::vector<float> image;
  std::int64_t label = -1;
  std::int64_t skipped = 0;
  bool operator==(const Sample&) const = default;
};

Sample read(const data::JpegFolder& data, const data::SampleKey& key) {
  data::ReadCost cost;
  const auto fields = test::sample(data, key, &cost);
  return {.image = test::numbers<float>(fields[0]),
          .label = test::numbers<std::int64_t>(fields[1]).at(0),
          .skipped = cost.skipped};
}

class JpegFolderTest : public testing::Test {
 protected:
  JpegFolderTest() {
    root.write("a/0.jpg", test::jpeg(80, 60, 1));
    root.write("a/1.jpg", test::jpeg(60, 80, 2));
    root.write("b/2.jpg", test::jpeg(200, 30, 3));
  }
  [[nodiscard]] data::JpegFolder data(bool skip = false, bool augment = true) const {
    return data::JpegFolder(
        {.path = root.path(), .image_size = 32, .augment = augment, .skip_errors = skip});
  }
  test::TemporaryFolder root;
};

TEST_F(JpegFolderTest, Sample_DependsOnSeedEpochAndIndex) {
  const data::JpegFolder folder = data();
  const Sample expected = read(folder, {.index = 0, .seed = 1, .epoch = 2});
  EXPECT_EQ(read(folder, {.index = 0, .seed = 1, .epoch = 2}), expected);
  EXPECT_NE(read(folder, {.index = 0, .seed = 1, .epoch = 3}).image, expected.image);
  EXPECT_NE(read(folder, {.index = 0, .seed = 2, .epoch = 2}).image, expected.image);
  const data::JpegFolder plain = data(false, false);
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read(plain, {.index = i, .seed = 1, .epoch = 0}),
              read(plain, {.index = i, .seed = 2, .epoch = 7}));
  }
  // A decoder that was used for another sample gives the same result.
  const auto used = folder.make_scratch();
  std::vector<float> image(expected.image.size());
  std::int64_t label = -1;
  const std::array<std::byte*, 2> slots = {reinterpret_cast<std::byte*>(image.data()),
                                           reinterpret_cast<std::byte*>(&label)};
  data::ReadCost cost;
  folder.read({.index = 2, .seed = 9, .epoch = 4}, slots, *used, cost);
  folder.read({.index = 0, .seed = 1, .epoch = 2}, slots, *used, cost);
  EXPECT_EQ(image, expected.image);
  // Labels are the positions of the sorted classes.
  EXPECT_EQ(folder.classes(), 2);
  EXPECT_EQ(read(folder, {.index = 1}).label, 0);
  EXPECT_EQ(read(folder, {.index = 2}).label, 1);
}

TEST_F(JpegFolderTest, UniformImage_BecomesItsColour) {
  const data::JpegEncoding encoding{.width = 50, .height = 40, .quality = 100};
  root.write("a/0.jpg", data::encode_jpeg(std::vector<std::uint8_t>(50 * 40 * 3, 128), encoding));
  const Sample sample = read(data(), {.index = 0});
  for (const float value : std::span(sample.image).first(32 * 32)) {
    ASSERT_NEAR(value, (128 / 255.0 - 0.485) / 0.229, 0.02);
  }
}

TEST_F(JpegFolderTest, UnreadableFile_IsNamed) {
  const data::JpegFolder folder = data();
  for (const auto& [content, said] :
       {std::pair("this is no image at all", "not a readable JPEG"),
        std::pair("\x89PNG\r\n", "is a PNG file"), std::pair("", "the file is empty")}) {
    root.write("a/1.jpg", content);
    EXPECT_THAT([&] { (void)read(data(), {.index = 1}); },
                ThrowsMessage<Error>(AllOf(HasSubstr("a/1.jpg: "), HasSubstr(said))));
  }
  fs::remove(root.path() / "a" / "0.jpg");
  EXPECT_THAT([&] { (void)read(folder, {.index = 0}); },
              ThrowsMessage<Error>(HasSubstr("cannot be opened")));
}

TEST_F(JpegFolderTest, Skip_TakesTheNextReadableImage) {
  root.write("b/2.jpg", "damaged");
  const data::JpegFolder folder = data(true);
  const Sample sample = read(folder, {.index = 2, .seed = 5});
  EXPECT_EQ(sample.skipped, 1);
  EXPECT_EQ(sample.image, read(folder, {.index = 0, .seed = 5}).image);
  EXPECT_EQ(sample.label, 0);
}

TEST_F(JpegFolderTest, Skip_GivesUpWithoutReadableImages) {
  for (const char* name : {"a/0.jpg", "a/1.jpg", "b/2.jpg"}) root.write(name, "damaged");
  EXPECT_THAT([&] { (void)read(data(true), {.index = 1}); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("3 unreadable samples in a row"), HasSubstr("a/1.jpg"))));
}

TEST_F(JpegFolderTest, Digest_FollowsCountAndBytes) {
  const std::string before = data().digest();
  EXPECT_EQ(data().digest(), before);
  root.write("b/3.jpg", test::jpeg(20, 20, 4));
  EXPECT_NE(data().digest(), before);
}

TEST_F(JpegFolderTest, BothDecoders_GiveTheSameSample) {
  root.write("a/0.jpg", test::jpeg(640, 480, 9));
  const data::JpegFolder ours({.path = root.path(), .image_size = 32});
  const data::JpegFolder libjpegs({.path = root.path(), .image_size = 32, .own_huffman = false});
  for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
    EXPECT_EQ(read(ours, {.index = 0, .epoch = epoch}),
              read(libjpegs, {.index = 0, .epoch = epoch}));
  }
}

TEST_F(JpegFolderTest, FastDecode_DiffersForLargeCropsOnly) {
  root.write("a/0.jpg", test::jpeg(1200, 900, 8));
  const data::JpegFolder exact = data(false, false);
  const data::JpegFolder fast(
      {.path = root.path(), .image_size = 32, .augment = false, .fast_decode = true});
  const Sample a = read(exact, {.index = 0});
  const Sample b = read(fast, {.index = 0});
  double squares = 0;
  for (std::size_t i = 0; i < a.image.size(); ++i)
    squares += std::pow((a.image[i] - b.image[i]) * 0.225, 2);
  EXPECT_GT(squares, 0);
  EXPECT_GT(-10 * std::log10(squares / static_cast<double>(a.image.size())), 30);  // decibels
  EXPECT_EQ(read(exact, {.index = 2}), read(fast, {.index = 2}));                  // 30 pixels high
}

}  // namespace
}  // namespace stepbench
