// SPDX-License-Identifier: Apache-2.0
// Torch calls plain functions, so the active recorder and each thread's log are found through the
// statics below: the only mutable ones, null or stale except while a collector is active.
#include "workloads/profile/internal/native_recorder.h"

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <new>

#include "harness/base/error.h"
#include "workloads/profile/internal/torch_op.h"

#ifndef NDEBUG
#error "at::RecordFunction has another layout in libtorch, which is built with NDEBUG"
#endif

namespace stepbench::profile {
namespace {

std::atomic<NativeRecorder*> recording{nullptr};
std::atomic<std::uint64_t> last_id{0};
struct LogOfThread {
  std::uint64_t recorder = 0;  // NativeRecorder::id
  ThreadLog* log = nullptr;
};
constinit thread_local LogOfThread log_of_thread;

ThreadLog& log_for(NativeRecorder& recorder) {
  if (log_of_thread.recorder == recorder.id) [[likely]]
    return *log_of_thread.log;
  log_of_thread = {recorder.id, &recorder.open_log()};
  return *log_of_thread.log;
}

// Placed in its record: torch owns contexts by unique_ptr, and deleting this one frees nothing.
class RecordContext final : public at::ObserverContext {
 public:
  explicit RecordContext(OpRecord& in) : record(in) {}
  static void operator delete(void*) noexcept {}
  OpRecord& record;
};
static_assert(sizeof(RecordContext) <= sizeof(OpRecord::context));

const std::int64_t* record_shapes(const at::RecordFunction& function, const char* name,
                                  ShapeWords& words) {
  const auto inputs = function.inputs();
  words.begin();
  for (const at::IValue& input : inputs) words.add(extents_of(input));
  if (wants_arguments(name)) {
    words.begin_arguments();
    for (const at::IValue& input : inputs) add_argument(input, words);
  }
  return words.finish();
}

// Removes ended ops from the innermost end of the chain, including those that ended out of order.
void close(ThreadLog& log, OpRecord* innermost) {
  while (innermost != nullptr && innermost->end.load(std::memory_order_relaxed) != 0) {
    if (log.listener != nullptr) log.listener->pop();
    innermost = innermost->enclosing;
  }
  log.innermost = innermost;
}

template <bool kShapes, bool kTsc>
std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& function) {
  NativeRecorder* const recorder = recording.load(std::memory_order_acquire);
  if (recorder == nullptr) return nullptr;
  ThreadLog& log = log_for(*recorder);
  close(log, log.innermost);
  OpRecord& record = log.ops.append();
  record.log = &log;
  record.enclosing = log.innermost;
  record.module = log.module;
  record.sequence = function.seqNr();
  record.forward_thread = static_cast<std::uint32_t>(function.forwardThreadId());
  record.scope = static_cast<std::uint8_t>(op_scope(function.scope()));
  record.async = function.isAsync();
  record.ordinal = log.next_ordinal++;
  const char* const name = function.name();
  record.name = log.names.id(name);
  if constexpr (kShapes) record.shapes = record_shapes(function, name, log.shapes);
  log.innermost = &record;
  if (log.listener != nullptr) log.listener->push(log.id_of(record));
  std::unique_ptr<at::ObserverContext> context(::new (record.context) RecordContext(record));
  record.start = ticks<kTsc>();  // last, to exclude the work above from the op
  return context;
}

template <bool kTsc>
void on_end(const at::RecordFunction&, at::ObserverContext* context) {
  const std::uint64_t now = ticks<kTsc>();  // first, for the same reason
  if (context == nullptr) return;
  OpRecord& record = static_cast<RecordContext*>(context)->record;
  ThreadLog& log = *record.log;
  const bool here = log_of_thread.log == &log;
  record.end_thread =
      here ? log.torch_thread : static_cast<std::uint32_t>(at::RecordFunction::currentThreadId());
  record.end.store(now, std::memory_order_release);
  if (here && log.innermost == &record) close(log, &record);
}

template <bool kTsc>
class MemoryHook final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* address, std::int64_t bytes, std::size_t total_allocated,
                         std::size_t total_reserved, c10::Device device) override {
    NativeRecorder* const recorder = recording.load(std::memory_order_acquire);
    if (recorder == nullptr) return;
    ThreadLog& log = log_for(*recorder);
    MemoryRecord& record = log.memory.append();
    record = {.at = ticks<kTsc>(),
              .bytes = bytes,
              .address = reinterpret_cast<std::uint64_t>(address),
              .total_allocated = static_cast<std::int64_t>(total_allocated),
              .total_reserved = static_cast<std::int64_t>(total_reserved),
              .device = static_cast<std::int16_t>(device.is_cuda() ? device.index() : -1)};
  }
  [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }
};

at::RecordFunctionCallback callback(bool shapes, bool tsc) {
  const auto start = shapes ? (tsc ? on_start<true, true> : on_start<true, false>)
                            : (tsc ? on_start<false, true> : on_start<false, false>);
  return at::RecordFunctionCallback(start, tsc ? on_end<true> : on_end<false>)
      .needsInputs(shapes)
      .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
               at::RecordScope::USER_SCOPE});
}

std::shared_ptr<c10::DebugInfoBase> memory_hook(bool tsc) {
  if (tsc) return std::make_shared<MemoryHook<true>>();
  return std::make_shared<MemoryHook<false>>();
}

}  // namespace

NativeRecorder::NativeRecorder(const OpCollectorOptions& given, OpListener* op_listener,
                               bool use_tsc)
    : options(given), listener(op_listener), tsc(use_tsc), id(++last_id), map(use_tsc) {
  constexpr std::size_t kDeepestModules = 256;
  modules_.reserve(kDeepestModules);
}

NativeRecorder::~NativeRecorder() { remove(); }

void NativeRecorder::install() {
  NativeRecorder* none = nullptr;
  if (!recording.compare_exchange_strong(none, this)) {
    throw Error("another collector of operations is at work in this process");
  }
  log_of_thread = {id, &open_log()};
  callback_ = at::addGlobalCallback(callback(options.shapes, tsc));
  if (options.modules) module_listener = this;
}

void NativeRecorder::watch_memory() {
  if (!options.memory) return;
  memory_guard_ =
      std::make_unique<c10::DebugInfoGuard>(c10::DebugInfoKind::PROFILER_STATE, memory_hook(tsc));
}

void NativeRecorder::remove() noexcept {
  if (callback_ == 0) return;
  recording.store(nullptr, std::memory_order_release);
  if (options.modules) module_listener = nullptr;
  memory_guard_.reset();
  at::removeCallback(callback_);
  callback_ = 0;
}

ThreadLog& NativeRecorder::open_log() {
  const std::lock_guard lock(mutex_);
  threads_.push_back(std::make_unique<ThreadLog>(
      static_cast<std::uint32_t>(threads_.size()),
      static_cast<std::uint32_t>(at::RecordFunction::currentThreadId()), listener));
  return *threads_.back();
}

void NativeRecorder::enter(const void* module) noexcept {
  if (modules_.size() < modules_.capacity()) modules_.push_back(module);
  main_log().module = module;
}

void NativeRecorder::leave() noexcept {
  if (!modules_.empty()) modules_.pop_back();
  main_log().module = modules_.empty() ? nullptr : modules_.back();
}

bool NativeRecorder::has_open_ops() const {
  for (const auto& log : threads_) {
    for (std::size_t i = 0; i < log->ops.size(); ++i) {
      if (log->ops[i].end.load(std::memory_order_acquire) == 0) return true;
    }
  }
  return false;
}

}  // namespace stepbench::profile
