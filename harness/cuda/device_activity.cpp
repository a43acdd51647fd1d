// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/device_activity.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/format.h"
#include "harness/cuda/internal/cupti_records.h"
#include "harness/ops/op_log.h"
#include "harness/text/words.h"
#include "harness/workload.h"

namespace stepbench::cuda {
namespace {

// CUPTI has one pair of callbacks per process and passes them no user pointer.
struct Callbacks {
  std::atomic<CuptiBuffers*> buffers{nullptr};
  std::atomic<const CuptiApi*> api{nullptr};
};
Callbacks& callbacks() {
  static Callbacks one;
  return one;
}

void buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  CuptiBuffers* buffers = callbacks().buffers.load();
  *buffer = buffers == nullptr ? nullptr : buffers->take();
  *size = *buffer == nullptr ? 0 : buffers->buffer_bytes();
  *max_records = 0;  // no limit
}

void buffer_completed(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                      std::size_t valid_size) {
  CuptiBuffers* buffers = callbacks().buffers.load();
  const CuptiApi* api = callbacks().api.load();
  if (buffers == nullptr || api == nullptr || buffer == nullptr) return;
  std::size_t dropped = 0;
  if (api->dropped(context, stream, &dropped) != kCuptiSuccess) dropped = 0;
  buffers->give_back(buffer, valid_size, dropped);
}

std::uint64_t host_now_ns() {
  static const HostClock clock;
  return static_cast<std::uint64_t>(clock.now_ns());
}

// "cudaLaunchKernel_v7000", "cudaLaunchKernel_ptsz_v7000" -> "cudaLaunchKernel"
std::string without_version(std::string name) {
  const std::size_t at = name.rfind("_v");
  if (at != std::string::npos && at + 2 < name.size() &&
      name.find_first_not_of("0123456789", at + 2) == std::string::npos) {
    name.resize(at);
  }
  for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  return name;
}

class Tables {
 public:
  explicit Tables(ops::OpLog& log) : log_(log) {
    for (std::size_t i = 0; i < log.names.size(); ++i) index(names_, log.names[i], i);
    for (std::size_t i = 0; i < log.threads.size(); ++i) index(threads_, log.threads[i].id, i);
  }
  std::uint32_t name(const std::string& text) {
    const auto [at, is_new] = names_.try_emplace(text, size_of(log_.names));
    if (is_new) log_.names.push_back(text);
    return at->second;
  }
  std::uint32_t thread(std::int64_t id) {
    const auto [at, is_new] = threads_.try_emplace(id, size_of(log_.threads));
    if (is_new) log_.threads.push_back({.id = id});
    return at->second;
  }

 private:
  template <typename Map, typename Key>
  static void index(Map& map, const Key& key, std::size_t i) {
    map.try_emplace(key, static_cast<std::uint32_t>(i));
  }
  template <typename Item>
  static std::uint32_t size_of(const std::vector<Item>& items) {
    return static_cast<std::uint32_t>(items.size());
  }
  ops::OpLog& log_;
  std::unordered_map<std::string, std::uint32_t> names_;
  std::unordered_map<std::int64_t, std::uint32_t> threads_;
};

class CuptiCollector final : public ActivityCollector {
 public:
  CuptiCollector(CuptiApi cupti, CudaApi cuda, CuptiCollectorOptions options)
      : cupti_(std::move(cupti)),
        cuda_(std::move(cuda)),
        device_(options.device),
        buffers_(options.buffer_bytes, options.most_bytes) {}
  ~CuptiCollector() override { CuptiCollector::stop(); }

  std::optional<std::string> start() override {
    std::uint32_t version = 0;
    if (const int code = cupti_.version(&version); code != kCuptiSuccess) {
      return refused("cuptiGetVersion", code);
    }
    if (std::string why = records_unreadable(version); !why.empty()) return why;
    CuptiBuffers* nobody = nullptr;
    if (!callbacks().buffers.compare_exchange_strong(nobody, &buffers_)) {
      return "this process is collecting already";
    }
    callbacks().api = &cupti_;
    if (const int code = cupti_.subscribe(&subscriber_); code != kCuptiSuccess) {
      subscriber_ = nullptr;
      release();
      return code == kCuptiMultipleSubscribers
                 ? "another profiler is attached (Nsight, cuda-gdb or a second collector)"
                 : refused("cuptiSubscribe", code);
    }
    if (auto why = enable()) {
      stop();
      return why;
    }
    on_ = true;
    return std::nullopt;
  }

