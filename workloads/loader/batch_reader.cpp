// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batch_reader.h"

#include "harness/error.h"

namespace stepbench {

Batch BatchReader::read(std::span<const std::int64_t> indices, std::int64_t epoch, BatchCost& cost,
                        const std::atomic<bool>* stop) {
  ReadCost reads{.clock = &clock_};
  cost.began_ns = clock_.now_ns();
  const auto account = [&] {
    cost.ended_ns = clock_.now_ns();
    cost.fetch_ns = reads.fetch_ns;
    cost.decode_ns = reads.decode_ns;
    cost.skipped = reads.skipped;
  };
  try {
    Batch batch = memory_.take(static_cast<std::int64_t>(indices.size()));
    slots_.clear();
    for (const BatchField& field : batch.fields) slots_.push_back(field.data);
    for (const std::int64_t index : indices) {
      if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw Error("stopped");
      dataset_.read({.index = index, .seed = seed_, .epoch = epoch}, slots_, *scratch_, reads);
      for (std::size_t f = 0; f < slots_.size(); ++f) slots_[f] += batch.fields[f].spec.bytes();
    }
    account();
    return batch;
  } catch (...) {
    account();
    throw;
  }
}

}  // namespace stepbench
