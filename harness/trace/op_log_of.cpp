// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/op_log_of.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/ops/op_tree.h"

namespace stepbench::trace {
namespace {

constexpr std::string_view kOwnPhase = "stepbench::";

bool is_host_row(EventKind kind) {
  return kind == EventKind::kOp || kind == EventKind::kAnnotation;
}

// "thread 4711 (step)" -> "step".
std::string bare_thread_name(const TraceLane& lane) {
  const std::string opening = "thread " + std::to_string(lane.tid) + " (";
  if (!lane.name.starts_with(opening) || !lane.name.ends_with(')')) return lane.name;
  return lane.name.substr(opening.size(), lane.name.size() - opening.size() - 1);
}

class LogOfTrace {
 public:
  explicit LogOfTrace(const Trace& trace) : trace_(trace) {}

  ops::OpLog make() {
    names_.resize(trace_.names.size(), ops::kNoIndex);
    log_.dropped = trace_.dropped;
    const auto& names = trace_.names;
    marked_ = std::any_of(names.begin(), names.end(),
                          [](const TraceName& name) { return name.text.starts_with(kOwnPhase); });
    threads();
    for (std::uint32_t lane = 0; lane < trace_.lanes.size(); ++lane) {
      for (const TraceEvent& event : trace_.lanes[lane].events) add(event, thread_of_[lane]);
    }
    number_phases();
    join_own();
    memory();
    return std::move(log_);
  }

 private:
  // The step thread is the one with the most steps, else with the most rows.
  void threads() {
    thread_of_.resize(trace_.lanes.size(), ops::kNoIndex);
    std::pair<std::int64_t, std::size_t> most = {-1, 0};
    for (std::size_t i = 0; i < trace_.lanes.size(); ++i) {
      const TraceLane& lane = trace_.lanes[i];
      if (lane.kind != LaneKind::kHost) continue;
      std::int64_t steps = 0;
      bool only_workers = !lane.events.empty();
      for (const TraceEvent& event : lane.events) {
        steps += is_host_row(event.kind) && trace_.facts_of(event).step >= 0 ? 1 : 0;
        only_workers = only_workers && event.kind == EventKind::kWorker;
      }
      if (only_workers) continue;
      thread_of_[i] = static_cast<std::uint32_t>(log_.threads.size());
      by_id_.try_emplace(lane.tid, thread_of_[i]);
      log_.threads.push_back({.id = lane.tid, .name = bare_thread_name(lane)});
      if (std::pair(steps, lane.events.size()) <= most) continue;
      most = {steps, lane.events.size()};
      log_.step_thread = thread_of_[i];
      log_.process = lane.pid;
    }
  }

  void add(const TraceEvent& event, std::uint32_t thread) {
    switch (event.kind) {
      case EventKind::kOp:
      case EventKind::kAnnotation:
        add_host(event, thread);
        return;
      case EventKind::kRuntime:
      case EventKind::kDriver:
      case EventKind::kKernel:
      case EventKind::kMemcpy:
      case EventKind::kMemset:
      case EventKind::kSync:
        add_activity(event, thread);
        return;
      case EventKind::kWorker: {
        const TraceLane& lane = trace_.lane_of(event);
        log_.foreign.push_back({event.start_ns, event.end_ns, lane.pid, name_of(event),
                                lane.tid == lane.pid ? 0 : lane.tid});
        return;
      }
      default:
        return;
    }
  }

