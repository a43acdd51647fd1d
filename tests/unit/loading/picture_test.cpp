// SPDX-License-Identifier: Apache-2.0
// Pictures of samples: the original bytes in the right channels and places, and a PNG file that
// other programs can read.
#include "workloads/loader/internal/preview/picture.h"

#include <png.h>

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/loading/formats.h"
#include "workloads/data/internal/jpeg/jpeg_folder.h"

namespace stepbench {
namespace {

FieldSpec image_spec(std::vector<std::int64_t> shape, DType dtype) {
  return {.name = "image", .shape = std::move(shape), .dtype = dtype};
}

loader::Picture picture_of(const auto& numbers, const FieldSpec& spec,
                           const std::optional<data::PixelScale>& pixels = {}) {
  return loader::to_picture(std::as_bytes(std::span(numbers)).data(), spec,
                            *loader::picture_layout(spec), pixels);
}

using Colour = std::array<int, 3>;

Colour colour_at(const loader::Picture& picture, int x, int y) {
  const auto first = picture.rgb.begin() + 3 * (y * picture.width + x);
  return {first[0], first[1], first[2]};
}

TEST(PictureLayout, OneOrThreeChannels_AreFound) {
  const auto channels = [](std::vector<std::int64_t> shape, DType dtype = DType::kUInt8) {
    const auto layout = loader::picture_layout(image_spec(std::move(shape), dtype));
    return layout ? layout->channels * (layout->channels_last ? -1 : 1) : 0;
  };
  EXPECT_EQ(channels({3, 224, 200}), 3);
  EXPECT_EQ(channels({224, 200, 3}), -3);
  EXPECT_EQ(channels({1, 28, 28}, DType::kFloat32), 1);
  EXPECT_EQ(channels({28, 28}), 1);
  EXPECT_EQ(channels({64, 14, 14}), 0);
  EXPECT_EQ(channels({1024}), 0);
  EXPECT_EQ(channels({3, 224, 224}, DType::kInt64), 0);
}

TEST(Picture, Bytes_AreShownUnchanged) {
  std::vector<std::uint8_t> planes(3 * 4 * 5);
  for (std::size_t i = 0; i < planes.size(); ++i) planes[i] = static_cast<std::uint8_t>(i);
  const loader::Picture picture = picture_of(planes, image_spec({3, 4, 5}, DType::kUInt8));
  EXPECT_EQ(picture.width, 5);
  EXPECT_EQ(picture.height, 4);
  EXPECT_EQ(colour_at(picture, 2, 1), (Colour{7, 27, 47}));
  const loader::Picture last = picture_of(planes, image_spec({4, 5, 3}, DType::kUInt8));
  EXPECT_EQ(colour_at(last, 2, 1), (Colour{21, 22, 23}));
}

TEST(Picture, NormalisedNumbers_GiveTheImage) {
  // Half of it red: swapped channels, a wrong mean or a wrong place would be visible.
  const test::TemporaryFolder root;
  const data::JpegEncoding encoding{.width = 32, .height = 32};
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < 32 * 32; ++i) {
    const bool left = i % 32 < 16;
    for (const int value : {left ? 220 : 20, 40, left ? 30 : 200}) {
      rgb.push_back(static_cast<std::uint8_t>(value));
    }
  }
  root.write("set/a/1.jpg", data::encode_jpeg(rgb, encoding));
  const data::JpegFolder data({.path = root / "set", .image_size = 28, .augment = false});
  const auto image = test::numbers<float>(test::sample(data, {}).at(0));
  const loader::Picture picture = picture_of(image, data.fields()[0], data.facts().pixels);
  const auto expect_near = [](Colour colour, Colour expected) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(colour[c], expected[c], 12) << "channel " << c;
  };
  expect_near(colour_at(picture, 4, 14), {220, 40, 30});
  expect_near(colour_at(picture, 23, 14), {20, 40, 200});
}

TEST(Picture, OtherNumbers_AreScaledAndShowNaN) {
  std::vector<float> numbers(16, 5.0F);
  numbers[0] = -5.0F;
  numbers[1] = std::numeric_limits<float>::quiet_NaN();
  const loader::Picture picture = picture_of(numbers, image_spec({4, 4}, DType::kFloat32));
  EXPECT_EQ(colour_at(picture, 0, 0), (Colour{0, 0, 0}));
  EXPECT_EQ(colour_at(picture, 3, 3), (Colour{255, 255, 255}));
  EXPECT_EQ(colour_at(picture, 1, 0), (Colour{255, 0, 255}));
}

TEST(PngFile, Picture_ReadsBackAndNeverOverwrites) {
  const test::TemporaryFolder root;
  loader::Picture picture{.width = 5, .height = 3, .rgb = std::vector<std::uint8_t>(45, 77)};
  picture.rgb.back() = 3;
  loader::write_png(picture, root / "a.png");
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&image, (root / "a.png").c_str()), 0);
  EXPECT_EQ(image.width, 5U);
  EXPECT_EQ(image.height, 3U);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> rgb(PNG_IMAGE_SIZE(image));
  ASSERT_NE(png_image_finish_read(&image, nullptr, rgb.data(), 0, nullptr), 0);
  EXPECT_EQ(rgb, picture.rgb);
  EXPECT_THAT([&] { loader::write_png(picture, root / "a.png"); },
              ThrowsMessage<ConfigError>(HasSubstr("a.png: already exists")));
  EXPECT_THAT([&] { loader::write_png(picture, root / "absent/a.png"); },
              ThrowsMessage<ConfigError>(HasSubstr("cannot be made: No such file")));
}

}  // namespace
}  // namespace stepbench
