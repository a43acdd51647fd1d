// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/thread/thread_loader.h"

#include <utility>

#include "harness/workload.h"
#include "workloads/loader/cpu_affinity.h"
#include "workloads/loader/pinning_pool.h"
#include "workloads/loader/prefetching_loader.h"
#include "workloads/loader/thread/thread_pool.h"

namespace stepbench::loader {

std::unique_ptr<Loader> make_thread_loader(const data::Dataset& dataset,
                                           const LoaderOptions& options, EpochOrder order,
                                           const Clock& clock) {
  const auto memory =
      std::make_shared<BatchMemory>(dataset.fields(), options.batch_size, options.reuse_buffers);
  const ThreadPoolOptions pool{
      .workers = static_cast<int>(options.num_workers),
      .seed = options.seed,
      .joined = options.joined,
      .drop_last = options.drop_last,
      .rank = options.rank,
      .world = options.world,
      .threads_per_worker = options.threads_per_worker,
      .cores = worker_cores(options.affinity, static_cast<int>(options.num_workers),
                            cores_of_this_process())};
  return std::make_unique<PrefetchingLoader>(
      dataset.size(), options, std::move(order),
      [&dataset, &clock, memory, pool, pinned = options.pinned,
       upload = options.upload]() -> std::unique_ptr<WorkerPool> {
        auto threads = std::make_unique<ThreadPool>(dataset, *memory, pool, clock);
        if (pinned == nullptr) return threads;
        return std::make_unique<PinningPool>(std::move(threads), *pinned, upload, clock);
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

}  // namespace stepbench::loader
