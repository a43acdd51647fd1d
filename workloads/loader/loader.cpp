// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/loader.h"

#include <cstring>
#include <utility>
#include <vector>

namespace stepbench::loader {

std::shared_ptr<void> PinnedMemory::take(std::size_t bytes) {
  std::shared_ptr<void> memory = allocate(bytes);
  const auto size = static_cast<std::int64_t>(bytes);
  const std::int64_t now = use_->bytes += size;
  std::int64_t peak = use_->peak;
  while (peak < now && !use_->peak.compare_exchange_weak(peak, now)) {
  }
  void* const data = memory.get();
  return {data, [memory = std::move(memory), use = use_, size](void*) { use->bytes -= size; }};
}

Batch pinned_copy(const Batch& batch, PinnedMemory& memory) {
  auto owners = std::make_shared<std::vector<std::shared_ptr<void>>>();
  Batch pinned{.fields = {},
               .size = batch.size,
               .index = batch.index,
               .partial = batch.partial,
               .owner = owners,
               .padding = batch.padding};
  for (const BatchField& field : batch.fields) {
    const std::size_t bytes = field.spec->bytes() * static_cast<std::size_t>(batch.size);
    std::byte* data = nullptr;
    if (bytes > 0) {
      owners->push_back(memory.take(bytes));
      data = static_cast<std::byte*>(owners->back().get());
      std::memcpy(data, field.data, bytes);
    }
    pinned.fields.emplace_back(data, field.spec);
  }
  return pinned;
}

void LoaderMetrics::add(const LoaderMetrics& other) {
  batches += other.batches;
  samples += other.samples;
  bytes += other.bytes;
  elements += other.elements;
  padding += other.padding;
  skipped_samples += other.skipped_samples;
  lost_samples += other.lost_samples;
  epochs += other.epochs;
  epoch_begin_ns += other.epoch_begin_ns;
  epoch_end_ns += other.epoch_end_ns;
  fetch_ns += other.fetch_ns;
  decode_ns += other.decode_ns;
  collate_ns += other.collate_ns;
  transport_ns += other.transport_ns;
  pin_ns += other.pin_ns;
  upload_ns += other.upload_ns;
  blocked_ns += other.blocked_ns;
  read_ns += other.read_ns;
  receive_ns += other.receive_ns;
  pinning_ns += other.pinning_ns;
  dispatch_ns += other.dispatch_ns;
  wait_ns.insert(wait_ns.end(), other.wait_ns.begin(), other.wait_ns.end());
  queue_depth.insert(queue_depth.end(), other.queue_depth.begin(), other.queue_depth.end());
  ready += other.ready;
  waiting_batches += other.waiting_batches;
  stalled_ns += other.stalled_ns;
  busy_us_squared += other.busy_us_squared;
  if (other.queue_thread_wait_ns) {
    queue_thread_wait_ns = queue_thread_wait_ns.value_or(0) + *other.queue_thread_wait_ns;
  }
  memory_wait_ns += other.memory_wait_ns;
  memories += other.memories;
  workers_repeat = workers_repeat || other.workers_repeat;
  records_blocked = other.records_blocked;
  if (workers.size() < other.workers.size()) workers.resize(other.workers.size());
  for (std::size_t i = 0; i < other.workers.size(); ++i) {
    workers[i].busy_ns += other.workers[i].busy_ns;
    workers[i].idle_ns += other.workers[i].idle_ns;
    workers[i].blocked_ns += other.workers[i].blocked_ns;
    if (!other.workers[i].cores.empty()) workers[i].cores = other.workers[i].cores;
  }
}

void LoaderMetrics::count(const Batch& batch) {
  ++batches;
  samples += batch.size;
  bytes += static_cast<std::int64_t>(batch.bytes());
  if (!batch.padding) return;
  elements += batch.elements();
  padding += *batch.padding;
}

}  // namespace stepbench::loader
