// SPDX-License-Identifier: Apache-2.0
// The cost of each op: torch.profiler's key_averages() over a trace, also by step and phase; the
// same as integer arrays, for a worker's channel and result files; and the log's stack samples by
// line. Pure; exact in integer nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/base/series.h"
#include "harness/ops/op_log.h"

namespace stepbench::ops {

enum class OpKind : std::uint8_t {  // written to disk by name
  kOp,
  kAnnotation,
  kCall,    // a CUDA runtime or driver call
  kDevice,  // a kernel, copy or set
  kMemory   // an allocator change outside all ops
};
constexpr EnumNames<5> names_of(OpKind) { return {"op", "annotation", "call", "device", "memory"}; }

// Name of the rows of all steps.
inline constexpr std::string_view kStepNode = "ProfilerStep*";

// All calls with the same name, shapes, module and phase in one step. Totals include children, self
// values do not: over all rows the self times sum to the total times of the outermost calls.
struct OpRow {
  // Indices into OpTable::strings; kNoIndex: unknown, or not grouped by.
  std::uint32_t name = kNoIndex;
  std::uint32_t shapes = kNoIndex;
  std::uint32_t module = kNoIndex;
  std::uint32_t phase = kNoIndex;
  std::int64_t step = -1;  // -1: outside all steps, or not grouped by
  OpKind kind = OpKind::kOp;
  bool async = false;  // from the first call; self time is 0

  std::int64_t calls = 0;
  std::int64_t self_cpu_ns = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t self_device_ns = 0;  // kernels and copies that the op itself started
  std::int64_t device_ns = 0;
  // Bytes allocated - bytes freed, on any thread, while the op ran.
  std::int64_t self_cpu_bytes = 0;
  std::int64_t cpu_bytes = 0;
  std::int64_t self_device_bytes = 0;
  std::int64_t device_bytes = 0;
  // The same, only on its own thread while it was the innermost op.
  std::int64_t own_cpu_bytes = 0;
  std::int64_t own_device_bytes = 0;
  std::int64_t own_cpu_allocated_bytes = 0;  // allocations only
  std::int64_t own_device_allocated_bytes = 0;
  std::int64_t own_cpu_allocations = 0;  // number of allocations
  std::int64_t own_device_allocations = 0;
  std::int64_t flops = 0;

  OpRow& operator+=(const OpRow& other);  // adds the numbers
};

// Device work and runtime calls of one name, by the op that caused them. Restricted to steps if the
// log has marks: work between and after them is the harness's own.
struct ActivityRow {
  std::uint32_t name = kNoIndex;
  std::uint32_t op = kNoIndex;  // kNoIndex: not found
  std::uint32_t phase = kNoIndex;
  ActivityKind kind = ActivityKind::kKernel;
  std::int64_t launches = 0;
  std::int64_t total_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  std::int64_t bytes = 0;
};

// Memory held by a device's allocator at one moment.
struct MemoryPoint {
  std::int64_t at_ns = 0;  // since the first event of the log
  std::int64_t step = -1;
  std::int64_t device = -1;  // CUDA ordinal; -1: the host
  std::int64_t allocated_bytes = 0;
  std::uint32_t phase = kNoIndex;
  std::uint32_t op = kNoIndex;  // innermost op of the allocating thread
  bool peak = false;            // the device's maximum
};

// Samples with equal lines in the Python code that reads a loader's batches.
struct StackRow {
  std::uint32_t part = kNoIndex;   // fetch or collate
  std::uint32_t place = kNoIndex;  // innermost line of the user's own code: "my_data.py:42 in read"
  std::uint32_t code = kNoIndex;   // text of that line
  std::uint32_t calls = kNoIndex;  // function it called: "PIL.Image.open"; kNoIndex: itself
  // All lines, outermost first, separated by ';': input for flame graphs.
  std::uint32_t stack = kNoIndex;
  std::int64_t samples = 0;
};

// Calls with equal call paths from the step thread, folded: a node of a tree whose rows are in
// depth-first order. Restricted to steps if the log has marks; as the room `traces` makes them.
struct FoldedCall {
  std::uint32_t name = kNoIndex;
  OpKind kind = OpKind::kOp;
  std::int64_t depth = 0;  // 0 for a root; the parent is the last previous row with depth - 1
  std::int64_t calls = 0;
  std::int64_t self_cpu_ns = 0;
  std::int64_t cpu_ns = 0;  // self and children
  std::int64_t self_device_ns = 0;
  std::int64_t device_ns = 0;
};

struct OpTable {
  std::vector<std::string> strings;
  std::vector<OpRow> rows;
  std::vector<ActivityRow> activities;
  std::vector<MemoryPoint> memory;  // by device, then by time: the maxima of equal spans
  std::vector<StackRow> stacks;     // sorted by descending samples
  std::vector<FoldedCall> calls;    // with several launches: one tree after the other
  std::int64_t dropped = 0;         // records that the collector lost: the table is incomplete

  [[nodiscard]] std::string_view text(std::uint32_t index) const {
    return index == kNoIndex ? std::string_view() : std::string_view(strings[index]);
  }
};

struct OpGrouping {
  bool shapes = false;
  bool phase = false;
  bool module = false;
  bool step = false;
};
// Sums rows that are equal in everything selected by `by`. Name and kind are never merged.
[[nodiscard]] std::vector<OpRow> grouped(const std::vector<OpRow>& rows, OpGrouping by);

// Values of 100 %, for self and total CPU time and for self device time.
struct OpTotals {
  std::int64_t self_cpu_ns = 0;
  std::int64_t self_device_ns = 0;  // over rows of kernels and copies
  std::int64_t flops = 0;
};
[[nodiscard]] OpTotals totals_of(const std::vector<OpRow>& rows);

// One line. Values of text columns are indices into `strings`; -1: none.
struct OpFrame {
  std::string table = {};  // ops, activities, memory, stacks, calls
  std::vector<std::string> strings = {};
  Series series = {};
};

inline constexpr std::size_t kMaxFrameBytes = std::size_t{8} << 20;

// Splits the table so that each frame stays below `max_bytes` as JSON, whatever the names.
[[nodiscard]] std::vector<OpFrame> frames_of(const OpTable& table,
                                             std::size_t max_bytes = kMaxFrameBytes);

// Throws Error naming table and column for an index out of range. Unknown columns and tables are
// ignored; missing ones keep their defaults.
[[nodiscard]] OpTable op_table_of(std::span<const OpFrame> frames);

struct SampledLine {
  std::string part;   // fetch or collate
  std::string place;  // "my_data.py:42 in __getitem__"
  std::string code;   // empty: unknown
  std::string calls;  // function that most samples were in; empty: the line itself
  std::int64_t samples = 0;
};

// Sorted by descending samples.
[[nodiscard]] std::vector<SampledLine> sampled_lines(const OpTable& table);

// "my_data.py:42 in __getitem__, `Image.open(path)`, in PIL.Image.open"
[[nodiscard]] std::string in_words(const SampledLine& line);

// Sums rows by key. One thread.

// Step, phase, name, shapes, module, kind.
using RowKey =
    std::tuple<std::int64_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, OpKind>;
struct RowKeyHash {
  std::size_t operator()(const RowKey& key) const;
};

class RowSet {
 public:
  // Adds to the row with the same key.
  void add(const OpRow& row, std::int64_t at_ns);
  [[nodiscard]] std::vector<OpRow> by_first_call() const;

 private:
  std::vector<OpRow> rows_;
  std::vector<std::int64_t> first_ns_;
  std::unordered_map<RowKey, std::uint32_t, RowKeyHash> index_;
};

}  // namespace stepbench::ops
