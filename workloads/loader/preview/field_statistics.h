// SPDX-License-Identifier: Apache-2.0
// Statistics of a field's values: range, mean, spread, zeros, NaNs and infinities. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "workloads/data/batch.h"

namespace stepbench::loader {

class FieldStatistics {
 public:
  void add(double value);
  // Adds consecutive numbers of this type.
  void add(std::span<const std::byte> numbers, DType dtype);

  [[nodiscard]] std::int64_t values() const { return values_; }
  [[nodiscard]] std::int64_t zeros() const { return zeros_; }
  [[nodiscard]] std::int64_t nans() const { return nans_; }
  [[nodiscard]] std::int64_t infinities() const { return infinities_; }
  // Over the finite values; NaN if there are none.
  [[nodiscard]] double min() const;
  [[nodiscard]] double max() const;
  [[nodiscard]] double mean() const;
  [[nodiscard]] double deviation() const;  // population standard deviation

 private:
  [[nodiscard]] std::int64_t finite() const { return values_ - nans_ - infinities_; }

  std::int64_t values_ = 0;
  std::int64_t zeros_ = 0;
  std::int64_t nans_ = 0;
  std::int64_t infinities_ = 0;
  double min_ = 0;
  double max_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of squared distances to the mean
};

}  // namespace stepbench::loader
