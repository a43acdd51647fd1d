// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/trace_files.h"

#include <algorithm>
#include <limits>
#include <string>

#include "harness/base/format.h"
#include "harness/text/printable.h"
#include "harness/traces/internal/shapes_text.h"
#include "harness/traces/internal/trace_builder.h"

namespace stepbench::traces {
namespace {

constexpr std::string_view kWorkerProcess = "stepbench-worker";
constexpr std::string_view kLoaderWorker = "loader worker";
constexpr std::string_view kStepLoader = "loader, in the step thread";
constexpr std::string_view kProfilerSpan = "PyTorch Profiler (0)";
constexpr std::string_view kProfilerLane = "Spans PyTorch Profiler";  // used as pid and tid

std::string thread_text(const ops::OpThread& thread) {
  return formatted("thread {} ({})", thread.id, thread.name);
}

std::string stream_text(std::uint32_t stream) { return formatted("stream {} ", stream); }

std::string loader_process_text(std::int64_t pid) { return formatted("{} {}", kLoaderWorker, pid); }

std::string loader_track_text(std::int64_t tid) {
  if (tid < ops::kStepLoaderTrack) return std::string(kLoaderWorker);
  if (tid == ops::kStepLoaderTrack) return std::string(kStepLoader);
  return formatted("{} {}", kLoaderWorker, tid - ops::kFirstWorkerTrack);
}

// Steps become ProfilerStep#N. data_wait is an op, because torch-tb-profiler ignores annotations
// other than steps.
struct MarkRow {
  bool annotation = true;
  std::string name;
};
MarkRow row_of_mark(const ops::OpLog& log, const ops::StepMark& mark, std::string_view loader) {
  if (mark.phase == ops::kNoIndex) return {.name = formatted("ProfilerStep#{}", mark.index)};
  const std::string& phase = log.names[mark.phase];
  if (phase != "data_wait") return {.name = "stepbench::" + phase};
  return {.annotation = false, .name = formatted("enumerate(DataLoader)#{}.__next__", loader)};
}

// Returns whether the collector itself records ProfilerStep#N.
bool has_step_annotations(const ops::OpLog& log) {
  return std::ranges::any_of(
      log.names, [](const std::string& name) { return name.starts_with("ProfilerStep#"); });
}

bool is_timed(const ops::DeviceActivity& activity) {
  return activity.start_ns != 0 || activity.end_ns != 0;
}

// Start of the first record.
std::int64_t window_begin_ns(const ops::OpLog& log) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const ops::OpEvent& op : log.ops) first = std::min(first, op.start_ns);
  for (const ops::StepMark& mark : log.marks) first = std::min(first, mark.start_ns);
  for (const ops::MemoryEvent& event : log.memory) first = std::min(first, event.at_ns);
  for (const ops::ForeignSpan& span : log.foreign) first = std::min(first, span.start_ns);
  for (const ops::DeviceActivity& activity : log.activities) {
    if (activity.start_ns != 0) first = std::min(first, activity.start_ns);
  }
  return first == std::numeric_limits<std::int64_t>::max() ? 0 : first;
}

// End of the last record.
std::int64_t window_end_ns(const ops::OpLog& log) {
  std::int64_t end_ns = window_begin_ns(log);
  for (const ops::OpEvent& op : log.ops) end_ns = std::max(end_ns, op.end_ns);
  for (const ops::StepMark& mark : log.marks) end_ns = std::max(end_ns, mark.end_ns);
  for (const ops::DeviceActivity& activity : log.activities)
    end_ns = std::max(end_ns, activity.end_ns);
  return end_ns;
}

class TraceOfLog {
 public:
  TraceOfLog(const ops::OpLog& log, const TraceHeader& header)
      : log_(log), header_(header), base_ns_(window_begin_ns(log)) {}

