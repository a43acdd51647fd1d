// SPDX-License-Identifier: Apache-2.0
// Interval sets of host activity that explain why a device was idle. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/analyze/interval_set.h"
#include "harness/analyze/timeline.h"

namespace stepbench::analyze {

// A span of one thread during which the same row was the innermost.
struct InnerRow {
  TimeSpan at = {};
  const trace::TraceEvent* row = nullptr;
  const trace::TraceEvent* op = nullptr;  // for a call: the innermost row around it that is no call
};

// Returns the innermost op, annotation or loader row at each moment of a thread, without steps, as
// sorted and disjoint spans. Includes calls if `calls` is set.
[[nodiscard]] std::vector<InnerRow> innermost_rows(const trace::Trace& trace,
                                                   const trace::TraceLane& lane, bool calls);

struct OtherThread {
  std::uint32_t lane = 0;
  IntervalSet set;
  IntervalSet backward;  // autograd's part of `set`
};

struct HostSets {
  // `main` is the step thread; kNoIndex: no step thread.
  HostSets(const trace::Trace& trace, std::uint32_t main);

  IntervalSet loading;      // on the step thread, like all sets below unless noted otherwise
  IntervalSet synchronise;  // synchronising calls
  IntervalSet copy_calls;
  IntervalSet other_calls;
  IntervalSet ops;                   // ops and annotations, without steps
  IntervalSet main_backward;         // autograd's part of `ops`
  IntervalSet backward;              // autograd on all threads
  IntervalSet other_threads;         // ops, annotations and calls of all other threads
  std::vector<OtherThread> threads;  // the busiest other threads, one entry each
};

}  // namespace stepbench::analyze
