// SPDX-License-Identifier: Apache-2.0
// Private to the attribution of idle time: which ops and calls it falls into, and the gaps that
// nothing explains. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "harness/analyze/host_sets.h"
#include "harness/analyze/idle.h"
#include "harness/analyze/python_frames.h"

namespace stepbench::analyze {

class IdlePlaces {
 public:
  // All three must outlive this object.
  IdlePlaces(const Timeline& timeline, const Steps& steps, const HostSets& host);

  // Adds places and gaps of the counted steps; `idle[cause]` is all idle time of that cause.
  void fill(const std::array<IntervalSet, kIdleCauses>& idle, IdleReport& report);

 private:
  // A span of a host row that can explain idle time.
  struct Stretch {
    TimeSpan at = {};
    std::uint32_t name = ops::kNoIndex;
    std::uint32_t call = ops::kNoIndex;
    const trace::TraceEvent* row = nullptr;
  };

  void add_calls();
  void add_main_rows();
  void add_places(IdleCause cause, const IntervalSet& idle, const std::vector<Stretch>& stretches,
                  std::uint32_t lane, std::vector<IdlePlace>& places) const;
  void add_other_threads(IdleCause cause, const IntervalSet& idle,
                         std::vector<IdlePlace>& places) const;
  void add_functions(const IntervalSet& idle, std::vector<IdlePlace>& places);
  void add_gaps(const IntervalSet& idle, IdleReport& report);
  void name_started_work(std::vector<IdlePlace>& places) const;
  [[nodiscard]] std::uint32_t annotation_at(std::int64_t at_ns) const;
  [[nodiscard]] std::size_t step_at(std::int64_t at_ns) const;

  const Timeline& timeline_;
  const Steps& steps_;
  const HostSets& host_;
  IntervalSet counted_;
  std::array<std::vector<Stretch>, kIdleCauses> main_;  // spans of the step thread, by cause
  std::vector<std::vector<Stretch>> threads_;           // as HostSets::threads
  std::vector<const trace::TraceEvent*> annotations_;   // outermost annotations of the step thread
  PythonFrames frames_;                                 // the step thread's
};

}  // namespace stepbench::analyze
