// SPDX-License-Identifier: Apache-2.0
// Records of the active steps of one launch, whatever the collector: native, kineto, or a trace
// read from disk. Plain data; times in nanoseconds on one clock, chosen by the collector. Names,
// shapes and threads are stored once in tables and referred to by index. And which calls start
// kernels, and the properties of a device. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/base/enum_names.h"

namespace stepbench::ops {

// Types shared with traces.

// Marks a missing index into a table.
inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

enum class ActivityKind : std::uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kRuntime,          // a CUDA runtime call
  kDriver,           // a CUDA driver call
  kSynchronization,  // waiting for an event, stream or context
};
constexpr EnumNames<6> names_of(ActivityKind) {
  return {"kernel", "memcpy", "memset", "runtime", "driver", "synchronization"};
}
enum class CopyKind : std::uint8_t {
  kNone,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kHostToHost,
  kPeer
};
// As in the names of copies, "Memcpy HtoD (Pageable -> Device)".
constexpr EnumNames<6> names_of(CopyKind) { return {"", "HtoD", "DtoH", "DtoD", "HtoH", "PtoP"}; }

enum class OpScope : std::uint8_t { kFunction, kBackwardFunction, kUserScope };

// One call of an operator, or one user annotation.
struct OpEvent {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t sequence = -1;       // autograd's sequence number; links forward and backward
  std::uint32_t name = kNoIndex;    // OpLog::names
  std::uint32_t shapes = kNoIndex;  // OpLog::shapes; kNoIndex if shapes were not recorded
  std::uint32_t module = kNoIndex;  // OpLog::modules: "layer3.1.conv2"
  std::uint32_t thread = 0;         // OpLog::threads: where it started
  std::uint32_t end_thread = 0;
  std::uint32_t forward_thread = kNoIndex;  // backward function: thread of its forward
  OpScope scope = OpScope::kFunction;
  bool async = false;
};

// One change of an allocator: bytes > 0 allocated, < 0 freed.
struct MemoryEvent {
  std::int64_t at_ns = 0;
  std::int64_t bytes = 0;
  std::uint64_t address = 0;
  std::int64_t total_allocated = 0;  // device total after the event
  std::int64_t total_reserved = 0;
  std::uint32_t thread = 0;
  std::int16_t device = -1;  // CUDA ordinal; -1: the host
};

// One record of device activity, or one runtime or driver call.
struct DeviceActivity {
  std::int64_t start_ns = 0;  // 0 with end 0: no times recorded
  std::int64_t end_ns = 0;
  std::uint64_t correlation = 0;  // links a call to the device work it started
  std::uint64_t external = 0;     // id of the innermost op or annotation at the call; 0: none
  std::int64_t bytes = 0;         // copy or set; -1: not recorded
  std::uint32_t name = kNoIndex;  // OpLog::names
  std::uint32_t op = kNoIndex;    // OpLog::ops, once linked
  std::uint32_t stream = 0;
  std::uint32_t thread = kNoIndex;  // calls: OpLog::threads
  std::int16_t device = 0;
  ActivityKind kind = ActivityKind::kKernel;
  CopyKind copy = CopyKind::kNone;
  bool pinned = false;  // host memory of a copy is pinned
  std::int32_t grid[3] = {0, 0, 0};
  std::int32_t block[3] = {0, 0, 0};
  std::int32_t registers_per_thread = 0;
  std::int32_t shared_memory_bytes = 0;
};

[[nodiscard]] inline bool is_call(const DeviceActivity& activity) {
  return activity.kind == ActivityKind::kRuntime || activity.kind == ActivityKind::kDriver;
}
[[nodiscard]] inline bool is_device_work(const DeviceActivity& activity) {
  return activity.kind == ActivityKind::kKernel || activity.kind == ActivityKind::kMemcpy ||
         activity.kind == ActivityKind::kMemset;
}

// A step or one of its phases, as marked by the worker's loop.
struct StepMark {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t index = 0;          // step number
  std::uint32_t phase = kNoIndex;  // OpLog::names; kNoIndex: the whole step
};

