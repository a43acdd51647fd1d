// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/pinned_memory.h"

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

}  // namespace stepbench::loader
