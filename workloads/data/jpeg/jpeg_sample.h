// SPDX-License-Identifier: Apache-2.0
// From the bytes of a JPEG file to the tensor of one sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/data/dataset.h"
#include "workloads/data/jpeg/crop.h"
#include "workloads/data/jpeg/jpeg_decoder.h"
#include "workloads/data/jpeg/resample.h"

namespace stepbench::data {

struct JpegSampleOptions {
  std::int64_t image_size = 224;
  bool augment = true;
  bool fast_decode = false;
  bool own_huffman = true;
};

// JPEG bytes -> float32 (3, S, S) as torchvision's RandomResizedCrop, RandomHorizontalFlip,
// ToTensor and Normalize, or Resize and CenterCrop without augmentation. What one reading thread
// keeps from sample to sample.
class JpegSample final : public Dataset::Scratch {
 public:
  explicit JpegSample(const JpegSampleOptions& options)
      : options_(options), decoder_(options.own_huffman) {}

  // Throws Error without a file name; the decoder has forgotten the file then as after success.
  void decode(const SampleKey& key, std::span<const std::byte> bytes, float* out);
  // For the caller's file, so that its memory is reused.
  std::vector<std::byte> file;

  // How decode() made the tensor's numbers from bytes.
  [[nodiscard]] static PixelScale pixels();
  // The part of a `width` x `height` image that is taken under augmentation.
  [[nodiscard]] static Crop crop_of(const SampleKey& key, std::int64_t width, std::int64_t height);

 private:
  void decode_open(const SampleKey& key, std::span<const std::byte> bytes, float* out);

  JpegSampleOptions options_;
  Normalization normalization_ = imagenet_normalization();
  JpegDecoder decoder_;
  ResampleAxis x_, y_;
  std::vector<std::uint8_t> ring_;  // the decoded rows that the next output rows need
  std::vector<const std::uint8_t*> ring_rows_;
  std::vector<const std::uint8_t*> rows_;
  std::vector<float> blended_;
};

}  // namespace stepbench::data
