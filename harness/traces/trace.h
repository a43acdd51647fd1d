// SPDX-License-Identifier: Apache-2.0
// A profiler's trace in one form for all analyses, whatever its source: Python's torch.profiler old
// and new, ROCm, our own writer, Nsight Systems, or an op log that was never written to a file.
// Plain data; times are integer nanoseconds on the file's own clock (base_ns + time = ns since
// 1970). trace_files.h reads a trace from a file or converts an op log, trace_builder.h
// builds one row by row.
//
//   for (const TraceLane& lane : trace.lanes)
//     for (const TraceEvent& event : lane.events)
//       if (event.kind == EventKind::kKernel) busy += event.duration_ns();
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/ops/op_log.h"
#include "harness/traces/internal/name_facts.h"

namespace stepbench::traces {

// Ordered so that, for equal start and end, an earlier kind encloses a later one.
enum class EventKind : std::uint8_t {
  kSpan,        // the recorded interval: "PyTorch Profiler (0)"
  kAnnotation,  // ProfilerStep#N, record_function, NVTX ranges
  kPython,      // a Python frame
  kOp,
  kRuntime,   // a CUDA or HIP runtime call
  kDriver,    // a CUDA driver call
  kWorker,    // our own loader workers, in separate processes
  kOverhead,  // profiler overhead: buffer flush, lazy function loading
  kKernel,
  kMemcpy,
  kMemset,
  kSync,           // a device-side record of a wait: no busy time
  kGpuAnnotation,  // a host annotation shown over its kernels: no busy time, no step
};
// The categories of their rows in a file.
constexpr EnumNames<13> names_of(EventKind) {
  return {"trace",       "user_annotation", "python_function",    "cpu_op", "cuda_runtime",
          "cuda_driver", "loader_worker",   "overhead",           "kernel", "gpu_memcpy",
          "gpu_memset",  "cuda_sync",       "gpu_user_annotation"};
}

[[nodiscard]] constexpr bool is_device_work(EventKind kind) {
  return kind == EventKind::kKernel || kind == EventKind::kMemcpy || kind == EventKind::kMemset;
}
[[nodiscard]] constexpr bool is_op_or_annotation(EventKind kind) {
  return kind == EventKind::kOp || kind == EventKind::kAnnotation;
}
[[nodiscard]] constexpr bool is_call(EventKind kind) {
  return kind == EventKind::kRuntime || kind == EventKind::kDriver;
}

struct TraceEvent {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;             // never before start_ns
  std::uint64_t correlation = 0;       // links calls to device rows; 0: none
  std::uint64_t external = 0;          // External id; used only as a cross-check
  std::int64_t value = -1;             // bytes of a copy or set, sequence number of an op; -1: none
  std::uint32_t name = ops::kNoIndex;  // Trace::names
  std::uint32_t lane = 0;              // Trace::lanes
  std::uint32_t detail =
      ops::kNoIndex;  // index into Trace::ops or kernels, by kind; kNoIndex: no details
  EventKind kind = EventKind::kOp;
  bool negative = false;  // the file gave a negative duration; end_ns is start_ns here
  bool async = false;     // an op that ended on another thread; files do not say so

  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }
};
static_assert(sizeof(TraceEvent) <= 64);

enum class LaneKind : std::uint8_t {
  kHost,         // a thread: annotations, Python, ops, calls, workers
  kStream,       // a device stream: kernels, copies and sets only
  kDeviceNotes,  // notes of a stream: sync records and device annotations
  kOther,        // spans, overhead
};

// Events are sorted by (start, -end). Rows of a sound lane nest or are disjoint.
struct TraceLane {
  LaneKind kind = LaneKind::kHost;
  std::int64_t pid = 0;      // host: process id; 0 if the file had a text
  std::int64_t tid = 0;      // host: thread id
  int device = -1;           // for streams and their notes
  std::int64_t stream = -1;  // Nsight and ROCm count from 0; -1: a wait of the whole context
  std::string name = {};     // thread_name, or the text given in place of pid and tid
  std::string process_name = {};
  std::vector<TraceEvent> events = {};
};

struct TraceName {
  std::string text;
  NameFacts facts;  // facts derived from the name, once per name
  // For annotations that differ only in numbers, such as "step 8 of 100" and "step 9 of 100": the
  // common name "step # of #", which no row has. kNoIndex: none.
  std::uint32_t folded = ops::kNoIndex;
};

// Arguments of an operator, deduplicated. Texts are indices into Trace::texts.
struct OpDetail {
  std::uint32_t shapes = ops::kNoIndex;     // "[[8, 32], [32, 32], []]"
  std::uint32_t types = ops::kNoIndex;      // "["float", "float", "Scalar"]"
  std::uint32_t arguments = ops::kNoIndex;  // Concrete Inputs
  std::uint32_t module = ops::kNoIndex;
  std::uint32_t stack = ops::kNoIndex;       // Call stack
  std::uint32_t collective = ops::kNoIndex;  // Trace::collectives
  std::int64_t forward_thread = 0;           // for a backward function: tid of its forward; 0: none

  friend bool operator==(const OpDetail&, const OpDetail&) = default;
};

// Details of a kernel. -1: not recorded.
struct KernelDetail {
  std::int32_t grid[3] = {0, 0, 0};
  std::int32_t block[3] = {0, 0, 0};
  std::int32_t registers_per_thread = -1;
  std::int32_t shared_memory_bytes = -1;
  double blocks_per_sm = -1;
  double warps_per_sm = -1;
  double occupancy_percent = -1;             // estimated
  std::uint32_t collective = ops::kNoIndex;  // Trace::collectives
  std::int32_t context = -1;

