// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/zeros_like.h>

#include "workloads/step/internal/optimizer.h"

namespace stepbench::step {
namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(const ResolvedCase& resolved, std::vector<at::Tensor> parameters)
      : Optimizer(std::move(parameters)),
        implementation_(implementation_of(resolved)),
        lr_(resolved.number("optimizer.lr")),
        weight_decay_(resolved.number("optimizer.weight_decay")),
        momentum_(resolved.number("optimizer.momentum")),
        nesterov_(resolved.has("optimizer.nesterov") && resolved.flag("optimizer.nesterov")),
        momenta_(this->parameters().size()) {}

  bool takes_loss_scale() const override { return implementation_ == Implementation::kFused; }

  void step(const LossScale& scale) override {
    const at::NoGradGuard no_grad;
    WithGradient now = with_gradient();
    if (now.parameters.empty()) return;
    const std::vector<at::Tensor> momenta = momenta_of(now);
    switch (implementation_) {
      case Implementation::kSingle:
        return single(now, momenta);
      case Implementation::kForeach:
        return foreach_tensor(now, momenta);
      case Implementation::kFused:
        at::_fused_sgd_(now.parameters, now.gradients, momenta, weight_decay_, momentum_, lr_,
                        /*dampening=*/0.0, nesterov_, /*maximize=*/false, /*is_first_step=*/false,
                        scale.factor, scale.overflow);
    }
  }

  void reset() override {
    for (const at::Tensor& momentum : state()) momentum.zero_();
  }

  std::vector<at::Tensor> state() const override {
    std::vector<at::Tensor> defined;
    for (const at::Tensor& momentum : momenta_) {
      if (momentum.defined()) defined.push_back(momentum);
    }
    return defined;
  }

 private:
  // Initially zeros: momentum * 0 + gradient then equals torch.optim's initial momentum.
  std::vector<at::Tensor> momenta_of(const WithGradient& now) {
    std::vector<at::Tensor> found;
    if (momentum_ == 0) return found;
    for (std::size_t i = 0; i < now.positions.size(); ++i) {
      at::Tensor& momentum = momenta_[now.positions[i]];
      if (!momentum.defined()) momentum = at::zeros_like(now.gradients[i]);
      found.push_back(momentum);
    }
    return found;
  }

  void single(WithGradient& now, const std::vector<at::Tensor>& momenta) const {
    for (std::size_t i = 0; i < now.parameters.size(); ++i) {
      at::Tensor update = now.gradients[i];
      if (weight_decay_ != 0) update = update.add(now.parameters[i], weight_decay_);
      if (momentum_ != 0) {
        momenta[i].mul_(number_operand(momentum_)).add_(update);
        update = nesterov_ ? update.add(momenta[i], momentum_) : momenta[i];
      }
      now.parameters[i].add_(update, -lr_);
    }
  }

  void foreach_tensor(WithGradient& now, const std::vector<at::Tensor>& momenta) const {
    std::vector<at::Tensor> updates = now.gradients;
    if (weight_decay_ != 0) updates = at::_foreach_add(updates, now.parameters, weight_decay_);
    if (momentum_ != 0) {
      at::_foreach_mul_(momenta, momentum_);
      at::_foreach_add_(momenta, updates);
      if (nesterov_) {
        at::_foreach_add_(updates, momenta, momentum_);  // changes the gradients, as in torch
      } else {
        updates = momenta;
      }
    }
    at::_foreach_add_(now.parameters, updates, -lr_);
  }

  Implementation implementation_;
  double lr_;
  double weight_decay_;
  double momentum_;
  bool nesterov_;
  std::vector<at::Tensor>
      momenta_;  // by index of the parameter; undefined before its first gradient
};

}  // namespace

std::unique_ptr<Optimizer> make_sgd(const ResolvedCase& resolved,
                                    std::vector<at::Tensor> parameters) {
  return std::make_unique<Sgd>(resolved, std::move(parameters));
}

}  // namespace stepbench::step
