// SPDX-License-Identifier: Apache-2.0
// loader.alone: the loader without the step, or the step without the loader, on batches that are
// there already. Beside both together they say what a perfect loader would save.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

enum class Alone : std::uint8_t {
  kNeither,
  kLoader,  // batches are taken and dropped
  kStep     // the loader ends, and its first batches are given again and again
};

[[nodiscard]] Option alone_option();
[[nodiscard]] Alone alone_of(const ResolvedCase& resolved);
// How many batches are kept; 0: none are.
[[nodiscard]] std::int64_t kept_batches(const ResolvedCase& resolved);
// Of the machine, as the kernel tells: what programs could still take without swapping.
[[nodiscard]] std::int64_t free_memory_bytes();
// Cases in which one of the two alone is not defined.
void check_alone(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// The first `batches` of a loader, again and again, from memory of their own of the kind that they
// came in. One thread.
class KeptBatches final : public Loader {
 public:
  // `pinned` as in LoaderOptions. `free_bytes`: of memory, in which they must fit.
  KeptBatches(std::unique_ptr<Loader> loader, std::int64_t batches, PinnedMemory* pinned,
              const Clock& clock, std::int64_t free_bytes);

  void begin_epoch(std::int64_t epoch) override;
  // Throws ConfigError where the batches do not fit into memory.
  [[nodiscard]] std::optional<Batch> next() override;
  // The end of an epoch never comes.
  [[nodiscard]] std::int64_t batches_per_epoch() const override { return -1; }
  [[nodiscard]] std::vector<WorkerThread> worker_threads() const override;
  [[nodiscard]] const LoaderMetrics& metrics() const override { return metrics_; }
  void reset_metrics() override { metrics_ = {}; }

 private:
  [[nodiscard]] bool full() const { return std::ssize(kept_) == batches_; }
  void keep(const Batch& batch);

  std::unique_ptr<Loader> loader_;  // null: all are kept
  std::int64_t batches_;
  PinnedMemory* pinned_;
  const Clock& clock_;
  std::int64_t free_bytes_;
  std::vector<Batch> kept_;
  std::int64_t given_ = 0;
  LoaderMetrics metrics_;
};

}  // namespace stepbench::loader
