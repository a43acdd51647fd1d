// SPDX-License-Identifier: Apache-2.0
// Converts the bytes of a JPEG file to the tensor of one sample, and crops it as torchvision's
// RandomResizedCrop and CenterCrop do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/data/dataset.h"
#include "workloads/data/internal/jpeg/jpeg_decoder.h"
#include "workloads/data/internal/jpeg/resample.h"
#include "workloads/data/random.h"

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

struct JpegSampleOptions {
  std::int64_t image_size = 224;
  bool augment = true;
  bool fast_decode = false;
  bool own_huffman = true;
};

// JPEG bytes -> float32 (3, S, S), like torchvision's RandomResizedCrop, RandomHorizontalFlip,
// ToTensor and Normalize, or Resize and CenterCrop without augmentation. Also the state that a
// reading thread reuses from sample to sample.
class JpegSample final : public Dataset::Scratch {
 public:
  explicit JpegSample(const JpegSampleOptions& options)
      : options_(options), decoder_(options.own_huffman) {}

  // Throws Error without a file name. The decoder releases `bytes` in any case.
  void decode(const SampleKey& key, std::span<const std::byte> bytes, float* out);
  // Buffer for the caller's file, to reuse its memory.
  std::vector<std::byte> file;

  // The conversion from bytes to the tensor's values in decode().
  [[nodiscard]] static PixelScale pixels();
  // The crop of a `width` x `height` image used with augmentation.
  [[nodiscard]] static Crop crop_of(const SampleKey& key, std::int64_t width, std::int64_t height);

 private:
  void decode_open(const SampleKey& key, std::span<const std::byte> bytes, float* out);

  JpegSampleOptions options_;
  Normalization normalization_ = imagenet_normalization();
  JpegDecoder decoder_;
  ResampleAxis x_, y_;
  std::vector<std::uint8_t> ring_;  // decoded rows needed for the next output rows
  std::vector<const std::uint8_t*> ring_rows_;
  std::vector<const std::uint8_t*> rows_;
  std::vector<float> blended_;
};

}  // namespace stepbench::data