  friend bool operator==(const KernelDetail&, const KernelDetail&) = default;
};

// Details that NCCL's ops and kernels record. Texts are indices into Trace::texts.
struct CollectiveDetail {
  std::uint32_t name = ops::kNoIndex;   // allreduce
  std::uint32_t dtype = ops::kNoIndex;  // Float
  std::uint32_t group = ops::kNoIndex;  // Process Group Name
  std::uint32_t ranks = ops::kNoIndex;  // Process Group Ranks, "[0, 1]"
  std::int32_t group_size = -1;
  std::int32_t from_rank = -1;  // sender of a message between two ranks
  std::int32_t to_rank = -1;
  std::uint32_t description = ops::kNoIndex;  // Process Group Description
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;

  friend bool operator==(const CollectiveDetail&, const CollectiveDetail&) = default;
};

// A [memory] row: one change of an allocator.
struct TraceMemory {
  std::int64_t at_ns = 0;
  std::int64_t bytes = 0;  // > 0 allocated, < 0 freed
  std::uint64_t address = 0;
  std::int64_t total_allocated = -1;  // device total after the change; -1: not recorded
  std::int64_t total_reserved = -1;
  std::uint32_t lane = 0;    // the host thread
  std::int32_t device = -1;  // -1: the host
};

// Rows that are in no lane: unknown categories, rows without a time, and so on.
struct IgnoredRows {
  std::string what;  // a category, or "rows without a time"
  std::int64_t count = 0;
};

// Problems found by the reader; reported before any numbers.
struct ReadingFacts {
  std::string path = {};  // empty: no file
  bool compressed = false;
  std::uint64_t text_bytes = 0;           // unpacked
  std::int64_t rows = 0;                  // elements of traceEvents, of any kind
  std::vector<IgnoredRows> ignored = {};  // sorted by `what`
  std::int64_t negative_durations = 0;
  std::int64_t missing_durations = 0;  // rows "X" without dur: length 0
  std::int64_t zero_durations = 0;     // kernels, copies, sets, ops and calls of length 0
  // Damage that the reader tolerates. Any of it lowers the confidence in all results.
  std::int64_t control_characters = 0;  // raw control characters in strings
  std::int64_t bare_words = 0;          // N/A, NaN, Infinity in place of a value
  std::int64_t bad_escapes = 0;
  std::int64_t invalid_utf8 = 0;  // in names
  std::int64_t text_times = 0;    // times in quotation marks
  std::uint64_t first_damage_at_byte = 0;
  std::int64_t duplicate_headers = 0;  // a second traceEvents or deviceProperties
  std::int64_t damaged_headers = 0;    // header values that were ignored

  [[nodiscard]] bool damaged() const {
    return control_characters + bare_words + bad_escapes + invalid_utf8 + text_times > 0;
  }
};

struct Trace {
  // Host lanes by (pid, tid), then streams by (device, stream), notes, others.
  std::vector<TraceLane> lanes = {};
  std::vector<TraceName> names = {};
  std::vector<std::string> texts = {};
  std::vector<OpDetail> ops = {};
  std::vector<KernelDetail> kernels = {};
  std::vector<CollectiveDetail> collectives = {};
  std::vector<TraceMemory> memory = {};  // sorted by time

  std::optional<std::int64_t> base_ns = {};  // baseTimeNanoseconds
  std::int64_t resolution_ns = 1;            // 1000: no time in the file has a fraction
  std::vector<ops::TraceDevice> devices = {};
  std::optional<std::int64_t> rank = {};
  std::optional<std::int64_t> world = {};
  std::string backend = {};  // from distributedInfo: "nccl"
  std::optional<bool> with_shapes = {};
  std::optional<bool> with_memory = {};
  std::optional<bool> with_stack = {};
  std::string host_name = {};
  bool own = false;          // written by stepbench: has the key "stepbench"
  std::int64_t dropped = 0;  // records lost by our own collector
  std::vector<std::pair<std::string, std::string>> own_facts = {};  // engine, case_id, launch, ...
  std::vector<std::string> log_lines = {};  // INFO[] and ERROR[] of kineto, "ERROR: ..."

  ReadingFacts reading = {};

  [[nodiscard]] const std::string& name_of(const TraceEvent& event) const {
    return names[event.name].text;
  }
  [[nodiscard]] const NameFacts& facts_of(const TraceEvent& event) const {
    return names[event.name].facts;
  }
  [[nodiscard]] const TraceLane& lane_of(const TraceEvent& event) const {
    return lanes[event.lane];
  }
  [[nodiscard]] std::vector<std::reference_wrapper<const TraceLane>> host_lanes() const {
    std::vector<std::reference_wrapper<const TraceLane>> of_host;
    for (const TraceLane& lane : lanes) {
      if (lane.kind == LaneKind::kHost) of_host.emplace_back(lane);
    }
    return of_host;
  }
  [[nodiscard]] std::string_view text(std::uint32_t index) const {
    return index == ops::kNoIndex ? std::string_view{} : std::string_view(texts[index]);
  }
  // nullptr without details, or for an event of another kind.
  [[nodiscard]] const OpDetail* op_detail(const TraceEvent& event) const;
  [[nodiscard]] const KernelDetail* kernel_detail(const TraceEvent& event) const;
  [[nodiscard]] const ops::TraceDevice* device(int id) const;
  // Looks up own_facts; empty: missing.
  [[nodiscard]] std::string_view own_fact(std::string_view key) const;
  // Number of events of this kind in all lanes.
  [[nodiscard]] std::int64_t count(EventKind kind) const;
};

}  // namespace stepbench::traces
