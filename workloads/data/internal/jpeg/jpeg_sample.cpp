// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/jpeg/jpeg_sample.h"

#include <algorithm>
#include <cmath>

namespace stepbench::data {
namespace {

// torchvision's recipe for evaluation: resize to 256, crop 224.
constexpr std::int64_t kEvalResize = 256;
constexpr std::int64_t kEvalCrop = 224;

// Largest of 1, 2, 4, 8 for which the crop still has `size` pixels in both directions.
int shrink_divisor(double width, double height, std::int64_t size) {
  int divisor = 8;
  while (divisor > 1 && std::min(width, height) < static_cast<double>(size * divisor)) divisor /= 2;
  return divisor;
}

}  // namespace

Crop JpegSample::crop_of(const SampleKey& key, std::int64_t width, std::int64_t height) {
  Philox random(key.seed, static_cast<std::uint64_t>(key.index),
                static_cast<std::uint32_t>(key.epoch));
  return random_resized_crop(width, height, random);
}

PixelScale JpegSample::pixels() {
  const Normalization normalization = imagenet_normalization();
  return {.scale = normalization.scale, .shift = normalization.shift};
}

void JpegSample::decode(const SampleKey& key, std::span<const std::byte> bytes, float* out) {
  try {
    decode_open(key, bytes, out);
  } catch (...) {
    decoder_.close();
    throw;
  }
  decoder_.close();
}

void JpegSample::decode_open(const SampleKey& key, std::span<const std::byte> bytes, float* out) {
  const std::int64_t size = options_.image_size;
  JpegDecoder::Size image = decoder_.open(bytes);
  const auto shrink_to = [&](double width, double height) {
    const int divisor = options_.fast_decode ? shrink_divisor(width, height, size) : 1;
    if (divisor > 1) image = decoder_.shrink(divisor);
    return static_cast<double>(divisor);
  };
  bool flip = false;
  if (options_.augment) {
    const Crop crop = crop_of(key, image.width, image.height);
    flip = crop.flip;
    const double d = shrink_to(static_cast<double>(crop.width), static_cast<double>(crop.height));
    const auto axis = [&](std::int64_t begin, std::int64_t extent, std::int64_t limit,
                          ResampleAxis& to) {
      make_axis(static_cast<double>(begin) / d, static_cast<double>(begin + extent) / d, limit,
                size, 0, size, to);
    };
    axis(crop.left, crop.width, image.width, x_);
    axis(crop.top, crop.height, image.height, y_);
  } else {
    const CenterWindow window =
        center_window(image.width, image.height, size * kEvalResize / kEvalCrop, size);
    const auto width = static_cast<double>(image.width);
    const auto height = static_cast<double>(image.height);
    const double d =
        shrink_to(width * static_cast<double>(size) / static_cast<double>(window.resized_width),
                  height * static_cast<double>(size) / static_cast<double>(window.resized_height));
    make_axis(0, width / d, image.width, window.resized_width, window.left, size, x_);
    make_axis(0, height / d, image.height, window.resized_height, window.top, size, y_);
  }

  decoder_.start(
      {.left = x_.low, .top = y_.low, .width = x_.high - x_.low, .height = y_.high - y_.low});
  const std::size_t row_bytes = decoder_.row_bytes();
  const auto taps = static_cast<std::size_t>(y_.taps);
  ring_.resize(row_bytes * taps);
  ring_rows_.resize(taps);
  rows_.resize(taps);
  std::size_t decoded = 0;
  for (std::int64_t row = 0; row < size; ++row) {
    const auto first = static_cast<std::size_t>(y_.first[static_cast<std::size_t>(row)]);
    for (; decoded < first + taps; ++decoded) {
      ring_rows_[decoded % taps] = decoder_.next_row(ring_.data() + decoded % taps * row_bytes);
    }
    for (std::size_t t = 0; t < taps; ++t) rows_[t] = ring_rows_[(first + t) % taps];
    float* red = out + row * size;
    resample_row(rows_, y_.weights.data() + row * y_.taps, x_, flip, normalization_,
                 {red, red + size * size, red + 2 * size * size}, blended_);
  }
}

namespace {

constexpr double kMinScale = 0.08;
constexpr double kMaxScale = 1.0;
constexpr double kMinRatio = 3.0 / 4;
constexpr double kMaxRatio = 4.0 / 3;
constexpr int kTries = 10;

// Python's round(): half to even, the default rounding mode.
std::int64_t round_even(double x) { return std::llrint(x); }

std::int64_t up_to(std::int64_t last, Philox& random) {
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(last) + 1));
}

Crop central(std::int64_t width, std::int64_t height) {
  const double ratio = static_cast<double>(width) / static_cast<double>(height);
  Crop crop{.width = width, .height = height};
  if (ratio < kMinRatio) crop.height = round_even(static_cast<double>(width) / kMinRatio);
  if (ratio > kMaxRatio) crop.width = round_even(static_cast<double>(height) * kMaxRatio);
  crop.left = (width - crop.width) / 2;
  crop.top = (height - crop.height) / 2;
  return crop;
}

Crop random_part(std::int64_t width, std::int64_t height, Philox& random) {
  const auto area = static_cast<double>(width * height);
  for (int i = 0; i < kTries; ++i) {
    const double target = area * (kMinScale + (kMaxScale - kMinScale) * random.uniform());
    const double ratio = std::exp(std::log(kMinRatio) +
                                  (std::log(kMaxRatio) - std::log(kMinRatio)) * random.uniform());
    Crop crop{.width = round_even(std::sqrt(target * ratio)),
              .height = round_even(std::sqrt(target / ratio))};
    if (crop.width <= 0 || crop.width > width || crop.height <= 0 || crop.height > height) continue;
    crop.top = up_to(height - crop.height, random);
    crop.left = up_to(width - crop.width, random);
    return crop;
  }
  return central(width, height);
}

}  // namespace

Crop random_resized_crop(std::int64_t width, std::int64_t height, Philox& random) {
  Crop crop = random_part(width, height, random);
  crop.flip = random.next() < 0x80000000U;
  return crop;
}

CenterWindow center_window(std::int64_t width, std::int64_t height, std::int64_t shorter,
                           std::int64_t size) {
  CenterWindow window{.resized_width = shorter, .resized_height = shorter};
  if (width <= height) {
    window.resized_height = shorter * height / width;
  } else {
    window.resized_width = shorter * width / height;
  }
  window.left = round_even(static_cast<double>(window.resized_width - size) / 2);
  window.top = round_even(static_cast<double>(window.resized_height - size) / 2);
  return window;
}

}  // namespace stepbench::data
