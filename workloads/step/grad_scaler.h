// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace stepbench {

// torch.amp.GradScaler with its defaults: the loss is multiplied so that small fp16 gradients
// survive; a step whose gradients overflow is left out and the factor halved; after 2000 good steps
// it doubles.
class GradScaler {
 public:
  explicit GradScaler(at::Device device);

  [[nodiscard]] at::Tensor scale(const at::Tensor& loss) const { return loss * factor_; }
  void unscale(const std::vector<at::Tensor>& parameters);
  // Of the gradients last unscaled. Waits for the device, as Python's does.
  [[nodiscard]] bool finite() const { return overflow_.item<float>() == 0; }
  void update();

 private:
  at::Tensor factor_, good_steps_, overflow_;
};

}  // namespace stepbench
