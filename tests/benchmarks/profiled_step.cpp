// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/profiled_step.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <optional>
#include <vector>

namespace stepbench {

namespace profiler = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;

struct LaunchBoundStep::Tensors {
  at::Tensor input = at::rand({8, 32});
  std::vector<at::Tensor> parameters = {};
};

LaunchBoundStep::LaunchBoundStep() : tensors_(std::make_unique<Tensors>()) {
  at::set_num_threads(1);
  constexpr int kLayers = 20;
  for (int layer = 0; layer < kLayers; ++layer) {
    tensors_->parameters.push_back(at::rand({32, 32}).mul_(0.05).requires_grad_());
    tensors_->parameters.push_back(at::rand({32}).requires_grad_());
  }
}

LaunchBoundStep::~LaunchBoundStep() = default;

void LaunchBoundStep::run() {
  std::vector<at::Tensor>& parameters = tensors_->parameters;
  for (at::Tensor& parameter : parameters) parameter.mutable_grad().reset();
  at::Tensor x = tensors_->input;
  for (std::size_t i = 0; i < parameters.size(); i += 2)
    x = at::linear(x, parameters[i], parameters[i + 1]);
  x.mean().backward();
  const at::NoGradGuard no_grad;
  constexpr double kRate = 1e-4;
  for (at::Tensor& parameter : parameters) parameter.add_(parameter.grad(), -kRate);
}

EmptyObserver::EmptyObserver()
    : handle_(at::addGlobalCallback(
          at::RecordFunctionCallback(
              [](const at::RecordFunction&) -> std::unique_ptr<at::ObserverContext> {
                return nullptr;
              },
              [](const at::RecordFunction&, at::ObserverContext*) {})
              .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
                       at::RecordScope::USER_SCOPE}))) {}

EmptyObserver::~EmptyObserver() { at::removeCallback(handle_); }

struct BareKineto::State {
  ProfilerConfig config;
  std::set<ActivityType> activities = {ActivityType::CPU};
  std::unique_ptr<profiler::ProfilerResult> result = {};
};

BareKineto::BareKineto(bool shapes, bool memory, bool flops)
    : state_(new State{ProfilerConfig(ProfilerState::KINETO, shapes, memory, false, flops)}) {
  profiler::prepareProfiler(state_->config, state_->activities);
}

BareKineto::~BareKineto() = default;

void BareKineto::begin() {
  profiler::enableProfiler(
      state_->config, state_->activities,
      {at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION, at::RecordScope::USER_SCOPE});
}

void BareKineto::end() { state_->result = profiler::disableProfiler(); }

namespace {

inline void add_up(const at::Tensor& a, const at::Tensor& b, std::int64_t times) {
  for (std::int64_t i = 0; i < times; ++i) (void)at::add(a, b);
}

}  // namespace

void add_small_tensors(std::int64_t times) { add_up(at::ones({4}), at::ones({4}), times); }

void warm_small_tensors() { add_up(at::ones({4}), at::ones({4}), 100); }

bool observers_installed() { return at::hasGlobalCallbacks(); }

}  // namespace stepbench
