// SPDX-License-Identifier: Apache-2.0
// Decodes a JPEG image, or a part of it, to RGB bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace stepbench::data {

// Decodes a rectangle of a baseline or progressive JPEG file in memory to 8-bit RGB, 4 bytes per
// pixel (the fourth is undefined), as Pillow's Image.open(f).convert("RGB") does: exact integer
// IDCT, smooth chroma upsampling, CMYK and YCCK treated as Adobe's inverted variants, EXIF
// orientation not applied. Only the requested rows and columns are computed, bit-identical to a
// full decode. One thread; reusable for one file after another. Throws Error without a file name.
class JpegDecoder {
 public:
  // own_huffman: uses HuffmanScan where it can take over, for the same pixels; false: always
  // libjpeg's decoder.
  explicit JpegDecoder(bool own_huffman = true);
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;  // one per thread
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  struct Size {
    std::int64_t width = 0;
    std::int64_t height = 0;
  };
  // Larger images are rejected as decompression bombs; Pillow's limit.
  static constexpr std::int64_t kMaxPixels = 178'956'970;

  // `file` must stay valid until close() or the next open().
  [[nodiscard]] Size open(std::span<const std::byte> file);
  // Decodes at 1/divisor of the size, rounded up; divisor: 1, 2, 4 or 8. Call before start().
  [[nodiscard]] Size shrink(int divisor);

  struct Region {
    std::int64_t left = 0, top = 0, width = 0, height = 0;
  };
  // Decodes only `region`. Then read its rows one by one from the top.
  void start(const Region& region);
  [[nodiscard]] std::size_t row_bytes() const;  // bytes that next_row() writes
  // Writes the next row to `out`; returns the address of the region's first pixel in it.
  [[nodiscard]] const std::uint8_t* next_row(std::uint8_t* out);
  void close() noexcept;  // also call it after an error

 private:
  struct State;
  std::unique_ptr<State> state_;
  bool own_huffman_;
};

}  // namespace stepbench::data
