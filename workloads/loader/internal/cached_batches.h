// SPDX-License-Identifier: Apache-2.0
// loader.alone: the loader without the step, or the step without the loader on batches in memory.
// Compared with both together they show what a perfect loader would save.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

enum class StandalonePart : std::uint8_t {
  kNeither,
  kLoader,  // batches are taken and dropped
  kStep     // the loader's first batches are repeated, and the loader ends
};

[[nodiscard]] Option alone_option();
[[nodiscard]] StandalonePart standalone_part_of(const ResolvedCase& resolved);
// Number of batches to keep; 0: none.
[[nodiscard]] std::int64_t cached_batch_count(const ResolvedCase& resolved);
// The kernel's MemAvailable: memory that programs can still take without swapping.
[[nodiscard]] std::int64_t free_memory_bytes();
// Rejects cases in which loader or step alone is not defined.
void check_alone(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// Repeats the first `batches` of a loader, from copies in the kind of memory (pinned or not) that
// they came in. One thread.
class CachedBatches final : public Loader {
 public:
  // `pinned` as in LoaderOptions. `free_bytes`: memory that the batches must fit in.
  CachedBatches(std::unique_ptr<Loader> loader, std::int64_t batches, PinnedMemory* pinned,
                const Clock& clock, std::int64_t free_bytes);

  void begin_epoch(std::int64_t epoch) override;
  // Throws ConfigError if the batches do not fit into memory.
  [[nodiscard]] std::optional<Batch> next() override;
  // Epochs never end.
  [[nodiscard]] std::int64_t batches_per_epoch() const override { return -1; }
  [[nodiscard]] std::vector<WorkerThread> worker_threads() const override;
  [[nodiscard]] const LoaderMetrics& metrics() const override { return metrics_; }
  void reset_metrics() override { metrics_ = {}; }

 private:
  [[nodiscard]] bool full() const { return std::ssize(cached_) == batches_; }
  void keep(const Batch& batch);

  std::unique_ptr<Loader> loader_;  // null: all batches are kept
  std::int64_t batches_;
  PinnedMemory* pinned_;
  const Clock& clock_;
  std::int64_t free_bytes_;
  std::vector<Batch> cached_;
  std::int64_t given_ = 0;
  LoaderMetrics metrics_;
};

}  // namespace stepbench::loader