  void push(std::uint64_t id) noexcept override {
    if (on_ && cupti_.push(kCuptiCustom0, id) != kCuptiSuccess) ++unpaired_;
  }
  void pop() noexcept override {
    std::uint64_t id = 0;
    if (on_ && cupti_.pop(kCuptiCustom0, &id) != kCuptiSuccess) ++unpaired_;
  }

  void discard() override {
    if (!on_) return;
    flush();
    buffers_.recycle(buffers_.take_filled());
    (void)buffers_.take_dropped();
    unpaired_ = 0;
  }

  void collect(ops::OpLog& log) override {
    if (!on_) return;
    flush();
    const std::vector<CuptiBuffers::Filled> filled = buffers_.take_filled();
    dropped_ += static_cast<std::int64_t>(buffers_.take_dropped());
    read(filled, log);
    buffers_.recycle(filled);
    log.dropped += dropped_ + lost_;
  }

  void stop() override {
    on_ = false;
    if (subscriber_ == nullptr) return;
    // Disable kinds first: any call after the flush would request a buffer again.
    for (const std::uint32_t kind : enabled_) (void)cupti_.disable(kind);
    enabled_.clear();
    (void)cupti_.flush_all(kCuptiFlushForced);
    (void)cupti_.unsubscribe(std::exchange(subscriber_, nullptr));
    release();
  }

  std::optional<std::string> incomplete() const override {
    std::vector<std::string> losses;
    const auto add = [&](std::int64_t count, const char* what) {
      if (count > 0) losses.push_back(formatted("{} {}", count, what));
    };
    add(dropped_, "activity records dropped by the driver");
    add(lost_, "launches without a record of their work");
    add(untimed_, "records without times");
    add(unpaired_, "operator marks that CUPTI refused");
    if (losses.empty()) return std::nullopt;
    return text::join(losses);
  }

 private:
  std::string refused(const char* call, int code) const {
    std::string text = formatted("{}: {} ({})", call, cupti_.error_name(code), code);
    if (code == kCuptiInsufficientPrivileges) {
      text +=
          "; the driver lets only its administrator profile (NVreg_RestrictProfilingToAdminUsers)";
    }
    return text;
  }

  void release() {
    callbacks().api = nullptr;
    callbacks().buffers = nullptr;
  }

  std::optional<std::string> enable() {
    if (const int code = cupti_.use_system_thread_ids(); code != kCuptiSuccess) {
      return refused("cuptiSetThreadIdType", code);
    }
    if (const int code = cupti_.register_timestamp(host_now_ns); code != kCuptiSuccess) {
      return refused("cuptiActivityRegisterTimestampCallback", code);
    }
    if (const int code = cupti_.register_callbacks(buffer_requested, buffer_completed);
        code != kCuptiSuccess) {
      return refused("cuptiActivityRegisterCallbacks", code);
    }
    for (const std::uint32_t kind : activity_kinds()) {
      if (const int code = cupti_.enable(kind); code != kCuptiSuccess) {
        return refused("cuptiActivityEnable", code);
      }
      enabled_.push_back(kind);
    }
    for (const std::uint32_t call : quiet_runtime_calls()) (void)cupti_.ignore_runtime_call(call);
    for (const std::uint32_t call : quiet_driver_calls()) (void)cupti_.ignore_driver_call(call);
    return std::nullopt;
  }

  // Waiting creates a context on the thread's device, which is 0 unless set.
  void flush() {
    if (cuda_.set_device(device_) == kCudaSuccess) (void)cuda_.device_synchronize();
    (void)cupti_.flush_all(kCuptiFlushForced);
  }

