// SPDX-License-Identifier: Apache-2.0
// Deals the samples of an epoch out to batches, as Python's BatchSampler does with a sampler that
// ends with its epoch or, if epochs are joined, never ends. One thread.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "workloads/loader/loader.h"

namespace stepbench::loader {

inline constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

// The samples of one batch.
struct BatchSamples {
  std::span<const std::int64_t> indices;   // iterable data set: only the count matters
  std::int64_t epoch = 0;                  // of the first sample
  std::int64_t left = kEndless;            // samples of that epoch from this batch on
  std::int64_t pass = kEndless;            // samples of each following epoch
  std::shared_ptr<const void> owner = {};  // null: valid until the epoch ends or restarts

  [[nodiscard]] std::int64_t epoch_of(std::int64_t sample) const {
    return sample < left ? epoch : epoch + 1 + (sample - left) / pass;
  }
};

class BatchOrder {
 public:
  // samples < 0: an iterable data set. Its batches are all alike; only the readers know where it
  // ends.
  BatchOrder(std::int64_t samples, const LoaderOptions& options, EpochOrder order);

  void begin(std::int64_t epoch);
  [[nodiscard]] std::int64_t batches() const { return batches_; }  // after begin(); or kEndless
  [[nodiscard]] std::optional<BatchSamples> next();                // nullopt: end of the epoch

 private:
  [[nodiscard]] bool endless() const { return batches_ == kEndless; }
  [[nodiscard]] std::int64_t drawn() const { return static_cast<std::int64_t>(indices_->size()); }
  void append_epochs();
  void move_on(std::int64_t samples);

  std::int64_t samples_;
  LoaderOptions options_;
  EpochOrder order_;
  std::shared_ptr<const std::vector<std::int64_t>> indices_;  // drawn and still needed
  std::int64_t batches_ = 0;
  std::int64_t at_ = 0;     // position in indices_ of the next sample
  std::int64_t drawn_ = 0;  // last epoch in indices_
  std::int64_t epoch_ = 0;  // of the sample at at_
  std::int64_t left_ = 0;   // samples of that epoch from at_ on
  std::int64_t pass_ = 0;   // samples of an epoch
};

}  // namespace stepbench::loader
