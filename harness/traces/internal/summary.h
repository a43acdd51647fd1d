// SPDX-License-Identifier: Apache-2.0
// Summary statistics of a sample of times or lengths, and a value that a trace may not carry. Steps
// of one process are not independent samples: a summary describes a trace and makes no claim of
// significance. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stepbench::traces {

// In the unit of the values; all zero for an empty sample.
struct Summary {
  std::int64_t n = 0;
  double min = 0;
  double mean = 0;
  double median = 0;
  double p90 = 0;
  double p95 = 0;
  double max = 0;
  double mad = 0;  // median |x - median|, not scaled
  double iqr = 0;  // interquartile range
};

[[nodiscard]] Summary summarise(std::vector<double> values);
[[nodiscard]] Summary summarise(const std::vector<std::int64_t>& values);

// Why a trace does not carry a value.
struct Absent {
  std::string reason;
};

// A value that a trace may not carry, or the reason why it is absent: never a zero. A value type.
template <typename Value>
class ValueOrReason {
 public:
  ValueOrReason() = default;
  ValueOrReason(Value value) : value_(std::move(value)) {}
  ValueOrReason(Absent absent) : reason_(std::move(absent.reason)) {}

  explicit operator bool() const { return value_.has_value(); }
  [[nodiscard]] const Value& operator*() const { return *value_; }
  [[nodiscard]] const Value* operator->() const { return &*value_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }  // empty if there is a value

 private:
  std::optional<Value> value_;
  std::string reason_;
};

}  // namespace stepbench::traces
