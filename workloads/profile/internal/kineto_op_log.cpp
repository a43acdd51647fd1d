// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/internal/kineto_op_log.h"

#include <ATen/record_function.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "harness/ops/op_log.h"
#include "workloads/profile/internal/torch_op.h"

namespace stepbench::profile {
namespace {

using torch::autograd::profiler::KinetoEvent;

// libkineto::ActivityType, whose header some wheels lack: the first three values have never
// changed.
constexpr std::uint8_t kCpuOp = 0;
constexpr std::uint8_t kUserAnnotation = 1;
constexpr std::uint8_t kGpuUserAnnotation = 2;  // an annotation's copy over its launched work

constexpr std::string_view kMemory = "[memory]";

bool is_wait(std::string_view name) {
  constexpr std::array<std::string_view, 4> kWaits = {"Event Sync", "Stream Sync", "Context Sync",
                                                      "Stream Wait Event"};
  return std::find(kWaits.begin(), kWaits.end(), name) != kWaits.end();
}

// cudaLaunchKernel, since CUDA 13 __cudaLaunchKernel; the driver's: cuLaunchKernel.
bool is_runtime_call(std::string_view name) {
  return name.starts_with("cuda") || name.starts_with("__cuda");
}

class KinetoLogMaker {
 public:
  KinetoLogMaker(const torch::autograd::profiler::ProfilerResult& result, bool shapes,
                 const AllocatedBytes& before)
      : result_(result), names_(log_.names), shapes_on_(shapes), allocated_(before) {}

  ops::OpLog make() {
    log_.process = ::getpid();
    log_.step_thread =
        thread_of(static_cast<std::uint32_t>(at::RecordFunction::currentThreadId()), ::gettid());
    for (const KinetoEvent& event : result_.events()) {
      const bool op = event.activityType() == kCpuOp || event.activityType() == kUserAnnotation;
      if (op && event.deviceType() == c10::DeviceType::CPU && !event.isHiddenEvent()) add_op(event);
    }
    sort_ops();
    for (const KinetoEvent& event : result_.events()) add_activity(event);
    ops::name_queries(log_, 0);
    for (const KinetoEvent& event : result_.events()) add_memory(event);
    add_up_memory();
    return std::move(log_);
  }

 private:
  void add_op(const KinetoEvent& event) {
    ops::OpEvent op;
    op.start_ns = static_cast<std::int64_t>(event.startNs());
    op.end_ns = static_cast<std::int64_t>(event.endNs());
    op.sequence = event.sequenceNr();
    op.name = names_.id(event.name());
    op.thread = thread_of(event.startThreadId(), event.deviceResourceId());
    op.end_thread = thread_of(event.endThreadId(), -static_cast<std::int64_t>(event.endThreadId()));
    if (event.fwdThreadId() != 0) {
      op.forward_thread =
          thread_of(event.fwdThreadId(), -static_cast<std::int64_t>(event.fwdThreadId()));
    }
    op.scope = op_scope(static_cast<at::RecordScope>(event.scope()));
    op.async = event.isAsync() || event.startThreadId() != event.endThreadId();
    if (shapes_on_) op.shapes = shapes_of(event);
    correlations_.push_back(event.correlationId());
    log_.ops.push_back(op);
  }

  // Sorts by thread and start; an op precedes those that it encloses.
  void sort_ops() {
    std::vector<std::uint32_t> order(log_.ops.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const ops::OpEvent& x = log_.ops[a];
      const ops::OpEvent& y = log_.ops[b];
      return std::tuple(x.thread, x.start_ns, -x.end_ns) <
             std::tuple(y.thread, y.start_ns, -y.end_ns);
    });
    std::vector<ops::OpEvent> sorted;
    sorted.reserve(order.size());
    for (const std::uint32_t i : order) {
      op_of_.emplace(correlations_[i], static_cast<std::uint32_t>(sorted.size()));
      sorted.push_back(log_.ops[i]);
    }
    log_.ops = std::move(sorted);
  }

