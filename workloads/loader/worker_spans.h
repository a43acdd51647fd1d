// SPDX-License-Identifier: Apache-2.0
// What workers did for each batch, for a collector that wants to draw it. Nobody listens
// in timed launches: a batch then costs one load of a thread-local pointer and one branch.
#pragma once

#include <cstdint>

#include "workloads/loader/batch_reader.h"

namespace stepbench::loader {

class WorkerSpanListener {
 public:
  WorkerSpanListener() = default;
  WorkerSpanListener(const WorkerSpanListener&) = delete;
  WorkerSpanListener& operator=(const WorkerSpanListener&) = delete;
  virtual ~WorkerSpanListener() = default;
  // A batch arrived that `worker` made: a process, or with pid 0 a thread of this one. Times of
  // HostClock. Consumer's thread.
  virtual void batch(std::int64_t pid, int worker, const BatchCost& cost) = 0;
  // The consumer read one itself.
  void own_batch(const BatchCost& cost) { batch(0, kConsumer, cost); }

  static constexpr int kConsumer = -1;  // in place of a worker
};

// Set by a collector around the steps that it records, on the thread that calls next(): a Loader's
// interface knows no collectors. Null everywhere else.
inline constinit thread_local WorkerSpanListener* worker_span_listener = nullptr;

}  // namespace stepbench::loader
