// SPDX-License-Identifier: Apache-2.0
// data.kind webdataset: tar shards, read as streams.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "workloads/data/dataset.h"
#include "workloads/data/internal/jpeg/jpeg_sample.h"

namespace stepbench::data {

struct WebDatasetOptions {
  std::filesystem::path path;  // a folder with .tar shards, or one shard
  JpegSampleOptions image;
  std::int64_t classes = 1000;
  std::int64_t shuffle_buffer = 0;  // samples buffered per reader; 0: shard order
  bool skip_errors = false;
};

// WebDataset's tar shards: consecutive entries with the same name up to the first dot form a
// sample; .jpg or .jpeg is the image, .cls its class in decimal digits, others are ignored. Shards
// are dealt round-robin to ranks, and a rank's shards to its workers. With a shuffle buffer, shards
// are permuted in every epoch too.
class WebDataset final : public IterableDataset {
 public:
  // Throws ConfigError naming the folder if it is missing or has no shards.
  explicit WebDataset(WebDatasetOptions options);

  [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return fields_; }
  [[nodiscard]] std::int64_t classes() const override { return options_.classes; }
  [[nodiscard]] DatasetFacts facts() const override;
  [[nodiscard]] std::string digest() const override;
  [[nodiscard]] std::unique_ptr<SampleStream> stream(const StreamShare& share) const override;
  [[nodiscard]] std::int64_t parts() const override {
    return static_cast<std::int64_t>(shards_.size());
  }
  // The shards of a share, in reading order.
  [[nodiscard]] std::vector<std::int64_t> shards_of(const StreamShare& share) const;

  [[nodiscard]] const std::vector<std::string>& shards() const { return shards_; }
  [[nodiscard]] const WebDatasetOptions& options() const { return options_; }

 private:
  WebDatasetOptions options_;
  std::vector<std::string> shards_;
  std::vector<FieldSpec> fields_;
};

// The row of data.kind.
[[nodiscard]] DataKind webdataset_kind();

}  // namespace stepbench::data
