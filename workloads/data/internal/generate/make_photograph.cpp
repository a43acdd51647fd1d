// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "workloads/data/internal/generate/jpeg_encoder.h"
#include "workloads/data/internal/generate/make_jpeg_files.h"
#include "workloads/data/random.h"

namespace stepbench::data {
namespace {

// A photograph's power falls with the square of the frequency: octaves of smooth noise, each with
// half the extent and kDecay times the contrast of the one before, plus sensor grain.
constexpr int kLargestCell = 128;
constexpr int kSmallestCell = 2;
constexpr float kContrast = 62;  // of the largest octave, in grey levels
constexpr float kDecay = 0.66F;  // from octave to octave
constexpr float kGrain = 9.5;
constexpr float kColour = 0.22F;  // contrast of colour relative to brightness

class Plane {
 public:
  Plane(int width, int height) : width_(width), height_(height), values_(size()) {}

  // Adds bilinear interpolation between random values `cell` pixels apart.
  void add_octave(Philox& random, int cell, float contrast) {
    const int columns = width_ / cell + 2;
    const int rows = height_ / cell + 2;
    std::vector<float> grid(static_cast<std::size_t>(columns * rows));
    for (float& value : grid)
      value = contrast * (2 * static_cast<float>(random.next()) * 0x1p-32F - 1);
    std::vector<float> line(static_cast<std::size_t>(columns));
    for (int y = 0; y < height_; ++y) {
      const float down = static_cast<float>(y % cell) / static_cast<float>(cell);
      const float* above = grid.data() + y / cell * columns;
      const float* below = above + columns;
      for (int c = 0; c < columns; ++c)
        line[static_cast<std::size_t>(c)] = above[c] + down * (below[c] - above[c]);
      float* out = row(y);
      for (int left = 0, c = 0; left < width_; left += cell, ++c) {
        const float from = line[static_cast<std::size_t>(c)];
        const float slope =
            (line[static_cast<std::size_t>(c) + 1] - from) / static_cast<float>(cell);
        const int count = std::min(cell, width_ - left);
        for (int i = 0; i < count; ++i) out[left + i] += from + slope * static_cast<float>(i);
      }
    }
  }
  void add_grain(Philox& random, float deviation) {
    // The sum of a number's four bytes is nearly normal with deviation 148.
    for (float& value : values_) {
      const std::uint32_t bits = random.next();
      const auto sum = (bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24);
      value += deviation * (static_cast<float>(sum) - 510) / 148;
    }
  }
  [[nodiscard]] float* row(int y) { return values_.data() + std::ptrdiff_t{y} * width_; }

 private:
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  }
  int width_;
  int height_;
  std::vector<float> values_;
};

struct Extent {
  int width;
  int height;
};

// Shares roughly as in ImageNet: most as planned, some portrait, some cropped.
Extent extent(const JpegFolderPlan& plan, Philox& random) {
  const std::uint64_t draw = random.below(100);
  const auto part = [](int whole, int percent) { return std::max(1, whole * percent / 100); };
  if (draw < 60) return {plan.width, plan.height};
  if (draw < 78) return {plan.height, plan.width};
  if (draw < 90) return {plan.width, part(plan.height, 89)};
  if (draw < 95) return {plan.width, plan.width};
  return {part(plan.width, 50 + static_cast<int>(random.below(50))),
          part(plan.height, 50 + static_cast<int>(random.below(50)))};
}

std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0F, 255.0F));
}

}  // namespace

std::vector<std::byte> make_photograph(const JpegFolderPlan& plan, std::int64_t index) {
  Philox random(plan.seed, static_cast<std::uint64_t>(index));
  const auto [width, height] = extent(plan, random);
  Plane luma(width, height);
  std::array<Plane, 2> colour = {Plane(width, height), Plane(width, height)};
  float contrast = kContrast;
  for (int cell = kLargestCell; cell >= kSmallestCell; cell /= 2, contrast *= kDecay) {
    luma.add_octave(random, cell, contrast);
    if (cell < 16) continue;  // fine detail has no colour, as for eyes and cameras
    for (Plane& plane : colour) plane.add_octave(random, cell, kColour * contrast);
  }
  luma.add_grain(
      random, kGrain * static_cast<float>(0.3 + 1.4 * random.uniform()));  // smooth and busy scenes

  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) *
                                   static_cast<std::size_t>(height) * 3);
  std::uint8_t* out = pixels.data();
  for (int y = 0; y < height; ++y) {
    const float *light = luma.row(y), *blue = colour[0].row(y), *red = colour[1].row(y);
    for (int x = 0; x < width; ++x, out += 3) {
      const float base = 118 + light[x];
      out[0] = to_byte(base + 1.4F * red[x]);
      out[1] = to_byte(base - 0.34F * blue[x] - 0.71F * red[x]);
      out[2] = to_byte(base + 1.77F * blue[x]);
    }
  }
  return encode_jpeg(pixels, {.width = width, .height = height, .quality = plan.quality});
}

}  // namespace stepbench::data
