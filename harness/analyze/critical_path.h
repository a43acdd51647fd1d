// SPDX-License-Identifier: Apache-2.0
// What a step waits for from its end back to its beginning. Pure; any thread.
//
// The host is one chain of pieces: what the step thread does, and where that does nothing, what
// another thread does. A device row begins when its launch call has begun and the row before it on
// its stream has ended; where it still waits and a row of another stream has just ended, it waited
// for that one. A host's wait ends with the last row that ended inside it.
//
// It cannot know contention (kernels that slow each other down, or a host that others slow), nor
// what other ranks do, nor a launch that the queue of the device held back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/analyze/path_kind.h"
#include "harness/analyze/steps.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

// What of the path the same row's name makes.
struct PathPlace {
  PathKind kind = PathKind::kUnknown;
  std::uint32_t name = ops::kNoIndex;  // Trace::names; kNoIndex: no row
  std::int64_t ns = 0;
  std::int64_t times = 0;
};

struct CriticalPath {
  TimeSpan window = {};      // from the first counted step to the end of the last one's work
  std::int64_t steps = 0;    // in it
  double step_ns = 0;        // mean, from start to start
  std::int64_t path_ns = 0;  // of all these steps: the window
  std::array<std::int64_t, kPathKinds> ns = {};  // they sum to path_ns
  std::vector<PathPlace> places = {};            // by time
  std::int64_t launch_ns = 0;      // from a call to its row where nothing else holds it
  std::int64_t guessed_waits = 0;  // rows that seem to wait for another stream
};

[[nodiscard]] ValueOrReason<CriticalPath> find_critical_path(const Timeline& timeline,
                                                             const Steps& steps);

}  // namespace stepbench::analyze
