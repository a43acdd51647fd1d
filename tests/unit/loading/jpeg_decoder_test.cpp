// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/jpeg/jpeg_decoder.h"

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/loading/test_images.h"
#include "workloads/data/random.h"

namespace stepbench {
namespace {

using test::decode;
using test::noise;

struct Format {
  const char* name;
  data::JpegEncoding encoding;
};

std::ostream& operator<<(std::ostream& out, const Format& format) { return out << format.name; }

class PartialDecode : public testing::TestWithParam<Format> {};

TEST_P(PartialDecode, EachRegion_MatchesAFullDecode) {
  data::Philox random(5, 0);
  for (const auto& [width, height] :
       {std::pair{97, 61}, std::pair{200, 131}, std::pair{16, 16}, std::pair{33, 150}}) {
    data::JpegEncoding encoding = GetParam().encoding;
    encoding.width = width;
    encoding.height = height;
    const std::vector<std::byte> file = data::encode_jpeg(noise(encoding, 1), encoding);
    data::JpegDecoder decoder;
    const auto full =
        decode(decoder, file, {.left = 0, .top = 0, .width = width, .height = height});
    for (int i = 0; i < 60; ++i) {
      data::JpegDecoder::Region region;
      region.left = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(width)));
      region.top = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(height)));
      region.width = 1 + static_cast<std::int64_t>(
                             random.below(static_cast<std::uint64_t>(width - region.left)));
      region.height = 1 + static_cast<std::int64_t>(
                              random.below(static_cast<std::uint64_t>(height - region.top)));
      const auto part = decode(decoder, file, region);
      for (std::int64_t y = 0; y < region.height; ++y) {
        for (std::int64_t x = 0; x < region.width; ++x) {
          const auto at = static_cast<std::size_t>((region.top + y) * width + region.left + x);
          ASSERT_EQ(part[static_cast<std::size_t>(y * region.width + x)], full[at])
              << "pixel " << x << "," << y << " of " << region.width << "x" << region.height << "+"
              << region.left << "+" << region.top << " in " << width << "x" << height;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, PartialDecode,
    testing::Values(Format{"444", {.chroma_horizontal = 1, .chroma_vertical = 1}},
                    Format{"422", {.chroma_horizontal = 2, .chroma_vertical = 1}},
                    Format{"420", {}},
                    Format{"440", {.chroma_horizontal = 1, .chroma_vertical = 2}},
                    Format{"411", {.chroma_horizontal = 4, .chroma_vertical = 1}},
                    Format{"410", {.chroma_horizontal = 4, .chroma_vertical = 2}},
                    Format{"grey", {.components = 1}}, Format{"cmyk", {.components = 4}},
                    Format{"progressive", {.progressive = true}},
                    Format{"progressive_444",
                           {.chroma_horizontal = 1, .chroma_vertical = 1, .progressive = true}},
                    Format{"restarts", {.restart_rows = 1}}),
    [](const auto& instance) { return instance.param.name; });

TEST(JpegDecoder, Grey_IsEqualInAllChannels) {
  const data::JpegEncoding encoding{.width = 9, .height = 5, .components = 1};
  data::JpegDecoder decoder;
  for (const test::Rgb& pixel : decode(decoder, data::encode_jpeg(noise(encoding, 2), encoding),
                                       {.left = 0, .top = 0, .width = 9, .height = 5})) {
    EXPECT_EQ(pixel[0], pixel[1]);
    EXPECT_EQ(pixel[0], pixel[2]);
  }
}

TEST(JpegDecoder, InvertedInks_MatchPillow) {
  const data::JpegEncoding encoding{.width = 8, .height = 8, .components = 4, .quality = 100};
  std::vector<std::uint8_t> pixels(8 * 8 * 4);
  for (std::size_t i = 0; i < pixels.size(); i += 4) {  // as Adobe stores it: 255 is no ink
    pixels[i] = 255, pixels[i + 1] = 155, pixels[i + 2] = 55, pixels[i + 3] = 205;
  }
  data::JpegDecoder decoder;
  const auto got = decode(decoder, data::encode_jpeg(pixels, encoding),
                          {.left = 3, .top = 3, .width = 1, .height = 1});
  EXPECT_EQ(got[0],
            (test::Rgb{205, 125, 44}));  // Image.merge("CMYK", (0, 100, 200, 50)).convert("RGB")
}

class BadFile : public testing::Test {
 protected:
  const data::JpegEncoding encoding{.width = 64, .height = 48};
  std::vector<std::byte> file = data::encode_jpeg(noise(encoding, 3), encoding);
  data::JpegDecoder decoder;
  void read() { (void)decode(decoder, file, {.left = 0, .top = 0, .width = 64, .height = 48}); }
};

TEST_F(BadFile, EmptyOrForeign_IsNamed) {
  file.clear();
  EXPECT_THAT([&] { read(); }, ThrowsMessage<Error>("the file is empty"));
  file.assign(100, std::byte{'x'});
  EXPECT_THAT([&] { read(); }, ThrowsMessage<Error>(HasSubstr("not a readable JPEG")));
}

TEST_F(BadFile, EachCut_IsAnError) {
  const std::vector<std::byte> whole = file;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    file.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(read(), Error) << size << " bytes";
  }
}

TEST_F(BadFile, Truncation_IsFoundOutsideTheRegion) {
  file.resize(file.size() - 40);
  EXPECT_THAT([&] { (void)decode(decoder, file, {.left = 0, .top = 0, .width = 8, .height = 1}); },
              ThrowsMessage<Error>(HasSubstr("truncated")));
}

TEST_F(BadFile, ImpossibleSize_IsRejectedUpFront) {
  const auto declare = [&](unsigned width, unsigned height) {
    for (std::size_t i = 0; i + 9 < file.size(); ++i) {
      if (file[i] == std::byte{0xFF} && file[i + 1] == std::byte{0xC0}) {
        file[i + 5] = static_cast<std::byte>(height >> 8),
                 file[i + 6] = static_cast<std::byte>(height & 255);
        file[i + 7] = static_cast<std::byte>(width >> 8),
                 file[i + 8] = static_cast<std::byte>(width & 255);
        return;
      }
    }
    FAIL() << "no frame header";
  };
  declare(65'500, 65'500);
  EXPECT_THAT([&] { read(); }, ThrowsMessage<Error>(HasSubstr("more than the limit")));
  declare(12'000, 12'000);
  EXPECT_THAT([&] { read(); }, ThrowsMessage<Error>(HasSubstr("cannot hold")));
}

TEST_F(BadFile, NextFile_IsReadable) {
  const std::vector<std::byte> whole = file;
  file.resize(300);
  EXPECT_THROW(read(), Error);
  file = whole;
  EXPECT_NO_THROW(read());
}

// Bytes changed at random places give an image or an Error. The seeds are fixed.
TEST_F(BadFile, DamagedFiles_AreReadOrRejected) {
  for (const bool progressive : {false, true}) {
    data::JpegEncoding small{.width = 40, .height = 24, .progressive = progressive};
    const std::vector<std::byte> whole = data::encode_jpeg(noise(small, 4), small);
    int refused = 0;
    for (std::uint64_t seed = 0; seed < 5'000; ++seed) {
      data::Philox random(seed, 0);
      file = whole;
      for (std::uint64_t damage = 0; damage <= random.below(4); ++damage) {
        file[random.below(file.size())] = static_cast<std::byte>(random.below(256));
      }
      try {
        const data::JpegDecoder::Size size = decoder.open(file);
        const data::JpegDecoder::Region all{.left = 0,
                                            .top = 0,
                                            .width = size.width,
                                            .height = std::min<std::int64_t>(size.height, 64)};
        (void)decode(decoder, file, all);
      } catch (const Error&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 100);
    EXPECT_LT(refused, 5'000);
  }
}

}  // namespace
}  // namespace stepbench
