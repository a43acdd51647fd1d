// SPDX-License-Identifier: Apache-2.0
// What each op cost: torch.profiler's key_averages() over an op log, by step and phase as well.
// Pure; exact in integer nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/ops/op_log.h"
#include "harness/ops/op_tree.h"

namespace stepbench::ops {

// All calls of one name, shapes, module and phase in one step. Totals include children, self values
// do not: over all rows the self times sum to the total times of the outermost calls.
struct OpRow {
  // Into OpTable::strings; kNoIndex: not known, or not told apart.
  std::uint32_t name = kNoIndex;
  std::uint32_t shapes = kNoIndex;
  std::uint32_t module = kNoIndex;
  std::uint32_t phase = kNoIndex;
  std::int64_t step = -1;  // -1: outside all steps, or not told apart
  OpKind kind = OpKind::kOp;
  bool async = false;  // of the first call: its self time is 0

  std::int64_t calls = 0;
  std::int64_t self_cpu_ns = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t self_device_ns = 0;  // of the kernels and copies that the op itself started
  std::int64_t device_ns = 0;
  // Bytes allocated less bytes freed, by anyone, while the op ran.
  std::int64_t self_cpu_bytes = 0;
  std::int64_t cpu_bytes = 0;
  std::int64_t self_device_bytes = 0;
  std::int64_t device_bytes = 0;
  // The same of its own thread while it was the innermost op.
  std::int64_t own_cpu_bytes = 0;
  std::int64_t own_device_bytes = 0;
  std::int64_t own_cpu_allocated_bytes = 0;  // of those the allocations alone
  std::int64_t own_device_allocated_bytes = 0;
  std::int64_t own_cpu_allocations = 0;  // how many these are
  std::int64_t own_device_allocations = 0;
  std::int64_t flops = 0;

  OpRow& operator+=(const OpRow& other);  // the numbers
};

// Device work and runtime calls of one name, by the op that caused them. Of the steps alone, where
// the log has marks of them: what runs between and after them is the harness's own.
struct ActivityRow {
  std::uint32_t name = kNoIndex;
  std::uint32_t op = kNoIndex;  // kNoIndex: none was found
  std::uint32_t phase = kNoIndex;
  ActivityKind kind = ActivityKind::kKernel;
  std::int64_t launches = 0;
  std::int64_t total_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;
  std::int64_t bytes = 0;
};

// What a device's allocator held at one moment.
struct MemoryPoint {
  std::int64_t at_ns = 0;  // since the first event of the log
  std::int64_t step = -1;
  std::int64_t device = -1;  // CUDA ordinal; -1: the host
  std::int64_t allocated_bytes = 0;
  std::uint32_t phase = kNoIndex;
  std::uint32_t op = kNoIndex;  // innermost, of the thread that allocated
  bool peak = false;            // the device's highest
};

// Samples of the Python code that reads a loader's batches, in which the same lines were found.
struct StackRow {
  std::uint32_t part = kNoIndex;   // fetch or collate
  std::uint32_t place = kNoIndex;  // innermost line of the user's own code: "my_data.py:42 in read"
  std::uint32_t code = kNoIndex;   // that line
  std::uint32_t calls = kNoIndex;  // the function that it was in: "PIL.Image.open"; none: itself
  // All lines, the outermost first, divided by ';': what flame graphs are drawn from.
  std::uint32_t stack = kNoIndex;
  std::int64_t samples = 0;
};

// Calls that were reached on the same way from the step's own thread, folded: a node of a tree
// whose rows stand in depth-first order. Of the steps alone, where the log has marks of them; see
// call_tree.h.
struct FoldedCall {
  std::uint32_t name = kNoIndex;
  OpKind kind = OpKind::kOp;
  std::int64_t depth = 0;  // of a root 0; its parent is the last row before it that is one higher
  std::int64_t calls = 0;
  std::int64_t self_cpu_ns = 0;
  std::int64_t cpu_ns = 0;  // its own and its children's
  std::int64_t self_device_ns = 0;
  std::int64_t device_ns = 0;
};

struct OpTable {
  std::vector<std::string> strings;
  std::vector<OpRow> rows;
  std::vector<ActivityRow> activities;
  std::vector<MemoryPoint> memory;  // by device, then by time: the highest points of equal spans
  std::vector<StackRow> stacks;     // most samples first
  std::vector<FoldedCall> calls;    // of several launches: one tree after the other
  std::int64_t dropped = 0;         // records that the collector lost: the table is incomplete

  [[nodiscard]] std::string_view text(std::uint32_t index) const {
    return index == kNoIndex ? std::string_view() : std::string_view(strings[index]);
  }
};

// The names on disk.

// The finest grouping: by step, phase, name, shapes, module and kind, in order of first call.
[[nodiscard]] OpTable make_op_table(const OpLog& log);
[[nodiscard]] OpTable make_op_table(const OpLog& log, const OpTree& tree);

struct OpGrouping {
  bool shapes = false;
  bool phase = false;
  bool module = false;
  bool step = false;
};
// Rows that differ in nothing that `by` tells apart, added up. Name and kind always stay apart.
[[nodiscard]] std::vector<OpRow> grouped(const std::vector<OpRow>& rows, OpGrouping by);

// What 100 % is: of self and total CPU time, and of self device time.
struct OpTotals {
  std::int64_t self_cpu_ns = 0;
  std::int64_t self_device_ns = 0;  // over the rows of kernels and copies
  std::int64_t flops = 0;
};
[[nodiscard]] OpTotals totals_of(const std::vector<OpRow>& rows);

}  // namespace stepbench::ops
