// SPDX-License-Identifier: Apache-2.0
// Reads the samples of a batch into one block of memory, fresh or from a pool (loader.buffers), and
// reports the cost of each batch to a listening collector. One reader per reading thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/base/clock.h"
#include "workloads/data/batch.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/batch_order.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Lays out the fields of a batch in one block of memory, one after the other, each aligned to a
// cache line.
class BatchLayout {
 public:
  BatchLayout(std::vector<FieldSpec> fields, std::int64_t batch_size);

  // Returns a batch of `size` samples over `memory`, which must have room for bytes() or be null.
  [[nodiscard]] Batch place(std::byte* memory, std::int64_t size,
                            std::shared_ptr<void> owner) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }  // of a full batch
  [[nodiscard]] std::int64_t batch_size() const { return batch_size_; }
  [[nodiscard]] const std::vector<SharedSpec>& fields() const { return fields_; }

 private:
  std::vector<SharedSpec> fields_;
  std::vector<std::size_t> offsets_;
  std::int64_t batch_size_;
  std::size_t bytes_ = 0;
};

// Allocates memory for each batch, or takes it from a pool to which it returns. A batch may outlive
// this object. Any thread.
class BatchMemory {
 public:
  BatchMemory(std::vector<FieldSpec> fields, std::int64_t batch_size, bool reuse);

  // Returns a batch of `size` samples in uninitialised memory, every field aligned to a cache line.
  // Throws std::bad_alloc.
  [[nodiscard]] Batch take(std::int64_t size) const;

 private:
  struct Pool;
  BatchLayout layout_;
  std::shared_ptr<Pool> pool_;  // null: allocate for each batch
};

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
[[nodiscard]] ReaderOptions reader_options(const LoaderOptions& options, std::int64_t worker,
                                           std::int64_t workers);

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

// What workers did for each batch, for a collector that records it. Timed launches have no
// listener: a batch then costs one load of a thread-local pointer and one branch.

class WorkerSpanListener {
 public:
  WorkerSpanListener() = default;
  WorkerSpanListener(const WorkerSpanListener&) = delete;
  WorkerSpanListener& operator=(const WorkerSpanListener&) = delete;
  virtual ~WorkerSpanListener() = default;
  // A batch from `worker` arrived; pid 0: the worker is a thread of this process. Times of
  // HostClock. Consumer's thread.
  virtual void batch(std::int64_t pid, int worker, const BatchCost& cost) = 0;
  // The consumer read a batch itself.
  void own_batch(const BatchCost& cost) { batch(0, kConsumer, cost); }

  static constexpr int kConsumer = -1;  // in place of a worker
};

// Set by a collector around the steps that it records, on the thread that calls next(), because the
// Loader interface has no access to collectors. Null everywhere else.
inline constinit thread_local WorkerSpanListener* worker_span_listener = nullptr;

}  // namespace stepbench::loader
