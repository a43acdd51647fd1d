// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batch_reader.h"

namespace stepbench {

Batch BatchReader::read(std::span<const std::int64_t> indices, std::int64_t epoch,
                        BatchCost& cost) {
  const std::int64_t began = clock_.now_ns();
  ReadCost reads{.clock = &clock_};
  const auto account = [&] {
    cost = {.fetch_ns = reads.fetch_ns,
            .decode_ns = reads.decode_ns,
            .collate_ns = clock_.now_ns() - began - reads.fetch_ns - reads.decode_ns,
            .skipped = reads.skipped};
  };
  try {
    Batch batch = memory_.take(static_cast<std::int64_t>(indices.size()));
    slots_.clear();
    for (const BatchField& field : batch.fields) slots_.push_back(field.data);
    for (const std::int64_t index : indices) {
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
