// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/jpeg/crop.h"

#include <cmath>

namespace stepbench::data {
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
