// SPDX-License-Identifier: Apache-2.0
// Adam (Kingma & Ba 2015) and AdamW (Loshchilov & Hutter 2019) as in torch.optim; they differ in
// the weight decay alone.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

#include "workloads/step/optimizer.h"

namespace stepbench {
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

  void step() override {
    const at::NoGradGuard no_grad;
    WithGradient now = with_gradient();
    if (now.parameters.empty()) return;
    if (implementation_ == Implementation::kFused) return fused(now);
    const Moments moments = moments_of(now);
    implementation_ == Implementation::kSingle ? single(now, moments)
                                               : foreach_tensor(now, moments);
  }

  void reset() override {
    for (State& state : states_) {
      for (const at::Tensor& tensor : {state.mean, state.square, state.steps}) {
        if (tensor.defined()) tensor.zero_();
      }
      state.count = 0;
    }
  }

 private:
  struct State {
    at::Tensor mean, square,
        steps;  // steps is a tensor for the fused operation, which counts on the device
    std::int64_t count = 0;
  };
  // By position among the parameters that have a gradient.
  struct Moments {
    std::vector<at::Tensor> means, squares;
    std::vector<at::Scalar> updates;      // -lr / (1 - beta1^t)
    std::vector<at::Scalar> corrections;  // sqrt(1 - beta2^t)
  };

  State& state_of(const WithGradient& now, std::size_t i) {
    State& state = states_[now.positions[i]];
    if (!state.mean.defined()) {
      state.mean = at::zeros_like(now.parameters[i]);
      state.square = at::zeros_like(now.parameters[i]);
    }
    return state;
  }

  Moments moments_of(const WithGradient& now) {
    Moments moments;
    for (std::size_t i = 0; i < now.positions.size(); ++i) {
      State& state = state_of(now, i);
      const auto t = static_cast<double>(++state.count);
      moments.means.push_back(state.mean);
      moments.squares.push_back(state.square);
      moments.updates.emplace_back(-lr_ / (1 - std::pow(beta1_, t)));
      moments.corrections.emplace_back(std::sqrt(1 - std::pow(beta2_, t)));
    }
    return moments;
  }

  void single(WithGradient& now, const Moments& moments) const {
    for (std::size_t i = 0; i < now.parameters.size(); ++i) {
      at::Tensor& parameter = now.parameters[i];
      at::Tensor gradient = now.gradients[i];
      if (weight_decay_ != 0) {
        if (decoupled_) {
          parameter.mul_(1 - lr_ * weight_decay_);
        } else {
          gradient = gradient.add(parameter, weight_decay_);
        }
      }
      moments.means[i].lerp_(gradient, 1 - beta1_);
      moments.squares[i].mul_(beta2_).addcmul_(gradient, gradient, 1 - beta2_);
      const at::Tensor deviation =
          moments.squares[i].sqrt().div_(moments.corrections[i]).add_(eps_);
      parameter.addcdiv_(moments.means[i], deviation, moments.updates[i]);
    }
  }

  void foreach_tensor(WithGradient& now, const Moments& moments) const {
    std::vector<at::Tensor> gradients = now.gradients;
    if (weight_decay_ != 0) {
      if (decoupled_) {
        at::_foreach_mul_(now.parameters, 1 - lr_ * weight_decay_);
      } else {
        gradients = at::_foreach_add(gradients, now.parameters, weight_decay_);
      }
    }
    at::_foreach_lerp_(moments.means, gradients, 1 - beta1_);
    at::_foreach_mul_(moments.squares, beta2_);
    at::_foreach_addcmul_(moments.squares, gradients, gradients, 1 - beta2_);
    const std::vector<at::Tensor> deviations = at::_foreach_sqrt(moments.squares);
    at::_foreach_div_(deviations, moments.corrections);
    at::_foreach_add_(deviations, eps_);
    at::_foreach_addcdiv_(now.parameters, moments.means, deviations, moments.updates);
  }

  void fused(WithGradient& now) {
    std::vector<at::Tensor> means, squares, steps;
    for (std::size_t i = 0; i < now.positions.size(); ++i) {
      State& state = state_of(now, i);
      if (!state.steps.defined()) {
        state.steps = at::zeros({}, now.parameters[i].options().dtype(at::kFloat));
      }
      means.push_back(state.mean);
      squares.push_back(state.square);
      steps.push_back(state.steps);
    }
    at::_foreach_add_(steps, 1);
    const auto update = decoupled_ ? static_cast<FusedStep>(&at::_fused_adamw_)
                                   : static_cast<FusedStep>(&at::_fused_adam_);
    update(now.parameters, now.gradients, means, squares, {}, steps, lr_, beta1_, beta2_,
           weight_decay_, eps_,
           /*amsgrad=*/false, /*maximize=*/false, {}, {});
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
  std::vector<State> states_;  // by position of the parameter
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

}  // namespace stepbench
