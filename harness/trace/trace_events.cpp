// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/trace_events.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/json/json_text.h"
#include "harness/ops/memory_levels.h"
#include "harness/trace/shapes_text.h"
#include "harness/trace/trace_names.h"

namespace stepbench::trace {
namespace {

// Shapes are JSON already, unless a collector made them otherwise.
std::string shapes_json(const std::string& shapes) {
  return are_plain_shapes(shapes) ? shapes : json::json_string(shapes);
}

std::string arguments_json(const std::string& arguments) {
  return arguments.empty() || are_plain_arguments(arguments) ? arguments
                                                             : json::json_string(arguments);
}

}  // namespace

TraceEvents::TraceEvents(const ops::OpLog& log, const TraceHeader& header, TraceFile& file)
    : log_(log), header_(header), file_(file), base_ns_(ops::begin_ns(log)) {
  for (const std::string& name : log.names) names_.push_back(json::json_string(name));
  for (const std::string& shapes : log.shapes) shapes_.push_back(shapes_json(shapes));
  for (const std::string& each : log.arguments) arguments_.push_back(arguments_json(each));
}

void TraceEvents::separate() {
  file_.text(first_ ? "\n" : ",\n");
  first_ = false;
}

TraceFile& TraceEvents::open(std::string_view category, std::string_view name, std::int64_t pid,
                             std::int64_t tid, std::int64_t start_ns, std::int64_t end_ns) {
  separate();
  file_.text(R"({"ph":"X","cat":)").text(category).text(R"(,"name":)").text(name);
  file_.text(R"(,"pid":)").number(pid).text(R"(,"tid":)").number(tid);
  file_.text(R"(,"ts":)").microseconds(start_ns - base_ns_);
  return file_.text(R"(,"dur":)").microseconds(std::max<std::int64_t>(end_ns - start_ns, 0));
}

void TraceEvents::arrow_end(std::string_view phase, std::string_view category, std::uint64_t id,
                            std::int64_t pid, std::int64_t tid, std::int64_t at_ns) {
  separate();
  file_.text(R"({"ph":")").text(phase).text(R"(","id":)").number(id);
  file_.text(R"(,"pid":)").number(pid).text(R"(,"tid":)").number(tid);
  file_.text(R"(,"ts":)").microseconds(at_ns - base_ns_).text(R"(,"cat":")").text(category);
  file_.text(R"(","name":")").text(category);
  file_.text(phase == "f" ? R"(","bp":"e"})" : R"("})");
}

std::int64_t TraceEvents::thread_id(std::uint32_t thread) const {
  return thread < log_.threads.size() ? log_.threads[thread].id : log_.process;
}

void TraceEvents::label(std::string_view what, std::string_view pid, std::int64_t tid,
                        std::string_view key, std::string_view value) {
  separate();
  file_.text(R"({"ph":"M","name":")").text(what).text(R"(","pid":)").text(pid);
  file_.text(R"(,"tid":)").number(tid).text(R"(,"ts":0.000,"args":{")").text(key);
  file_.text(R"(":)").text(value).text("}}");
}

void TraceEvents::name_process(std::string_view pid, std::string_view name, std::string_view labels,
                               std::int64_t order) {
  label("process_name", pid, 0, "name", json::json_string(name));
  label("process_labels", pid, 0, "labels", json::json_string(labels));
  label("process_sort_index", pid, 0, "sort_index", std::to_string(order));
}

void TraceEvents::metadata() {
  constexpr std::int64_t kDevicesFrom = 5'000'000;
  constexpr std::int64_t kWindowAt = 536'870'912;
  const std::string process = std::to_string(log_.process);
  name_process(process, kWorkerProcess, "CPU", log_.process);
  std::map<std::int64_t, std::string> threads;
  for (const ops::OpThread& thread : log_.threads) threads.emplace(thread.id, thread.name);
  for (const auto& [id, name] : threads) {
    label("thread_name", process, id, "name", json::json_string(thread_text({id, name})));
    label("thread_sort_index", process, id, "sort_index", std::to_string(id));
  }
  std::set<std::pair<std::int64_t, std::int64_t>> workers;
  for (const ops::ForeignSpan& span : log_.foreign) workers.emplace(span.pid, span.track());
  for (const auto& [pid, track] : workers) {
    const std::string worker = std::to_string(pid);
    if (pid != log_.process) name_process(worker, loader_process_text(pid), "CPU", pid);
    label("thread_name", worker, track, "name", json::json_string(loader_track_text(track)));
    if (pid == log_.process) {
      label("thread_sort_index", worker, track, "sort_index", std::to_string(track));
    }
  }
  std::map<int, std::set<std::uint32_t>> streams;
  for (const ops::DeviceActivity& activity : log_.activities) {
    if (activity.kind == ops::ActivityKind::kKernel ||
        activity.kind == ops::ActivityKind::kMemcpy ||
        activity.kind == ops::ActivityKind::kMemset) {
      streams[activity.device].insert(activity.stream);
    }
  }
  for (const auto& [device, used] : streams) {
    const std::string pid = std::to_string(device);
    name_process(pid, kWorkerProcess, "GPU " + pid, kDevicesFrom + device);
    for (const std::uint32_t stream : used) {
      label("thread_name", pid, stream, "name", json::json_string(stream_text(stream)));
      label("thread_sort_index", pid, stream, "sort_index", std::to_string(stream));
    }
  }
  label("process_sort_index", "\"Spans\"", 0, "sort_index", std::to_string(kWindowAt));
  window();
}

// The recorded interval, from the first record to the last.
void TraceEvents::window() {
  separate();
  file_.text(
      "{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"PyTorch Profiler (0)\",\"pid\":\"Spans\",");
  file_.text(R"("tid":"PyTorch Profiler","ts":0.000,"dur":)")
      .microseconds(window_end_ns(log_) - base_ns_);
  file_.text(R"(,"args":{"Op count":)").number(log_.ops.size()).text("}}");
}

}  // namespace stepbench::trace
