// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "harness/json/json_text.h"
#include "harness/ops/op_tree.h"
#include "harness/trace/trace_events.h"
#include "harness/trace/trace_names.h"

namespace stepbench::trace {
namespace {

constexpr std::string_view kAnnotation = R"("user_annotation")";
constexpr std::string_view kOp = R"("cpu_op")";
constexpr std::string_view kRuntime = R"("cuda_runtime")";
constexpr std::string_view kDriver = R"("cuda_driver")";
constexpr std::string_view kForeign = R"("loader_worker")";

}  // namespace

void TraceEvents::host() {
  step_annotations();
  ops();
  calls();
  memory();
  foreign();
  arrows_to_backward();
}

void TraceEvents::annotation(std::string_view category, std::string_view name,
                             const ops::StepMark& mark) {
  open(category, json::json_string(name), log_.process, thread_id(log_.step_thread), mark.start_ns,
       mark.end_ns)
      .text("}");
}

void TraceEvents::step_annotations() {
  const bool steps_recorded = ops::has_step_annotations(log_);
  for (const ops::StepMark& mark : log_.marks) {
    if (mark.phase == ops::kNoIndex && steps_recorded) continue;
    const MarkRow row = row_of_mark(log_, mark, header_.loader);
    annotation(row.annotation ? kAnnotation : kOp, row.name, mark);
  }
}

void TraceEvents::ops() {
  for (std::size_t i = 0; i < log_.ops.size(); ++i) {
    const ops::OpEvent& op = log_.ops[i];
    open(op.scope == ops::OpScope::kUserScope ? kAnnotation : kOp, names_[op.name], log_.process,
         thread_id(op.thread), op.start_ns, op.end_ns);
    op_arguments(i);
  }
}

void TraceEvents::op_arguments(std::size_t index) {
  const ops::OpEvent& op = log_.ops[index];
  file_.text(R"(,"args":{"External id":)").number(index + 1).text(R"(,"Ev Idx":)").number(index);
  if (op.sequence >= 0) {
    file_.text(R"(,"Sequence number":)").number(op.sequence).text(R"(,"Fwd thread id":)");
    file_.number(op.forward_thread == ops::kNoIndex ? 0 : thread_id(op.forward_thread));
  }
  if (op.shapes != ops::kNoIndex) file_.text(R"(,"Input Dims":)").text(shapes_[op.shapes]);
  if (op.shapes < arguments_.size() && !arguments_[op.shapes].empty()) {
    file_.text(R"(,"Concrete Inputs":)").text(arguments_[op.shapes]);
  }
  if (op.module != ops::kNoIndex) {
    file_.text(R"(,"Module":)").quoted(log_.modules[op.module]);
  }
  file_.text("}}");
}

std::int64_t TraceEvents::call_thread(const ops::DeviceActivity& call) const {
  return thread_id(call.op != ops::kNoIndex ? log_.ops[call.op].thread : call.thread);
}

void TraceEvents::calls() {
  for (const ops::DeviceActivity& call : log_.activities) {
    if (call.kind != ops::ActivityKind::kRuntime && call.kind != ops::ActivityKind::kDriver)
      continue;
    open(call.kind == ops::ActivityKind::kRuntime ? kRuntime : kDriver, names_[call.name],
         log_.process, call_thread(call), call.start_ns, call.end_ns);
    file_.text(R"(,"args":{)");
    if (call.op != ops::kNoIndex) file_.text(R"("External id":)").number(call.op + 1).text(",");
    file_.text(R"("correlation":)").number(call.correlation).text("}}");
  }
}

void TraceEvents::memory() {
  for (const ops::MemoryEvent& event : log_.memory) {
    separate();
    file_.text(R"({"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":)");
    file_.number(log_.process).text(R"(,"tid":)").number(thread_id(event.thread));
    file_.text(R"(,"ts":)").microseconds(event.at_ns - base_ns_);
    file_.text(R"(,"args":{"Total Reserved":)").number(event.total_reserved);
    file_.text(R"(,"Total Allocated":)").number(event.total_allocated);
    file_.text(R"(,"Bytes":)").number(event.bytes).text(R"(,"Addr":)").number(event.address);
    file_.text(R"(,"Device Id":)").number(event.device);
    file_.text(event.device < 0 ? R"(,"Device Type":0}})" : R"(,"Device Type":1}})");
  }
}

void TraceEvents::foreign() {
  for (const ops::ForeignSpan& span : log_.foreign) {
    open(kForeign, names_[span.name], span.pid, span.track(), span.start_ns, span.end_ns).text("}");
  }
}

// From the forward op that made it to each backward function.
void TraceEvents::arrows_to_backward() {
  std::unordered_map<std::uint64_t, std::size_t> forward;
  const auto key = [](std::int64_t sequence, std::uint32_t thread) {
    return (static_cast<std::uint64_t>(sequence) << 16U) ^ thread;
  };
  const bool any = std::any_of(log_.ops.begin(), log_.ops.end(), [](const ops::OpEvent& op) {
    return op.scope == ops::OpScope::kBackwardFunction && op.forward_thread != ops::kNoIndex;
  });
  if (!any) return;
  for (std::size_t i = 0; i < log_.ops.size(); ++i) {
    const ops::OpEvent& op = log_.ops[i];
    if (op.scope != ops::OpScope::kFunction || op.sequence < 0) continue;
    const auto [at, is_new] = forward.try_emplace(key(op.sequence, op.thread), i);
    if (!is_new && op.start_ns >= log_.ops[at->second].start_ns) at->second = i;
  }
  std::uint64_t id = 0;
  for (const ops::OpEvent& op : log_.ops) {
    if (op.scope != ops::OpScope::kBackwardFunction || op.forward_thread == ops::kNoIndex) continue;
    const auto found = forward.find(key(op.sequence, op.forward_thread));
    if (found == forward.end()) continue;
    const ops::OpEvent& source = log_.ops[found->second];
    ++id;
    arrow_end("s", "fwdbwd", id, log_.process, thread_id(source.thread), source.start_ns);
    arrow_end("f", "fwdbwd", id, log_.process, thread_id(op.thread), op.start_ns);
  }
}

}  // namespace stepbench::trace
