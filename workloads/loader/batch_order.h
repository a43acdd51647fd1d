// SPDX-License-Identifier: Apache-2.0
// Which samples each batch takes, one batch after another: what Python's BatchSampler draws from a
// sampler that ends with its epoch, or, where epochs are joined, from one that never ends. One
// thread.
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
  std::span<const std::int64_t> indices;   // of an iterable data set: as many as are wanted
  std::int64_t epoch = 0;                  // that the first of them belongs to
  std::int64_t left = kEndless;            // samples of that epoch, from the first of them on
  std::int64_t pass = kEndless;            // samples of each epoch behind it
  std::shared_ptr<const void> owner = {};  // null: they stay until the epoch is over or restarted

  [[nodiscard]] std::int64_t epoch_of(std::int64_t sample) const {
    return sample < left ? epoch : epoch + 1 + (sample - left) / pass;
  }
};

class BatchOrder {
 public:
  // samples < 0: an iterable data set. Its batches are all alike, and only its readers know where
  // it ends.
  BatchOrder(std::int64_t samples, const LoaderOptions& options, EpochOrder order);

  void begin(std::int64_t epoch);
  [[nodiscard]] std::int64_t batches() const { return batches_; }  // from begin() on, or kEndless
  [[nodiscard]] std::optional<BatchSamples> next();                // nothing: the epoch is over

 private:
  [[nodiscard]] bool endless() const { return batches_ == kEndless; }
  [[nodiscard]] std::int64_t drawn() const { return static_cast<std::int64_t>(indices_->size()); }
  void append_epochs();
  void move_on(std::int64_t samples);

  std::int64_t samples_;
  LoaderOptions options_;
  EpochOrder order_;
  std::shared_ptr<const std::vector<std::int64_t>> indices_;  // drawn so far and still of use
  std::int64_t batches_ = 0;
  std::int64_t at_ = 0;     // the first of indices_ that no batch has taken
  std::int64_t drawn_ = 0;  // the last epoch in indices_
  std::int64_t epoch_ = 0;  // of the sample at at_
  std::int64_t left_ = 0;   // samples of that epoch from at_ on
  std::int64_t pass_ = 0;   // samples of an epoch
};

}  // namespace stepbench::loader
