// SPDX-License-Identifier: Apache-2.0
// What the loader of a case delivers: the first batches of its first epoch, looked at instead of
// timed. For `stepbench data show`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/resolved_case.h"
#include "workloads/loader/make_loader.h"
#include "workloads/loader/preview/field_statistics.h"
#include "workloads/loader/preview/picture.h"

namespace stepbench::loader {

struct FieldPreview {
  FieldSpec spec;
  std::int64_t bytes = 0;  // in a full batch
  FieldStatistics all;
  std::vector<FieldStatistics> channels;  // of a picture with more than one
};

struct LabelPreview {
  std::int64_t label = 0;
  std::string name;                      // empty: not known
  std::int64_t read = 0;                 // samples of the batches
  std::optional<std::int64_t> all = {};  // samples of the data set; nullopt: not known
};

struct SamplePreview {
  std::optional<std::int64_t> index = {};  // in the data set; nullopt: a stream has none
  std::optional<std::int64_t> label = {};
  std::string name;                       // of the label
  std::string file;                       // empty: samples have none of their own
  std::vector<std::int64_t> tokens = {};  // the first of them
};

struct DataPreview {
  std::string case_id;
  std::string kind;
  std::string path;  // empty: made up
  std::string digest;
  std::optional<std::int64_t> samples = {};  // of the data set; nullopt: a stream
  std::int64_t classes = 0;                  // or the vocabulary; 0: there are none
  std::int64_t parts = 0;                    // shards of a stream

  std::string engine;
  std::int64_t num_workers = 0;
  std::int64_t batch_size = 0;  // 0: as code of the user's makes each batch
  std::int64_t full_batch = 0;  // samples; where that is not known, of the first batch
  std::optional<std::int64_t> epoch_samples = {};      // nullopt: a stream
  bool joined = false;                                 // epochs follow each other inside batches
  std::optional<std::int64_t> batches_per_epoch = {};  // nullopt: a stream, or joined
  std::int64_t last_batch = 0;  // samples of an epoch's last batch, where the length is known
  std::int64_t dropped = 0;     // samples of an epoch that no batch gets: drop_last
  std::string order;            // in words
  std::vector<std::int64_t> first_indices = {};

  std::int64_t batches_read = 0;
  std::int64_t samples_read = 0;
  std::vector<FieldPreview> fields = {};
  std::vector<LabelPreview> labels = {};  // of the batches, by label; empty: there are none
  std::int64_t tokens_seen = 0;           // different ones in the batches; 0: there are none
  std::vector<SamplePreview> first_samples = {};
  std::vector<Picture> pictures = {};  // of them
  std::vector<std::string> notes = {};
  std::string png;  // the folder that the pictures were written to; empty: none
};

struct PreviewRequest {
  std::int64_t samples = 8;  // shown one by one
  std::int64_t batches = 2;  // read; as many more as it takes for `samples`
  bool pictures = false;     // whether to make them
};

// Reads through the very engine that the case names, without pinning. Throws what the data set and
// the loader throw.
[[nodiscard]] DataPreview preview_data(const ResolvedCase& resolved, const PreviewRequest& request,
                                       const std::vector<Engine>& table, const OrderMaker& order,
                                       data::PythonParts* python = nullptr);

// Whether preview_data() needs no torch to deliver what a worker would: engine and order are there
// without it.
[[nodiscard]] bool previews_without_torch(const ResolvedCase& resolved);
// The order of a worker with torch, for cases with which that is true.
[[nodiscard]] EpochOrder order_without_torch(const data::Dataset& dataset,
                                             const LoaderOptions& options);

}  // namespace stepbench::loader
