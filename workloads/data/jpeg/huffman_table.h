// SPDX-License-Identifier: Apache-2.0
// Tables that decode Huffman codes of JPEG scans, several bits at a time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stepbench::data {

// The bits of a JPEG scan from the first on, without stuffing: the byte 0 after each 0xFF is gone.
class BitReader {
 public:
  // To 32 bits or more: any symbol with its value has 31 at most. Eight bytes from `next` on must
  // be readable.
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
  // The first byte of which no bit has been read.
  [[nodiscard]] const std::uint8_t* position() const { return next - (count >> 3); }

  std::uint64_t window = 0;  // the next bit is the highest
  int count = 0;             // valid bits in it
  const std::uint8_t* next = nullptr;
};

// The Huffman code of a baseline JPEG. A symbol is a run of zeros and the size of the value that
// follows; one look at the next kBits bits gives both and mostly the value too.
class HuffmanTable {
 public:
  static constexpr int kBits = 11;
  static constexpr int kMaxBits = 16;

  struct Code {                                      // as the file has it
    std::array<std::uint8_t, kMaxBits + 1> count{};  // codes of each length
    std::array<std::uint8_t, 256> symbol{};          // in the order of their codes
    bool operator==(const Code&) const = default;
  };
  // `code` must be valid: no more codes of a length than there can be.
  void build(const Code& code);

  struct Symbol {
    std::int16_t value = 0;
    std::uint8_t run = 0;     // zeros before the value, or kEndOfBlock
    std::uint8_t length = 0;  // bits of code and value; 0: the bits are no code, and the block ends
  };
  static constexpr std::uint8_t kEndOfBlock = 64;  // beyond all coefficients
  // `window`: the next bits from the highest on, 31 at least.
  [[nodiscard]] Symbol at(std::uint64_t window) const {
    const Symbol symbol = symbols_[window >> (64 - kBits)];
    return symbol.run != kLong ? symbol : long_symbol(symbol, window);
  }

  // As many symbols as lie whole in kBits bits, without their values.
  struct Several {
    std::uint8_t length = 0;
    std::uint8_t advance = kNone;  // coefficients; + kEnds where the last symbol ends the block,
                                   // which counts as one
  };
  static constexpr std::uint8_t kNone = 127;  // not even one symbol; more than a block has
  static constexpr std::uint8_t kEnds = 128;
  [[nodiscard]] Several several_at(std::uint64_t window) const {
    return several_[window >> (64 - kBits)];
  }

 private:
  // As run: code and value do not lie whole in kBits. `length` is that of the code where that does,
  // else 0, and `value` the symbol as the file has it.
  static constexpr std::uint8_t kLong = 128;
  static constexpr std::size_t kEntries = std::size_t{1} << kBits;

  [[nodiscard]] Symbol long_symbol(Symbol found, std::uint64_t window) const;
  [[nodiscard]] Several several_of(std::size_t bits) const;

  Code code_;
  bool built_ = false;
  alignas(64) std::array<Symbol, kEntries> symbols_;
  alignas(64) std::array<Several, kEntries> several_;
  // By length: the largest code, -1 for none, and what leads from a code to its symbol.
  std::array<std::int32_t, kMaxBits + 1> largest_{}, offset_{};
};

}  // namespace stepbench::data
