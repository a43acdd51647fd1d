// SPDX-License-Identifier: Apache-2.0
// A DataLoader with Python's semantics. One consumer thread constructs, iterates and destroys it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "workloads/data/batch.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/batch_upload.h"
#include "workloads/loader/pinned_memory.h"

namespace stepbench::loader {

// A worker as the kernel knows it.
struct WorkerThread {
  pid_t process = 0;
  pid_t thread = 0;  // 0: all threads of the process
  bool operator==(const WorkerThread&) const = default;
};

// How a batch gets from a worker process to the consumer.
enum class Transport : std::uint8_t {
  kShmRing,  // slots of shared memory that are used again and again
  kTorchFd   // a fresh segment per tensor, as PyTorch does it
};

inline constexpr std::int64_t kSwitchIntervalUs = 5000;  // Python's own

struct LoaderOptions {
  std::int64_t batch_size = 1;  // 0: each item of the data set is a batch, engine python's alone
  bool shuffle = false;
  bool with_replacement = false;  // each draw of any sample; not with shuffle
  std::string weights = {};       // of the draws: `balanced` or a file; empty: all alike
  std::int64_t num_samples = 0;   // drawn per epoch; 0: as many as the data set has
  // Samples of so many batches are sorted by length; 1: they come as they are.
  std::int64_t bucket_batches = 1;
  const data::SampleLengths* lengths = nullptr;  // of the data set; must outlive the loader
  std::uint64_t seed = 0;
  // Epochs follow each other without a border: the loader never ends, every batch is full and may
  // hold the end of one epoch and the beginning of the next; drop_last and persistent_workers mean
  // nothing.
  bool joined = false;
  std::int64_t num_workers = 0;
  std::int64_t prefetch_factor = 2;  // un-yielded batches <= prefetch_factor * num_workers
  bool pin_memory = false;
  PinnedMemory* pinned = nullptr;  // where pin_memory copies batches to; must outlive the loader
  BatchUpload* upload = nullptr;   // what the pin thread does with them then; must outlive it too
  bool persistent_workers = false;
  bool drop_last = false;
  double timeout_s = 0;  // per wait for one result; 0: none
  bool in_order = true;
  bool reuse_buffers = false;  // buffers: fresh | reused
  std::int64_t threads_per_worker = 1;
  std::int64_t switch_interval_us = kSwitchIntervalUs;  // of Python's lock in workers
  Transport transport = Transport::kShmRing;
  std::string affinity = "none";  // none | spread | compact | a list of cores
  // How long a worker process may finish its sample at the end, before it is killed.
  std::chrono::nanoseconds patience = std::chrono::seconds(5);
  std::int64_t rank = 0;  // of `world`: which share of the data set is this loader's
  std::int64_t world = 1;
};

// Counters and per-next() samples since the last reset. Times in nanoseconds.
struct LoaderMetrics {
  std::int64_t batches = 0;
  std::int64_t samples = 0;
  std::int64_t bytes = 0;
  // Of batches of samples of different lengths: elements of the first field, and those of them that
  // stand behind a shorter sample.
  std::int64_t elements = 0;
  std::int64_t padding = 0;
  std::int64_t skipped_samples = 0;
  std::int64_t lost_samples = 0;  // of epochs that an engine ended early

  std::int64_t epochs = 0;          // begun
  std::int64_t epoch_begin_ns = 0;  // in begin_epoch(): workers started, first tasks sent
  std::int64_t epoch_end_ns =
      0;  // in the next() that found the end: workers joined unless persistent

  // What was done for the batches, by whoever did it.
  std::int64_t fetch_ns = 0;
  std::int64_t decode_ns = 0;
  std::int64_t collate_ns = 0;
  std::int64_t transport_ns = 0;  // handing a batch over, without waiting for its turn
  std::int64_t pin_ns = 0;
  std::int64_t upload_ns = 0;  // of the pin thread's time, in BatchUpload

  // The consumer's side of every next() that returned a batch or threw. The five parts sum to the
  // sum of wait_ns.
  std::int64_t blocked_ns = 0;            // no batch was there
  std::int64_t read_ns = 0;               // reading it itself: engine inline
  std::int64_t receive_ns = 0;            // taking it over
  std::int64_t pinning_ns = 0;            // pinning in this thread
  std::int64_t dispatch_ns = 0;           // sending the next task, and the rest
  std::vector<std::int64_t> wait_ns;      // one per such next()
  std::vector<std::int64_t> queue_depth;  // finished, un-yielded batches at its entry
  std::int64_t ready = 0;                 // calls whose batch was there at entry
  std::int64_t held = 0;  // batches held for their turn at entry, summed over the calls
  std::int64_t stalled_ns =
      0;  // part of blocked_ns while finished batches were held for their turn

  struct Worker {
    std::int64_t busy_ns = 0;     // reading and collating
    std::int64_t idle_ns = 0;     // no task
    std::int64_t blocked_ns = 0;  // handing over: lock, slot or queue
    std::vector<int> cores = {};  // where it was allowed to run; empty: not known
  };
  std::vector<Worker> workers;
  // Of the batches' times, the sum of the squares in us: how even they are. 0: not known.
  double busy_us_squared = 0;
  // Engine python, where it can be told: from a batch's end to the moment at which its worker's
  // queue thread begins to hand it over, and that the training process waits for a worker to give
  // it a batch's memory: of so many tensors, each by itself.
  std::optional<std::int64_t> queue_thread_wait_ns = {};
  std::int64_t memory_wait_ns = 0;
  std::int64_t memories = 0;
  // Of an iterable data set: every worker delivers the same samples, each reads all of it.
  bool workers_repeat = false;
  bool tells_blocked = true;  // false: a worker's handing over is part of its idle time

  void add(const LoaderMetrics& other);  // of the same loader, later
  void count(const Batch& batch);        // that next() returns
};

// The order of one epoch: sample indices. Given from outside, so that every engine and torch's own
// loader see the same. Joined epochs have all the same length.
using EpochOrder = std::function<std::vector<std::int64_t>(std::int64_t epoch)>;

// Of a sampler that the user wrote.
struct OwnOrder {
  std::string words;                         // "as sampler() of my_data.py draws it, seed 0"
  std::vector<std::int64_t> indices = {};    // drawn first in this epoch, as far as they are kept
  bool makes_batches = false;                // it says how many samples a batch has
  std::optional<std::int64_t> samples = {};  // of an epoch; nullopt: it does not tell
};

class Loader {
 public:
  Loader() = default;
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  virtual ~Loader() = default;  // stops in mid-epoch too: no thread, process or segment is left

  virtual void begin_epoch(std::int64_t epoch) = 0;  // Python's iter()
  [[nodiscard]] virtual std::optional<Batch>
  next() = 0;  // nothing: end of the epoch. Rethrows a worker's error.
  // Negative: an iterable data set's length is not known, or epochs are joined.
  [[nodiscard]] virtual std::int64_t batches_per_epoch() const = 0;
  // Finished batches that wait for next() now; nullopt if none is made before it is asked for.
  [[nodiscard]] virtual std::optional<std::int64_t> ready() const { return std::nullopt; }
  // Where code of the user's orders the samples; nullopt: EpochOrder does.
  [[nodiscard]] virtual std::optional<OwnOrder> own_order() const { return std::nullopt; }
  // Those that live now, as far as they are known.
  [[nodiscard]] virtual std::vector<WorkerThread> worker_threads() const { return {}; }
  [[nodiscard]] virtual const LoaderMetrics& metrics() const = 0;
  virtual void reset_metrics() = 0;
};

}  // namespace stepbench::loader
