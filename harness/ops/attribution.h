// SPDX-License-Identifier: Apache-2.0
// Attributes device work and runtime calls to ops, ops to modules, and moments to steps and phases.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/ops/op_log.h"
#include "harness/ops/op_tree.h"

namespace stepbench::ops {

// For each activity, returns the node of the op or annotation that caused it; kNoIndex: none. If
// the collector linked none: the innermost op around the call on its thread and, for device work,
// the cause of the call with its correlation.
[[nodiscard]] std::vector<std::uint32_t> causes_of(const OpLog& log, const OpTree& tree);

// Index of each node's module in OpLog::modules: its own, else its parent's. A backward function
// and its callees belong to the module of the forward op with its sequence number.
[[nodiscard]] std::vector<std::uint32_t> modules_of(const OpLog& log, const OpTree& tree);

class MarkIndex {
 public:
  struct Place {
    std::int64_t step = -1;          // -1: outside all steps
    std::uint32_t phase = kNoIndex;  // OpLog::names; kNoIndex: between phases
  };

  explicit MarkIndex(const std::vector<StepMark>& marks);

  // Fastest if times are ascending.
  [[nodiscard]] Place at(std::int64_t time_ns);

 private:
  // Non-overlapping marks, sorted by time.
  class Lane {
   public:
    void add(const StepMark& mark) { marks_.push_back(mark); }
    void sort();
    [[nodiscard]] const StepMark* at(std::int64_t time_ns);

   private:
    std::vector<StepMark> marks_;
    std::size_t next_ = 0;  // the first that starts after the last queried time
  };
  Lane steps_;
  Lane phases_;
};

}  // namespace stepbench::ops
