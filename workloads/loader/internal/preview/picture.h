// SPDX-License-Identifier: Apache-2.0
// Converts a field of a sample back to a viewable picture, and writes PNG files. Any thread.
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

// Position of the pixels in a field: one or three channels, before or after rows and columns.
struct PictureLayout {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  bool channels_last = false;

  // Index of a pixel's value in the field.
  [[nodiscard]] std::size_t place(std::int64_t channel, std::int64_t y, std::int64_t x) const;
};

// nullopt: the field does not look like a picture.
[[nodiscard]] std::optional<PictureLayout> picture_layout(const FieldSpec& spec);

// Converts one sample. uint8 is copied; float32 is scaled by `pixels`, or else stretched from its
// smallest to its largest value. NaN becomes magenta.
[[nodiscard]] Picture to_picture(const std::byte* sample, const FieldSpec& spec,
                                 const PictureLayout& layout,
                                 const std::optional<data::PixelScale>& pixels);

// Writes a new file. Throws ConfigError naming it if it exists or cannot be written.
void write_png(const Picture& picture, const std::filesystem::path& file);

}  // namespace stepbench::loader
