// SPDX-License-Identifier: Apache-2.0
// Preview of a case's data: the first batches of the loader's first epoch, inspected instead of
// timed. For `stepbench data show`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/resolved_case.h"
#include "workloads/data/batch.h"
#include "workloads/loader/internal/make_loader.h"
#include "workloads/loader/internal/preview/picture.h"

namespace stepbench::loader {

// Statistics of a field's values: range, mean, spread, zeros, NaNs and infinities. Pure; any
// thread.
class FieldStatistics {
 public:
  void add(double value);
  // Adds consecutive numbers of this type.
  void add(std::span<const std::byte> numbers, DType dtype);

  [[nodiscard]] std::int64_t values() const { return values_; }
  [[nodiscard]] std::int64_t zeros() const { return zeros_; }
  [[nodiscard]] std::int64_t nans() const { return nans_; }
  [[nodiscard]] std::int64_t infinities() const { return infinities_; }
  // Over the finite values; NaN if there are none.
  [[nodiscard]] double min() const;
  [[nodiscard]] double max() const;
  [[nodiscard]] double mean() const;
  [[nodiscard]] double deviation() const;  // population standard deviation

 private:
  [[nodiscard]] std::int64_t finite() const { return values_ - nans_ - infinities_; }

  std::int64_t values_ = 0;
  std::int64_t zeros_ = 0;
  std::int64_t nans_ = 0;
  std::int64_t infinities_ = 0;
  double min_ = 0;
  double max_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of squared distances to the mean
};

struct FieldPreview {
  FieldSpec spec;
  std::int64_t bytes = 0;  // in a full batch
  FieldStatistics all;
  std::vector<FieldStatistics> channels;  // of a picture with several
};

struct LabelPreview {
  std::int64_t label = 0;
  std::string name;                      // empty: unknown
  std::int64_t read = 0;                 // samples in the batches read
  std::optional<std::int64_t> all = {};  // samples in the data set; nullopt: unknown
};

struct SamplePreview {
  std::optional<std::int64_t> index = {};  // in the data set; nullopt: a stream
  std::optional<std::int64_t> label = {};
  std::string name;                       // of the label
  std::string file;                       // empty: not one file per sample
  std::vector<std::int64_t> tokens = {};  // the first ones
};

struct DataPreview {
  std::string case_id;
  std::string kind;
  std::string path;  // empty: synthetic
  std::string digest;
  std::optional<std::int64_t> samples = {};  // of the data set; nullopt: a stream
  std::int64_t classes = 0;                  // or the size of the vocabulary; 0: none
  std::int64_t parts = 0;                    // shards of a stream

  std::string engine;
  std::int64_t num_workers = 0;
  std::int64_t batch_size = 0;                         // 0: the user's code makes the batches
  std::int64_t full_batch = 0;                         // samples; if unknown, of the first batch
  std::optional<std::int64_t> epoch_samples = {};      // nullopt: a stream
  bool joined = false;                                 // batches may span epochs
  std::optional<std::int64_t> batches_per_epoch = {};  // nullopt: a stream, or joined
  std::int64_t last_batch = 0;                         // samples in an epoch's last batch, if known
  std::int64_t dropped = 0;                            // samples per epoch that drop_last drops
  std::string order;                                   // in words
  std::vector<std::int64_t> first_indices = {};

  std::int64_t batches_read = 0;
  std::int64_t samples_read = 0;
  std::vector<FieldPreview> fields = {};
  std::vector<LabelPreview> labels = {};  // of the batches, by label; empty: none
  std::int64_t tokens_seen = 0;           // distinct tokens in the batches; 0: none
  std::vector<SamplePreview> first_samples = {};
  std::vector<Picture> pictures = {};  // of first_samples
  std::vector<std::string> notes = {};
  std::string png;  // folder of the pictures; empty: none
};

struct PreviewRequest {
  std::int64_t samples = 8;  // to show one by one
  std::int64_t batches = 2;  // to read at least; more if `samples` needs them
  bool pictures = false;
};

// Reads through the engine that the case names, without pinning. Throws what the data set and the
// loader throw.
[[nodiscard]] DataPreview preview_data(const ResolvedCase& resolved, const PreviewRequest& request,
                                       const std::vector<Engine>& table, const OrderMaker& order,
                                       data::PythonParts* python = nullptr);

// True if preview_data() delivers the same as a worker without torch: neither engine nor order
// needs it.
[[nodiscard]] bool previews_without_torch(const ResolvedCase& resolved);
// The order of a worker with torch, for cases for which previews_without_torch() is true.
[[nodiscard]] EpochOrder order_without_torch(const data::Dataset& dataset,
                                             const LoaderOptions& options);

}  // namespace stepbench::loader