  // Marks made by our own loop have no id; recorded rows do.
  void add_host(const TraceEvent& event, std::uint32_t thread) {
    const NameFacts& facts = trace_.facts_of(event);
    const std::string& name = trace_.name_of(event);
    const bool phase =
        name.starts_with(kOwnPhase) && (trace_.own || event.kind == EventKind::kAnnotation);
    const bool own_mark = trace_.own ? event.external == 0 : phase;
    if (facts.step >= 0) {
      log_.marks.push_back({event.start_ns, event.end_ns, facts.step, ops::kNoIndex});
    } else if (own_mark && phase) {
      add_phase(event, name.substr(kOwnPhase.size()));
    } else if (facts.data_wait && (trace_.own || !marked_)) {
      add_phase(event, "data_wait");
    } else if (!trace_.own && !marked_ && name.starts_with("Optimizer.step#")) {
      add_phase(event, "optimizer");
    }
    if (!own_mark) add_op(event, thread);
  }

  // Only names that ops use: a log with the name of a step counts as having step annotations.
  std::uint32_t name_of(const TraceEvent& event) {
    std::uint32_t& name = names_[event.name];
    if (name == ops::kNoIndex) {
      name = static_cast<std::uint32_t>(log_.names.size());
      log_.names.push_back(trace_.name_of(event));
    }
    return name;
  }

  void add_phase(const TraceEvent& event, const std::string& phase) {
    const auto [at, is_new] =
        phases_.try_emplace(phase, static_cast<std::uint32_t>(log_.names.size()));
    if (is_new) log_.names.push_back(phase);
    log_.marks.push_back({event.start_ns, event.end_ns, -1, at->second});
  }

  void add_op(const TraceEvent& event, std::uint32_t thread) {
    ops::OpEvent op{.start_ns = event.start_ns,
                    .end_ns = event.end_ns,
                    .sequence = event.value,
                    .name = name_of(event),
                    .thread = thread,
                    .end_thread = thread};
    if (event.kind == EventKind::kAnnotation) op.scope = ops::OpScope::kUserScope;
    if (const OpDetail* detail = trace_.op_detail(event)) {
      op.shapes = shapes_of(*detail);
      if (detail->module != ops::kNoIndex) op.module = module_of(detail->module);
      if (detail->forward_thread != 0 && event.kind == EventKind::kOp) {
        op.scope = ops::OpScope::kBackwardFunction;
        const auto forward = by_id_.find(detail->forward_thread);
        if (forward != by_id_.end()) op.forward_thread = forward->second;
      }
    }
    if (trace_.own && event.external != 0) {
      op_of_id_.try_emplace(event.external, static_cast<std::uint32_t>(log_.ops.size()));
    }
    log_.ops.push_back(op);
  }

  std::uint32_t shapes_of(const OpDetail& detail) {
    if (detail.shapes == ops::kNoIndex) return ops::kNoIndex;
    const auto [at, is_new] = shapes_.try_emplace({detail.shapes, detail.arguments},
                                                  static_cast<std::uint32_t>(log_.shapes.size()));
    if (is_new) {
      log_.shapes.emplace_back(trace_.text(detail.shapes));
      log_.arguments.emplace_back(trace_.text(detail.arguments));
    }
    return at->second;
  }

  std::uint32_t module_of(std::uint32_t text) {
    const auto [at, is_new] =
        modules_.try_emplace(text, static_cast<std::uint32_t>(log_.modules.size()));
    if (is_new) log_.modules.emplace_back(trace_.text(text));
    return at->second;
  }

  static ops::ActivityKind activity_kind(EventKind kind) {
    switch (kind) {
      case EventKind::kRuntime:
        return ops::ActivityKind::kRuntime;
      case EventKind::kDriver:
        return ops::ActivityKind::kDriver;
      case EventKind::kMemcpy:
        return ops::ActivityKind::kMemcpy;
      case EventKind::kMemset:
        return ops::ActivityKind::kMemset;
      case EventKind::kSync:
        return ops::ActivityKind::kSynchronization;
      default:
        return ops::ActivityKind::kKernel;
    }
  }

