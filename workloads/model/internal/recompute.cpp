// SPDX-License-Identifier: Apache-2.0
#include "workloads/model/internal/recompute.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <mutex>
#include <optional>

#include "workloads/model/recomputing.h"

namespace stepbench::model {
namespace {

at::Tensor random_state(c10::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::scoped_lock lock(generator.mutex());
  return generator.get_state();
}

void set_random_state(c10::Device device, const at::Tensor& state) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::scoped_lock lock(generator.mutex());
  generator.set_state(state);
}

// State of a block's first run that its second run needs.
struct FirstRun final : torch::CustomClassHolder {
  FirstRun(RepeatedBlock of, c10::Device on)
      : block(std::move(of)), device(on), random(random_state(device)) {
    if (at::autocast::is_autocast_enabled(device.type()))
      autocast = at::autocast::get_autocast_dtype(device.type());
  }

  RepeatedBlock block;
  c10::Device device;
  at::Tensor random;
  std::optional<at::ScalarType> autocast;
};

// Restores the state of a first run within a scope: generator, autocast, gradient recording.
class SecondRun {
 public:
  explicit SecondRun(const FirstRun& first)
      : device_(first.device),
        random_(random_state(device_)),
        was_enabled_(at::autocast::is_autocast_enabled(device_.type())),
        was_(at::autocast::get_autocast_dtype(device_.type())) {
    set_random_state(device_, first.random);
    at::autocast::set_autocast_enabled(device_.type(), first.autocast.has_value());
    if (first.autocast) at::autocast::set_autocast_dtype(device_.type(), *first.autocast);
    at::autocast::increment_nesting();
  }
  SecondRun(const SecondRun&) = delete;
  SecondRun& operator=(const SecondRun&) = delete;
  ~SecondRun() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_dtype(device_.type(), was_);
    at::autocast::set_autocast_enabled(device_.type(), was_enabled_);
    set_random_state(device_, random_);
  }

 private:
  c10::Device device_;
  at::Tensor random_;
  bool was_enabled_;
  at::ScalarType was_;
  at::AutoGradMode recorded_{true};
  RecomputingScope recomputing_;
};

// Copies buffers and restores them at the end; until then the graph being built refers to them.
class SavedBuffers {
 public:
  explicit SavedBuffers(const std::vector<at::Tensor>& buffers) : buffers_(buffers) {
    for (const at::Tensor& buffer : buffers_) copies_.push_back(buffer.detach().clone());
  }
  void restore() {
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < copies_.size(); ++i) buffers_[i].copy_(copies_[i]);
  }

 private:
  std::vector<at::Tensor> buffers_, copies_;
};

struct RunTwice final : torch::autograd::Function<RunTwice> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input,
                            const c10::intrusive_ptr<FirstRun>& run) {
    context->save_for_backward({input});
    context->saved_data["run"] = at::IValue::make_capsule(run);
    return run->block.forward(input);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto run =
        c10::static_intrusive_pointer_cast<FirstRun>(context->saved_data["run"].toCapsule());
    const at::Tensor input = context->get_saved_variables().front().detach().requires_grad_();
    SavedBuffers buffers(run->block.buffers);
    at::Tensor output;
    {
      const SecondRun second(*run);
      // A view is not a leaf: for a leaf, autocast would cache one cast for all users, and sum
      // their gradients in its precision.
      output = run->block.forward(input.view_as(input));
    }
    torch::autograd::backward({output}, {gradients.front()});
    buffers.restore();
    return {input.grad(), at::Tensor()};
  }
};

}  // namespace

at::Tensor run_twice(RepeatedBlock block, const at::Tensor& input) {
  return RunTwice::apply(input, c10::make_intrusive<FirstRun>(std::move(block), input.device()));
}

}  // namespace stepbench::model
