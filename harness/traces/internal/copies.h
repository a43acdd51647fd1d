// SPDX-License-Identifier: Apache-2.0
// Copies between host and device: size, bandwidth and waits of the host. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/traces/internal/steps.h"
#include "harness/traces/internal/summary.h"

namespace stepbench::traces {

// All copies of one name, such as "Memcpy HtoD (Pageable -> Device)". Copies that return small
// results to the host, as .item() does, form a separate group: they are waits in any memory.
struct CopyGroup {
  std::uint32_t name = ops::kNoIndex;  // Trace::names
  bool reads = false;
  ops::CopyKind direction = ops::CopyKind::kNone;
  MemoryKind host = MemoryKind::kUnknown;  // kDevice: both ends are on devices
  std::int64_t count = 0;
  std::int64_t in_steps = 0;  // launched in the counted steps, as for all members below
  std::optional<std::int64_t> bytes = {};  // bytes of these; absent: not recorded (ROCm)
  std::int64_t device_ns = 0;              // sum of the rows
  std::int64_t exposed_ns = 0;             // part of their union during which no kernel runs
  Summary bytes_per_ns = {};               // GB/s of each row with a duration > 0
  // Time of their host calls, including calls that wait for the copy inside the same operation:
  // torch's copy_ calls cudaMemcpyAsync and then cudaStreamSynchronize unless it is non_blocking.
  std::int64_t call_ns = 0;
  std::int64_t own_wait_ns = 0;       // part of call_ns spent in these waits
  std::int64_t own_wait_idle_ns = 0;  // part of own_wait_ns during which the device was idle
  // Copies whose call returned only when the copy was done, within 100 us or 5 % of its duration:
  // all calls that are not Async, and copies of pageable memory. A pinned copy blocks if its call,
  // or the wait in the same operation, outlasts it.
  std::int64_t blocking = 0;
  // Time by which these calls outlasted their copies, while the device was busy or idle.
  std::int64_t wait_busy_ns = 0;
  std::int64_t wait_idle_ns = 0;
  TimeSpan longest_call = {};
  std::uint32_t longest_name = ops::kNoIndex;  // name of longest_call
  std::uint32_t longest_op = ops::kNoIndex;  // operator around it; kNoIndex: outside all operators
  std::size_t longest_step = 0;              // index of the step
};

// Larger copies are treated as intended results.
inline constexpr std::int64_t kSmallReadBytes = std::int64_t{64} << 10;

// Returns whether this copy brings a small result to the waiting host. `call` may be null.
[[nodiscard]] bool reads_result(const Trace& trace, const TraceEvent& copy, const CallRow* call);

// For each of Timeline::calls: the call in the same operation that waits for the copy it started;
// null if there is none. Copies that bring small results are waits themselves.
[[nodiscard]] std::vector<const CallRow*> own_waits(const Timeline& timeline);

struct Copies {
  std::vector<CopyGroup> groups = {};  // sorted by time on the device
};

[[nodiscard]] ValueOrReason<Copies> find_copies(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::traces
