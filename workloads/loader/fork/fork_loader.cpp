// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/fork/fork_loader.h"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "harness/base/error.h"
#include "harness/workload.h"
#include "workloads/loader/cpu_affinity.h"
#include "workloads/loader/fork/batch_ring.h"
#include "workloads/loader/fork/fork_pool.h"
#include "workloads/loader/fork/segment.h"
#include "workloads/loader/pinning_pool.h"
#include "workloads/loader/prefetching_loader.h"

namespace stepbench::loader {
namespace {

std::int64_t batches_alive(const LoaderOptions& options) {
  return options.prefetch_factor * options.num_workers + kBatchesHeld +
         (options.pin_memory ? 1 : 0);
}

std::shared_ptr<BatchRing> make_ring(const BatchLayout& layout, const LoaderOptions& options) {
  const auto slots = static_cast<int>(batches_alive(options));
  const std::size_t bytes = static_cast<std::size_t>(slots) * whole_pages(layout.bytes());
  const auto free_pages = static_cast<std::size_t>(::sysconf(_SC_AVPHYS_PAGES));
  const std::string needs = "shm_ring needs " + in_mib(bytes) + " (" + std::to_string(slots) +
                            " slots of " + in_mib(layout.bytes()) + ")";
  if (bytes / whole_pages(1) > static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES))) {
    throw ConfigError("loader.transport", needs + ", more than this machine's memory");
  }
  try {
    return BatchRing::make(layout.bytes(), slots);
  } catch (const std::bad_alloc&) {
    throw ConfigError("loader.transport",
                      needs + "; " + in_mib(free_pages * whole_pages(1)) + " of memory are free");
  }
}

void check_fork(ResolvedCase& resolved, const RuleFacts&, RuleSink& sink) {
  // The transport decides where batches are stored.
  resolved.options["loader.buffers"] = Value{};
  if (resolved.has("loader.transport") && resolved.text("loader.transport") == "torch_fd") {
    sink.note(
        "transport torch_fd makes PyTorch's system calls without Python's pickling and "
        "connections: a lower bound of what Python pays");
  }
}

}  // namespace

std::size_t segment_bytes_needed(const data::Dataset& dataset, const LoaderOptions& options) {
  std::size_t batch = 0;
  for (const FieldSpec& field : dataset.fields()) {
    batch += whole_pages(field.bytes() * static_cast<std::size_t>(options.batch_size));
  }
  return batch * static_cast<std::size_t>(batches_alive(options) + options.num_workers);
}

void require_shared_memory(std::size_t needed, std::size_t there) {
  if (needed <= there) return;
  throw ConfigError("loader.transport", "torch_fd may take " + in_mib(needed) +
                                            " of /dev/shm at once and " + in_mib(there) +
                                            " are free: lower prefetch_factor or num_workers, "
                                            "enlarge /dev/shm, or use shm_ring, which needs none");
}

std::unique_ptr<Loader> make_fork_loader(const data::Dataset& dataset, const LoaderOptions& options,
                                         EpochOrder order, const Clock& clock,
                                         const std::string& segment_prefix) {
  auto layout = std::make_shared<const BatchLayout>(dataset.fields(), options.batch_size);
  std::shared_ptr<BatchRing> ring;
  if (options.transport == Transport::kShmRing) {
    ring = make_ring(*layout, options);
  } else {
    require_shared_memory(segment_bytes_needed(dataset, options), shared_memory_free());
  }
  const auto workers = static_cast<int>(options.num_workers);
  const ForkPoolOptions pool{
      .workers = workers,
      .prefetch_factor = options.prefetch_factor,
      .seed = options.seed,
      .joined = options.joined,
      .drop_last = options.drop_last,
      .rank = options.rank,
      .world = options.world,
      .threads_per_worker = options.threads_per_worker,
      .cores = worker_cores(options.affinity, workers, cores_of_this_process()),
      .segment_prefix = segment_prefix.empty() ? "/stepbench-" + std::to_string(::getpid()) + "-"
                                               : segment_prefix,
      .patience = options.patience};
  return std::make_unique<PrefetchingLoader>(
      dataset.size(), options, std::move(order),
      [&dataset, &clock, layout, ring, pool, pinned = options.pinned,
       upload = options.upload]() -> std::unique_ptr<WorkerPool> {
        auto processes = std::make_unique<ForkPool>(dataset, *layout, ring, pool, clock);
        if (pinned == nullptr) return processes;
        return std::make_unique<PinningPool>(std::move(processes), *pinned, upload, clock);
      },
      clock);
}

Engine fork_engine() {
  return {.variant = {.name = "fork",
                      .doc = "Worker processes with the dispatch rules of Python's DataLoader, and "
                             "memory shared between them."},
          .forks = true,
          .check = check_fork,
          .make = [](const data::Dataset& dataset, const LoaderOptions& options, EpochOrder order,
                     const WorkerContext& context) {
            return make_fork_loader(dataset, options, std::move(order), context.clock,
                                    context.shared_memory_prefix);
          }};
}

}  // namespace stepbench::loader
