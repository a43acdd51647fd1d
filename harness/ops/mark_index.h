// SPDX-License-Identifier: Apache-2.0
// Which step and phase a moment belongs to. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/ops/op_log.h"

namespace stepbench {

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

}  // namespace stepbench
