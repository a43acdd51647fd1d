// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/optimizer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_foreach_zero.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <array>

#include "harness/base/error.h"
#include "harness/text/words.h"

namespace stepbench::step {
namespace {

std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> gradients;
  gradients.reserve(parameters.size());
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  return gradients;
}

at::Tensor norm_of(const std::vector<at::Tensor>& gradients) {
  if (gradients.empty()) return at::zeros({});
  std::vector<at::Tensor> norms = at::_foreach_norm(gradients);
  for (at::Tensor& norm : norms) norm = norm.to(norm.options());  // torch's, for several devices
  return at::linalg_vector_norm(at::stack(norms), 2.0);
}

}  // namespace

Implementation implementation_of(const ResolvedCase& resolved) {
  const std::string& name = resolved.text("optimizer.implementation");
  if (name == "foreach") return Implementation::kForeach;
  return name == "fused" ? Implementation::kFused : Implementation::kSingle;
}

void Optimizer::zero_grad(bool set_to_none) {
  if (set_to_none) {
    for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
    return;
  }
  const std::vector<at::Tensor> gradients = gradients_of(parameters_);
  if (!gradients.empty()) at::_foreach_zero_(gradients);
}

Optimizer::WithGradient Optimizer::with_gradient() const {
  WithGradient found;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].grad().defined()) continue;
    found.parameters.push_back(parameters_[i]);
    found.gradients.push_back(parameters_[i].grad());
    found.positions.push_back(i);
  }
  return found;
}

std::span<const OptimizerType> optimizer_types() {
  static constexpr std::array types = {
      OptimizerType{"sgd", make_sgd},
      OptimizerType{"adam", make_adam},
      OptimizerType{"adamw", make_adamw},
  };
  return types;
}

std::unique_ptr<Optimizer> make_optimizer(const ResolvedCase& resolved,
                                          std::vector<at::Tensor> parameters) {
  const std::string& kind = resolved.text("optimizer.kind");
  for (const OptimizerType& type : optimizer_types()) {
    if (type.kind == kind) return type.make(resolved, std::move(parameters));
  }
  throw ConfigError(
      "optimizer.kind",
      "unknown optimizer.kind '" + kind + "'; known: " +
          text::join(optimizer_types(), ", ", [](const OptimizerType& type) { return type.kind; }));
}

at::Tensor gradient_norm(const std::vector<at::Tensor>& parameters) {
  const at::NoGradGuard no_grad;
  return norm_of(gradients_of(parameters));
}

void clip_gradients(const std::vector<at::Tensor>& parameters, double max_norm) {
  const at::NoGradGuard no_grad;
  const std::vector<at::Tensor> gradients = gradients_of(parameters);
  if (gradients.empty()) return;
  const at::Tensor scale = norm_of(gradients)
                               .add(number_operand(1e-6))
                               .reciprocal()
                               .mul(number_operand(max_norm))
                               .clamp(std::nullopt, 1.0);
  at::_foreach_mul_(gradients, scale.to(scale.options()));
}

}  // namespace stepbench::step
