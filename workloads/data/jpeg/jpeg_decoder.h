// SPDX-License-Identifier: Apache-2.0
// Decodes a JPEG image, whole or a part of it, to RGB bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace stepbench::data {

// Decodes a rectangle of a baseline or progressive JPEG file in memory to 8-bit RGB, 4 bytes per
// pixel (the fourth is undefined), as Pillow's Image.open(f).convert("RGB") does: exact integer
// IDCT, smooth chroma upsampling, CMYK and YCCK taken as Adobe's inverted ones, EXIF orientation
// not applied. Only the rows and columns asked for are computed, with the same bits as a full
// decode. One thread; reusable for one file after another. Throws Error without a file name.
class JpegDecoder {
 public:
  // own_huffman: our reader of the entropy-coded part where it can take over, for the same pixels;
  // else libjpeg's, as everyone else has it.
  explicit JpegDecoder(bool own_huffman = true);
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;  // one per thread
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  struct Size {
    std::int64_t width = 0;
    std::int64_t height = 0;
  };
  // Pixels beyond this are refused as a decompression bomb; Pillow's limit.
  static constexpr std::int64_t kMaxPixels = 178'956'970;

  // `file` must stay valid until close() or the next open().
  [[nodiscard]] Size open(std::span<const std::byte> file);
  // The image is to be decoded at 1/divisor of its size, rounded up: 1, 2, 4 or 8. Before start().
  [[nodiscard]] Size shrink(int divisor);

  struct Region {
    std::int64_t left = 0, top = 0, width = 0, height = 0;
  };
  // Decodes no more than `region`. Afterwards rows come one by one from its top.
  void start(const Region& region);
  [[nodiscard]] std::size_t row_bytes() const;  // that next_row() writes
  // Writes the next row to `out`; returns where in it the region's first pixel stands.
  [[nodiscard]] const std::uint8_t* next_row(std::uint8_t* out);
  void close() noexcept;  // forgets the file; also after an error

 private:
  struct State;
  std::unique_ptr<State> state_;
  bool own_huffman_;
};

}  // namespace stepbench::data
