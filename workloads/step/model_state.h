// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "workloads/model/model.h"

namespace stepbench {

// A copy of a model's parameters and buffers, on its device, to go back to.
class ModelState {
 public:
  explicit ModelState(const Model& model);
  void restore() const;  // in place

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> tensors_;  // the model's own, and its copy
};

}  // namespace stepbench
