// SPDX-License-Identifier: Apache-2.0
// What worker processes did for each batch, for a collector that wants to draw it. Nobody listens
// in timed launches: a batch then costs one load of a thread-local pointer and one branch.
#pragma once

#include <cstdint>

#include "workloads/loader/batch_reader.h"

namespace stepbench {

class WorkerSpanListener {
 public:
  WorkerSpanListener() = default;
  WorkerSpanListener(const WorkerSpanListener&) = delete;
  WorkerSpanListener& operator=(const WorkerSpanListener&) = delete;
  virtual ~WorkerSpanListener() = default;
  // A batch arrived that process `pid` made. Times of HostClock. Consumer's thread.
  virtual void batch(std::int64_t pid, const BatchCost& cost) = 0;
};

// Set by a collector around the steps that it records, on the thread that calls next(): a Loader's
// interface knows no collectors. Null everywhere else.
inline constinit thread_local WorkerSpanListener* worker_span_listener = nullptr;

}  // namespace stepbench