  Trace make() {
    names_.reserve(log_.names.size());
    for (const std::string& name : log_.names)
      names_.push_back(builder_.name(text::to_valid_utf8(name)));
    facts();
    name_lanes();
    marks();
    ops();
    activities();
    memory();
    foreign();
    window();
    return builder_.finish();
  }

 private:
  std::int64_t thread_id(std::uint32_t thread) const {
    return thread < log_.threads.size() ? log_.threads[thread].id : log_.process;
  }
  std::uint32_t lane(std::uint32_t thread) {
    return builder_.host_lane(log_.process, thread_id(thread));
  }
  TraceEvent& row(std::uint32_t lane, EventKind kind, std::uint32_t name, std::int64_t start_ns,
                  std::int64_t end_ns) {
    return builder_.add(lane, kind, name, start_ns - base_ns_,
                        std::max(start_ns, end_ns) - base_ns_);
  }

  void facts() {
    Trace& trace = builder_.trace();
    trace.base_ns = base_ns_ + header_.unix_offset_ns;
    trace.devices = header_.devices;
    trace.rank = header_.rank;
    trace.world = header_.world;
    trace.backend = header_.backend;
    trace.with_shapes = header_.shapes;
    trace.with_memory = header_.memory;
    trace.own = true;
    trace.dropped = log_.dropped;
    trace.own_facts = header_.own;
    trace.own_facts.insert(trace.own_facts.begin(), {"engine", header_.engine});
  }

  void name_lanes() {
    builder_.name_process(log_.process, kWorkerProcess);
    for (const ops::OpThread& thread : log_.threads) {
      builder_.name_thread(log_.process, thread.id, thread_text(thread));
    }
    for (const ops::ForeignSpan& span : log_.foreign) {
      if (span.pid != log_.process) {
        builder_.name_process(span.pid, loader_process_text(span.pid));
      }
      builder_.name_thread(span.pid, span.track(), loader_track_text(span.track()));
    }
  }

  void marks() {
    if (log_.marks.empty()) return;
    const bool steps_recorded = has_step_annotations(log_);
    const std::uint32_t thread = lane(log_.step_thread);
    for (const ops::StepMark& mark : log_.marks) {
      if (mark.phase == ops::kNoIndex && steps_recorded) continue;
      const MarkRow drawn = row_of_mark(log_, mark, header_.loader);
      row(thread, drawn.annotation ? EventKind::kAnnotation : EventKind::kOp,
          builder_.name(text::to_valid_utf8(drawn.name)), mark.start_ns, mark.end_ns);
    }
  }

  void ops() {
    for (std::size_t i = 0; i < log_.ops.size(); ++i) {
      const ops::OpEvent& op = log_.ops[i];
      const EventKind kind =
          op.scope == ops::OpScope::kUserScope ? EventKind::kAnnotation : EventKind::kOp;
      TraceEvent& event = row(lane(op.thread), kind, names_[op.name], op.start_ns, op.end_ns);
      event.external = i + 1;
      event.value = op.sequence >= 0 ? op.sequence : -1;
      event.async = op.async || op.thread != op.end_thread;
      OpDetail detail;
      if (op.shapes != ops::kNoIndex) {
        detail.shapes = builder_.text(shapes_text(log_.shapes[op.shapes]));
        if (op.shapes < log_.arguments.size() && !log_.arguments[op.shapes].empty()) {
          detail.arguments = builder_.text(arguments_text(log_.arguments[op.shapes]));
        }
      }
      if (op.module != ops::kNoIndex) {
        detail.module = builder_.text(text::to_valid_utf8(log_.modules[op.module]));
      }
      if (op.sequence >= 0 && op.forward_thread != ops::kNoIndex) {
        detail.forward_thread = thread_id(op.forward_thread);
      }
      if (detail != OpDetail{}) event.detail = builder_.detail(detail);
    }
  }

