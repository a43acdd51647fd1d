// SPDX-License-Identifier: Apache-2.0
// Samples that are rows of mapped tensors, copied or converted to floats.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/data/dataset.h"
#include "workloads/data/internal/mapped_file.h"

namespace stepbench::data {

// `count` records of equal size, one after another in a file.
struct RowRun {
  std::shared_ptr<const MappedFile> file;
  std::uint64_t begin = 0;   // bytes from the file's start to the first record
  std::uint64_t stride = 0;  // bytes from one record to the next
  std::int64_t count = 0;
};

// One field of the samples and where it is stored. Runs must lie within their files.
struct MappedColumn {
  FieldSpec spec;                // as written to a batch
  DType stored = DType::kUInt8;  // equal to spec.dtype, or converted
  std::int64_t limit = 0;        // a single integer must lie in [0, limit); 0: any
  std::vector<RowRun> runs;      // all columns have equally many records in total
};

// Returns true for equal types and for supported conversions: to float32 (uint8 is divided by 255,
// like torchvision's ToTensor) and to int64.
[[nodiscard]] bool converts(DType stored, DType written);

struct MappedRowsOptions {
  std::string kind;  // for the digest
  std::int64_t classes = 0;
  bool skip_errors = false;
  std::vector<std::string> class_names = {};
};

// Samples of fixed size read straight from mapped files.
class MappedRows final : public Dataset {
 public:
  MappedRows(std::vector<MappedColumn> columns, MappedRowsOptions options);

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return fields_; }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override;
  void read(const SampleKey& key, SampleSlots out, Scratch& scratch, ReadCost& cost) const override;
  [[nodiscard]] std::int64_t classes() const override { return options_.classes; }
  [[nodiscard]] DatasetFacts facts() const override;
  void release_pages() const override;
  // Labels from the last field, if it is a single int64.
  [[nodiscard]] std::vector<std::int64_t> labels(std::uint64_t seed) const override;
  [[nodiscard]] std::string digest() const override;

 private:
  void read_one(const SampleKey& key, SampleSlots out, ReadCost& cost) const;

  std::vector<MappedColumn> columns_;
  MappedRowsOptions options_;
  std::vector<FieldSpec> fields_;
  std::vector<std::uint64_t> record_bytes_;  // of each column, as stored
  std::int64_t size_ = 0;
};

}  // namespace stepbench::data
