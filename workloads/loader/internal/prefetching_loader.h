// SPDX-License-Identifier: Apache-2.0
// A loader that prefetches batches with workers; the interface to its workers, threads or
// processes; and the passing of a worker's exception to the consumer. One consumer thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/data/batch.h"
#include "workloads/loader/batches.h"
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

// A loader whose workers read ahead, over any WorkerPool, by the dispatch rules of Python's
// DataLoader (PyTorch 2.11, _MultiProcessingDataLoaderIter).

// The dispatch rules: which worker gets which batch, and in which order batches are yielded.
// Without threads, queues or data. One thread; shared by all engines with workers.
class Dispatcher {
 public:
  struct Task {
    std::int64_t index = 0;  // of the batch in its epoch
    int worker = 0;
    bool operator==(const Task&) const = default;
  };

  // workers >= 1, prefetch_factor >= 1.
  Dispatcher(int workers, std::int64_t prefetch_factor, bool in_order);

  // Resets the state. `tasks`: batches in this epoch. Afterwards prime: call dispatch() capacity()
  // times.
  void begin_epoch(std::int64_t tasks);
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }

  // Returns the next task and the worker to send it to; nullopt if all are sent or no worker may
  // take one. In order, workers take turns regardless of their load; out of order, a worker that
  // has its share of capacity() un-yielded is skipped.
  [[nodiscard]] std::optional<Task> dispatch();

  // The next action of the loader's next().
  enum class State : std::uint8_t {
    kEnd,      // of the epoch
    kReceive,  // wait for a result of any worker, then call received() or ended()
    kYield     // call yield(), then dispatch() once
  };
  [[nodiscard]] State state();
  void received(std::int64_t index);
  // Call when a worker of an iterable data set has no more samples: its answer to the first such
  // task. Then call dispatch() once.
  void ended(int worker);
  [[nodiscard]] Task yield();

  [[nodiscard]] std::int64_t outstanding() const { return outstanding_; }  // sent, not received
  [[nodiscard]] std::int64_t stashed() const { return stashed_; }  // received, not yet their turn
  [[nodiscard]] std::int64_t unyielded() const { return outstanding_ + stashed_; }

 private:
  enum class BatchState : std::uint8_t { kSent, kStashed, kYielded };
  struct Info {
    int worker = 0;
    BatchState batch_state = BatchState::kSent;
  };
  [[nodiscard]] Info& info(std::int64_t index) {
    return infos_[static_cast<std::size_t>(index - next_yield_)];
  }

  struct Worker {
    bool alive = true;
    std::int64_t load = 0;  // tasks sent, not yielded
  };

  std::int64_t capacity_;
  bool in_order_;
  std::vector<Worker> workers_;
  std::size_t turn_ = 0;  // worker whose turn it is
  std::int64_t tasks_ = 0;
  std::int64_t drawn_ = 0;  // tasks drawn; one is drawn but not sent only after all workers ended
  std::int64_t next_send_ = 0;
  std::int64_t next_yield_ = 0;
  std::deque<Info> infos_;             // of [next_yield_, next_send_)
  std::optional<std::int64_t> given_;  // out of order: received, to be yielded at once
  std::int64_t outstanding_ = 0;
  std::int64_t stashed_ = 0;
};

// A loader with workers: sends tasks in the Dispatcher's order and yields their results.
class PrefetchingLoader final : public Loader {
 public:
  using StartWorkers = std::function<std::unique_ptr<WorkerPool>()>;

  // `clock` and everything that `start` uses must outlive it. samples < 0: an iterable data set,
  // whose workers return a batch of size 0 when their share is used up.
  PrefetchingLoader(std::int64_t samples, const LoaderOptions& options, EpochOrder order,
                    StartWorkers start, const Clock& clock);

  void begin_epoch(std::int64_t epoch) override;
  [[nodiscard]] std::optional<Batch> next() override;
  [[nodiscard]] std::int64_t batches_per_epoch() const override;
  [[nodiscard]] std::optional<std::int64_t> ready() const override;
  [[nodiscard]] std::vector<WorkerThread> worker_threads() const override;
  [[nodiscard]] const LoaderMetrics& metrics() const override { return metrics_; }
  void reset_metrics() override;

 private:
  struct Wait {                // within one next()
    std::int64_t seen_ns = 0;  // last clock reading
    std::int64_t blocked_ns = 0;
    std::int64_t receive_ns = 0;
    std::int64_t stalled_ns = 0;
  };
  void receive(Wait& wait);
  void accept_result(LoaderResult& result);
  [[nodiscard]] std::int64_t left_over() const {
    return static_cast<std::int64_t>(arrived_.size() - accepted_);
  }
  [[nodiscard]] LoaderResult& slot(std::int64_t batch) {
    return received_[static_cast<std::size_t>(batch) & (received_.size() - 1)];
  }
  [[nodiscard]] bool is_end(const LoaderResult& result) const {
    return samples_ < 0 && !result.error && result.data.size == 0;
  }
  void account(const LoaderResult& result);
  void end_worker(int worker);
  void send_next();

  std::int64_t samples_;
  LoaderOptions options_;
  BatchOrder order_;
  StartWorkers start_;
  const Clock& clock_;
  Dispatcher dispatcher_;
  // Not yet yielded; batch i is at i % size. The size is a power of two.
  std::vector<LoaderResult> received_;
  std::vector<LoaderResult> arrived_;  // received together; processed one by one
  std::size_t accepted_ = 0;           // processed entries of arrived_
  std::vector<bool> ended_;            // iterable data set: workers that ended in this epoch
  LoaderMetrics metrics_;
  std::unique_ptr<WorkerPool> pool_;  // destroyed first
};

}  // namespace stepbench::loader
