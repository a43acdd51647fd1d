// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/jpeg/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace stepbench::data {
namespace {

using Pixel [[gnu::vector_size(16)]] = float;  // RGBX

[[gnu::always_inline]] inline void blend_rows(std::span<const std::uint8_t* const> rows,
                                              const float* weights, std::size_t values,
                                              float* out) {
  const auto tail = [&](std::size_t row) {
    const std::uint8_t* in = rows[row];
    const float weight = weights[row];
    for (std::size_t i = 0; i < values; ++i) out[i] += weight * static_cast<float>(in[i]);
  };
  const float first = weights[0];
  for (std::size_t i = 0; i < values; ++i) out[i] = first * static_cast<float>(rows[0][i]);
  std::size_t row = 1;
  for (; row + 2 < rows.size(); row += 3) {
    const std::uint8_t *a = rows[row], *b = rows[row + 1], *c = rows[row + 2];
    const float wa = weights[row], wb = weights[row + 1], wc = weights[row + 2];
    for (std::size_t i = 0; i < values; ++i) {
      out[i] = ((out[i] + wa * static_cast<float>(a[i])) + wb * static_cast<float>(b[i])) +
               wc * static_cast<float>(c[i]);
    }
  }
  for (; row < rows.size(); ++row) tail(row);
}

[[gnu::always_inline]] inline Pixel load(const float* from) {
  Pixel value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Four outputs at once; lane i of a plane gets the i-th pixel.
constexpr std::size_t kGroup = 4;

[[gnu::always_inline]] inline void store_planes(const std::array<Pixel, kGroup>& pixels,
                                                const std::array<float*, 3>& planes,
                                                std::size_t to) {
  const Pixel red_green_01 = __builtin_shufflevector(pixels[0], pixels[1], 0, 4, 1, 5);
  const Pixel red_green_23 = __builtin_shufflevector(pixels[2], pixels[3], 0, 4, 1, 5);
  const Pixel blue_01 = __builtin_shufflevector(pixels[0], pixels[1], 2, 6, 3, 7);
  const Pixel blue_23 = __builtin_shufflevector(pixels[2], pixels[3], 2, 6, 3, 7);
  const Pixel red = __builtin_shufflevector(red_green_01, red_green_23, 0, 1, 4, 5);
  const Pixel green = __builtin_shufflevector(red_green_01, red_green_23, 2, 3, 6, 7);
  const Pixel blue = __builtin_shufflevector(blue_01, blue_23, 0, 1, 4, 5);
  std::memcpy(planes[0] + to, &red, sizeof red);
  std::memcpy(planes[1] + to, &green, sizeof green);
  std::memcpy(planes[2] + to, &blue, sizeof blue);
}

[[gnu::always_inline]] inline void blend_columns(const float* in, const ResampleAxis& axis,
                                                 bool flip, const Normalization& n,
                                                 const std::array<float*, 3>& planes) {
  const std::size_t count = axis.first.size();
  const Pixel scale = {n.scale[0], n.scale[1], n.scale[2], 0};
  const Pixel shift = {n.shift[0], n.shift[1], n.shift[2], 0};
  const auto taps = static_cast<std::size_t>(axis.taps);
  const auto column = [&](std::size_t to) { return flip ? count - 1 - to : to; };
  const auto first_pixel = [&](std::size_t x) {
    return in + 4 * static_cast<std::size_t>(axis.first[x]);
  };
  const auto weights = [&](std::size_t x) { return axis.weights.data() + x * taps; };
  std::size_t to = 0;
  for (; to + kGroup <= count; to += kGroup) {
    std::array<Pixel, kGroup> sums{};
    std::array<const float*, kGroup> pixel, weight;
    for (std::size_t i = 0; i < kGroup; ++i) {
      pixel[i] = first_pixel(column(to + i));
      weight[i] = weights(column(to + i));
    }
    for (std::size_t t = 0; t < taps; ++t) {
      for (std::size_t i = 0; i < kGroup; ++i) sums[i] += load(pixel[i] + 4 * t) * weight[i][t];
    }
    for (Pixel& sum : sums) sum = sum * scale + shift;
    store_planes(sums, planes, to);
  }
  for (; to < count; ++to) {
    const float* pixel = first_pixel(column(to));
    const float* weight = weights(column(to));
    Pixel sum{};
    for (std::size_t t = 0; t < taps; ++t) sum += load(pixel + 4 * t) * weight[t];
    sum = sum * scale + shift;
    for (std::size_t c = 0; c < 3; ++c) planes[c][to] = sum[static_cast<int>(c)];
  }
}

struct Row {
  std::span<const std::uint8_t* const> inputs;
  const float* weights;
  const ResampleAxis& axis_x;
  bool flip;
  const Normalization& normalization;
  std::array<float*, 3> planes;
  float* blended;
};

[[gnu::always_inline]] inline void resample(const Row& row) {
  const auto values = static_cast<std::size_t>(4 * (row.axis_x.high - row.axis_x.low));
  blend_rows(row.inputs, row.weights, values, row.blended);
  blend_columns(row.blended, row.axis_x, row.flip, row.normalization, row.planes);
}

// Both run the same operations in the same order, so that results are bit-identical on all
// machines.
void resample_portable(const Row& row) { resample(row); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] void resample_avx2(const Row& row) { resample(row); }
#endif

using Resample = void (*)(const Row&);

Resample best_resample() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return resample_avx2;
#endif
  return resample_portable;
}

}  // namespace

