// SPDX-License-Identifier: Apache-2.0
// From samples to batches: stepbench's own orders of an epoch (transfer/torch_order.h has
// Python's, which workers use); weights of samples; batches; a reader that fills a batch and
// reports its cost; and the detection of workers that all read the same samples. An order is a pure
// function of its arguments, any thread; weights are read from a file. One reader per reading
// thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/base/clock.h"
#include "workloads/data/batch.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

[[nodiscard]] EpochOrder sequential_order(std::int64_t samples);
// A Fisher-Yates shuffle per epoch, a function of (seed, epoch). Differs from torch.randperm's
// order.
[[nodiscard]] EpochOrder shuffled_order(std::int64_t samples, std::uint64_t seed);
// `draws` draws with replacement; a function of (seed, epoch).
[[nodiscard]] EpochOrder drawn_order(std::int64_t samples, std::int64_t draws, std::uint64_t seed);
// Draws samples in proportion to their weights; without replacement, no sample twice.
[[nodiscard]] EpochOrder weighted_order(std::vector<double> weights, std::int64_t draws,
                                        bool replacement, std::uint64_t seed);
// One rank's part of an order, as DistributedSampler deals it out: every world-th sample from the
// rank's own on. All ranks get equally many; the first samples repeat to make up the number.
[[nodiscard]] EpochOrder order_of_rank(EpochOrder of_all, std::int64_t rank, std::int64_t world);
// Samples per epoch over all ranks, for a data set of this size.
[[nodiscard]] std::int64_t epoch_samples(std::int64_t samples, const LoaderOptions& options);

// Python's BatchSampler: cuts an epoch's order into batches. A view; `order` must outlive it.
class BatchCut {
 public:
  BatchCut(std::span<const std::int64_t> order, std::int64_t batch_size, bool drop_last);
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::span<const std::int64_t> operator[](std::int64_t batch) const;

 private:
  std::span<const std::int64_t> order_;
  std::int64_t batch_size_;
  std::int64_t count_;
};

// Sorts by length within each group of options.bucket_batches batches and shuffles the batches of a
// group, as a function of (seed, epoch). A partial last batch keeps its place at the end.
void sort_by_length(std::span<std::int64_t> order, const LoaderOptions& options,
                    std::int64_t epoch);

[[nodiscard]] std::int64_t batch_count(std::int64_t samples, std::int64_t batch_size,
                                       bool drop_last);
// Loader::batches_per_epoch() for a data set of this size.
[[nodiscard]] std::int64_t epoch_batches(std::int64_t samples, const LoaderOptions& options);

// Python's DataLoader(shuffle=True): its exact order.

// The order of epochs directly after torch.manual_seed(seed), each with its own iterator or, with
// `one_iterator`, all with the same (persistent workers). An epoch depends on all draws before it,
// so asking for epochs in order is cheapest. One thread.
[[nodiscard]] EpochOrder python_shuffle(std::int64_t samples, std::uint64_t seed,
                                        bool one_iterator);

// Weights of the weighted samplers.

// The relative probability of each sample (options.weights: a file, or `balanced`). Throws
// ConfigError(loader.weights) for weights that torch.multinomial rejects, for a data set whose
// samples have no class, and if the numbers of weights and samples differ;
// ConfigError(loader.num_samples) for more draws without replacement than samples.
[[nodiscard]] std::vector<double> sample_weights(const data::Dataset& dataset,
                                                 const LoaderOptions& options);

// Weight of a sample: 1 / (number of samples of its class).
[[nodiscard]] std::vector<double> balanced_weights(const std::vector<std::int64_t>& labels);

// Deals the samples of an epoch out to batches, as Python's BatchSampler does with a sampler that
// ends with its epoch or, if epochs are joined, never ends. One thread.

inline constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

// The samples of one batch.
struct BatchSamples {
  std::span<const std::int64_t> indices;   // iterable data set: only the count matters
  std::int64_t epoch = 0;                  // of the first sample
  std::int64_t left = kEndless;            // samples of that epoch from this batch on
  std::int64_t pass = kEndless;            // samples of each following epoch
  std::shared_ptr<const void> owner = {};  // null: valid until the epoch ends or restarts

  [[nodiscard]] std::int64_t epoch_of(std::int64_t sample) const {
    return sample < left ? epoch : epoch + 1 + (sample - left) / pass;
  }
};

class BatchOrder {
 public:
  // samples < 0: an iterable data set. Its batches are all alike; only the readers know where it
  // ends.
  BatchOrder(std::int64_t samples, const LoaderOptions& options, EpochOrder order);

  void begin(std::int64_t epoch);
  [[nodiscard]] std::int64_t batches() const { return batches_; }  // after begin(); or kEndless
  [[nodiscard]] std::optional<BatchSamples> next();                // nullopt: end of the epoch
  // After begin(): the samples of the epoch that next() has not returned, in their order.
  [[nodiscard]] std::span<const std::int64_t> rest() const {
    return std::span(*indices_).subspan(static_cast<std::size_t>(at_));
  }

 private:
  [[nodiscard]] bool endless() const { return batches_ == kEndless; }
  [[nodiscard]] std::int64_t drawn() const { return static_cast<std::int64_t>(indices_->size()); }
  void append_epochs();
  void move_on(std::int64_t samples);

  std::int64_t samples_;
  LoaderOptions options_;
  EpochOrder order_;
  std::shared_ptr<const std::vector<std::int64_t>> indices_;  // drawn and still needed
  std::int64_t batches_ = 0;
  std::int64_t at_ = 0;     // position in indices_ of the next sample
  std::int64_t drawn_ = 0;  // last epoch in indices_
  std::int64_t epoch_ = 0;  // of the sample at at_
  std::int64_t left_ = 0;   // samples of that epoch from at_ on
  std::int64_t pass_ = 0;   // samples of an epoch
};

// Reads the samples of a batch into one block of memory, fresh or from a pool (loader.buffers), and
// reports the cost of each batch to a listening collector. One reader per reading thread.

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

// Reports the workers' activity for each batch to a collector. Timed launches have no listener: a
// batch then costs one load of a thread-local pointer and one branch.

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

// Detects workers of an iterable data set that all read the same samples: a data set that does not
// split itself yields each sample once per worker. One thread.

class RepeatedBatches {
 public:
  // Batches must come from `workers` in turns.
  explicit RepeatedBatches(std::int64_t workers) : workers_(static_cast<std::size_t>(workers)) {}

  // Call with the batches in order; only the first ones are looked at.
  void observe(const Batch& batch);
  // True if all workers' first batches are the same and differ from one another within a worker.
  [[nodiscard]] bool repeat() const;

 private:
  [[nodiscard]] std::size_t wanted() const { return workers_ < 2 ? 0 : kTurns * workers_; }

  static constexpr std::size_t kTurns = 2;
  std::size_t workers_;
  std::vector<std::size_t> digests_;
};

}  // namespace stepbench::loader