  void read(const std::vector<CuptiBuffers::Filled>& filled, ops::OpLog& log) {
    Tables tables(log);
    std::unordered_map<std::uint64_t, std::uint64_t> externals;
    std::unordered_set<std::uint64_t> failed;
    const std::size_t first = log.activities.size();
    ActivityRecord record;
    for (const CuptiBuffers::Filled& buffer : filled) {
      void* at = nullptr;
      while (cupti_.next_record(buffer.data, buffer.size, &at) == kCuptiSuccess) {
        if (!read_activity(at, cupti_.callback_name, record)) continue;
        if (record.kind == ActivityRecord::Kind::kExternalCorrelation) {
          externals[record.correlation] = record.external;
          continue;
        }
        ops::DeviceActivity activity = record.activity;
        const std::string name = ops::is_call(activity) ? without_version(std::move(record.name))
                                                        : std::move(record.name);
        activity.name = tables.name(name);
        if (record.system_thread >= 0) activity.thread = tables.thread(record.system_thread);
        if (record.failed) failed.insert(activity.correlation);
        if (activity.start_ns == 0 && activity.end_ns == 0) ++untimed_;
        log.activities.push_back(activity);
      }
    }
    const auto begin = log.activities.begin() + static_cast<std::ptrdiff_t>(first);
    for (auto each = begin; each != log.activities.end(); ++each) {
      if (const auto found = externals.find(each->correlation); found != externals.end()) {
        each->external = found->second;
      }
    }
    ops::name_queries(log, first);
    lost_ +=
        ops::launches_without_record(std::span(begin, log.activities.end()), log.names, failed);
    std::sort(begin, log.activities.end(),
              [](const ops::DeviceActivity& a, const ops::DeviceActivity& b) {
                return a.start_ns != b.start_ns ? a.start_ns < b.start_ns
                                                : a.correlation < b.correlation;
              });
  }

  CuptiApi cupti_;
  CudaApi cuda_;
  int device_;
  CuptiBuffers buffers_;
  void* subscriber_ = nullptr;
  std::vector<std::uint32_t> enabled_;
  std::atomic<bool> on_{false};
  std::atomic<std::int64_t> unpaired_{0};
  std::int64_t dropped_ = 0;
  std::int64_t lost_ = 0;
  std::int64_t untimed_ = 0;
};

class NoCollector final : public ActivityCollector {
 public:
  explicit NoCollector(std::string reason) : reason_(std::move(reason)) {}
  std::optional<std::string> start() override { return reason_; }
  void push(std::uint64_t) noexcept override {}
  void pop() noexcept override {}
  void discard() override {}
  void collect(ops::OpLog&) override {}
  void stop() override {}
  std::optional<std::string> incomplete() const override { return std::nullopt; }

 private:
  std::string reason_;
};

}  // namespace

std::unique_ptr<ActivityCollector> make_cupti_collector(CuptiApi cupti, CudaApi cuda,
                                                        CuptiCollectorOptions options) {
  return std::make_unique<CuptiCollector>(std::move(cupti), std::move(cuda), options);
}

std::unique_ptr<ActivityCollector> make_activity_collector(int device) {
  auto cupti = load_cupti_api();
  if (auto* reason = std::get_if<std::string>(&cupti)) {
    return std::make_unique<NoCollector>(std::move(*reason));
  }
  auto cuda = load_cuda_api();
  if (auto* reason = std::get_if<std::string>(&cuda)) {
    return std::make_unique<NoCollector>(std::move(*reason));
  }
  if (std::string why = device_missing(std::get<CudaApi>(cuda), device); !why.empty()) {
    return std::make_unique<NoCollector>(std::move(why));
  }
  return make_cupti_collector(std::get<CuptiApi>(std::move(cupti)),
                              std::get<CudaApi>(std::move(cuda)), {.device = device});
}

namespace {

using Span = std::pair<std::int64_t, std::int64_t>;

// Excludes stream waits for events, which only block the device, and queries, which never block.
bool blocks_host(const ops::DeviceActivity& wait, const ops::OpLog& log) {
  if (wait.name >= log.names.size()) return true;
  const std::string_view name = log.names[wait.name];
  return name != "Stream Wait Event" && !name.ends_with(" Query");
}

Span span_of(const ops::OpLog& log, std::int64_t& steps) {
  Span span{std::numeric_limits<std::int64_t>::max(), 0};
  const auto add = [&](std::int64_t begin, std::int64_t end) {
    span.first = std::min(span.first, begin);
    span.second = std::max(span.second, end);
  };
  for (const ops::StepMark& mark : log.marks) {
    if (mark.phase != ops::kNoIndex) continue;
    ++steps;
    add(mark.start_ns, mark.end_ns);
  }
  if (steps > 0) return span;
  steps = 1;
  for (const ops::DeviceActivity& activity : log.activities)
    add(activity.start_ns, activity.end_ns);
  return span;
}

std::int64_t union_of(std::vector<Span>& spans) {
  std::sort(spans.begin(), spans.end());
  std::int64_t sum = 0;
  std::int64_t reached = std::numeric_limits<std::int64_t>::min();
  for (const auto& [begin, end] : spans) {
    const std::int64_t from = std::max(begin, reached);
    if (end <= from) continue;
    sum += end - from;
    reached = end;
  }
  return sum;
}

// Device work belongs to the step that launched it, however late it runs: if the device lags behind
// the host, the last steps end after their marks.
class Window {
 public:
  Window(const ops::OpLog& log, Span span) : span_(span) {
    for (const ops::DeviceActivity& each : log.activities) {
      if (ops::is_call(each)) calls_.emplace(each.correlation, each.start_ns);
    }
    for (const ops::DeviceActivity& each : log.activities) {
      if (ops::is_device_work(each) && holds(each))
        span_.second = std::max(span_.second, each.end_ns);
    }
  }

