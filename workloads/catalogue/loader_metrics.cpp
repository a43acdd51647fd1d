// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue/sections.h"

namespace stepbench {

std::vector<Metric> loader_metrics() {
  constexpr auto kUp = Direction::kHigherIsBetter;
  constexpr auto kNeither = Direction::kNeither;
  return {
      {.name = "loader_wait_p50_ns",
       .unit = "ns",
       .doc = "Half of the calls of next() took longer."},
      {.name = "loader_wait_p90_ns", .unit = "ns", .doc = "One call of next() in ten took longer."},
      {.name = "loader_wait_p99_ns",
       .unit = "ns",
       .doc = "One call of next() in a hundred took longer."},
      {.name = "loader_wait_max_ns", .unit = "ns", .doc = "The longest call of next()."},
      {.name = "loader_fetch_ns", .unit = "ns", .doc = "Getting a batch's bytes from storage."},
      {.name = "loader_decode_ns", .unit = "ns", .doc = "Making a batch's tensors from its bytes."},
      {.name = "loader_collate_ns",
       .unit = "ns",
       .doc = "Memory for a batch, and putting samples together."},
      {.name = "loader_transport_ns",
       .unit = "ns",
       .doc = "Handing a batch from worker to consumer."},
      {.name = "loader_skipped_samples",
       .unit = "samples",
       .role = Role::kContext,
       .doc = "Unreadable samples that another one replaced (data.on_error: skip)."},
      {.name = "loader_epoch_begin_ns",
       .unit = "ns",
       .doc = "Starting an epoch: workers started, first tasks sent."},
      {.name = "loader_occupancy",
       .unit = "ratio",
       .direction = kUp,
       .doc = "Share of the calls of next() that found their batch ready."},
      {.name = "loader_queue_depth",
       .unit = "batches",
       .direction = kUp,
       .doc = "Finished batches waiting when next() was called, on average."},
      {.name = "loader_worker_busy",
       .unit = "ratio",
       .direction = kNeither,
       .doc = "Share of the workers' time spent reading and collating."},
      {.name = "loader_worker_idle",
       .unit = "ratio",
       .direction = kNeither,
       .doc = "Share of the workers' time without a task: they are faster than the consumer."},
      {.name = "loader_worker_blocked",
       .unit = "ratio",
       .direction = kNeither,
       .doc = "Share of the workers' time spent handing batches over."},
  };
}

}  // namespace stepbench
