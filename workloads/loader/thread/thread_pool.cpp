// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/thread/thread_pool.h"

#include <pthread.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "workloads/loader/thread_caps.h"
#include "workloads/loader/worker_error.h"

namespace stepbench::loader {

ThreadPool::ThreadPool(const data::Dataset& dataset, const BatchMemory& memory,
                       const ThreadPoolOptions& options, const Clock& clock)
    : dataset_(dataset),
      memory_(memory),
      options_(options),
      clock_(clock),
      tasks_(static_cast<std::size_t>(options.workers)),
      numbers_(static_cast<std::size_t>(options.workers)) {
  try {
    for (int worker = 0; worker < options_.workers; ++worker) {
      threads_.emplace_back([this, worker] { work(worker); });
    }
  } catch (const std::system_error& error) {
    const std::size_t started = threads_.size();
    stop();
    throw ConfigError("loader.num_workers", "the system gave " + std::to_string(started) + " of " +
                                                std::to_string(options_.workers) +
                                                " worker threads: " + error.what());
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
  pthread_setname_np(pthread_self(), ("sb_data_" + std::to_string(worker)).c_str());
  numbers_[static_cast<std::size_t>(worker)] = ::gettid();
  if (!options_.cores.empty()) run_on_core(options_.cores[static_cast<std::size_t>(worker)]);
  cap_threads_of_this_thread(options_.threads_per_worker);
  std::optional<BatchReader> reader;
  std::exception_ptr broken;  // start error, returned for every task
  try {
    reader.emplace(dataset_, memory_,
                   ReaderOptions{.seed = options_.seed,
                                 .joined = options_.joined,
                                 .drop_last = options_.drop_last,
                                 .rank = options_.rank,
                                 .world = options_.world,
                                 .worker = worker,
                                 .workers = options_.workers},
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

}  // namespace stepbench::loader
