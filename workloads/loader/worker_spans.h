// SPDX-License-Identifier: Apache-2.0
// Reports what workers did for each batch to a collector that draws it. In timed launches there is
// no listener: a batch then costs one load of a thread-local pointer and one branch.
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
