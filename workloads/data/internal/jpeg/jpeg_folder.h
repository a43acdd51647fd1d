// SPDX-License-Identifier: Apache-2.0
// data.kind jpeg_folder: JPEG files in one sub-folder per class.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "workloads/data/dataset.h"
#include "workloads/data/internal/jpeg/jpeg_sample.h"
#include "workloads/data/internal/unreadable_files.h"

namespace stepbench::data {

// The files of a folder with one sub-folder per class, in the order of torchvision's ImageFolder:
// classes are the sorted names of the direct sub-folders; below each, files with an image
// extension, folder by folder, sorted. Links are followed, except in cycles.
struct ImageFolder {
  struct File {
    std::string path;
    std::int32_t label = 0;
  };
  std::vector<std::string> classes;
  std::vector<File> files;
  // Dangling links, and entries with an image's name that are not files.
  SkippedFiles skipped_files;
  std::int64_t hidden_files = 0;  // among `files`: "._cat.jpg", which macOS adds to cat.jpg
};

// Notes about the folder: skipped entries, and hidden files that are included.
[[nodiscard]] std::vector<std::string> notes_of(const ImageFolder& folder);

// Throws ConfigError naming the folder if it is missing, has no class, or a class has no image.
[[nodiscard]] ImageFolder scan_image_folder(const std::filesystem::path& root);

struct JpegFolderOptions {
  std::filesystem::path path;
  std::int64_t image_size = 224;
  bool augment = true;
  bool fast_decode = false;
  bool own_huffman = true;
  bool skip_errors = false;
};

// JPEG files in class folders -> {image float32 (3, S, S), label int64}, like torchvision's
// ImageFolder with RandomResizedCrop, RandomHorizontalFlip, ToTensor and Normalize, or Resize and
// CenterCrop without augmentation.
class JpegFolder final : public Dataset {
 public:
  explicit JpegFolder(JpegFolderOptions options);

  [[nodiscard]] std::int64_t size() const override {
    return static_cast<std::int64_t>(folder_.files.size());
  }
  [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return fields_; }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override;
  void read(const SampleKey& key, SampleSlots out, Scratch& scratch, ReadCost& cost) const override;
  [[nodiscard]] std::int64_t classes() const override {
    return static_cast<std::int64_t>(folder_.classes.size());
  }
  [[nodiscard]] std::vector<std::int64_t> labels(std::uint64_t seed) const override;
  [[nodiscard]] DatasetFacts facts() const override;
  [[nodiscard]] std::string file_of(std::int64_t index) const override {
    return folder_.files.at(static_cast<std::size_t>(index)).path;
  }
  [[nodiscard]] std::string digest() const override;

  [[nodiscard]] const ImageFolder& folder() const { return folder_; }
  // The crop of a `width` x `height` image that read() uses with augmentation.
  [[nodiscard]] static Crop crop_of(const SampleKey& key, std::int64_t width, std::int64_t height) {
    return JpegSample::crop_of(key, width, height);
  }

 private:
  void read_one(const SampleKey& key, SampleSlots out, JpegSample& work, ReadCost& cost) const;

  JpegFolderOptions options_;
  ImageFolder folder_;
  std::vector<FieldSpec> fields_;
};

// The row of data.kind.
[[nodiscard]] DataKind jpeg_folder_kind();

}  // namespace stepbench::data
