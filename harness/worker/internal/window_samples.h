// SPDX-License-Identifier: Apache-2.0
// The steps of one active window. Memory is allocated and touched before the window; appending
// allocates nothing and takes no lock. Recording stores one row per step to touch few cache lines;
// columns are made afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/series.h"
#include "harness/measure/step_recorder.h"

namespace stepbench::worker {

class WindowSamples {
 public:
  // phase_names: built-in and declared phases, in order of PhaseId.
  explicit WindowSamples(std::vector<std::string> phase_names);

  void prepare(std::size_t steps);  // allocates and touches memory for `steps`
  void clear() { size_ = 0; }
  void append(const StepRecorder::Step& step) noexcept { rows_[size_++] = step; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::int64_t begin_ns() const { return rows_.front().start_ns; }  // if not empty

  // Columns index, step_ns, <phase>_ns of each phase that occurred, other_ns, then samples, tokens,
  // bytes and epoch_wait_ns if any step has them, those of requests if any step answers one
  // (request_latency_ns, time_to_first_token_ns, time_per_output_token_ns; without the wait for
  // their data), flags. A step lasts until the next one's start, the last until `end_ns`; its
  // phases and other_ns sum to it exactly. Throws Error naming the step if its phases are longer
  // than itself.
  [[nodiscard]] Series columns(std::int64_t end_ns) const;
  // Number of phases and steps of zero duration on this clock.
  [[nodiscard]] std::int64_t clock_ties() const;

 private:
  std::vector<std::string> phase_names_;
  std::vector<StepRecorder::Step> rows_;
  std::size_t size_ = 0;
};

}  // namespace stepbench::worker
