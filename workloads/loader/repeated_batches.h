// SPDX-License-Identifier: Apache-2.0
// Whether the workers of an iterable data set all read the same: one that does not divide itself
// among them yields each sample once per worker. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/data/batch.h"

namespace stepbench::loader {

class RepeatedBatches {
 public:
  // Batches come from `workers` in turns.
  explicit RepeatedBatches(std::int64_t workers) : workers_(static_cast<std::size_t>(workers)) {}

  // The first ones, in their order; later ones cost nothing.
  void look_at(const Batch& batch);
  // The first batches of each worker are those of the others, and are not all alike.
  [[nodiscard]] bool repeat() const;

 private:
  [[nodiscard]] std::size_t wanted() const { return workers_ < 2 ? 0 : kTurns * workers_; }

  static constexpr std::size_t kTurns = 2;
  std::size_t workers_;
  std::vector<std::size_t> digests_;
};

}  // namespace stepbench::loader
