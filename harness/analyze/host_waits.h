// SPDX-License-Identifier: Apache-2.0
// Places where the host waits for a device: synchronising calls and copies that return small
// results, by operator and Python line, without the waits that belong to a copy (own_waits).
// Counted steps only. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/analyze/copies.h"
#include "harness/analyze/steps.h"

namespace stepbench::analyze {

// Names index Trace::names.
struct HostWaitPlace {
  std::uint32_t op = ops::kNoIndex;      // the outermost inside its annotation, such as aten::item
  std::uint32_t call = ops::kNoIndex;    // call of the longest wait
  std::uint32_t python = ops::kNoIndex;  // the user's frame; kNoIndex: no frames recorded
  bool reads = false;                    // waits for a small result
  std::int64_t count = 0;
  std::int64_t ns = 0;    // sum over all calls
  TimeSpan longest = {};  // longest call
  std::size_t longest_step = 0;
};

struct HostWaits {
  std::int64_t count = 0;                  // a copy and the call that waits for it count as one
  std::int64_t reads = 0;                  // those that copy small results
  std::vector<HostWaitPlace> places = {};  // sorted by time
};

[[nodiscard]] HostWaits find_host_waits(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::analyze
