// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/internal/gradient_sync.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "workloads/distributed/distributed_sections.h"
#include "workloads/distributed/internal/process_group.h"

namespace stepbench::distributed {
namespace {

constexpr double kMebibyte = 1 << 20;
// Size of a message with weights; torch's own value.
constexpr std::size_t kBroadcastBytes = std::size_t{250} << 20;

void broadcast(const Replica& replica, const std::vector<at::Tensor>& tensors) {
  if (tensors.empty()) return;
  const at::NoGradGuard no_grad;
  c10d::broadcast_coalesced(replica.group, tensors, kBroadcastBytes, /*rank=*/0);
}

// Synchronises buffers, in both kinds of GradientSync.
class Synchronised : public step::GradientSync {
 public:
  explicit Synchronised(Replica replica) : replica_(std::move(replica)) {}

  void before_forward(step::MicroBatch which) override {
    if (which.first) broadcast(replica_, replica_.buffers);
  }

 protected:
  [[nodiscard]] const Replica& replica() const { return replica_; }

 private:
  Replica replica_;
};

class FlatSync final : public Synchronised {
 public:
  explicit FlatSync(Replica replica) : Synchronised(std::move(replica)) {
    for (const at::Tensor& parameter : this->replica().parameters) {
      part_for(parameter.scalar_type()).parameters.push_back(parameter);
    }
    for (Part& part : parts_) {
      std::int64_t elements = 0;
      for (const at::Tensor& parameter : part.parameters) elements += parameter.numel();
      part.joined = {at::empty({elements}, part.parameters.front().options().requires_grad(false))};
      std::int64_t from = 0;
      for (const at::Tensor& parameter : part.parameters) {
        const std::int64_t until = from + parameter.numel();
        part.slices.push_back(part.joined.front().slice(0, from, until).view(parameter.sizes()));
        from = until;
      }
    }
  }

  void after_backward(StepRecorder& step) override {
    const auto phase = step.phase(PhaseId::kGradSync);
    const at::NoGradGuard no_grad;
    for (Part& part : parts_) {
      std::vector<at::Tensor> gradients = gradients_of(part);
      at::_foreach_copy_(part.slices, gradients);
      part.joined.front().div_(replica().group->getSize());
      replica().group->allreduce(part.joined)->wait();
      at::_foreach_copy_(gradients, part.slices);
    }
  }

 private:
  struct Part {
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> joined;  // a single tensor
    std::vector<at::Tensor> slices;  // views of it, one per parameter
  };

  Part& part_for(c10::ScalarType type) {
    for (Part& part : parts_) {
      if (part.parameters.front().scalar_type() == type) return part;
    }
    return parts_.emplace_back();
  }

  // If one rank omitted a gradient that others have, their models would diverge.
  [[nodiscard]] static std::vector<at::Tensor> gradients_of(const Part& part) {
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& parameter : part.parameters) {
      if (!parameter.grad().defined()) {
        throw ConfigError("distributed.sync",
                          "flat needs a gradient of every parameter, and the loss does not depend "
                          "on some; use ddp with distributed.find_unused_parameters: true");
      }
      gradients.push_back(parameter.grad());
    }
    return gradients;
  }

  std::vector<Part> parts_;
};

class DdpSync final : public Synchronised {
 public:
  DdpSync(Replica replica, const DdpOptions& options)
      : Synchronised(std::move(replica)), finds_unused_(options.find_unused_parameters) {
    const std::vector<at::Tensor>& parameters = this->replica().parameters;
    // Like DDP, the first step uses one bucket: the order of gradients is not known yet.
    std::vector<std::size_t> limits = {std::numeric_limits<std::int64_t>::max()};
    if (finds_unused_) {
      limits = {static_cast<std::size_t>(options.first_bucket_bytes),
                static_cast<std::size_t>(options.bucket_bytes)};
    }
    std::vector<std::vector<std::size_t>> buckets =
        std::get<0>(c10d::compute_bucket_assignment_by_size(parameters, limits));
    std::ranges::reverse(buckets);
    reducer_.emplace(parameters, std::move(buckets), this->replica().group,
                     std::vector<bool>(parameters.size(), false), options.bucket_bytes,
                     finds_unused_, options.gradient_as_bucket_view, this->replica().names,
                     options.first_bucket_bytes, /*skip_all_reduce_unused_params=*/false,
                     /*use_python_reducer=*/false, std::vector<std::int64_t>());
    if (options.static_graph) {
      reducer_->set_static_graph();
      in_first_step_ = true;
    }
    if (options.sent_as) {
      reducer_->register_comm_hook(make_rounding_hook(this->replica().group, *options.sent_as));
    }
  }

