// SPDX-License-Identifier: Apache-2.0
// A field of a sample as a picture for people: bytes again, whatever the loader made of them, and
// their way into a PNG file. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "workloads/data/dataset.h"

namespace stepbench::loader {

// 8-bit RGB, row by row from the top.
struct Picture {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<std::uint8_t> rgb = {};
};

// Where a field of a sample has its pixels: one or three channels, before or behind the rows and
// columns.
struct PictureLayout {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  bool channels_last = false;

  // Of the pixel's number in the field.
  [[nodiscard]] std::size_t place(std::int64_t channel, std::int64_t y, std::int64_t x) const;
};

// nullopt: no person would take such a field for a picture.
[[nodiscard]] std::optional<PictureLayout> picture_layout(const FieldSpec& spec);

// One sample. uint8 as it is; float32 as `pixels` says, else stretched from its smallest to its
// largest number. NaN is magenta.
[[nodiscard]] Picture to_picture(const std::byte* sample, const FieldSpec& spec,
                                 const PictureLayout& layout,
                                 const std::optional<data::PixelScale>& pixels);

// A new file. Throws ConfigError naming it where there is one already or none can be written.
void write_png(const Picture& picture, const std::filesystem::path& file);

}  // namespace stepbench::loader
