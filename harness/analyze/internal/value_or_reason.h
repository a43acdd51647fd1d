// SPDX-License-Identifier: Apache-2.0
// A value that a trace may not carry, or the reason why it is absent. A value type.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace stepbench::analyze {

// A missing value is never a zero; its reason is printed instead.
template <typename Value>
class ValueOrReason {
 public:
  ValueOrReason() = default;
  ValueOrReason(Value value) : value_(std::move(value)) {}
  [[nodiscard]] static ValueOrReason absent(std::string reason) {
    ValueOrReason known;
    known.reason_ = std::move(reason);
    return known;
  }

  explicit operator bool() const { return value_.has_value(); }
  [[nodiscard]] const Value& operator*() const { return *value_; }
  [[nodiscard]] const Value* operator->() const { return &*value_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }  // empty if there is a value

 private:
  std::optional<Value> value_;
  std::string reason_;
};

}  // namespace stepbench::analyze
