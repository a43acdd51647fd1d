// SPDX-License-Identifier: Apache-2.0
// Huffman decoder for JPEG files that replaces libjpeg's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/data/jpeg/huffman_table.h"

struct jpeg_decompress_struct;

namespace stepbench::data {

// Replaces the Huffman decoding, most of the work, in a file that libjpeg decodes: several times
// fewer instructions per bit, and fewer still for skipped coefficients. Same coefficients, same
// errors. One thread; reusable for one file after another.
class HuffmanScan {
 public:
  // MCUs in columns [first, last] are decoded; the others are skipped.
  struct Columns {
    std::uint32_t first = 0, last = 0;
  };
  // Call between jpeg_start_decompress() and the first row. Takes over only if the file is baseline
  // with one scan and no restarts, and libjpeg is a version with known internals; otherwise libjpeg
  // decodes itself. Uses info.client_data until the file is closed.
  void take_over(jpeg_decompress_struct& info, const Columns& columns);

 private:
  struct Hook;
  struct Block {  // block of an MCU
    const HuffmanTable* dc = nullptr;
    const HuffmanTable* ac = nullptr;
    std::size_t component = 0;
    bool ac_wanted = true;
  };
  static constexpr std::size_t kMaxTables = 4;

  void unstuff(std::span<const std::uint8_t> scan);
  void read_tables(const jpeg_decompress_struct& info);

  std::array<HuffmanTable, kMaxTables> dc_, ac_;
  std::vector<std::uint8_t> bytes_;  // the scan's bytes, then zeros
  const std::uint8_t* end_ = nullptr;
  BitReader bits_;
  std::vector<Block> blocks_;
  std::array<std::int64_t, kMaxTables> last_dc_{};  // by component
  Columns columns_;
  std::uint32_t column_ = 0, columns_in_row_ = 0;
};

}  // namespace stepbench::data
