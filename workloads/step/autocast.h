// SPDX-License-Identifier: Apache-2.0
// Autocast for the forward pass, for model.precision bf16 and fp16.
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <optional>

namespace stepbench::step {

// Enables torch.autocast(device, dtype) within a scope: caches casts of weights and drops them at
// the end. Does nothing without a dtype.
class AutocastScope {
 public:
  AutocastScope(c10::DeviceType device, std::optional<c10::ScalarType> dtype);
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;
  ~AutocastScope();

 private:
  c10::DeviceType device_;
  bool active_;
  bool was_enabled_ = false;
  c10::ScalarType previous_ = c10::ScalarType::Undefined;
};

}  // namespace stepbench::step
