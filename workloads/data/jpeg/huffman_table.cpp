// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/jpeg/huffman_table.h"

namespace stepbench::data {
namespace {

constexpr int kBlockCoefficients = 64;

// Decodes a JPEG value of `size` bits: negative values begin with 0.
std::int16_t value_of(std::uint64_t bits, int size) {
  const auto value = static_cast<std::int32_t>(bits);
  const bool negative = size > 0 && value < 1 << (size - 1);
  return static_cast<std::int16_t>(negative ? value - (1 << size) + 1 : value);
}

// `symbol` as stored in the file, for a code of `length` bits at the start of `window`.
HuffmanTable::Symbol symbol_of(std::uint8_t symbol, int length, std::uint64_t window) {
  const int size = symbol & 15;
  const bool ends = size == 0 && symbol != 0xF0;
  const std::uint64_t bits = size > 0 ? window << length >> (64 - size) : 0;
  return {.value = value_of(bits, size),
          .run = ends ? HuffmanTable::kEndOfBlock : static_cast<std::uint8_t>(symbol >> 4),
          .length = static_cast<std::uint8_t>(length + size)};
}

}  // namespace

void HuffmanTable::build(const Code& code) {
  if (built_ && code == code_) return;  // most files of a set share their tables
  code_ = code;
  built_ = true;
  symbols_.fill({.run = kLong});
  std::int32_t next = 0;
  std::size_t index = 0;
  for (int length = 1; length <= kMaxBits; ++length, next <<= 1) {
    const auto at = static_cast<std::size_t>(length);
    offset_[at] = static_cast<std::int32_t>(index) - next;
    for (int i = 0; i < code.count[at]; ++i, ++next, ++index) {
      if (length > kBits) continue;
      const std::uint8_t symbol = code.symbol[index];
      const bool whole = length + (symbol & 15) <= kBits;
      const Symbol known{
          .value = symbol, .run = kLong, .length = static_cast<std::uint8_t>(length)};
      const std::size_t first = static_cast<std::size_t>(next) << (kBits - length);
      for (std::size_t bits = first; bits < first + (kEntries >> length); ++bits) {
        symbols_[bits] = whole ? symbol_of(symbol, length, bits << (64 - kBits)) : known;
      }
    }
    largest_[at] = code.count[at] > 0 ? next - 1 : -1;
  }
  for (std::size_t bits = 0; bits < kEntries; ++bits) several_[bits] = several_of(bits);
}

HuffmanTable::Several HuffmanTable::several_of(std::size_t bits) const {
  int length = 0, advance = 0;
  bool ends = false;
  while (!ends && advance < kBlockCoefficients) {
    const Symbol next = symbols_[bits << length & (kEntries - 1)];
    if (next.run == kLong || length + next.length > kBits) break;
    ends = next.run == kEndOfBlock;
    length += next.length;
    advance += ends ? 1 : next.run + 1;
  }
  if (length == 0) return {};
  return {.length = static_cast<std::uint8_t>(length),
          .advance = static_cast<std::uint8_t>(ends ? advance + kEnds : advance)};
}

HuffmanTable::Symbol HuffmanTable::long_symbol(Symbol found, std::uint64_t window) const {
  if (found.length > 0)
    return symbol_of(static_cast<std::uint8_t>(found.value), found.length, window);
  for (int length = kBits + 1; length <= kMaxBits; ++length) {
    const auto at = static_cast<std::size_t>(length);
    const auto code = static_cast<std::int32_t>(window >> (64 - length));
    if (code > largest_[at]) continue;
    const auto index = static_cast<std::size_t>(code + offset_[at]) & 255;
    return symbol_of(code_.symbol[index], length, window);
  }
  return {.run = kEndOfBlock};
}

}  // namespace stepbench::data
