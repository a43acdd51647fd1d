// SPDX-License-Identifier: Apache-2.0
// Crops of an image: torchvision's RandomResizedCrop and CenterCrop.
#pragma once

#include <cstdint>

#include "workloads/data/philox.h"

namespace stepbench::data {

// The part of an image that becomes the tensor.
struct Crop {
  std::int64_t left = 0, top = 0, width = 0, height = 0;
  bool flip = false;
  bool operator==(const Crop&) const = default;
};

// torchvision's RandomResizedCrop with scale (0.08, 1) and ratio (3/4, 4/3): ten tries, then the
// largest central part within the ratios; then a horizontal flip with probability 1/2. A function
// of the generator's state.
[[nodiscard]] Crop random_resized_crop(std::int64_t width, std::int64_t height, Philox& random);

// torchvision's Resize(shorter) and CenterCrop(size): a square window of the resized image.
struct CenterWindow {
  std::int64_t resized_width = 0, resized_height = 0;
  std::int64_t left = 0, top = 0;
};
[[nodiscard]] CenterWindow center_window(std::int64_t width, std::int64_t height,
                                         std::int64_t shorter, std::int64_t size);

}  // namespace stepbench::data
