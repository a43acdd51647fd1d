// SPDX-License-Identifier: Apache-2.0
// A DataLoader with Python's semantics. One consumer thread constructs, iterates and destroys it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/clock.h"
#include "workloads/data/batch.h"
#include "workloads/data/dataset.h"

namespace stepbench {

struct LoaderOptions {
  std::int64_t batch_size = 1;
  bool shuffle = false;
  std::uint64_t seed = 0;
  std::int64_t num_workers = 0;
  std::int64_t prefetch_factor = 2;   // un-yielded batches <= prefetch_factor * num_workers
  bool pin_memory = false;
  bool persistent_workers = false;
  bool drop_last = false;
  double timeout_s = 0;               // per wait for one result; 0: none
  bool in_order = true;
  bool reuse_buffers = false;         // buffers: fresh | reused
  std::int64_t threads_per_worker = 1;
};

// Counters and per-next() samples since the last reset. Times in nanoseconds.
struct LoaderMetrics {
  std::int64_t batches = 0;
  std::int64_t samples = 0;
  std::int64_t bytes = 0;
  std::int64_t construct_ns = 0;
  std::int64_t tear_down_ns = 0;
  std::int64_t fetch_ns = 0;
  std::int64_t decode_ns = 0;
  std::int64_t collate_ns = 0;
  std::int64_t transport_ns = 0;
  std::int64_t skipped_samples = 0;
  std::vector<std::int64_t> wait_ns;       // one per next()
  std::vector<std::int64_t> queue_depth;   // finished, un-yielded batches at entry of next()
  struct Worker {
    std::int64_t busy_ns = 0, idle_ns = 0, blocked_ns = 0;
  };
  std::vector<Worker> workers;
};

// The order of one epoch: sample indices. Given from outside, so that every engine and torch's own loader see the same.
using EpochOrder = std::function<std::vector<std::int64_t>(std::int64_t epoch)>;

class Loader {
 public:
  Loader() = default;
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  virtual ~Loader() = default;  // stops in mid-epoch too: no thread, process or segment is left

  virtual void begin_epoch(std::int64_t epoch) = 0;      // Python's iter()
  [[nodiscard]] virtual std::optional<Batch> next() = 0;  // nothing: end of the epoch. Rethrows a worker's error.
  [[nodiscard]] virtual std::int64_t batches_per_epoch() const = 0;
  [[nodiscard]] virtual const LoaderMetrics& metrics() const = 0;
  virtual void reset_metrics() = 0;
};

}  // namespace stepbench
