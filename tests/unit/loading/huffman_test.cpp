// SPDX-License-Identifier: Apache-2.0
#include "tests/testing.h"
#include "tests/unit/loading/test_images.h"
#include "workloads/data/internal/jpeg/huffman_scan.h"

namespace stepbench {
namespace {

constexpr int kBlock = 64;

// A code with up to 16 bits; some bit patterns are invalid.
data::HuffmanTable::Code random_code(data::Philox& random) {
  data::HuffmanTable::Code code;
  std::iota(code.symbol.begin(), code.symbol.end(), std::uint8_t{0});
  for (std::size_t i = code.symbol.size() - 1; i > 0; --i)
    std::swap(code.symbol[i], code.symbol[random.below(i + 1)]);
  std::uint64_t free = 1, used = 0;
  for (std::size_t length = 1; length < code.count.size(); ++length) {
    free *= 2;
    const std::uint64_t most = std::min<std::uint64_t>(free - 1, 256 - used);
    code.count[length] = static_cast<std::uint8_t>(std::min<std::uint64_t>(
        random.below(most + 1), length < 6 ? std::uint64_t{3} : std::uint64_t{40}));
    free -= code.count[length];
    used += code.count[length];
  }
  return code;
}

struct Plain {
  int run = 0, size = 0, value = 0, length = 0;
};

// As in the standard: bit by bit, code by code.
std::optional<Plain> read_plainly(const data::HuffmanTable::Code& code, std::uint64_t window) {
  std::uint64_t next = 0;
  std::size_t index = 0;
  for (int length = 1; length <= 16; ++length, next *= 2) {
    for (int i = 0; i < code.count[static_cast<std::size_t>(length)]; ++i, ++next, ++index) {
      if (window >> (64 - length) != next) continue;
      Plain plain{.run = code.symbol[index] / 16, .size = code.symbol[index] % 16};
      for (int bit = 0; bit < plain.size; ++bit)
        plain.value = 2 * plain.value + static_cast<int>(window >> (63 - length - bit) & 1);
      const bool negative = plain.size > 0 && (window >> (63 - length) & 1) == 0;
      if (negative) plain.value -= (1 << plain.size) - 1;
      if (plain.size == 0 && plain.run != 15) plain.run = kBlock;
      plain.length = length + plain.size;
      return plain;
    }
  }
  return std::nullopt;
}

std::uint64_t random_window(data::Philox& random) {
  return std::uint64_t{random.next()} << 32 | random.next();
}

TEST(HuffmanTable, RandomCodes_MatchTheStandard) {
  data::Philox random(1, 0);
  data::HuffmanTable table;
  int invalid = 0;
  for (int codes = 0; codes < 20; ++codes) {
    const data::HuffmanTable::Code code = random_code(random);
    table.build(code);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t window = random_window(random);
      const data::HuffmanTable::Symbol got = table.at(window);
      const std::optional<Plain> expected = read_plainly(code, window);
      invalid += expected ? 0 : 1;
      ASSERT_EQ(got.length, expected ? expected->length : 0);
      ASSERT_EQ(got.run, expected ? expected->run : kBlock);
      ASSERT_EQ(got.value, expected ? expected->value : 0);
    }
  }
  EXPECT_GT(invalid, 1'000);
}

TEST(HuffmanTable, SeveralSymbols_MatchSingleReads) {
  data::Philox random(2, 0);
  data::HuffmanTable table;
  int more_than_one = 0;
  for (int codes = 0; codes < 20; ++codes) {
    const data::HuffmanTable::Code code = random_code(random);
    table.build(code);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t window = random_window(random);
      int length = 0, advance = 0, symbols = 0;
      bool ends = false;
      while (!ends && advance < kBlock) {
        const std::optional<Plain> next = read_plainly(code, window << length);
        if (!next || length + next->length > data::HuffmanTable::kBits) break;
        ends = next->run == kBlock;
        length += next->length;
        advance += ends ? 1 : next->run + 1;
        ++symbols;
      }
      const data::HuffmanTable::Several got = table.several_at(window);
      ASSERT_EQ(got.length, length);
      ASSERT_EQ(got.advance, symbols == 0 ? data::HuffmanTable::kNone
                                          : advance + (ends ? data::HuffmanTable::kEnds : 0));
      more_than_one += symbols > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(more_than_one, 10'000);
}

// Also for the same image with restarts, which libjpeg decodes itself.
TEST(HuffmanScan, RandomImages_MatchLibjpegsPixels) {
  const auto pixels_of = [](const data::JpegEncoding& encoding, bool own_huffman = true) {
    data::JpegDecoder decoder(own_huffman);
    return test::decode(decoder, data::encode_jpeg(test::noise(encoding, 6), encoding),
                        {.left = 0, .top = 0, .width = encoding.width, .height = encoding.height});
  };
  for (const int components : {1, 3, 4}) {
    for (const int quality : {1, 30, 75, 95, 100}) {
      for (const int chroma : {1, 2}) {
        for (const bool own_codes : {false, true}) {
          data::JpegEncoding encoding{.width = 203,
                                      .height = 117,
                                      .components = components,
                                      .quality = quality,
                                      .chroma_horizontal = chroma,
                                      .chroma_vertical = chroma,
                                      .own_codes = own_codes};
          const auto ours = pixels_of(encoding);
          ASSERT_EQ(ours, pixels_of(encoding, false));
          encoding.restart_rows = 1;
          ASSERT_EQ(ours, pixels_of(encoding))
              << components << " components, quality " << quality << ", chroma 1/" << chroma
              << (own_codes ? ", own codes" : "");
        }
      }
    }
  }
}

TEST(HuffmanScan, OwnCodes_AreReadInTurn) {
  data::JpegDecoder used;
  for (const bool own_codes : {false, true, false, true}) {
    const data::JpegEncoding encoding{
        .width = 90, .height = 70, .quality = own_codes ? 60 : 95, .own_codes = own_codes};
    const std::vector<std::byte> file = data::encode_jpeg(test::noise(encoding, 7), encoding);
    const data::JpegDecoder::Region part{.left = 40, .top = 30, .width = 20, .height = 20};
    data::JpegDecoder fresh;
    EXPECT_EQ(test::decode(used, file, part), test::decode(fresh, file, part));
  }
}

// Bytes between a code's end and the next marker, and several 0xFF before that, are allowed.
TEST(HuffmanScan, FillBytes_AreAccepted) {
  const data::JpegEncoding encoding{.width = 48, .height = 40};
  std::vector<std::byte> file = data::encode_jpeg(test::noise(encoding, 8), encoding);
  const data::JpegDecoder::Region all{.left = 0, .top = 0, .width = 48, .height = 40};
  data::JpegDecoder decoder;
  const auto expected = test::decode(decoder, file, all);
  file.insert(file.end() - 2, 5, std::byte{0xFF});
  EXPECT_EQ(test::decode(decoder, file, all), expected);
}

}  // namespace
}  // namespace stepbench
