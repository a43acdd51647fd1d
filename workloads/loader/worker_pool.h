// SPDX-License-Identifier: Apache-2.0
// The interface of a prefetching loader to its workers, threads or processes, and the passing of a
// worker's exception to the consumer.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "workloads/data/batch.h"
#include "workloads/loader/batch_order.h"
#include "workloads/loader/batch_reader.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

struct LoaderTask {
  std::int64_t batch = 0;  // counted from begin_epoch()
  BatchSamples samples;
};

struct LoaderResult {
  std::int64_t batch = 0;
  int worker = 0;
  Batch data;
  std::exception_ptr error;  // in place of data
  BatchCost cost;
  std::int64_t idle_ns = 0;     // worker's, before this task
  std::int64_t blocked_ns = 0;  // worker's, handing over its previous result
  std::int64_t pin_ns = 0;
  std::int64_t upload_ns = 0;
  std::int64_t take_over_ns = 0;  // consumer's, inside receive() once the result was there
};

// Workers that turn tasks into results. Constructed with its workers running; the destructor stops
// them at any point and waits for the reads under way. One consumer thread.
class WorkerPool {
 public:
  WorkerPool() = default;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  virtual ~WorkerPool() = default;

  virtual void send(int worker, const LoaderTask& task) = 0;  // never blocks
  [[nodiscard]] virtual std::optional<LoaderResult> try_receive() = 0;
  // Waits; nullopt after `limit`; zero: no limit.
  [[nodiscard]] virtual std::optional<LoaderResult> receive(std::chrono::nanoseconds limit) = 0;
  // The same for as many results as the pool returns at once, into `into`, which must be empty: a
  // pool of threads returns all that are ready.
  virtual void try_receive_all(std::vector<LoaderResult>& into);
  virtual void receive_all(std::vector<LoaderResult>& into, std::chrono::nanoseconds limit);
  [[nodiscard]] virtual std::int64_t results() const = 0;  // waiting to be received
  // Process id of a worker; 0: a thread of this process.
  [[nodiscard]] virtual std::int64_t process(int) const { return 0; }
  // nullopt: unknown, or not started yet.
  [[nodiscard]] virtual std::optional<WorkerThread> thread(int) const { return std::nullopt; }
  // Cores of a worker that has returned a result; empty: unknown.
  [[nodiscard]] virtual std::vector<int> cores(int) const { return {}; }
  // Waits until every worker has finished its tasks, and drops the results.
  virtual void drain() = 0;
  // Any thread: makes the waiting receive(), or else the next one, return nullopt.
  virtual void interrupt() = 0;
};

// Call inside a catch block: describes the current exception in a sentence.
[[nodiscard]] std::string current_error_text();
// The exception that the consumer rethrows in place of a batch: keeps message and worker, not the
// exception's type.
[[nodiscard]] std::exception_ptr worker_error(int worker, const std::string& what);

}  // namespace stepbench::loader
