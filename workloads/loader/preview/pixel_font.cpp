// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/preview/pixel_font.h"

#include <array>

namespace stepbench::loader {
namespace {

constexpr char kFirst = ' ';
constexpr char kLast = '~';
constexpr int kGlyphBits = kGlyphWidth * kGlyphHeight;

// One glyph each from ' ' to '~': 35 bits, row by row from the top left, the first the highest.
constexpr std::array<std::uint64_t, kLast - kFirst + 1> kGlyphs = {
    0x000000000, 0x108421004, 0x294000000, 0x295F57D4A, 0x11F4717C4, 0x672222273, 0x32544564D,
    0x108000000, 0x088842082, 0x208210888, 0x009575480, 0x0084F9080, 0x000001088, 0x000070000,
    0x00000018C, 0x042222210, 0x3A33AE62E, 0x11842108E, 0x3A213221F, 0x3A213062E, 0x08CA97C42,
    0x7E1E0862E, 0x1910F462E, 0x7C2211084, 0x3A317462E, 0x3A317844C, 0x018C03180, 0x018C03088,
    0x088882082, 0x001F07C00, 0x208208888, 0x3A2111004, 0x3A37ADE0E, 0x11518FE31, 0x7A31F463E,
    0x3A308422E, 0x72518C65C, 0x7E10F421F, 0x7E10F4210, 0x3A309C62F, 0x4631FC631, 0x38842108E,
    0x1C4210A4C, 0x4654C5251, 0x42108421F, 0x4775AC631, 0x4739ACE71, 0x3A318C62E, 0x7A31F4210,
    0x3A318D64D, 0x7A31F5251, 0x3E107043E, 0x7C8421084, 0x46318C62E, 0x46318A944, 0x4631AD771,
    0x462A22A31, 0x462A21084, 0x7C222221F, 0x39084210E, 0x420820821, 0x38421084E, 0x115100000,
    0x00000001F, 0x208000000, 0x000E0BE2F, 0x421E8C63E, 0x000E8C22E, 0x042F8C62F, 0x000E8FE0E,
    0x1928E2108, 0x01F18BC2E, 0x421E8C631, 0x100C2108E, 0x080610A4C, 0x4212A6292, 0x30842108E,
    0x001AAD6B5, 0x001E8C631, 0x000E8C62E, 0x03D18FA10, 0x01F18BC21, 0x0016CC210, 0x000F8383E,
    0x211C42126, 0x00118C62F, 0x00118C544, 0x00118D6AA, 0x001151151, 0x02318BC2E, 0x001F1111F,
    0x088441082, 0x108421084, 0x208411088, 0x0008A8800};

}  // namespace

bool glyph_has(char character, int x, int y) {
  const char known = character < kFirst || character > kLast ? '?' : character;
  const std::uint64_t glyph = kGlyphs.at(static_cast<std::size_t>(known - kFirst));
  const int bit = kGlyphBits - 1 - (y * kGlyphWidth + x);
  return (glyph >> bit & 1U) != 0;
}

void draw_text(Picture& on, int left, int top, int scale, std::string_view text) {
  for (const char character : text) {
    for (int y = 0; y < kGlyphHeight * scale; ++y) {
      for (int x = 0; x < kGlyphWidth * scale; ++x) {
        if (glyph_has(character, x / scale, y / scale)) on.set(left + x, top + y, {0, 0, 0});
      }
    }
    left += kGlyphAdvance * scale;
  }
}

}  // namespace stepbench::loader
