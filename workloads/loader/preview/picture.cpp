// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/preview/picture.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace stepbench::loader {
namespace {

constexpr std::int64_t kMinSide = 4;
constexpr std::int64_t kMaxSide = 16384;
constexpr Picture::Colour kMagenta = {255, 0, 255};

bool is_side(std::int64_t extent) { return extent >= kMinSide && extent <= kMaxSide; }

bool is_channels(std::int64_t extent) { return extent == 1 || extent == 3; }

std::size_t offset(const Picture& picture, int x, int y) {
  return (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
          static_cast<std::size_t>(x)) *
         3;
}

float float_at(const std::byte* sample, std::size_t place) {
  float value = 0;
  std::memcpy(&value, sample + place * sizeof value, sizeof value);
  return value;
}

// From the smallest to the largest finite number of a sample.
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

Picture::Colour Picture::at(int x, int y) const {
  const std::size_t first = offset(*this, x, y);
  return {rgb[first], rgb[first + 1], rgb[first + 2]};
}

void Picture::set(int x, int y, Colour colour) {
  if (x < 0 || y < 0 || x >= width || y >= height) return;
  std::ranges::copy(colour, rgb.begin() + static_cast<std::ptrdiff_t>(offset(*this, x, y)));
}

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
  Picture picture(static_cast<int>(layout.width), static_cast<int>(layout.height));
  for (std::int64_t y = 0; y < layout.height; ++y) {
    for (std::int64_t x = 0; x < layout.width; ++x) {
      Picture::Colour colour{};
      bool is_number = true;
      for (std::size_t c = 0; c < colour.size(); ++c) {
        const auto channel = std::min(static_cast<std::int64_t>(c), layout.channels - 1);
        const std::size_t place = layout.place(channel, y, x);
        if (bytes) {
          colour[c] = static_cast<std::uint8_t>(sample[place]);
          continue;
        }
        const float value = float_at(sample, place);
        is_number = is_number && !std::isnan(value);
        if (is_number) colour[c] = byte_of((value - scale.shift[c]) / scale.scale[c]);
      }
      picture.set(static_cast<int>(x), static_cast<int>(y), is_number ? colour : kMagenta);
    }
  }
  return picture;
}

Picture resized_near(const Picture& picture, int side) {
  const int longer = std::max(picture.width, picture.height);
  const int up = std::max(1, side / longer);
  const int down = (longer + side - 1) / side;
  Picture result(std::max(1, picture.width * up / down), std::max(1, picture.height * up / down));
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x) {
      std::array<int, 3> sum{};
      for (int part = 0; part < down * down; ++part) {
        const int from_x = std::min((x * down + part % down) / up, picture.width - 1);
        const int from_y = std::min((y * down + part / down) / up, picture.height - 1);
        const Picture::Colour colour = picture.at(from_x, from_y);
        for (std::size_t c = 0; c < 3; ++c) sum[c] += colour[c];
      }
      Picture::Colour mean{};
      for (std::size_t c = 0; c < 3; ++c) {
        mean[c] = static_cast<std::uint8_t>(sum[c] / (down * down));
      }
      result.set(x, y, mean);
    }
  }
  return result;
}

}  // namespace stepbench::loader
