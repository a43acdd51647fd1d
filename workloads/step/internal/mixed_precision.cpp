// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/mixed_precision.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

namespace stepbench::step {

AutocastScope::AutocastScope(c10::DeviceType device, std::optional<c10::ScalarType> dtype)
    : device_(device), active_(dtype.has_value()) {
  if (!active_) return;
  was_enabled_ = at::autocast::is_autocast_enabled(device_);
  previous_ = at::autocast::get_autocast_dtype(device_);
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, *dtype);
  at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope() {
  if (!active_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_dtype(device_, previous_);
  at::autocast::set_autocast_enabled(device_, was_enabled_);
}

namespace {

constexpr double kInitialFactor = 65536;
constexpr double kGrowth = 2;
constexpr double kBackoff = 0.5;
constexpr std::int64_t kGrowthInterval = 2000;  // steps

}  // namespace

GradScaler::GradScaler(at::Device device)
    : factor_(at::full({}, kInitialFactor, at::TensorOptions(at::kFloat).device(device))),
      good_steps_(at::zeros({}, at::TensorOptions(at::kInt).device(device))),
      overflow_(at::zeros({}, at::TensorOptions(at::kFloat).device(device))) {}

void GradScaler::unscale(const std::vector<at::Tensor>& parameters) {
  // In double as in torch: some compilers use an inexact float division.
  divide(parameters, factor_.to(at::kDouble).reciprocal().to(at::kFloat));
}

void GradScaler::check(const std::vector<at::Tensor>& parameters) {
  divide(parameters, at::full({}, 1.0, factor_.options()));
}

void GradScaler::divide(const std::vector<at::Tensor>& parameters, const at::Tensor& inverse) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  overflow_ = at::full({}, 0.0, factor_.options());
  if (!gradients.empty()) {
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, overflow_, inverse);
  }
}

void GradScaler::update() {
  at::_amp_update_scale_(factor_, good_steps_, overflow_, kGrowth, kBackoff, kGrowthInterval);
}

}  // namespace stepbench::step