  void activities() {
    for (const ops::DeviceActivity& activity : log_.activities) {
      if (ops::is_call(activity)) {
        const bool runtime = activity.kind == ops::ActivityKind::kRuntime;
        const std::uint32_t thread =
            activity.op != ops::kNoIndex ? log_.ops[activity.op].thread : activity.thread;
        TraceEvent& call = row(lane(thread), runtime ? EventKind::kRuntime : EventKind::kDriver,
                               names_[activity.name], activity.start_ns, activity.end_ns);
        join(call, activity);
      } else if (is_timed(activity)) {
        if (ops::is_device_work(activity)) {
          device_row(activity);
        } else {
          wait_row(activity);
        }
      }
    }
  }

  void wait_row(const ops::DeviceActivity& wait) {
    constexpr auto kAllStreams = std::numeric_limits<std::uint32_t>::max();
    const std::int64_t stream = wait.stream == kAllStreams ? -1 : std::int64_t{wait.stream};
    join(row(builder_.notes_lane(wait.device, stream), EventKind::kSync, names_[wait.name],
             wait.start_ns, wait.end_ns),
         wait);
  }

  static void join(TraceEvent& event, const ops::DeviceActivity& activity) {
    event.correlation = activity.correlation;
    if (activity.op != ops::kNoIndex) event.external = std::uint64_t{activity.op} + 1;
  }

  void device_row(const ops::DeviceActivity& activity) {
    const bool kernel = activity.kind == ops::ActivityKind::kKernel;
    const EventKind kind = kernel                                        ? EventKind::kKernel
                           : activity.kind == ops::ActivityKind::kMemcpy ? EventKind::kMemcpy
                                                                         : EventKind::kMemset;
    builder_.name_process(activity.device, kWorkerProcess);
    builder_.name_thread(activity.device, activity.stream, stream_text(activity.stream));
    TraceEvent& event = row(builder_.stream_lane(activity.device, activity.stream), kind,
                            names_[activity.name], activity.start_ns, activity.end_ns);
    join(event, activity);
    if (kernel) {
      event.detail = builder_.detail(kernel_detail(activity));
    } else if (activity.bytes >= 0) {
      event.value = activity.bytes;
    }
  }

  KernelDetail kernel_detail(const ops::DeviceActivity& kernel) {
    KernelDetail detail;
    std::ranges::copy(kernel.grid, std::begin(detail.grid));
    std::ranges::copy(kernel.block, std::begin(detail.block));
    detail.registers_per_thread = kernel.registers_per_thread;
    detail.shared_memory_bytes = kernel.shared_memory_bytes;
    detail.context = 1;
    const ops::TraceDevice* device = builder_.trace().device(kernel.device);
    if (device != nullptr && device->multiprocessors > 0) set_device_use(detail, *device);
    return detail;
  }

  void memory() {
    for (const ops::MemoryEvent& event : log_.memory) {
      builder_.add({.at_ns = event.at_ns - base_ns_,
                    .bytes = event.bytes,
                    .address = event.address,
                    .total_allocated = event.total_allocated,
                    .total_reserved = event.total_reserved,
                    .lane = lane(event.thread),
                    .device = event.device < 0 ? -1 : event.device});
    }
  }

  void foreign() {
    for (const ops::ForeignSpan& span : log_.foreign) {
      builder_.add(builder_.host_lane(span.pid, span.track()), EventKind::kWorker,
                   names_[span.name], span.start_ns - base_ns_,
                   std::max(span.start_ns, span.end_ns) - base_ns_);
    }
  }

  void window() {
    builder_.add(builder_.other_lane(kProfilerLane), EventKind::kSpan, kProfilerSpan, 0,
                 window_end_ns(log_) - base_ns_);
  }

  const ops::OpLog& log_;
  const TraceHeader& header_;
  std::int64_t base_ns_;
  TraceBuilder builder_;
  std::vector<std::uint32_t> names_;
};

}  // namespace

Trace trace_of(const ops::OpLog& log, const TraceHeader& header) {
  return TraceOfLog(log, header).make();
}

}  // namespace stepbench::traces
