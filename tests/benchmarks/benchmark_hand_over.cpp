// SPDX-License-Identifier: Apache-2.0
// Cost that the engine `thread` adds to a batch: one ready scalar per batch, against a bare mutex
// and condition-variable queue per worker and one for the results. Goal: `ratio` is at most 1.3.
// All threads share one core: on two, the kernel's placement of threads decides, and the ratio was
// 6 in one process and 0.2 in the next.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "tests/benchmarks/paired.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/thread/thread_loader.h"
#include "workloads/loader/internal/worker_cpus.h"

namespace {

using namespace stepbench;

constexpr std::int64_t kBatches = 1'000;
constexpr int kPairs = 201;

const HostClock kClock;

class Queue {
 public:
  void push(std::int64_t value) {
    {
      const std::lock_guard lock(mutex_);
      values_.push_back(value);
    }
    filled_.notify_one();
  }
  std::int64_t pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return !values_.empty(); });
    const std::int64_t value = values_.front();
    values_.pop_front();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<std::int64_t> values_;
};

class BareQueues {
 public:
  explicit BareQueues(std::size_t workers) : tasks_(workers) {
    for (Queue& queue : tasks_) {
      workers_.emplace_back([this, &queue] {
        for (std::int64_t value = queue.pop(); value >= 0; value = queue.pop())
          results_.push(value);
      });
    }
  }
  BareQueues(const BareQueues&) = delete;
  BareQueues& operator=(const BareQueues&) = delete;
  ~BareQueues() {
    for (Queue& queue : tasks_) queue.push(-1);
    for (std::thread& worker : workers_) worker.join();
  }

  void epoch() {
    const auto ahead = static_cast<std::int64_t>(2 * tasks_.size());
    for (std::int64_t i = 0; i < ahead; ++i) send(i);
    for (std::int64_t i = ahead; i < kBatches + ahead; ++i) {
      benchmark::DoNotOptimize(results_.pop());
      if (i < kBatches) send(i);
    }
  }

 private:
  void send(std::int64_t i) { tasks_[static_cast<std::size_t>(i) % tasks_.size()].push(i); }

  std::vector<Queue> tasks_;
  Queue results_;
  std::vector<std::thread> workers_;
};

void thread_against_bare_queues(benchmark::State& state) {
  const test::IndexDataset data(kBatches);
  const auto loader = loader::make_thread_loader(data,
                                                 {.batch_size = 1,
                                                  .num_workers = state.range(0),
                                                  .persistent_workers = true,
                                                  .reuse_buffers = true},
                                                 loader::sequential_order(kBatches), kClock);
  BareQueues queues(static_cast<std::size_t>(state.range(0)));
  std::int64_t epoch = 0;
  time_in_turn(
      state,
      [&] {
        loader->begin_epoch(epoch++);
        while (const std::optional<Batch> batch = loader->next()) {
          benchmark::DoNotOptimize(batch->fields[0].data);
        }
        loader->reset_metrics();
      },
      [&] { queues.epoch(); });
  state.SetItemsProcessed(state.iterations() * kBatches);
}
BENCHMARK(thread_against_bare_queues)
    ->Arg(1)
    ->Arg(2)
    ->Iterations(kPairs)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  stepbench::loader::run_on_core(stepbench::loader::cores_of_this_process().front());
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
