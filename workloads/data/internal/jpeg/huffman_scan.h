// SPDX-License-Identifier: Apache-2.0
// Decodes the entropy-coded scan of a JPEG file, by tables for Huffman codes that take several bits
// at a time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace stepbench::data {

// The bits of a JPEG scan after unstuffing: the 0 byte after each 0xFF has been removed.
class BitReader {
 public:
  // Refills to at least 32 bits; a symbol with its value has at most 31. Eight bytes from `next` on
  // must be readable.
  void refill() {
    if (count >= 32) return;
    std::uint64_t word = 0;
    std::memcpy(&word, next, sizeof word);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    window |= word >> count;
    next += (63 - count) >> 3;
    count |= 56;
  }
  void drop(int bits) {
    window <<= bits;
    count -= bits;
  }
  // The first byte with no bit consumed.
  [[nodiscard]] const std::uint8_t* position() const { return next - (count >> 3); }

  std::uint64_t window = 0;  // the next bit is the most significant
  int count = 0;             // valid bits in it
  const std::uint8_t* next = nullptr;
};

// The Huffman code of a baseline JPEG. A symbol is a run of zeros and the size of the following
// value; one lookup of the next kBits bits yields both and usually the value too.
class HuffmanTable {
 public:
  static constexpr int kBits = 11;
  static constexpr int kMaxBits = 16;

  struct Code {                                      // as stored in the file
    std::array<std::uint8_t, kMaxBits + 1> count{};  // codes of each length
    std::array<std::uint8_t, 256> symbol{};          // in the order of their codes
    bool operator==(const Code&) const = default;
  };
  // `code` must be valid: no more codes of a length than can exist.
  void build(const Code& code);

  struct Symbol {
    std::int16_t value = 0;
    std::uint8_t run = 0;     // zeros before the value, or kEndOfBlock
    std::uint8_t length = 0;  // bits of code and value; 0: invalid code, ends the block
  };
  static constexpr std::uint8_t kEndOfBlock = 64;  // beyond all coefficients
  // `window`: the next bits, most significant first; at least 31 must be valid.
  [[nodiscard]] Symbol at(std::uint64_t window) const {
    const Symbol symbol = symbols_[window >> (64 - kBits)];
    return symbol.run != kLong ? symbol : long_symbol(symbol, window);
  }

  // As many symbols as fit completely into kBits bits, without their values.
  struct Several {
    std::uint8_t length = 0;
    // Coefficients; + kEnds if the last symbol ends the block, which counts as one.
    std::uint8_t advance = kNone;
  };
  static constexpr std::uint8_t kNone = 127;  // no complete symbol; exceeds a block's size
  static constexpr std::uint8_t kEnds = 128;
  [[nodiscard]] Several several_at(std::uint64_t window) const {
    return several_[window >> (64 - kBits)];
  }

 private:
  // Value of `run` if code and value do not fit into kBits. `length` is then the code's length if
  // the code fits, else 0, and `value` is the symbol as stored in the file.
  static constexpr std::uint8_t kLong = 128;
  static constexpr std::size_t kEntries = std::size_t{1} << kBits;

  [[nodiscard]] Symbol long_symbol(Symbol found, std::uint64_t window) const;
  [[nodiscard]] Several several_of(std::size_t bits) const;

  Code code_;
  bool built_ = false;
  alignas(64) std::array<Symbol, kEntries> symbols_;
  alignas(64) std::array<Several, kEntries> several_;
  // By length: the largest code (-1: none), and the offset from a code to its symbol's index.
  std::array<std::int32_t, kMaxBits + 1> largest_{}, offset_{};
};

}  // namespace stepbench::data

// Huffman decoder for JPEG files that replaces libjpeg's.

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
