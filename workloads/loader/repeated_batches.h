// SPDX-License-Identifier: Apache-2.0
// Detects workers of an iterable data set that all read the same samples: a data set that does not
// split itself yields each sample once per worker. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/data/batch.h"

namespace stepbench::loader {

class RepeatedBatches {
 public:
  // Batches must come from `workers` in turns.
  explicit RepeatedBatches(std::int64_t workers) : workers_(static_cast<std::size_t>(workers)) {}

  // Call with the batches in order; only the first ones are looked at.
  void observe(const Batch& batch);
  // True if all workers' first batches are the same and differ from one another within a worker.
  [[nodiscard]] bool repeat() const;

 private:
  [[nodiscard]] std::size_t wanted() const { return workers_ < 2 ? 0 : kTurns * workers_; }

  static constexpr std::size_t kTurns = 2;
  std::size_t workers_;
  std::vector<std::size_t> digests_;
};

}  // namespace stepbench::loader
