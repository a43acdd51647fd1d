// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "workloads/data/internal/generate/jpeg_encoder.h"
#include "workloads/data/internal/jpeg/jpeg_decoder.h"
#include "workloads/data/random.h"

namespace stepbench::test {

using Rgb = std::array<std::uint8_t, 3>;

// Coarse blocks and fine noise: every coefficient of the transform is used.
inline std::vector<std::uint8_t> noise(const data::JpegEncoding& encoding, std::uint64_t seed) {
  data::Philox random(seed, 77);
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < encoding.height; ++y) {
    for (int x = 0; x < encoding.width; ++x) {
      for (int c = 0; c < encoding.components; ++c) {
        const auto coarse = static_cast<unsigned>((x / 5 * 37 + y / 7 * 59 + c * 83) % 160);
        pixels.push_back(static_cast<std::uint8_t>(coarse + random.next() % 80));
      }
    }
  }
  return pixels;
}

inline std::vector<Rgb> decode(data::JpegDecoder& decoder, std::span<const std::byte> file,
                               const data::JpegDecoder::Region& region) {
  (void)decoder.open(file);
  decoder.start(region);
  std::vector<std::uint8_t> row(decoder.row_bytes());
  std::vector<Rgb> pixels;
  for (std::int64_t y = 0; y < region.height; ++y) {
    const std::uint8_t* pixel = decoder.next_row(row.data());
    for (std::int64_t x = 0; x < region.width; ++x, pixel += 4)
      pixels.push_back({pixel[0], pixel[1], pixel[2]});
  }
  decoder.close();
  return pixels;
}

// A small valid file.
inline std::vector<std::byte> jpeg(int width, int height, std::uint64_t seed) {
  const data::JpegEncoding encoding{.width = width, .height = height};
  return data::encode_jpeg(noise(encoding, seed), encoding);
}

}  // namespace stepbench::test
