// SPDX-License-Identifier: Apache-2.0
// Where the host waits for a device: calls that synchronise, and copies that bring small results
// back, by operator and by line of Python; without the waits that belong to a copy (own_waits). In
// the counted steps. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/analyze/copies.h"
#include "harness/analyze/steps.h"

namespace stepbench::analyze {

// Names are Trace::names.
struct HostWaitPlace {
  std::uint32_t op = ops::kNoIndex;    // the outermost inside its annotation: aten::item, aten::to
  std::uint32_t call = ops::kNoIndex;  // of the longest wait
  std::uint32_t python = ops::kNoIndex;  // the user's frame; none: no frames were recorded
  bool reads = false;                    // a small result
  std::int64_t count = 0;
  std::int64_t ns = 0;    // of all calls
  TimeSpan longest = {};  // call
  std::size_t longest_step = 0;
};

struct HostWaits {
  std::int64_t count = 0;                  // a copy with the call that waits for it is one
  std::int64_t reads = 0;                  // of them: copies of small results
  std::vector<HostWaitPlace> places = {};  // by time
};

[[nodiscard]] HostWaits find_host_waits(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::analyze
