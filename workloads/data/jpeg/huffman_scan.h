// SPDX-License-Identifier: Apache-2.0
// Huffman decoding of a JPEG file in place of libjpeg's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/data/jpeg/huffman_table.h"

struct jpeg_decompress_struct;

namespace stepbench::data {

// Does the Huffman decoding of a file that libjpeg decodes, which is most of the work: several
// times fewer instructions per bit, fewer still where no coefficient is wanted. The same
// coefficients, the same errors. One thread; reusable for one file after another.
class HuffmanScan {
 public:
  // MCUs in columns [first, last] are wanted; the others are only stepped over.
  struct Columns {
    std::uint32_t first = 0, last = 0;
  };
  // Between jpeg_start_decompress() and the first row. Takes over where the file is baseline with
  // one scan, without restarts, in a libjpeg whose inside is known; else libjpeg goes on by itself.
  // Uses info.client_data until the file is forgotten.
  void take_over(jpeg_decompress_struct& info, const Columns& columns);

 private:
  struct Hook;
  struct Block {  // of an MCU
    const HuffmanTable* dc = nullptr;
    const HuffmanTable* ac = nullptr;
    std::size_t component = 0;
    bool ac_wanted = true;
  };
  static constexpr std::size_t kMaxTables = 4;

  void unstuff(std::span<const std::uint8_t> scan);
  void read_tables(const jpeg_decompress_struct& info);

  std::array<HuffmanTable, kMaxTables> dc_, ac_;
  std::vector<std::uint8_t> bytes_;  // the scan's, then zeros
  const std::uint8_t* end_ = nullptr;
  BitReader bits_;
  std::vector<Block> blocks_;
  std::array<std::int64_t, kMaxTables> last_dc_{};  // by component
  Columns columns_;
  std::uint32_t column_ = 0, columns_in_row_ = 0;
};

}  // namespace stepbench::data
