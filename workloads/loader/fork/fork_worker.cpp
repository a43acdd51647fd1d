// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/fork/fork_worker.h"

#include <pthread.h>

#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "workloads/loader/cpu_affinity.h"
#include "workloads/loader/fork/fork_messages.h"
#include "workloads/loader/fork/segment.h"
#include "workloads/loader/thread_caps.h"
#include "workloads/loader/worker_error.h"

namespace stepbench::loader {
namespace {

// Main loop of a worker process: takes tasks, reads batches and sends results until stopped.
class WorkerLoop {
 public:
  explicit WorkerLoop(const ForkWorker& worker) : worker_(worker) {}

  void run() {
    ::pthread_setname_np(::pthread_self(), ("sb_data_" + std::to_string(worker_.number)).c_str());
    if (worker_.core >= 0) run_on_core(worker_.core);
    cap_threads_of_this_thread(worker_.threads);
    try {
      reader_.emplace(worker_.dataset, worker_.reader, worker_.clock);
    } catch (...) {
      broken_ = current_error_text();
    }
    std::int64_t free_ns = worker_.clock.now_ns();
    std::int64_t blocked_ns = 0;
    while (const std::optional<TaskMessage> task = wait_for_task(worker_.socket)) {
      if (worker_.board.stopping()) return;
      ResultMessage result{.batch = task->batch,
                           .samples = task->samples,
                           .cost = {},
                           .task = task->task,
                           .slot = task->slot};
      const std::int64_t received_ns = worker_.clock.now_ns();
      result.idle_ns = received_ns - free_ns;
      result.cost.began_ns = result.cost.ended_ns = received_ns;
      std::string error = broken_;
      if (error.empty()) error = read(*task, result);
      result.failed = !error.empty();
      result.blocked_ns = blocked_ns + result.cost.began_ns - received_ns;
      result.ticket = worker_.board.next_ticket();
      std::vector<int> descriptors;
      for (const SharedSegment& segment : segments_) descriptors.push_back(segment.descriptor());
      if (!send_result(worker_.socket, result, error, descriptors)) return;
      worker_.board.note_sent();
      segments_.clear();
      free_ns = worker_.clock.now_ns();
      blocked_ns = free_ns - result.cost.ended_ns;
    }
  }

 private:
  // Returns the error, or empty.
  std::string read(const TaskMessage& task, ResultMessage& result) {
    BatchCost& cost = result.cost;
    try {
      if (std::exchange(stream_, task.stream) != task.stream) reader_->restart();
      const BatchSamples samples{.indices = worker_.board.samples(task.task, task.samples),
                                 .epoch = task.epoch,
                                 .left = task.left,
                                 .pass = task.pass};
      result.length = reader_->length(samples);
      std::byte* const memory = worker_.ring != nullptr ? worker_.ring->memory(task.slot) : nullptr;
      Batch batch = worker_.layout.place(memory, task.samples, nullptr);
      if (result.length > 0) set_length(batch, result.length);
      if (memory == nullptr) give_segments(batch);
      cost.began_ns = cost.ended_ns = worker_.clock.now_ns();
      reader_->fill(batch, samples, cost, &worker_.board.stopping());
      result.samples = batch.size;
      result.padding = batch.padding.value_or(0);
      if (batch.size == 0) segments_.clear();
      return {};
    } catch (...) {
      segments_.clear();
      return current_error_text();
    }
  }

  void give_segments(Batch& batch) {
    for (BatchField& field : batch.fields) {
      const std::size_t bytes = field.spec->bytes() * static_cast<std::size_t>(batch.size);
      field.data = nullptr;
      if (bytes == 0) continue;
      segments_.push_back(SharedSegment::create(worker_.segment_name, bytes));
      field.data = segments_.back().data();
    }
  }

  const ForkWorker& worker_;
  std::optional<BatchReader> reader_;
  std::int64_t stream_ = 0;
  std::string broken_;  // start error, sent as the result of every task
  std::vector<SharedSegment> segments_;
};

}  // namespace

void work(const ForkWorker& worker) {
  WorkerLoop loop(worker);
  if (worker.threads == 1) return loop.run();
  // GNU OpenMP keeps a team per thread. The forked thread's team has lost its threads; a new thread
  // gets its own team.
  std::thread([&loop] { loop.run(); }).join();
}

}  // namespace stepbench::loader
