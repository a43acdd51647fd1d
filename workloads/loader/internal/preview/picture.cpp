// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/preview/picture.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <system_error>

#include "harness/base/error.h"

namespace stepbench::loader {
namespace {

constexpr std::int64_t kMinSide = 4;
constexpr std::int64_t kMaxSide = 16384;

bool is_side(std::int64_t extent) { return extent >= kMinSide && extent <= kMaxSide; }

bool is_channels(std::int64_t extent) { return extent == 1 || extent == 3; }

float float_at(const std::byte* sample, std::size_t place) {
  float value = 0;
  std::memcpy(&value, sample + place * sizeof value, sizeof value);
  return value;
}

// Scale from the smallest to the largest finite value of a sample.
data::PixelScale stretched(const std::byte* sample, const FieldSpec& spec) {
  float low = std::numeric_limits<float>::max();
  float high = std::numeric_limits<float>::lowest();
  const std::size_t values = spec.bytes() / sizeof(float);
  for (std::size_t i = 0; i < values; ++i) {
    const float value = float_at(sample, i);
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const float scale = high > low ? (high - low) / 255 : 1;
  return {.scale = {scale, scale, scale}, .shift = {low, low, low}};
}

std::uint8_t byte_of(float value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 255.0F)));
}

}  // namespace

std::size_t PictureLayout::place(std::int64_t channel, std::int64_t y, std::int64_t x) const {
  return static_cast<std::size_t>(channels_last ? (y * width + x) * channels + channel
                                                : (channel * height + y) * width + x);
}

std::optional<PictureLayout> picture_layout(const FieldSpec& spec) {
  if (spec.dtype != DType::kUInt8 && spec.dtype != DType::kFloat32) return std::nullopt;
  const std::vector<std::int64_t>& s = spec.shape;
  if (s.size() == 2 && is_side(s[0]) && is_side(s[1])) {
    return PictureLayout{.channels = 1, .height = s[0], .width = s[1]};
  }
  if (s.size() != 3) return std::nullopt;
  if (is_channels(s[0]) && is_side(s[1]) && is_side(s[2])) {
    return PictureLayout{.channels = s[0], .height = s[1], .width = s[2]};
  }
  if (is_side(s[0]) && is_side(s[1]) && is_channels(s[2])) {
    return PictureLayout{.channels = s[2], .height = s[0], .width = s[1], .channels_last = true};
  }
  return std::nullopt;
}

Picture to_picture(const std::byte* sample, const FieldSpec& spec, const PictureLayout& layout,
                   const std::optional<data::PixelScale>& pixels) {
  const bool bytes = spec.dtype == DType::kUInt8;
  const data::PixelScale scale =
      bytes ? data::PixelScale{} : (pixels ? *pixels : stretched(sample, spec));
  Picture picture{.width = layout.width, .height = layout.height};
  picture.rgb.reserve(static_cast<std::size_t>(3 * layout.width * layout.height));
  for (std::int64_t y = 0; y < layout.height; ++y) {
    for (std::int64_t x = 0; x < layout.width; ++x) {
      std::array<std::uint8_t, 3> colour{};
      for (std::size_t c = 0; c < colour.size(); ++c) {
        const auto channel = std::min(static_cast<std::int64_t>(c), layout.channels - 1);
        const std::size_t place = layout.place(channel, y, x);
        if (bytes) {
          colour[c] = static_cast<std::uint8_t>(sample[place]);
          continue;
        }
        const float value = float_at(sample, place);
        if (std::isnan(value)) {
          colour = {255, 0, 255};
          break;
        }
        colour[c] = byte_of((value - scale.shift[c]) / scale.scale[c]);
      }
      picture.rgb.insert(picture.rgb.end(), colour.begin(), colour.end());
    }
  }
  return picture;
}

void write_png(const Picture& picture, const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& what) { throw ConfigError(file.string(), what); };
  // x: never overwrite a file.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> to(std::fopen(file.c_str(), "wbx"),
                                                           std::fclose);
  if (to == nullptr && errno == EEXIST) refuse("already exists; nothing is overwritten");
  if (to == nullptr) refuse("cannot be made: " + std::generic_category().message(errno));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  const bool written =
      png_image_write_to_stdio(&image, to.get(), 0, picture.rgb.data(), 0, nullptr) != 0;
  if (written && std::fflush(to.get()) == 0) return;
  const std::string reason = written ? std::generic_category().message(errno) : image.message;
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  refuse("cannot be written: " + reason);
}

}  // namespace stepbench::loader
