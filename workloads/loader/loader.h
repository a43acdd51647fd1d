// SPDX-License-Identifier: Apache-2.0
// The contract of all engines: the options of a DataLoader, batch after batch, and what it reports.
// Also the parts that a workload with a device supplies to a loader (page-locked memory, and the
// copy that a pin thread begins), and the counts that a batch adds to a step's record.
#pragma once

#include <sys/types.h>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/measure/step_recorder.h"
#include "workloads/data/batch.h"
#include "workloads/data/dataset.h"

namespace stepbench::loader {

// Page-locked memory, from which copies to a device can be asynchronous. Supplied by the code that
// knows the device. Any thread.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  virtual ~PinnedMemory() = default;

  virtual void enter_thread() {}  // called once on a dedicated thread, before allocate()
  // Released with the last copy of the pointer, which may outlive this object. Throws if none is
  // available.
  [[nodiscard]] virtual std::shared_ptr<void> allocate(std::size_t bytes) = 0;

  // allocate(), counted.
  [[nodiscard]] std::shared_ptr<void> take(std::size_t bytes);
  [[nodiscard]] std::int64_t peak_bytes() const { return use_->peak; }  // held by batches at once

 private:
  struct Use {
    std::atomic<std::int64_t> bytes = 0;
    std::atomic<std::int64_t> peak = 0;
  };
  std::shared_ptr<Use> use_ = std::make_shared<Use>();  // blocks in use may outlive this object
};

// Copies the batch into pinned memory, one block per field, as Python pins tensor by tensor.
[[nodiscard]] Batch pinned_copy(const Batch& batch, PinnedMemory& memory);

// Begins the copy of a pinned batch to a device, on the loader's pin thread. Supplied by the code
// that knows the device; must outlive the loader. Never called by two threads at once, but each
// epoch may use a different thread.
class BatchUpload {
 public:
  BatchUpload() = default;
  BatchUpload(const BatchUpload&) = delete;
  BatchUpload& operator=(const BatchUpload&) = delete;
  virtual ~BatchUpload() = default;

  virtual void enter_thread() {}  // called once on a dedicated thread, before upload()
  // The result becomes Batch::device_copy. An exception becomes the batch's error.
  [[nodiscard]] virtual std::shared_ptr<const void> upload(const Batch& pinned) = 0;
};

// A DataLoader with Python's semantics. One consumer thread constructs, iterates and destroys it.

// A worker's kernel ids.
struct WorkerThread {
  pid_t process = 0;
  pid_t thread = 0;  // 0: all threads of the process
  bool operator==(const WorkerThread&) const = default;
};

// The transport of a batch from a worker process to the consumer.
enum class Transport : std::uint8_t {
  kShmRing,  // reused slots of shared memory
  kTorchFd   // a fresh segment per tensor, as PyTorch does it
};

inline constexpr std::int64_t kSwitchIntervalUs = 5000;  // Python's default

struct LoaderOptions {
  std::int64_t batch_size = 1;  // 0: each item of the data set is a batch (engine python only)
  bool shuffle = false;
  bool with_replacement = false;  // not together with shuffle
  std::string weights = {};       // `balanced` or a file; empty: uniform
  std::int64_t num_samples = 0;   // drawn per epoch; 0: the size of the data set
  // Samples are sorted by length within groups of this many batches; 1: not sorted.
  std::int64_t bucket_batches = 1;
  const data::SampleLengths* lengths = nullptr;  // of the data set; must outlive the loader
  std::uint64_t seed = 0;
  // Epochs follow each other without a border: the loader never ends, every batch is full and may
  // span two epochs; drop_last and persistent_workers have no effect.
  bool joined = false;
  std::int64_t num_workers = 0;
  std::int64_t prefetch_factor = 2;  // un-yielded batches <= prefetch_factor * num_workers
  bool pin_memory = false;
  PinnedMemory* pinned = nullptr;  // destination of pin_memory; must outlive the loader
  BatchUpload* upload = nullptr;   // used by the pin thread after pinning; must outlive the loader
  bool persistent_workers = false;
  bool drop_last = false;
  double timeout_s = 0;  // per wait for one result; 0: no timeout
  bool in_order = true;
  bool reuse_buffers = false;  // buffers: fresh | reused
  std::int64_t threads_per_worker = 1;
  std::int64_t switch_interval_us = kSwitchIntervalUs;  // of Python's GIL in workers
  Transport transport = Transport::kShmRing;
  std::string affinity = "none";  // none | spread | compact | a list of cores
  // Time for a worker process to finish its sample at the end, before it is killed.
  std::chrono::nanoseconds patience = std::chrono::seconds(5);
  std::int64_t rank = 0;  // of `world`: selects this loader's share of the data set
  std::int64_t world = 1;
};

// Counters and per-next() samples since the last reset. Times in nanoseconds.
struct LoaderMetrics {
  std::int64_t batches = 0;
  std::int64_t samples = 0;
  std::int64_t bytes = 0;
  // For samples of different lengths: elements of the first field, and how many of them are
  // padding.
  std::int64_t elements = 0;
  std::int64_t padding = 0;
  std::int64_t skipped_samples = 0;
  std::int64_t lost_samples = 0;  // in epochs that an engine ended early

