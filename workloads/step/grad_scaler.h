// SPDX-License-Identifier: Apache-2.0
// The loss scale of fp16, as in torch.amp.GradScaler.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <vector>

namespace stepbench::step {

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
