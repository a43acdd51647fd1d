// SPDX-License-Identifier: Apache-2.0
// Encodes RGB bytes as a JPEG image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepbench::data {

struct JpegEncoding {
  int width = 0;
  int height = 0;
  int components = 3;  // 1: grey, 3: RGB, 4: CMYK, inverted as Adobe writes it
  int quality = 90;
  int chroma_horizontal = 2;  // luma samples per chroma sample in each direction
  int chroma_vertical = 2;
  bool progressive = false;
  int restart_rows = 0;    // block rows between restart markers; 0: none
  bool own_codes = false;  // Huffman codes optimised for this image; always used if progressive
};

// Encodes rows of `components` bytes per pixel, top to bottom. Throws Error if libjpeg fails.
[[nodiscard]] std::vector<std::byte> encode_jpeg(std::span<const std::uint8_t> pixels,
                                                 const JpegEncoding& encoding);

}  // namespace stepbench::data
