// SPDX-License-Identifier: Apache-2.0
// Update rules of torch.optim in three implementations. libtorch's own classes only have the single
// one.
#pragma once

#include <ATen/ScalarOps.h>
#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/resolved_case.h"

namespace stepbench::step {

enum class Implementation : std::uint8_t { kSingle, kForeach, kFused };
[[nodiscard]] Implementation implementation_of(const ResolvedCase& resolved);

// For a fused step with a loss scaled for fp16: divides the gradients by `factor`, unless they are
// already unscaled, and changes nothing if `overflow` is 1.
struct LossScale {
  std::optional<at::Tensor> factor, overflow;
};

class Optimizer {
 public:
  explicit Optimizer(std::vector<at::Tensor> parameters) : parameters_(std::move(parameters)) {}
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer() = default;

  void step() { step({}); }
  // Skips parameters without a gradient. `scale` must be empty unless takes_loss_scale().
  virtual void step(const LossScale& scale) = 0;
  [[nodiscard]] virtual bool takes_loss_scale() const = 0;
  // Resets the state in place: keeps its memory.
  virtual void reset() = 0;
  // State kept between steps, of each parameter that has been updated.
  [[nodiscard]] virtual std::vector<at::Tensor> state() const = 0;
  void zero_grad(bool set_to_none);
  [[nodiscard]] const std::vector<at::Tensor>& parameters() const { return parameters_; }

 protected:
  // Parameters with a gradient, their gradients, and their positions, which index the state.
  struct WithGradient {
    std::vector<at::Tensor> parameters, gradients;
    std::vector<std::size_t> positions;
  };
  [[nodiscard]] WithGradient with_gradient() const;

 private:
  std::vector<at::Tensor> parameters_;
};

using MakeOptimizer = std::unique_ptr<Optimizer>(const ResolvedCase&, std::vector<at::Tensor>);
MakeOptimizer make_sgd, make_adam, make_adamw;

// One row of the table behind optimizer.kind; step_sections.cpp has the same names.
struct OptimizerType {
  std::string_view kind;
  MakeOptimizer* make;
};
[[nodiscard]] std::span<const OptimizerType> optimizer_types();

// Looks up optimizer.kind. Throws ConfigError if it is unknown.
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const ResolvedCase& resolved,
                                                        std::vector<at::Tensor> parameters);

// Total 2-norm over all gradients, and scaling to at most max_norm
// (torch.nn.utils.clip_grad_norm_).
[[nodiscard]] at::Tensor gradient_norm(const std::vector<at::Tensor>& parameters);
void clip_gradients(const std::vector<at::Tensor>& parameters, double max_norm);

// A number as Python passes it to mul_ or add_: a tensor that does not affect the result's type.
// For a plain number, C++ selects another overload, which calls a second operator inside.
[[nodiscard]] inline at::Tensor number_operand(double value) {
  return at::native::wrapped_scalar_tensor(value);
}

}  // namespace stepbench::step
