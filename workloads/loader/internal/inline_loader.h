// SPDX-License-Identifier: Apache-2.0
// Engine inline: no workers.
#pragma once

#include <cstdint>
#include <optional>

#include "workloads/loader/batches.h"
#include "workloads/loader/engines.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Python's num_workers=0: next() reads the batch itself.
class InlineLoader final : public Loader {
 public:
  // `dataset` and `clock` must outlive it.
  InlineLoader(const data::Dataset& dataset, const LoaderOptions& options, EpochOrder order,
               const Clock& clock);

  void begin_epoch(std::int64_t epoch) override;
  [[nodiscard]] std::optional<Batch> next() override;
  [[nodiscard]] std::int64_t batches_per_epoch() const override;
  [[nodiscard]] const LoaderMetrics& metrics() const override { return metrics_; }
  void reset_metrics() override;

 private:
  LoaderOptions options_;
  BatchOrder order_;
  const Clock& clock_;
  BatchMemory memory_;
  BatchReader reader_;
  std::int64_t samples_;
  std::int64_t next_batch_ = 0;
  LoaderMetrics metrics_;
};

// The row of loader.engine.
[[nodiscard]] Engine inline_engine();

}  // namespace stepbench::loader
