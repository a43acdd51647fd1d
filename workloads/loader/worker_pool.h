// SPDX-License-Identifier: Apache-2.0
// What a prefetching loader asks of its workers, threads or processes.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

#include "workloads/data/batch.h"
#include "workloads/loader/batch_order.h"
#include "workloads/loader/batch_reader.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

struct LoaderTask {
  std::int64_t batch = 0;  // since begin_epoch()
  BatchSamples samples;
};

struct LoaderResult {
  std::int64_t batch = 0;
  int worker = 0;
  Batch data;
  std::exception_ptr error;  // in place of data
  BatchCost cost;
  std::int64_t idle_ns = 0;     // of the worker, before this task
  std::int64_t blocked_ns = 0;  // of the worker, handing over the result before this one
  std::int64_t pin_ns = 0;
  std::int64_t upload_ns = 0;
  std::int64_t take_over_ns = 0;  // of the consumer inside receive(), once the result was there
};

// Workers that turn tasks into results: threads or processes. Made with its workers started; the
// destructor stops them wherever they are, and waits for what they are reading. One consumer
// thread.
class WorkerPool {
 public:
  WorkerPool() = default;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  virtual ~WorkerPool() = default;

  virtual void send(int worker, const LoaderTask& task) = 0;  // never blocks
  [[nodiscard]] virtual std::optional<LoaderResult> try_receive() = 0;
  // Waits; nullopt if `limit` passed. limit zero: no limit.
  [[nodiscard]] virtual std::optional<LoaderResult> receive(std::chrono::nanoseconds limit) = 0;
  // The same for as many results as the pool gives at once, put into `into`, which is empty: a pool
  // of threads gives all that are there.
  virtual void try_receive_all(std::vector<LoaderResult>& into);
  virtual void receive_all(std::vector<LoaderResult>& into, std::chrono::nanoseconds limit);
  [[nodiscard]] virtual std::int64_t results() const = 0;  // waiting to be received
  // The process that a worker is; 0: a thread of this one.
  [[nodiscard]] virtual std::int64_t process(int) const { return 0; }
  // nullopt: not known, or not started yet.
  [[nodiscard]] virtual std::optional<WorkerThread> thread(int) const { return std::nullopt; }
  // Where a worker from which a result came may run; empty: not known.
  [[nodiscard]] virtual std::vector<int> cores(int) const { return {}; }
  // Waits until every worker has finished what it was sent, and drops the results.
  virtual void drain() = 0;
  // From any thread: a receive() that waits now, or else the next one, returns nothing.
  virtual void interrupt() = 0;
};

}  // namespace stepbench::loader