  std::int64_t epochs = 0;          // epochs begun
  std::int64_t epoch_begin_ns = 0;  // in begin_epoch(): workers started, first tasks sent
  // In the next() that found the end: workers joined unless persistent.
  std::int64_t epoch_end_ns = 0;

  // Work done for the batches, in workers or in the consumer.
  std::int64_t fetch_ns = 0;
  std::int64_t decode_ns = 0;
  std::int64_t collate_ns = 0;
  std::int64_t transport_ns = 0;  // handing batches over, without waiting for their turn
  std::int64_t pin_ns = 0;
  std::int64_t upload_ns = 0;  // pin thread's time in BatchUpload

  // The consumer's side of every next() that returned a batch or threw. The five parts add up to
  // the sum of wait_ns.
  std::int64_t blocked_ns = 0;            // no batch was ready
  std::int64_t read_ns = 0;               // reading it in this thread: engine inline
  std::int64_t receive_ns = 0;            // taking the batch over
  std::int64_t pinning_ns = 0;            // pinning in this thread
  std::int64_t dispatch_ns = 0;           // sending the next task, and everything else
  std::vector<std::int64_t> wait_ns;      // one per such next()
  std::vector<std::int64_t> queue_depth;  // finished, un-yielded batches at entry
  std::int64_t ready = 0;                 // calls whose batch was ready at entry
  std::int64_t waiting_batches = 0;  // batches waiting for their turn at entry, summed over calls
  // Part of blocked_ns while finished batches waited for their turn.
  std::int64_t stalled_ns = 0;

  struct Worker {
    std::int64_t busy_ns = 0;     // reading and collating
    std::int64_t idle_ns = 0;     // waiting for a task
    std::int64_t blocked_ns = 0;  // handing over: lock, slot or queue
    std::vector<int> cores = {};  // allowed cores; empty: unknown
  };
  std::vector<Worker> workers;
  // Sum of the squared batch times in us^2, for their variation. 0: unknown.
  double busy_us_squared = 0;
  // Engine python, if it can be measured: time from a batch's end until its worker's queue thread
  // begins to hand it over, time that the training process waits for a worker to pass a batch's
  // memory, and the number of tensors passed, each on its own.
  std::optional<std::int64_t> queue_thread_wait_ns = {};
  std::int64_t memory_wait_ns = 0;
  std::int64_t memories = 0;
  // Iterable data set: every worker reads and delivers all samples.
  bool workers_repeat = false;
  bool records_blocked = true;  // false: handing over is included in idle time

  void add(const LoaderMetrics& other);  // later metrics of the same loader
  void count(const Batch& batch);        // call for each batch that next() returns
};

// Sample indices of one epoch, in order. Passed in, so that every engine and torch's own loader see
// the same order. Joined epochs all have the same length.
using EpochOrder = std::function<std::vector<std::int64_t>(std::int64_t epoch)>;

// The order of a user-defined sampler.
struct OwnOrder {
  std::string words;                         // "as sampler() of my_data.py draws it, seed 0"
  std::vector<std::int64_t> indices = {};    // first ones of this epoch, as far as kept
  bool makes_batches = false;                // it is a batch sampler
  std::optional<std::int64_t> samples = {};  // per epoch; nullopt: unknown
};

class Loader {
 public:
  Loader() = default;
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  virtual ~Loader() = default;  // leaves no thread, process or segment, even in mid-epoch

  virtual void begin_epoch(std::int64_t epoch) = 0;  // Python's iter()
  // nullopt: end of the epoch. Rethrows worker errors.
  [[nodiscard]] virtual std::optional<Batch> next() = 0;
  // Negative: the length is unknown (iterable data set), or epochs are joined.
  [[nodiscard]] virtual std::int64_t batches_per_epoch() const = 0;
  // Finished batches waiting for next(); nullopt if batches are only made inside next().
  [[nodiscard]] virtual std::optional<std::int64_t> ready() const { return std::nullopt; }
  // The order if the user's code decides it; nullopt: EpochOrder does.
  [[nodiscard]] virtual std::optional<OwnOrder> own_order() const { return std::nullopt; }
  // Workers alive now, as far as known.
  [[nodiscard]] virtual std::vector<WorkerThread> worker_threads() const { return {}; }
  [[nodiscard]] virtual const LoaderMetrics& metrics() const = 0;
  virtual void reset_metrics() = 0;
};

// The contribution of a batch to a step's record: samples, bytes, whether it is partial.

// The contribution of a batch to the step that uses it, which may be a later step than the one that
// took the batch from the loader.
struct BatchMarks {
  BatchMarks() = default;
  explicit BatchMarks(const Batch& batch)
      : samples(batch.size),
        bytes(static_cast<std::int64_t>(batch.bytes())),
        padding(batch.padding.value_or(0)),
        partial(batch.partial) {}

  void put_on(StepRecorder& step) const {
    step.add(Count::kSamples, samples);
    step.add(Count::kBytes, bytes);
    if (partial) step.partial_batch();
  }

  std::int64_t samples = 0;
  std::int64_t bytes = 0;
  std::int64_t padding = 0;  // elements of the first field that belong to no sample
  bool partial = false;
};

}  // namespace stepbench::loader
