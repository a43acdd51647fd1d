// SPDX-License-Identifier: Apache-2.0
// Reads the samples of a batch and puts them together; one per reading thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/base/clock.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/batch_memory.h"
#include "workloads/loader/batch_order.h"

namespace stepbench::loader {

// What one batch cost its reader.
struct BatchCost {
  std::int64_t began_ns = 0;
  std::int64_t ended_ns = 0;
  std::int64_t fetch_ns = 0;
  std::int64_t decode_ns = 0;
  std::int64_t skipped = 0;
  [[nodiscard]] std::int64_t total_ns() const { return ended_ns - began_ns; }
  // The rest: memory, and what the data set spent on neither fetching nor decoding.
  [[nodiscard]] std::int64_t collate_ns() const { return total_ns() - fetch_ns - decode_ns; }
};

struct ReaderOptions {
  std::uint64_t seed = 0;
  bool joined = false;     // an iterable data set's share begins anew at its end
  bool drop_last = false;  // an iterable data set's rest: each reader drops its own
  std::int64_t rank = 0;
  std::int64_t world = 1;
  std::int64_t worker = 0;  // which reader this is, of how many
  std::int64_t workers = 1;
};

// Reads and collates whole batches for one worker: samples are written straight into the batch. One
// thread.
class BatchReader {
 public:
  BatchReader(const data::Dataset& dataset, const BatchMemory& memory, const ReaderOptions& options,
              const Clock& clock)
      : BatchReader(dataset, options, clock) {
    memory_ = &memory;
  }
  // For fill() alone.
  BatchReader(const data::Dataset& dataset, const ReaderOptions& options, const Clock& clock)
      : dataset_(dataset), options_(options), clock_(clock), scratch_(dataset.make_scratch()) {}

  // From an iterable data set: the next samples of this reader's share, whatever the indices are;
  // fewer at its end, and then batches of size 0. Joined, only a share without samples has an end.
  // Throws what the data set throws; `cost` then holds what was spent until then. Gives up between
  // two samples, by an Error that nobody will see, when `stop` becomes true.
  [[nodiscard]] Batch read(const BatchSamples& samples, BatchCost& cost,
                           const std::atomic<bool>* stop = nullptr);
  // That a batch of these samples is padded to; 0: all samples have one length.
  [[nodiscard]] std::int64_t length(const BatchSamples& samples) const;
  // The same into memory that is there already, of a batch that has this length (set_length()).
  // `cost` says when it began.
  void fill(Batch& batch, const BatchSamples& samples, BatchCost& cost,
            const std::atomic<bool>* stop = nullptr);
  // The share of an iterable data set begins anew, even in the same epoch.
  void restart() { stream_.reset(); }

 private:
  void pad(Batch& batch, std::int64_t index);
  [[nodiscard]] bool next_of_stream(std::int64_t epoch, data::ReadCost& reads);
  void open_stream(std::int64_t pass);

  const data::Dataset& dataset_;
  const BatchMemory* memory_ = nullptr;
  ReaderOptions options_;
  const Clock& clock_;
  std::unique_ptr<data::Dataset::Scratch> scratch_;
  std::vector<std::byte*> slots_;
  std::unique_ptr<data::SampleStream> stream_;  // of an iterable data set, its pass_ over the share
  std::int64_t stream_epoch_ = 0;  // that the tasks speak of; joined: where passes began
  std::int64_t pass_ = 0;
  bool pass_yields_ = false;
  bool stream_ended_ = false;
};

}  // namespace stepbench::loader
