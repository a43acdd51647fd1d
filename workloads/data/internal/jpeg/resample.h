// SPDX-License-Identifier: Apache-2.0
// Antialiased bilinear resampling with the weights of Pillow's Image.resize(BILINEAR), horizontal
// flip and normalisation in one streaming pass from 8-bit RGBX rows to float32 planes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace stepbench::data {

// One axis: output i is the weighted sum of `taps` inputs from first[i] on. Inputs outside [low,
// high) are not used.
struct ResampleAxis {
  std::int64_t low = 0;   // first input used by any output
  std::int64_t high = 0;  // one past the last
  // Per output; unused ones at the end weigh 0 and stay inside [low, high) if it is long enough.
  std::int64_t taps = 0;
  std::vector<std::int32_t> first;  // relative to low
  std::vector<float> weights;       // taps per output
};

// Computes outputs [offset, offset + count) of `total`, which together cover the inputs from
// box_begin to box_end; inputs exist in [0, size). Overwrites `axis` and reuses its memory.
void make_axis(double box_begin, double box_end, std::int64_t size, std::int64_t total,
               std::int64_t offset, std::int64_t count, ResampleAxis& axis);

struct Normalization {
  std::array<float, 3> scale;  // value = pixel * scale + shift, per channel
  std::array<float, 3> shift;
};
// To [0, 1], minus mean, divided by deviation: torchvision's ToTensor and Normalize with ImageNet's
// figures.
[[nodiscard]] Normalization imagenet_normalization();

// Computes one output row. `rows`: axis_y.taps input rows of RGBX pixels, starting at axis_x.low,
// with their weights. `planes`: three rows of axis_x.first.size() floats. `scratch` is resized as
// needed.
void resample_row(std::span<const std::uint8_t* const> rows, const float* row_weights,
                  const ResampleAxis& axis_x, bool flip, const Normalization& normalization,
                  std::array<float*, 3> planes, std::vector<float>& scratch);

}  // namespace stepbench::data