  void add_activity(const KinetoEvent& event) {
    if (event.activityType() <= kGpuUserAnnotation) return;
    const std::string name = event.name();
    if (name == kMemory) return;  // includes device memory: see add_memory()
    const bool wait = is_wait(name);
    const bool on_device = event.deviceType() == c10::DeviceType::CUDA;
    const bool call = !on_device && (is_runtime_call(name) || name.starts_with("cu"));
    if (!on_device && !call && !wait) return;
    ops::DeviceActivity& activity = log_.activities.emplace_back();
    activity.start_ns = static_cast<std::int64_t>(event.startNs());
    activity.end_ns = static_cast<std::int64_t>(event.endNs());
    activity.correlation = event.correlationId();
    activity.external = event.linkedCorrelationId();
    activity.name = names_.id(name);
    if (const auto op = op_of_.find(activity.external); op != op_of_.end())
      activity.op = op->second;
    if (call) {
      activity.kind =
          is_runtime_call(name) ? ops::ActivityKind::kRuntime : ops::ActivityKind::kDriver;
      if (activity.op != ops::kNoIndex) activity.thread = log_.ops[activity.op].thread;
      return;
    }
    activity.kind = wait                         ? ops::ActivityKind::kSynchronization
                    : name.starts_with("Memcpy") ? ops::ActivityKind::kMemcpy
                    : name.starts_with("Memset") ? ops::ActivityKind::kMemset
                                                 : ops::ActivityKind::kKernel;
    activity.device = static_cast<std::int16_t>(event.deviceIndex());
    activity.stream = static_cast<std::uint32_t>(event.deviceResourceId());
    if (activity.kind == ops::ActivityKind::kMemcpy) describe_kineto_copy(name, activity);
    if (activity.kind == ops::ActivityKind::kMemset) activity.bytes = -1;
  }

  // Addresses and totals need headers that wheels lack.
  void add_memory(const KinetoEvent& event) {
    if (event.name() != kMemory) return;
    ops::MemoryEvent& memory = log_.memory.emplace_back();
    memory.at_ns = static_cast<std::int64_t>(event.startNs());
    memory.bytes = event.nBytes();
    memory.thread =
        thread_of(event.startThreadId(), -static_cast<std::int64_t>(event.startThreadId()));
    if (event.deviceType() == c10::DeviceType::CUDA)
      memory.device = static_cast<std::int16_t>(event.deviceIndex());
  }

  void add_up_memory() {
    std::stable_sort(log_.memory.begin(), log_.memory.end(),
                     [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
    for (ops::MemoryEvent& event : log_.memory)
      event.total_allocated = allocated_[event.device] += event.bytes;
  }

  std::uint32_t shapes_of(const KinetoEvent& event) {
    words_.begin();
    for (const std::vector<std::int64_t>& extents : event.shapes()) words_.add(extents);
    if (event.hasConcreteInputs() && wants_arguments(event.name())) {
      words_.begin_arguments();
      for (const at::IValue& input : event.concreteInputs()) add_argument(input, words_);
    }
    const std::int64_t* const words = words_.finish();
    const std::string arguments = arguments_text(words);
    const std::string text = shapes_text(words);
    const auto [at, is_new] =
        shapes_.try_emplace(text + arguments, static_cast<std::uint32_t>(log_.shapes.size()));
    if (is_new) {
      log_.shapes.push_back(text);
      log_.arguments.push_back(arguments);
    }
    return at->second;
  }

  // `kernel_id` is only used for a new thread.
  std::uint32_t thread_of(std::uint64_t torch_thread, std::int64_t kernel_id) {
    const auto [at, is_new] =
        thread_of_.try_emplace(torch_thread, static_cast<std::uint32_t>(log_.threads.size()));
    if (is_new) log_.threads.push_back({.id = kernel_id});
    return at->second;
  }

  const torch::autograd::profiler::ProfilerResult& result_;
  ops::OpLog log_;
  ops::StringTable names_;
  bool shapes_on_;
  AllocatedBytes allocated_;
  ShapeWords words_;
  std::vector<std::uint64_t> correlations_;  // ops in original order
  std::unordered_map<std::uint64_t, std::uint32_t> op_of_;
  std::unordered_map<std::string, std::uint32_t> shapes_;
  std::unordered_map<std::uint64_t, std::uint32_t> thread_of_;
};

}  // namespace

void describe_kineto_copy(std::string_view name, ops::DeviceActivity& activity) {
  for (const std::string_view direction : names_of(ops::CopyKind{})) {
    if (direction.empty() || name.find(direction) == std::string_view::npos) continue;
    activity.copy = one_of<ops::CopyKind>(direction).value();
  }
  activity.pinned = name.find("Pinned") != std::string_view::npos;
  activity.bytes = -1;
}

std::optional<std::string> missing_work(const ops::OpLog& log) {
  const std::int64_t lost = ops::launches_without_record(log.activities, log.names, {});
  if (lost == 0) return std::nullopt;
  return std::to_string(lost) + " launches without a record of their work";
}

ops::OpLog make_op_log(const torch::autograd::profiler::ProfilerResult& result, bool shapes,
                       const AllocatedBytes& before) {
  return KinetoLogMaker(result, shapes, before).make();
}

}  // namespace stepbench::profile
