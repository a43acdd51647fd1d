// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/measure/clock.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/batch_memory.h"

namespace stepbench {

// What one batch cost its reader.
struct BatchCost {
  std::int64_t began_ns = 0;
  std::int64_t ended_ns = 0;
  std::int64_t fetch_ns = 0;
  std::int64_t decode_ns = 0;
  std::int64_t skipped = 0;
  [[nodiscard]] std::int64_t total_ns() const { return ended_ns - began_ns; }
  // The rest: memory, and what the data set spent on neither fetching nor decoding.
  [[nodiscard]] std::int64_t collate_ns() const { return total_ns() - fetch_ns - decode_ns; }
};

// Reads and collates whole batches for one worker: samples are written straight into the batch. One
// thread.
class BatchReader {
 public:
  BatchReader(const Dataset& dataset, const BatchMemory& memory, std::uint64_t seed,
              const Clock& clock)
      : dataset_(dataset),
        memory_(memory),
        seed_(seed),
        clock_(clock),
        scratch_(dataset.make_scratch()) {}

  // Throws what the data set throws; `cost` then holds what was spent until then. Gives up between
  // two samples, by an Error that nobody will see, when `stop` becomes true.
  [[nodiscard]] Batch read(std::span<const std::int64_t> indices, std::int64_t epoch,
                           BatchCost& cost, const std::atomic<bool>* stop = nullptr);

 private:
  const Dataset& dataset_;
  const BatchMemory& memory_;
  std::uint64_t seed_;
  const Clock& clock_;
  std::unique_ptr<Dataset::Scratch> scratch_;
  std::vector<std::byte*> slots_;
};

}  // namespace stepbench
