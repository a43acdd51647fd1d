// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/group_steps.h"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "harness/base/error.h"
#include "workloads/distributed/distributed_sections.h"
#include "workloads/distributed/internal/collective_data.h"
#include "workloads/distributed/internal/gradient_sync.h"
#include "workloads/distributed/internal/process_group.h"
#include "workloads/step/steps.h"
#include "workloads/step/torch_runtime.h"

namespace stepbench::distributed {
namespace {

at::ScalarType element_type(std::string_view dtype) {
  constexpr std::pair<std::string_view, at::ScalarType> kTypes[] = {
      {"float32", at::kFloat},     {"float64", at::kDouble}, {"float16", at::kHalf},
      {"bfloat16", at::kBFloat16}, {"int32", at::kInt},      {"int64", at::kLong},
      {"int8", at::kChar},         {"uint8", at::kByte}};
  for (const auto& [name, type] : kTypes) {
    if (name == dtype) return type;
  }
  throw ConfigError("collective.dtype", "unsupported type '" + std::string(dtype) + "'");
}

class CollectiveWorkload final : public Workload {
 public:
  CollectiveWorkload(const ResolvedCase& resolved, WorkerContext& context)
      : resolved_(resolved),
        context_(context),
        kind_(collective_kind(resolved.text("collective.op"))),
        device_(step::parse_device(resolved.text("device"))),
        bytes_(resolved.integer("collective.bytes")) {}

  std::optional<std::string> set_up() override {
    return step::with_torch_errors([this]() -> std::optional<std::string> {
      if (auto reason = step::device_unavailable(device_)) return reason;
      const Membership membership = meet(context_);
      group_ = device_.is_cpu() ? make_gloo(membership) : make_nccl(membership);
      context_.backend = group_->getBackendName();
      make_buffers();
      check_result();
      return std::nullopt;
    });
  }
  void step(StepRecorder& step) override {
    step::with_torch_errors([&] {
      {
        const auto phase = step.phase(kCollectivePhase);
        exchange();
      }
      step.add(Count::kBytes, bytes_);
      ++steps_;
    });
  }
  void synchronize() override { step::synchronize_device(device_); }
  void window(Edge edge) override {
    step::with_torch_errors([&] {
      const step::DrainedMark now = step::mark_now(context_.clock, device_);
      if (edge == Edge::kBegin) {
        begin_ = now;
        steps_ = 0;
      } else {
        step_ns_ = static_cast<double>(step::ns_between(begin_, now)) /
                   static_cast<double>(std::max<std::int64_t>(steps_, 1));
      }
    });
  }
  Fingerprint fingerprint() override {
    step::with_torch_errors([this] {
      check_result();
      step_ns_ = slowest(step_ns_);
    });
    return {};
  }
  void tear_down() override {
    begin_ = {};
    group_.reset();
    in_place_.clear();
    sent_.reset();
    received_.reset();
  }
  void report(ReportSink& sink) const override {
    sink.effective("device", device_.str());
    sink.effective("collective.backend", group_->getBackendName());
    sink.metric("bus_bytes_per_s",
                static_cast<double>(bytes_) * bus_factor(kind_, context_.world) * 1e9 / step_ns_);
  }

 private:
  [[nodiscard]] CollectiveShape shape() const {
    return {.op = kind_.op, .rank = context_.rank, .world = context_.world, .elements = elements_};
  }
  [[nodiscard]] bool is_in_place() const {
    return kind_.op == CollectiveOp::kAllReduce || kind_.op == CollectiveOp::kBroadcast;
  }

  void make_buffers() {
    const std::string dtype = resolved_.text("collective.dtype");
    elements_ = bytes_ / element_bytes(dtype);
    const std::int64_t part = elements_ / context_.world;
    const auto options = at::TensorOptions().dtype(element_type(dtype)).device(device_);
    sent_ = at::empty({kind_.op == CollectiveOp::kAllGather ? part : elements_}, options);
    received_ =
        is_in_place()
            ? sent_
            : at::empty({kind_.op == CollectiveOp::kReduceScatter ? part : elements_}, options);
    in_place_ = {sent_};
  }

  void exchange() {
    c10::intrusive_ptr<c10d::Work> work;
    switch (kind_.op) {
      case CollectiveOp::kAllReduce:
        work = group_->allreduce(in_place_);
        break;
      case CollectiveOp::kBroadcast:
        work = group_->broadcast(in_place_);
        break;
      case CollectiveOp::kAllGather:
        work = group_->_allgather_base(received_, sent_);
        break;
      case CollectiveOp::kReduceScatter:
        work = group_->_reduce_scatter_base(received_, sent_);
        break;
      case CollectiveOp::kAllToAll:
        work = group_->alltoall_base(received_, sent_, equal_parts_, equal_parts_);
        break;
    }
    work->wait();
  }

  // Uses separate values for the check; values exchanged by the steps do not grow.
  void check_result() {
    fill_sent(sent_, shape());
    if (!is_in_place()) received_.fill_(-1);
    exchange();
    synchronize();
    if (const auto wrong = wrong_element(received_, shape())) {
      throw Error(std::string(kind_.name) + " of " + resolved_.text("collective.dtype") + " by " +
                  group_->getBackendName() + " is wrong: " + *wrong + " on rank " +
                  std::to_string(context_.rank));
    }
    if (kind_.op == CollectiveOp::kAllReduce) sent_.zero_();
  }

  // Maximum over all ranks.
  double slowest(double mine) {
    std::vector<at::Tensor> value{
        at::full({1}, mine, at::TensorOptions().dtype(at::kDouble).device(device_))};
    c10d::AllreduceOptions options;
    options.reduceOp = c10d::ReduceOp::MAX;
    group_->allreduce(value, options)->wait();
    return value.front().item<double>();
  }

  ResolvedCase resolved_;
  WorkerContext& context_;
  CollectiveKind kind_;
  at::Device device_;
  std::int64_t bytes_ = 0;
  std::int64_t elements_ = 0;
  c10::intrusive_ptr<c10d::Backend> group_;
  at::Tensor sent_;
  at::Tensor received_;
  std::vector<at::Tensor> in_place_;
  std::vector<std::int64_t> equal_parts_;
  step::DrainedMark begin_;
  std::int64_t steps_ = 0;
  double step_ns_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

std::unique_ptr<Workload> make_collective(const ResolvedCase& resolved, WorkerContext& context) {
  return std::make_unique<CollectiveWorkload>(resolved, context);
}

std::unique_ptr<Workload> make_train_step(const ResolvedCase& resolved, WorkerContext& context) {
  if (context.world == 1) return step::make_train_step(resolved, context);
  return step::make_group_train_step(resolved, context, make_sync);
}

int device_of_rank(int local_rank, int devices) {
  if (devices <= 1) return 0;
  if (local_rank < devices) return local_rank;
  throw Error("rank " + std::to_string(local_rank) + " of a machine with " +
              std::to_string(devices) + " CUDA devices, and each rank takes one of its own");
}

void place_rank(ResolvedCase& resolved, const WorkerContext& context) {
  if (resolved.text_or("device", "cpu") != "cuda") return;
  const int devices = at::hasCUDA() ? static_cast<int>(at::getNumGPUs()) : 0;
  const int local_rank = meeting_place(context.variables).local_rank;
  resolved.options["device"] = "cuda:" + std::to_string(device_of_rank(local_rank, devices));
}

}  // namespace stepbench::distributed
