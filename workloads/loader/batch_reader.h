// SPDX-License-Identifier: Apache-2.0
// Reads and collates batches; one per reading thread.
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

// Time that a reader spent on one batch.
struct BatchCost {
  std::int64_t began_ns = 0;
  std::int64_t ended_ns = 0;
  std::int64_t fetch_ns = 0;
  std::int64_t decode_ns = 0;
  std::int64_t skipped = 0;
  [[nodiscard]] std::int64_t total_ns() const { return ended_ns - began_ns; }
  // Everything else: allocation, and data set time that is neither fetching nor decoding.
  [[nodiscard]] std::int64_t collate_ns() const { return total_ns() - fetch_ns - decode_ns; }
};

struct ReaderOptions {
  std::uint64_t seed = 0;
  bool joined = false;     // an iterable data set's share restarts at its end
  bool drop_last = false;  // an iterable data set: each reader drops its own partial batch
  std::int64_t rank = 0;
  std::int64_t world = 1;
  std::int64_t worker = 0;  // number of this reader, of `workers`
  std::int64_t workers = 1;
};

// Reads and collates batches for one worker, writing samples straight into the batch. One thread.
class BatchReader {
 public:
  BatchReader(const data::Dataset& dataset, const BatchMemory& memory, const ReaderOptions& options,
              const Clock& clock)
      : BatchReader(dataset, options, clock) {
    memory_ = &memory;
  }
  // For use with fill() only: has no memory for read().
  BatchReader(const data::Dataset& dataset, const ReaderOptions& options, const Clock& clock)
      : dataset_(dataset), options_(options), clock_(clock), scratch_(dataset.make_scratch()) {}

  // Reads a batch. From an iterable data set: the next samples of this reader's share, whatever the
  // indices are; fewer at its end, then batches of size 0. With joined epochs, only an empty share
  // ends. Throws what the data set throws; `cost` then holds the time spent until then. Throws
  // Error between two samples when `stop` becomes true.
  [[nodiscard]] Batch read(const BatchSamples& samples, BatchCost& cost,
                           const std::atomic<bool>* stop = nullptr);
  // Length that a batch of these samples is padded to; 0: all samples have one length.
  [[nodiscard]] std::int64_t length(const BatchSamples& samples) const;
  // Like read(), but into an existing batch whose length is set (set_length()). The caller sets the
  // begin of `cost`.
  void fill(Batch& batch, const BatchSamples& samples, BatchCost& cost,
            const std::atomic<bool>* stop = nullptr);
  // Restarts the share of an iterable data set, even within the same epoch.
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
  std::unique_ptr<data::SampleStream> stream_;  // pass_ over an iterable data set's share
  std::int64_t stream_epoch_ = 0;               // epoch of the tasks; joined: first pass
  std::int64_t pass_ = 0;
  bool pass_yields_ = false;
  bool stream_ended_ = false;
};

}  // namespace stepbench::loader
