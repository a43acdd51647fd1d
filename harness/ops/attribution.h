// SPDX-License-Identifier: Apache-2.0
// Which op caused what: device work and runtime calls, the module of each op, the step and phase of
// a moment. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/ops/op_log.h"
#include "harness/ops/op_tree.h"

namespace stepbench::ops {

// For each activity the node of the op or annotation that caused it; kNoIndex when there is none.
// Where the collector joined none: the innermost op around the call on its thread, and for device
// work the cause of the call with its correlation.
[[nodiscard]] std::vector<std::uint32_t> causes_of(const OpLog& log, const OpTree& tree);

// The module of each node, index into OpLog::modules: its own, else its parent's; a backward
// function and what it calls belong to the module of the forward op with its sequence number.
[[nodiscard]] std::vector<std::uint32_t> modules_of(const OpLog& log, const OpTree& tree);

class MarkIndex {
 public:
  struct Place {
    std::int64_t step = -1;          // outside all steps
    std::uint32_t phase = kNoIndex;  // OpLog::names; between phases
  };

  explicit MarkIndex(const std::vector<StepMark>& marks);

  // Fastest when times come in rising order.
  [[nodiscard]] Place at(std::int64_t time_ns);

 private:
  // Marks that do not overlap, by time.
  class Lane {
   public:
    void add(const StepMark& mark) { marks_.push_back(mark); }
    void sort();
    [[nodiscard]] const StepMark* at(std::int64_t time_ns);

   private:
    std::vector<StepMark> marks_;
    std::size_t next_ = 0;  // the first that starts after the last time asked for
  };
  Lane steps_;
  Lane phases_;
};

}  // namespace stepbench::ops
