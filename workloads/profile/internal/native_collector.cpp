// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/internal/native_collector.h"

#include <unistd.h>

#include <string_view>
#include <unordered_map>

#include "harness/ops/op_log.h"
#include "workloads/profile/internal/native_recorder.h"
#include "workloads/profile/internal/op_modules.h"

namespace stepbench::profile {

NativeCollector::NativeCollector(const OpCollectorOptions& options, OpListener* listener, bool tsc)
    : recorder_(std::make_unique<NativeRecorder>(options, listener, tsc && has_invariant_tsc())) {}

NativeCollector::~NativeCollector() {
  recorder_->remove();
  // An op that is still open somewhere will write its end to its record: leak that memory.
  if (recorder_->has_open_ops()) (void)recorder_.release();
}

void NativeCollector::start() { recorder_->install(); }

void NativeCollector::begin_window(double reserve) {
  for (const auto& log : recorder_->threads()) {
    const auto times = [&](std::size_t size) {
      return static_cast<std::size_t>(static_cast<double>(size) * reserve);
    };
    log->ops.reserve(times(log->ops.size()));
    log->memory.reserve(times(log->memory.size()));
    log->shapes.reserve(times(log->shapes.size()));
  }
  // Not earlier: torch.profiler also ignores memory blocks from before its window.
  recorder_->watch_memory();
  recorder_->map.begin();
  recorder_->window_begin = now();
}

void NativeCollector::end_window() {
  recorder_->window_end = now();
  recorder_->map.end();
  recorder_->remove();
}

std::uint64_t NativeCollector::now() const { return ticks_of(recorder_->tsc); }

std::int64_t NativeCollector::ns_of(std::uint64_t stamp) const { return recorder_->map.ns(stamp); }

std::int64_t NativeCollector::unix_offset_ns() const {
  return unix_now_ns() - static_cast<std::int64_t>(monotonic_ns());
}

ops::OpLog NativeCollector::take() { return make_op_log(*recorder_); }

std::uint32_t NativeCollector::op_of(std::uint64_t id) const {
  const std::size_t thread = id >> 32U;
  const std::size_t ordinal = (id & 0xFFFFFFFFU) - 1;
  const auto& index = recorder_->op_of_ordinal;
  if (thread >= index.size() || ordinal >= index[thread].size()) return ops::kNoIndex;
  return index[thread][ordinal];
}

namespace {

std::string_view bytes_of(const std::int64_t* words) {
  return {reinterpret_cast<const char*>(words),
          (static_cast<std::size_t>(*words) + 1) * sizeof *words};
}

class LogMaker {
 public:
  explicit LogMaker(NativeRecorder& recorder) : recorder_(recorder), names_(log_.names) {}

  ops::OpLog make() {
    log_.process = ::getpid();
    for (const auto& [module, path] : recorder_.module_names) {
      if (module_of_.emplace(module, static_cast<std::uint32_t>(log_.modules.size())).second)
        log_.modules.push_back(path);
    }
    std::size_t ops = 0;
    std::size_t memory = 0;
    for (const auto& thread : recorder_.threads()) {
      log_.threads.push_back({.id = thread->kernel_thread, .name = thread->thread_name});
      thread_of_.insert_or_assign(thread->torch_thread, thread->index);
      ops += thread->ops.size();
      memory += thread->memory.size();
    }
    log_.ops.reserve(ops);
    log_.memory.reserve(memory);
    recorder_.op_of_ordinal.assign(recorder_.threads().size(), {});
    for (const auto& thread : recorder_.threads()) add_ops(*thread);
    for (const auto& thread : recorder_.threads()) add_memory(*thread);
    spread_modules(log_);
    return std::move(log_);
  }

 private:
  void add_ops(const ThreadLog& thread) {
    std::vector<std::uint32_t> names;
    for (const std::string& name : thread.names.names()) names.push_back(names_.id(name));
    std::vector<std::uint32_t>& index = recorder_.op_of_ordinal[thread.index];
    index.assign(thread.ops.size(), ops::kNoIndex);
    const std::size_t first = log_.ops.size();
    for (std::size_t i = 0; i < thread.ops.size(); ++i) {
      const OpRecord& record = thread.ops[i];
      const std::uint64_t end = record.end.load(std::memory_order_acquire);
      if (record.start < recorder_.window_begin || record.start > recorder_.window_end) continue;
      if (end == 0) {
        ++log_.dropped;
        continue;
      }
      index[i] = static_cast<std::uint32_t>(log_.ops.size());
      ops::OpEvent& op = log_.ops.emplace_back();
      op.start_ns = recorder_.map.ns(record.start);
      op.end_ns = recorder_.map.ns(end);
      op.sequence = record.sequence;
      op.name = names[record.name];
      if (record.shapes != nullptr) op.shapes = shapes_of(record.shapes);
      op.module = module_of(record.module);
      op.thread = thread.index;
      op.end_thread = thread_of(record.end_thread);
      if (record.forward_thread != 0) op.forward_thread = thread_of(record.forward_thread);
      op.scope = static_cast<ops::OpScope>(record.scope);
      op.async = record.async || record.end_thread != thread.torch_thread;
    }
    number_evaluations(first);
  }