  void before_forward(step::MicroBatch which) override {
    if (which.last) reducer_->prepare_for_forward();
    reducer_->rebuild_buckets();
    Synchronised::before_forward(which);
  }
  // The Reducer ignores a backward pass that it was not prepared for.
  void before_backward(const at::Tensor& loss, step::MicroBatch which) override {
    if (!which.last) return;
    reducer_->prepare_for_backward(finds_unused_ ? std::vector<at::Tensor>{loss}
                                                 : std::vector<at::Tensor>());
  }
  // The first backward pass of a static graph only counts gradients.
  void after_backward(StepRecorder& step) override {
    if (!std::exchange(in_first_step_, false)) return;
    const auto phase = step.phase(PhaseId::kGradSync);
    reducer_->delay_all_reduce();
  }

 private:
  bool finds_unused_;
  bool in_first_step_ = false;  // static graphs only
  std::optional<c10d::Reducer> reducer_;
};

}  // namespace

Replica replica_of(const Model& model, c10::intrusive_ptr<c10d::ProcessGroup> group) {
  Replica replica{
      .group = std::move(group), .parameters = {}, .names = {}, .state = {}, .buffers = {}};
  const std::vector<at::Tensor> parameters = model.parameters();
  for (const auto& [name, tensor] : model.state()) {
    replica.state.push_back(tensor.detach());
    const bool is_parameter = std::ranges::any_of(
        parameters, [&](const at::Tensor& parameter) { return parameter.is_set_to(tensor); });
    if (!is_parameter) replica.buffers.push_back(tensor.detach());
  }
  for (const at::Tensor& parameter : parameters) {
    if (!parameter.requires_grad()) continue;
    for (const auto& [name, tensor] : model.state()) {
      if (tensor.is_set_to(parameter)) replica.names[replica.parameters.size()] = name;
    }
    replica.parameters.push_back(parameter);
  }
  return replica;
}

void broadcast_from_first_rank(const Replica& replica) {
  c10d::verify_params_across_processes(replica.group, replica.parameters, std::nullopt);
  broadcast(replica, replica.state);
}

DdpOptions ddp_options(const ResolvedCase& resolved) {
  const Value* cap = resolved.options.get("distributed.bucket_cap_mb");
  DdpOptions options{
      .bucket_bytes = c10d::kDefaultBucketBytesCap,
      .first_bucket_bytes = c10d::kDefaultFirstBucketBytes,
      .gradient_as_bucket_view = resolved.flag_or("distributed.gradient_as_bucket_view", false),
      .find_unused_parameters = resolved.flag_or("distributed.find_unused_parameters", false),
      .static_graph = resolved.flag_or("distributed.static_graph", false)};
  const std::string hook = resolved.text_or("distributed.comm_hook", "none");
  if (hook != "none") options.sent_as = hook == "fp16" ? at::kHalf : at::kBFloat16;
  const bool is_given = cap != nullptr && !is_null(*cap) && *cap != Value(std::string("auto"));
  if (is_given) {
    options.bucket_bytes =
        static_cast<std::int64_t>(resolved.number("distributed.bucket_cap_mb") * kMebibyte);
    options.first_bucket_bytes = options.bucket_bytes;
  }
  return options;
}

std::unique_ptr<step::GradientSync> make_sync(const ResolvedCase& resolved, WorkerContext& context,
                                              const Model& model, c10::Device device) {
  Replica replica = replica_of(model, make_group(meet(context), device.type()));
  context.backend = replica.group->getBackendName();
  broadcast_from_first_rank(replica);
  const std::string& sync = resolved.text(kSync);
  if (sync == "none") return std::make_unique<step::GradientSync>();
  if (sync == "flat") return make_flat_sync(std::move(replica));
  return make_ddp_sync(std::move(replica), ddp_options(resolved));
}

std::unique_ptr<step::GradientSync> make_ddp_sync(Replica replica, const DdpOptions& options) {
  return std::make_unique<DdpSync>(std::move(replica), options);
}

std::unique_ptr<step::GradientSync> make_flat_sync(Replica replica) {
  return std::make_unique<FlatSync>(std::move(replica));
}

namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

class RoundingHook final : public c10d::CppCommHookInterface<Group> {
 public:
  RoundingHook(Group group, at::ScalarType sent_as)
      : CppCommHookInterface(std::move(group)), sent_as_(sent_as) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    const at::Tensor gradients = bucket.getBuffer();
    std::vector<at::Tensor> sent{gradients.to(sent_as_).div_(state_->getSize())};
    const auto exchanged = state_->allreduce(sent)->getFuture();
    return exchanged->then(
        [gradients](c10::ivalue::Future& done) {
          gradients.copy_(c10d::detail::parseCppCommHookResult(done.value()));
          return c10::IValue(gradients);
        },
        c10::TensorType::get());
  }

 private:
  at::ScalarType sent_as_;
};

}  // namespace

std::unique_ptr<c10d::CommHookInterface> make_rounding_hook(Group group, at::ScalarType sent_as) {
  return std::make_unique<RoundingHook>(std::move(group), sent_as);
}

}  // namespace stepbench::distributed
