// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/jpeg/huffman_scan.h"

#include <algorithm>
#include <cstdio>  // jpeglib.h needs it
#include <cstring>

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

extern "C" {
#include <jerror.h>
#include <jpeglib.h>
}

// The first members of libjpeg's entropy decoder, which its installed headers do not declare; the
// same in all these versions of libjpeg-turbo.
#if defined(LIBJPEG_TURBO_VERSION_NUMBER)
#if LIBJPEG_TURBO_VERSION_NUMBER >= 2000000 && LIBJPEG_TURBO_VERSION_NUMBER < 4000000
#define STEPBENCH_KNOWN_LIBJPEG
#endif
#endif
struct jpeg_entropy_decoder {
  void (*start_pass)(j_decompress_ptr info);
  boolean (*decode_mcu)(j_decompress_ptr info, JBLOCKROW* blocks);
};

namespace stepbench::data {
namespace {

constexpr unsigned kCoefficients = 64;
// Largest size of an MCU's symbols and values, plus what a refill reads ahead.
constexpr std::size_t kPadding = D_MAX_BLOCKS_IN_MCU * kCoefficients * 31 / 8 + 16;

// Maps zigzag order to rows and columns. In a damaged file or at the end of a block, runs may lead
// beyond the last coefficient: these are written to the last one, as in libjpeg.
constexpr std::array<std::uint8_t, 2 * kCoefficients + 16> natural_order() {
  std::array<std::uint8_t, 2 * kCoefficients + 16> order{};
  int at = 0;
  for (int diagonal = 0; diagonal < 15; ++diagonal) {
    for (int i = 0; i <= diagonal; ++i) {
      const int row = diagonal % 2 == 0 ? diagonal - i : i;
      const int column = diagonal - row;
      if (row < 8 && column < 8)
        order[static_cast<std::size_t>(at++)] = static_cast<std::uint8_t>(8 * row + column);
    }
  }
  for (std::size_t i = kCoefficients; i < order.size(); ++i) order[i] = kCoefficients - 1;
  return order;
}
constexpr auto kNaturalOrder = natural_order();

void warn(j_decompress_ptr info, int warning) {
  info->err->msg_code = warning;
  (*info->err->emit_message)(reinterpret_cast<j_common_ptr>(info), -1);
}

// Both return false if the bits are not a valid code.
[[gnu::always_inline]] inline bool read_ac(const HuffmanTable& table, BitReader& bits,
                                           JCOEF* block) {
  HuffmanTable::Symbol next;
  for (unsigned k = 1; k < kCoefficients; ++k) {
    bits.refill();
    next = table.at(bits.window);
    bits.drop(next.length);
    k += next.run;
    block[kNaturalOrder[k]] = next.value;
  }
  return next.length > 0;
}

[[gnu::always_inline]] inline bool skip_ac(const HuffmanTable& table, BitReader& bits) {
  for (unsigned k = 1; k < kCoefficients;) {
    bits.refill();
    const HuffmanTable::Several several = table.several_at(bits.window);
    if (k + several.advance % HuffmanTable::kEnds <= kCoefficients) [[likely]] {
      bits.drop(several.length);
      k += several.advance;
    } else {
      const HuffmanTable::Symbol next = table.at(bits.window);
      if (next.length == 0) return false;
      bits.drop(next.length);
      k += next.run + 1U;
    }
  }
  return true;
}

bool decodable(const jpeg_decompress_struct& info) {
  return !info.progressive_mode && !info.arith_code && info.restart_interval == 0 &&
         info.comps_in_scan == info.num_components && info.data_precision == 8 && info.Ss == 0 &&
         info.Se == int{kCoefficients} - 1;
}

int scaled_size(const jpeg_component_info& component) {
#if JPEG_LIB_VERSION >= 70
  return component.DCT_h_scaled_size;
#else
  return component.DCT_scaled_size;
#endif
}

HuffmanTable::Code code_of(const JHUFF_TBL& table) {
  HuffmanTable::Code code;
  std::copy_n(table.bits, code.count.size(), code.count.begin());
  std::copy_n(table.huffval, code.symbol.size(), code.symbol.begin());
  code.count[0] = 0;
  return code;
}

}  // namespace

struct HuffmanScan::Hook {
  // Replaces libjpeg's function. `blocks` is null if no MCU is wanted. No object here has a
  // destructor, because warn() may longjmp out.
  static boolean decode_mcu(j_decompress_ptr info, JBLOCKROW* blocks) {
    auto& scan = *static_cast<HuffmanScan*>(info->client_data);
    const std::uint32_t column = scan.column_;
    scan.column_ = column + 1 < scan.columns_in_row_ ? column + 1 : 0;
    const bool wanted =
        blocks != nullptr && column >= scan.columns_.first && column <= scan.columns_.last;
    BitReader bits = scan.bits_;
    bool valid = true;
    for (const Block& block : scan.blocks_) {
      bits.refill();
      const HuffmanTable::Symbol dc = block.dc->at(bits.window);
      valid &= dc.length > 0;
      bits.drop(dc.length);
      const std::int64_t sum = scan.last_dc_[block.component] += dc.value;
      if (wanted) {
        JCOEF* const coefficients = **blocks++;
        coefficients[0] = static_cast<JCOEF>(sum);
        if (block.ac_wanted) {
          valid &= read_ac(*block.ac, bits, coefficients);
          continue;
        }
      }
      valid &= skip_ac(*block.ac, bits);
    }
    scan.bits_ = bits;
    if (!valid) warn(info, JWRN_HUFF_BAD_CODE);
    if (bits.position() > scan.end_) warn(info, JWRN_HIT_MARKER);
    return TRUE;
  }
};

void HuffmanScan::unstuff(std::span<const std::uint8_t> scan) {
  bytes_.resize(scan.size() + kPadding);
  std::uint8_t* out = bytes_.data();
  const std::uint8_t* in = scan.data();
  const std::uint8_t* const end = in + scan.size();
  while (in < end) {
    const auto left = static_cast<std::size_t>(end - in);
    const auto* const found = static_cast<const std::uint8_t*>(std::memchr(in, 0xFF, left));
    const std::uint8_t* const stop = found != nullptr ? found : end;
    std::memcpy(out, in, static_cast<std::size_t>(stop - in));
    out += stop - in;
    in = stop;
    while (in < end && *in == 0xFF) ++in;
    if (in == end || *in != 0) break;  // a marker: the scan's end
    *out++ = 0xFF;
    ++in;
  }
  end_ = out;
  std::memset(out, 0, static_cast<std::size_t>(bytes_.data() + bytes_.size() - out));
}

void HuffmanScan::read_tables(const jpeg_decompress_struct& info) {
  blocks_.clear();
  for (int i = 0; i < info.blocks_in_MCU; ++i) {
    const int component = info.MCU_membership[i];
    const jpeg_component_info& wanted = *info.cur_comp_info[component];
    const auto dc = static_cast<std::size_t>(wanted.dc_tbl_no);
    const auto ac = static_cast<std::size_t>(wanted.ac_tbl_no);
    dc_.at(dc).build(code_of(*info.dc_huff_tbl_ptrs[dc]));
    ac_.at(ac).build(code_of(*info.ac_huff_tbl_ptrs[ac]));
    blocks_.push_back({.dc = &dc_[dc],
                       .ac = &ac_[ac],
                       .component = static_cast<std::size_t>(component),
                       .ac_wanted = scaled_size(wanted) > 1});
  }
}

void HuffmanScan::take_over(jpeg_decompress_struct& info, const Columns& columns) {
#if defined(STEPBENCH_KNOWN_LIBJPEG)
  if (!decodable(info)) return;
  read_tables(info);
  unstuff({info.src->next_input_byte, info.src->bytes_in_buffer});
  bits_ = {};
  bits_.next = bytes_.data();
  last_dc_ = {};
  columns_ = columns;
  column_ = 0;
  columns_in_row_ = info.MCUs_per_row;
  info.client_data = this;
  info.entropy->decode_mcu = Hook::decode_mcu;
#else
  (void)info, (void)columns, (void)decodable, (void)&Hook::decode_mcu;
#endif
}

}  // namespace stepbench::data