  // The engine's frame around a backward function has no sequence number; like torch.profiler, give
  // it that of the function.
  void number_evaluations(std::size_t first) {
    constexpr std::string_view kFrame = "autograd::engine::evaluate_function: ";
    for (std::size_t i = first; i + 1 < log_.ops.size(); ++i) {
      ops::OpEvent& frame = log_.ops[i];
      const ops::OpEvent& function = log_.ops[i + 1];
      if (function.scope != ops::OpScope::kBackwardFunction ||
          !log_.names[frame.name].starts_with(kFrame))
        continue;
      frame.sequence = function.sequence;
      frame.forward_thread = function.forward_thread;
    }
  }

  void add_memory(const ThreadLog& thread) {
    for (std::size_t i = 0; i < thread.memory.size(); ++i) {
      const MemoryRecord& record = thread.memory[i];
      if (record.at < recorder_.window_begin || record.at > recorder_.window_end) continue;
      ops::MemoryEvent& event = log_.memory.emplace_back();
      event.at_ns = recorder_.map.ns(record.at);
      event.bytes = record.bytes;
      event.address = record.address;
      event.total_allocated = record.total_allocated;
      event.total_reserved = record.total_reserved;
      event.thread = thread.index;
      event.device = record.device;
    }
  }

  std::uint32_t shapes_of(const std::int64_t* words) {
    const auto [at, is_new] =
        shapes_.try_emplace(bytes_of(words), static_cast<std::uint32_t>(log_.shapes.size()));
    if (is_new) {
      log_.shapes.push_back(shapes_text(words));
      log_.arguments.push_back(arguments_text(words));
    }
    return at->second;
  }

  [[nodiscard]] std::uint32_t module_of(const void* module) const {
    if (module == nullptr) return ops::kNoIndex;
    const auto found = module_of_.find(module);
    return found == module_of_.end() ? ops::kNoIndex : found->second;
  }

  // A thread that has only ended an op has no log of its own yet.
  std::uint32_t thread_of(std::uint32_t torch_thread) {
    const auto [at, is_new] =
        thread_of_.try_emplace(torch_thread, static_cast<std::uint32_t>(log_.threads.size()));
    if (is_new) log_.threads.push_back({.id = -static_cast<std::int64_t>(torch_thread)});
    return at->second;
  }

  NativeRecorder& recorder_;
  ops::OpLog log_;
  ops::StringTable names_;
  std::unordered_map<std::string_view, std::uint32_t> shapes_;  // key: bytes of the words
  std::unordered_map<const void*, std::uint32_t> module_of_;
  std::unordered_map<std::uint32_t, std::uint32_t> thread_of_;  // key: torch's number
};

}  // namespace

ops::OpLog make_op_log(NativeRecorder& recorder) { return LogMaker(recorder).make(); }

DeviceTracing::DeviceTracing(const OpCollectorOptions& options,
                             std::unique_ptr<cuda::ActivityCollector> activity)
    : activity_(std::move(activity)), listener_(*activity_), native_(options, &listener_) {}

DeviceTracing::~DeviceTracing() {
  if (tracing_) activity_->stop();
}

void DeviceTracing::start() {
  reason_ = activity_->start();
  tracing_ = !reason_;
  native_.start();
}

void DeviceTracing::begin_window(double reserve) {
  if (tracing_) activity_->discard();
  native_.begin_window(reserve);
}

void DeviceTracing::end_window() { native_.end_window(); }

ops::OpLog DeviceTracing::take() {
  ops::OpLog log = native_.take();
  if (!tracing_) return log;
  activity_->collect(log);
  reason_ = activity_->incomplete();
  activity_->stop();
  tracing_ = false;
  for (ops::DeviceActivity& activity : log.activities) {
    if (activity.external != 0) activity.op = native_.op_of(activity.external);
  }
  return log;
}

}  // namespace stepbench::profile
