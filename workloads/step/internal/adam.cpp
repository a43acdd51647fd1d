// SPDX-License-Identifier: Apache-2.0
// Adam (Kingma & Ba 2015) and AdamW (Loshchilov & Hutter 2019), operation by operation as in
// torch.optim; they differ only in the weight decay.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

#include "workloads/step/internal/optimizer.h"

namespace stepbench::step {
namespace {

class Adam final : public Optimizer {
 public:
  Adam(const ResolvedCase& resolved, bool decoupled, std::vector<at::Tensor> parameters)
      : Optimizer(std::move(parameters)),
        decoupled_(decoupled),
        implementation_(implementation_of(resolved)),
        lr_(resolved.number("optimizer.lr")),
        weight_decay_(resolved.number("optimizer.weight_decay")),
        beta1_(resolved.number("optimizer.beta1")),
        beta2_(resolved.number("optimizer.beta2")),
        eps_(resolved.number("optimizer.eps")),
        states_(this->parameters().size()) {}

  bool takes_loss_scale() const override { return implementation_ == Implementation::kFused; }

  void step(const LossScale& scale) override {
    const at::NoGradGuard no_grad;
    WithGradient now = with_gradient();
    if (now.parameters.empty()) return;
    const States states = states_of(now);
    switch (implementation_) {
      case Implementation::kSingle:
        return single(now, states);
      case Implementation::kForeach:
        return foreach_tensor(now, states);
      case Implementation::kFused:
        return fused(now, states, scale);
    }
  }

  void reset() override {
    for (const at::Tensor& tensor : state()) tensor.zero_();
  }

  std::vector<at::Tensor> state() const override {
    std::vector<at::Tensor> defined;
    for (const State& each : states_) {
      if (!each.mean.defined()) continue;
      for (const at::Tensor& tensor : {each.mean, each.square, each.steps}) {
        defined.push_back(tensor);
      }
    }
    return defined;
  }

 private:
  // `steps` is on the device for the fused operation and on the host for the others.
  struct State {
    at::Tensor mean, square, steps;
  };
  // Parallel to the parameters that have a gradient.
  struct States {
    std::vector<at::Tensor> means, squares, steps;
  };

  States states_of(const WithGradient& now) {
    States states;
    for (std::size_t i = 0; i < now.positions.size(); ++i) {
      State& state = states_[now.positions[i]];
      if (!state.mean.defined()) {
        const auto steps = at::TensorOptions(at::kFloat);
        const bool on_device = implementation_ == Implementation::kFused;
        state.mean = at::zeros_like(now.parameters[i]);
        state.square = at::zeros_like(now.parameters[i]);
        state.steps = at::zeros({}, on_device ? steps.device(now.parameters[i].device()) : steps);
      }
      states.means.push_back(state.mean);
      states.squares.push_back(state.square);
      states.steps.push_back(state.steps);
    }
    return states;
  }

  [[nodiscard]] double update_of(double steps) const {
    return -lr_ / (1 - std::pow(beta1_, steps));
  }
  [[nodiscard]] double correction_of(double steps) const {
    return std::sqrt(1 - std::pow(beta2_, steps));
  }

  void single(WithGradient& now, const States& states) const {
    for (std::size_t i = 0; i < now.parameters.size(); ++i) {
      at::Tensor& parameter = now.parameters[i];
      at::Tensor gradient = now.gradients[i];
      states.steps[i].add_(number_operand(1));
      if (weight_decay_ != 0) {
        if (decoupled_) {
          parameter.mul_(number_operand(1 - lr_ * weight_decay_));
        } else {
          gradient = gradient.add(parameter, weight_decay_);
        }
      }
      states.means[i].lerp_(gradient, 1 - beta1_);
      states.squares[i].mul_(number_operand(beta2_)).addcmul_(gradient, gradient, 1 - beta2_);
      const double steps = states.steps[i].item<double>();
      const at::Tensor deviation = states.squares[i]
                                       .sqrt()
                                       .div(number_operand(correction_of(steps)))
                                       .add_(number_operand(eps_));
      parameter.addcdiv_(states.means[i], deviation, update_of(steps));
    }
  }

  void foreach_tensor(WithGradient& now, const States& states) const {
    at::_foreach_add_(states.steps, one_, 1.0);
    std::vector<at::Tensor> gradients = now.gradients;
    if (weight_decay_ != 0) {
      if (decoupled_) {
        at::_foreach_mul_(now.parameters, 1 - lr_ * weight_decay_);
      } else {
        gradients = at::_foreach_add(gradients, now.parameters, weight_decay_);
      }
    }
    at::_foreach_lerp_(states.means, gradients, 1 - beta1_);
    at::_foreach_mul_(states.squares, beta2_);
    at::_foreach_addcmul_(states.squares, gradients, gradients, 1 - beta2_);
    std::vector<at::Scalar> updates, corrections;
    for (const at::Tensor& steps : states.steps)
      updates.emplace_back(update_of(steps.item<double>()));
    for (const at::Tensor& steps : states.steps)
      corrections.emplace_back(correction_of(steps.item<double>()));
    const std::vector<at::Tensor> deviations = at::_foreach_sqrt(states.squares);
    at::_foreach_div_(deviations, corrections);
    at::_foreach_add_(deviations, eps_);
    at::_foreach_addcdiv_(now.parameters, states.means, deviations, updates);
  }

  // If gradients overflowed, nothing is updated, and the step does not count.
  void fused(WithGradient& now, const States& states, const LossScale& scale) const {
    at::_foreach_add_(states.steps, 1);
    const auto update = decoupled_ ? static_cast<FusedStep>(&at::_fused_adamw_)
                                   : static_cast<FusedStep>(&at::_fused_adam_);
    update(now.parameters, now.gradients, states.means, states.squares, {}, states.steps, lr_,
           beta1_, beta2_, weight_decay_, eps_,
           /*amsgrad=*/false, /*maximize=*/false, scale.factor, scale.overflow);
    if (!scale.overflow) return;
    at::_foreach_sub_(states.steps, std::vector<at::Tensor>(states.steps.size(), *scale.overflow));
  }
  using FusedStep = void (*)(at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                             at::TensorList, at::TensorList, double, double, double, double, double,
                             bool, bool, const std::optional<at::Tensor>&,
                             const std::optional<at::Tensor>&);

  bool decoupled_;  // AdamW
  Implementation implementation_;
  double lr_;
  double weight_decay_;
  double beta1_;
  double beta2_;
  double eps_;
  const at::Tensor one_ = at::detail::scalar_tensor_static(1.0, at::kFloat, at::kCPU);
  std::vector<State> states_;  // by index of the parameter
};

}  // namespace

std::unique_ptr<Optimizer> make_adam(const ResolvedCase& resolved,
                                     std::vector<at::Tensor> parameters) {
  return std::make_unique<Adam>(resolved, /*decoupled=*/false, std::move(parameters));
}

std::unique_ptr<Optimizer> make_adamw(const ResolvedCase& resolved,
                                      std::vector<at::Tensor> parameters) {
  return std::make_unique<Adam>(resolved, /*decoupled=*/true, std::move(parameters));
}

}  // namespace stepbench::step
