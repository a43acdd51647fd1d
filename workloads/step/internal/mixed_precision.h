// SPDX-License-Identifier: Apache-2.0
// Mixed precision, for model.precision bf16 and fp16: autocast for the forward pass, and the loss
// scale of torch.amp.GradScaler for fp16.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <optional>
#include <vector>

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

// torch.amp.GradScaler with its defaults: scales the loss up so that small fp16 gradients survive.
// A step with overflowing gradients is skipped and the factor halved; after 2000 good steps it
// doubles.
class GradScaler {
 public:
  explicit GradScaler(at::Device device);

  [[nodiscard]] at::Tensor scale(const at::Tensor& loss) const { return loss * factor_; }
  void unscale(const std::vector<at::Tensor>& parameters);
  // Checks for overflow and leaves the gradients scaled.
  void check(const std::vector<at::Tensor>& parameters);
  // For the gradients last unscaled or checked. Waits for the device, as Python's does.
  [[nodiscard]] bool finite() const { return overflow_.item<float>() == 0; }
  [[nodiscard]] const at::Tensor& factor() const { return factor_; }
  [[nodiscard]] const at::Tensor& overflow() const { return overflow_; }  // 0 or 1
  void update();

 private:
  void divide(const std::vector<at::Tensor>& parameters, const at::Tensor& inverse);

  at::Tensor factor_, good_steps_, overflow_;
};

}  // namespace stepbench::step
