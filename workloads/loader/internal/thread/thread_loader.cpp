// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/thread/thread_loader.h"

#include <pthread.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/workload.h"
#include "workloads/loader/internal/pinning_pool.h"
#include "workloads/loader/internal/prefetching_loader.h"
#include "workloads/loader/internal/worker_cpus.h"

namespace stepbench::loader {

std::unique_ptr<Loader> make_thread_loader(const data::Dataset& dataset,
                                           const LoaderOptions& options, EpochOrder order,
                                           const Clock& clock) {
  const auto memory =
      std::make_shared<BatchMemory>(dataset.fields(), options.batch_size, options.reuse_buffers);
  const std::vector<int> cores = worker_cores(
      options.affinity, static_cast<int>(options.num_workers), cores_of_this_process());
  return std::make_unique<PrefetchingLoader>(
      dataset.size(), options, std::move(order),
      [&dataset, &clock, memory, options, cores]() -> std::unique_ptr<WorkerPool> {
        auto threads = std::make_unique<ThreadPool>(dataset, *memory, options, cores, clock);
        if (options.pinned == nullptr) return threads;
        return std::make_unique<PinningPool>(std::move(threads), *options.pinned, options.upload,
                                             clock);
      },
      clock);
}

Engine thread_engine() {
  return {.variant = {.name = "thread",
                      .doc = "Worker threads with the dispatch rules of Python's DataLoader."},
          .make = [](const data::Dataset& dataset, const LoaderOptions& options, EpochOrder order,
                     const WorkerContext& context) {
            return make_thread_loader(dataset, options, std::move(order), context.clock);
          }};
}

ThreadPool::ThreadPool(const data::Dataset& dataset, const BatchMemory& memory,
                       const LoaderOptions& options, std::vector<int> cores, const Clock& clock)
    : dataset_(dataset),
      memory_(memory),
      options_(options),
      cores_(std::move(cores)),
      clock_(clock),
      tasks_(static_cast<std::size_t>(options.num_workers)),
      numbers_(static_cast<std::size_t>(options.num_workers)) {
  try {
    for (int worker = 0; worker < options_.num_workers; ++worker) {
      threads_.emplace_back([this, worker] { work(worker); });
    }
  } catch (const std::system_error& error) {
    const std::size_t started = threads_.size();
    stop();
    throw ConfigError("loader.num_workers", formatted("the system gave {} of {} worker threads: {}",
                                                      started, options_.num_workers, error.what()));
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() noexcept {
  stopping_ = true;
  for (std::size_t i = 0; i < threads_.size(); ++i) tasks_[i].push(Stop{});
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void ThreadPool::send(int worker, const LoaderTask& task) {
  tasks_[static_cast<std::size_t>(worker)].push(task);
}

std::optional<WorkerThread> ThreadPool::thread(int worker) const {
  const pid_t number = numbers_[static_cast<std::size_t>(worker)];
  return number == 0 ? std::nullopt : std::optional(WorkerThread{::getpid(), number});
}

void ThreadPool::drain() {
  for (auto& queue : tasks_) queue.push(Resume{});
  for (std::size_t resumed = 0; resumed < tasks_.size(); ++resumed) (void)resumed_.pop();
  results_.clear();
}

void ThreadPool::work(int worker) {
  pthread_setname_np(pthread_self(), formatted("sb_data_{}", worker).c_str());
  numbers_[static_cast<std::size_t>(worker)] = ::gettid();
  if (!cores_.empty()) run_on_core(cores_[static_cast<std::size_t>(worker)]);
  cap_threads_of_this_thread(options_.threads_per_worker);
  std::optional<BatchReader> reader;
  std::exception_ptr broken;  // start error, returned for every task
  try {
    reader.emplace(dataset_, memory_, reader_options(options_, worker, options_.num_workers),
                   clock_);
  } catch (...) {
    broken = worker_error(worker, current_error_text());
  }
  std::int64_t free_ns = clock_.now_ns();
  std::int64_t blocked_ns = 0;
  for (;;) {
    const Message message = tasks_[static_cast<std::size_t>(worker)].pop();
    if (std::holds_alternative<Stop>(message)) return;
    if (std::holds_alternative<Resume>(message)) {
      if (reader) reader->restart();
      resumed_.push(worker);
      continue;
    }
    if (stopping_) continue;
    const auto& task = std::get<LoaderTask>(message);
    LoaderResult result{
        .batch = task.batch, .worker = worker, .data = {}, .error = broken, .cost = {}};
    if (broken) {
      result.cost.began_ns = result.cost.ended_ns = clock_.now_ns();
    } else {
      try {
        result.data = reader->read(task.samples, result.cost, &stopping_);
        result.data.index = task.batch;
      } catch (...) {
        result.error = worker_error(worker, current_error_text());
      }
    }
    const std::int64_t ended_ns = result.cost.ended_ns;
    result.idle_ns = result.cost.began_ns - free_ns;
    result.blocked_ns = blocked_ns;
    results_.push(std::move(result));
    free_ns = clock_.now_ns();
    blocked_ns = free_ns - ended_ns;
  }
}

void ResultQueue::push(LoaderResult&& result) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    wake = std::exchange(waiting_, false);
    results_.push_back(std::move(result));
    size_.store(results_.size() - first_, std::memory_order_relaxed);
  }
  if (wake) arrived_.notify_one();
}

void ResultQueue::interrupt() {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    wake = std::exchange(waiting_, false);
  }
  if (wake) arrived_.notify_one();
}

bool ResultQueue::wait(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds limit) {
  if (results_.size() == first_ && !interrupted_) {
    waiting_ = true;
    const auto woken = [this] { return !waiting_; };
    if (limit.count() == 0) {
      arrived_.wait(lock, woken);
    } else if (!arrived_.wait_for(lock, limit, woken)) {
      waiting_ = false;
      return false;
    }
  }
  return !std::exchange(interrupted_, false);
}

void ResultQueue::take(std::vector<LoaderResult>& into, std::chrono::nanoseconds limit) {
  std::unique_lock lock(mutex_);
  if (wait(lock, limit)) move_all(into);
}

void ResultQueue::try_take(std::vector<LoaderResult>& into) {
  const std::lock_guard lock(mutex_);
  move_all(into);
}

std::optional<LoaderResult> ResultQueue::take_one(std::chrono::nanoseconds limit) {
  std::unique_lock lock(mutex_);
  if (!wait(lock, limit)) return std::nullopt;
  return move_first();
}

std::optional<LoaderResult> ResultQueue::try_take_one() {
  const std::lock_guard lock(mutex_);
  if (results_.size() == first_) return std::nullopt;
  return move_first();
}

void ResultQueue::clear() {
  std::vector<LoaderResult> dropped;  // batches return to their pool outside the lock
  try_take(dropped);
}

void ResultQueue::move_all(std::vector<LoaderResult>& into) {
  if (first_ > 0) results_.erase(results_.begin(), results_.begin() + static_cast<long>(first_));
  first_ = 0;
  results_.swap(into);
  size_.store(0, std::memory_order_relaxed);
}

LoaderResult ResultQueue::move_first() {
  LoaderResult result = std::move(results_[first_++]);
  if (2 * first_ >= results_.size()) {
    results_.erase(results_.begin(), results_.begin() + static_cast<long>(first_));
    first_ = 0;
  }
  size_.store(results_.size() - first_, std::memory_order_relaxed);
  return result;
}

}  // namespace stepbench::loader
