// SPDX-License-Identifier: Apache-2.0
// When the host's threads did what: the sets that explain why a device had nothing to do. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/analyze/interval_set.h"
#include "harness/analyze/timeline.h"

namespace stepbench::analyze {

// A stretch of one thread in which the same row was the innermost.
struct InnerRow {
  TimeSpan at = {};
  const trace::TraceEvent* row = nullptr;
  const trace::TraceEvent* op = nullptr;  // of a call: the innermost other row around it
};

// The innermost op, annotation or loader row of each moment of a thread, without steps; stretches
// are sorted and disjoint. Calls count where `calls` says so.
[[nodiscard]] std::vector<InnerRow> innermost_rows(const trace::Trace& trace,
                                                   const trace::TraceLane& lane, bool calls);

struct OtherThread {
  std::uint32_t lane = 0;
  IntervalSet set;
  IntervalSet backward;  // of it: autograd's
};

struct HostSets {
  // `main` is the step thread; kNoIndex: none.
  HostSets(const trace::Trace& trace, std::uint32_t main);

  IntervalSet loading;      // of the step thread, as all that follow
  IntervalSet synchronise;  // calls
  IntervalSet copy_calls;
  IntervalSet other_calls;
  IntervalSet ops;                   // ops and annotations, without steps
  IntervalSet main_backward;         // of these: autograd's
  IntervalSet backward;              // autograd's of all threads
  IntervalSet other_threads;         // ops, annotations and calls of all other threads
  std::vector<OtherThread> threads;  // the busiest of them, each alone
};

}  // namespace stepbench::analyze