  void add_activity(const TraceEvent& event, std::uint32_t thread) {
    constexpr int kMaxDevice = std::numeric_limits<std::int16_t>::max();
    ops::DeviceActivity activity{.start_ns = event.start_ns,
                                 .end_ns = event.end_ns,
                                 .correlation = event.correlation,
                                 .external = event.external,
                                 .name = name_of(event),
                                 .kind = activity_kind(event.kind)};
    if (is_call(event.kind)) {
      activity.thread = thread;
    } else {
      const TraceLane& lane = trace_.lane_of(event);
      activity.device = static_cast<std::int16_t>(std::clamp(lane.device, 0, kMaxDevice));
      activity.stream = lane.stream < 0 ? 0 : static_cast<std::uint32_t>(lane.stream);
    }
    if (event.kind == EventKind::kMemcpy || event.kind == EventKind::kMemset) {
      const NameFacts& facts = trace_.facts_of(event);
      activity.bytes = event.value;
      activity.copy = facts.copy;
      activity.pinned = facts.from == MemoryKind::kPinned || facts.to == MemoryKind::kPinned;
    }
    if (const KernelDetail* kernel = trace_.kernel_detail(event)) {
      std::copy(std::begin(kernel->grid), std::end(kernel->grid), std::begin(activity.grid));
      std::copy(std::begin(kernel->block), std::end(kernel->block), std::begin(activity.block));
      activity.registers_per_thread = std::max(kernel->registers_per_thread, 0);
      activity.shared_memory_bytes = std::max(kernel->shared_memory_bytes, 0);
    }
    log_.activities.push_back(activity);
  }

  // A phase belongs to the last step that began before it.
  void number_phases() {
    std::stable_sort(
        log_.marks.begin(), log_.marks.end(),
        [](const ops::StepMark& a, const ops::StepMark& b) { return a.start_ns < b.start_ns; });
    std::int64_t step = -1;
    for (ops::StepMark& mark : log_.marks) {
      if (mark.phase == ops::kNoIndex) {
        step = mark.index;
      } else {
        mark.index = step;
      }
    }
  }

  // Our ids are those that the collector joined; foreign ids differ between versions.
  void join_own() {
    if (!trace_.own) return;
    for (ops::DeviceActivity& activity : log_.activities) {
      const auto op = op_of_id_.find(activity.external);
      if (op != op_of_id_.end()) activity.op = op->second;
    }
  }

  void memory() {
    for (const TraceMemory& event : trace_.memory) {
      constexpr std::int32_t kMaxDevice = std::numeric_limits<std::int16_t>::max();
      const std::uint32_t thread = thread_of_[event.lane];
      log_.memory.push_back(
          {.at_ns = event.at_ns,
           .bytes = event.bytes,
           .address = event.address,
           .total_allocated = event.total_allocated == -1 ? 0 : event.total_allocated,
           .total_reserved = event.total_reserved == -1 ? 0 : event.total_reserved,
           .thread = thread == ops::kNoIndex ? log_.step_thread : thread,
           .device = static_cast<std::int16_t>(std::clamp(event.device, -1, kMaxDevice))});
    }
    std::stable_sort(log_.memory.begin(), log_.memory.end(),
                     [](const ops::MemoryEvent& a, const ops::MemoryEvent& b) {
                       return std::pair(a.thread, a.at_ns) < std::pair(b.thread, b.at_ns);
                     });
    ops::find_innermost_ops(log_);
  }

  const Trace& trace_;
  ops::OpLog log_;
  bool marked_ = false;                   // the recorded program marked its phases as ours does
  std::vector<std::uint32_t> thread_of_;  // indexed by lane
  std::vector<std::uint32_t> names_;      // indexed as Trace::names
  std::map<std::int64_t, std::uint32_t> by_id_;
  std::unordered_map<std::uint64_t, std::uint32_t> op_of_id_;
  std::map<std::string, std::uint32_t> phases_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> shapes_;
  std::map<std::uint32_t, std::uint32_t> modules_;
};

}  // namespace

ops::OpLog op_log_of(const Trace& trace) { return LogOfTrace(trace).make(); }

}  // namespace stepbench::trace
