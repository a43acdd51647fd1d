// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/preview/contact_sheet.h"

#include <algorithm>

#include "workloads/loader/preview/pixel_font.h"

namespace stepbench::loader {
namespace {

constexpr int kColumns = 4;
constexpr int kSide = 256;     // that a picture comes near to
constexpr int kMinCell = 128;  // room for words below a narrow one
constexpr int kMargin = 12;
constexpr int kTextScale = 2;
constexpr int kLineHeight = (kGlyphHeight + 3) * kTextScale;

std::string fitting(const std::string& line, int cell) {
  const auto room = static_cast<std::size_t>(cell / (kGlyphAdvance * kTextScale));
  if (line.size() <= room) return line;
  return line.substr(0, room - 2) + "..";
}

void paste(const Picture& from, Picture& to, int left, int top) {
  for (int y = 0; y < from.height; ++y) {
    for (int x = 0; x < from.width; ++x) to.set(left + x, top + y, from.at(x, y));
  }
}

}  // namespace

Picture contact_sheet(std::span<const LabelledPicture> pictures) {
  std::vector<Picture> drawn;
  int cell_width = kMinCell;
  int picture_height = 1;
  std::size_t lines = 0;
  for (const LabelledPicture& each : pictures) {
    const Picture& picture = drawn.emplace_back(resized_near(each.picture, kSide));
    cell_width = std::max(cell_width, picture.width);
    picture_height = std::max(picture_height, picture.height);
    lines = std::max(lines, each.lines.size());
  }
  const int count = static_cast<int>(pictures.size());
  const int columns = std::clamp(count, 1, kColumns);
  const int rows = (count + columns - 1) / columns;
  const int cell_height = picture_height + kLineHeight * static_cast<int>(lines) + kMargin / 2;
  constexpr std::uint8_t kWhite = 255;
  Picture sheet(kMargin + columns * (cell_width + kMargin),
                kMargin + rows * (cell_height + kMargin), kWhite);
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int left = kMargin + i % columns * (cell_width + kMargin);
    int top = kMargin + i / columns * (cell_height + kMargin);
    paste(drawn[at], sheet, left, top);
    top += picture_height + kMargin / 2;
    for (const std::string& line : pictures[at].lines) {
      draw_text(sheet, left, top, kTextScale, fitting(line, cell_width));
      top += kLineHeight;
    }
  }
  return sheet;
}

}  // namespace stepbench::loader