  [[nodiscard]] std::int64_t length_ns() const { return span_.second - span_.first; }

  [[nodiscard]] bool holds(const ops::DeviceActivity& activity) const {
    if (ops::is_device_work(activity)) {
      if (const auto call = calls_.find(activity.correlation); call != calls_.end()) {
        return contains(call->second);
      }
    }
    return contains(activity.start_ns);
  }

  // The part of `activity` inside the window.
  [[nodiscard]] Span part(const ops::DeviceActivity& activity) const {
    return {std::max(activity.start_ns, span_.first), std::min(activity.end_ns, span_.second)};
  }

 private:
  [[nodiscard]] bool contains(std::int64_t at_ns) const {
    return at_ns >= span_.first && at_ns <= marked_end_;
  }

  Span span_;  // from the first step's start to the last one's end, or to its device work's end
  std::int64_t marked_end_ = span_.second;
  std::unordered_map<std::uint64_t, std::int64_t> calls_;  // start by correlation
};

}  // namespace

ActivitySummary summarise_activities(const ops::OpLog& log) {
  ActivitySummary sum;
  if (log.activities.empty()) return sum;
  const Window window(log, span_of(log, sum.steps));
  sum.span_ns = window.length_ns();
  for (const ops::LaunchCall& launch : ops::launch_calls(log.activities, log.names)) {
    sum.launches += window.holds(*launch.call) ? 1 : 0;
  }
  std::vector<Span> busy;
  bool called_to_wait = false;
  bool recorded_waits = false;
  for (const ops::DeviceActivity& activity : log.activities) {
    const Span part = window.part(activity);
    if (ops::is_device_work(activity)) busy.push_back(part);
    if (!window.holds(activity)) continue;
    switch (activity.kind) {
      case ops::ActivityKind::kKernel:
        ++sum.kernels;
        break;
      case ops::ActivityKind::kMemcpy:
        ++sum.copies;
        if (activity.bytes < 0) sum.copied_bytes.reset();
        if (sum.copied_bytes) *sum.copied_bytes += activity.bytes;
        if (!activity.pinned && (activity.copy == ops::CopyKind::kHostToDevice ||
                                 activity.copy == ops::CopyKind::kDeviceToHost)) {
          ++sum.pageable_copies;
        }
        break;
      case ops::ActivityKind::kSynchronization:
        recorded_waits = true;
        if (!blocks_host(activity, log)) break;
        ++*sum.synchronisations;
        sum.synchronisation_ns += part.second - part.first;
        break;
      case ops::ActivityKind::kRuntime:
      case ops::ActivityKind::kDriver:
        called_to_wait |=
            activity.name < log.names.size() && ops::waits_for_device(log.names[activity.name]);
        break;
      case ops::ActivityKind::kMemset:
        break;
    }
  }
  // Kineto records waits only if configured to.
  if (called_to_wait && !recorded_waits) sum.synchronisations.reset();
  sum.busy_ns = union_of(busy);
  return sum;
}

void report(const ActivitySummary& summary, ReportSink& sink) {
  if (summary.steps == 0) return;
  const auto metric = [&](const char* name, std::int64_t value) {
    sink.metric(name, static_cast<double>(value) / static_cast<double>(summary.steps));
  };
  metric("device_busy_ns", summary.busy_ns);
  metric("device_idle_ns", summary.span_ns - summary.busy_ns);
  metric("kernels", summary.kernels);
  metric("launches", summary.launches);
  metric("copies", summary.copies);
  if (summary.copied_bytes) metric("copied_bytes", *summary.copied_bytes);
  metric("pageable_copies", summary.pageable_copies);
  if (!summary.synchronisations) return;
  metric("synchronisations", *summary.synchronisations);
  metric("synchronisation_ns", summary.synchronisation_ns);
}

}  // namespace stepbench::cuda