void make_axis(double box_begin, double box_end, std::int64_t size, std::int64_t total,
               std::int64_t offset, std::int64_t count, ResampleAxis& axis) {
  const double scale = (box_end - box_begin) / static_cast<double>(total);
  const double support = std::max(scale, 1.0);
  // Inputs used: Pillow resizes the cropped image, so nothing outside the box counts.
  const auto low = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(box_begin)));
  const std::int64_t high = std::min(size, static_cast<std::int64_t>(std::ceil(box_end)));
  const auto bounds = [&](std::int64_t i) {
    const double center = box_begin + (static_cast<double>(i) + 0.5) * scale;
    const auto from = std::max(low, static_cast<std::int64_t>(center - support + 0.5));
    const auto to = std::min(high, static_cast<std::int64_t>(center + support + 0.5));
    return std::pair(from, std::max(to, from + 1));
  };
  axis.low = bounds(offset).first;
  axis.high = bounds(offset + count - 1).second;
  axis.taps = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto [from, to] = bounds(offset + i);
    axis.taps = std::max(axis.taps, to - from);
  }
  axis.first.resize(static_cast<std::size_t>(count));
  axis.weights.assign(static_cast<std::size_t>(count * axis.taps), 0.0F);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto [from, to] = bounds(offset + i);
    const double center = box_begin + (static_cast<double>(offset + i) + 0.5) * scale;
    const std::int64_t first = std::min(from, axis.high - axis.taps);  // keeps every tap in range
    float* weights = axis.weights.data() + i * axis.taps;
    const auto triangle = [&](std::int64_t x) {
      return std::max(0.0, 1 - std::abs((static_cast<double>(x) - center + 0.5) / support));
    };
    double sum = 0;
    for (std::int64_t x = from; x < to; ++x) sum += triangle(x);
    for (std::int64_t x = from; x < to; ++x) {
      weights[x - first] = sum > 0 ? static_cast<float>(triangle(x) / sum) : 1.0F;
    }
    axis.first[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(first - axis.low);
  }
}

Normalization imagenet_normalization() {
  constexpr std::array kMean = {0.485, 0.456, 0.406};
  constexpr std::array kDeviation = {0.229, 0.224, 0.225};
  Normalization normalization{};
  for (std::size_t c = 0; c < 3; ++c) {
    normalization.scale[c] = static_cast<float>(1 / (255 * kDeviation[c]));
    normalization.shift[c] = static_cast<float>(-kMean[c] / kDeviation[c]);
  }
  return normalization;
}

void resample_row(std::span<const std::uint8_t* const> rows, const float* row_weights,
                  const ResampleAxis& axis_x, bool flip, const Normalization& normalization,
                  std::array<float*, 3> planes, std::vector<float>& scratch) {
  static const Resample best = best_resample();
  const auto values = static_cast<std::size_t>(4 * (axis_x.high - axis_x.low));
  if (scratch.size() < values) scratch.resize(values);
  best({.inputs = rows,
        .weights = row_weights,
        .axis_x = axis_x,
        .flip = flip,
        .normalization = normalization,
        .planes = planes,
        .blended = scratch.data()});
}

}  // namespace stepbench::data