// Work of a loader on one batch, on its own track: a worker's fetch, decode, collate.
struct ForeignSpan {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t pid = 0;  // worker's process; OpLog::process if it has none of its own
  std::uint32_t name = kNoIndex;
  std::int64_t tid = 0;  // track id; 0: a process, identified by pid
  [[nodiscard]] std::int64_t track() const { return tid == 0 ? pid : tid; }
};
// Tracks of loaders in the step's own process, above all thread ids of the system: one for reads by
// the step thread, and one per worker thread.
inline constexpr std::int64_t kStepLoaderTrack = 5'000'000;
inline constexpr std::int64_t kFirstWorkerTrack = kStepLoaderTrack + 1;
// Names of a batch's spans, in order.
inline constexpr std::array<std::string_view, 3> kLoaderParts = {"fetch", "decode", "collate"};

struct OpThread {
  std::int64_t id = 0;  // kernel's thread id
  std::string name = {};
};

struct OpLog {
  std::vector<OpEvent> ops = {};
  std::vector<MemoryEvent> memory = {};
  std::vector<DeviceActivity> activities = {};
  std::vector<StepMark> marks = {};
  std::vector<ForeignSpan> foreign = {};
  std::vector<std::string> names = {};
  std::vector<std::string> shapes = {};  // as torch.profiler prints them: "[[8, 32], [32, 32], []]"
  // Indexed as `shapes`, or empty: the inputs that are not tensors, as torch.profiler's "Concrete
  // Inputs": ["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "1"]. Only convolutions need them, whose
  // FLOPs depend on stride and padding.
  std::vector<std::string> arguments = {};
  std::vector<std::string> modules = {};
  std::vector<OpThread> threads = {};
  std::uint32_t step_thread = 0;  // runs the loop that made `marks`; index into `threads`
  std::int64_t process = 0;
  std::int64_t dropped = 0;  // records that the collector lost; the table is then incomplete
};

// Indexes unique texts in a vector of the caller.
class StringTable {
 public:
  explicit StringTable(std::vector<std::string>& texts) : texts_(texts) {}

  std::uint32_t id(std::string_view text) {
    const auto found = index_.find(std::string(text));
    if (found != index_.end()) return found->second;
    const auto id = std::uint32_t(texts_.size());
    index_.emplace(texts_.emplace_back(text), id);
    return id;
  }

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

// CUDA or HIP runtime and driver calls that start kernels or graphs.

// Libraries launch through the runtime (cudaLaunchKernel; since CUDA 13 __cudaLaunchKernel) or
// directly through the driver (cuLaunchKernelEx). The runtime itself calls the driver.
struct LaunchCall {
  const DeviceActivity* call = nullptr;  // the outermost call
  std::uint64_t inner = 0;               // correlation of a nested call; 0: none
};

[[nodiscard]] bool starts_work(std::string_view call);

// True if the host waits for the device: cudaDeviceSynchronize, cudaStreamSynchronize, ...
[[nodiscard]] bool waits_for_device(std::string_view call);

// Profilers record queries as synchronisations, although nothing waits. Renames these, from
// activity `first` on, to "Event Query" and "Stream Query".
void name_queries(OpLog& log, std::size_t first);

// Returns the launching calls among these activities, which may be in any order. A call during
// another one on its thread, or with another one's correlation, is part of that one.
[[nodiscard]] std::vector<LaunchCall> launch_calls(std::span<const DeviceActivity> activities,
                                                   std::span<const std::string> names);

// Returns how many of them have no record of a kernel, copy or set. `failed`: correlations of calls
// that started nothing.
[[nodiscard]] std::int64_t launches_without_record(std::span<const DeviceActivity> activities,
                                                   std::span<const std::string> names,
                                                   const std::unordered_set<std::uint64_t>& failed);

// Properties of a device recorded in a trace.

// Zero: unknown.
struct TraceDevice {
  int id = 0;
  std::string name = {};
  std::int64_t total_memory_bytes = 0;
  int compute_major = 0;
  int compute_minor = 0;
  int max_threads_per_block = 0;
  int max_threads_per_multiprocessor = 0;
  int registers_per_block = 0;
  int warp_size = 32;
  std::int64_t shared_memory_per_block = 0;
  int multiprocessors = 0;

  friend bool operator==(const TraceDevice&, const TraceDevice&) = default;
};

// Other makers report a compute capability with another meaning: MI300X reports 9.4.
[[nodiscard]] bool is_of_nvidia(const TraceDevice& device);

}  // namespace stepbench::ops
