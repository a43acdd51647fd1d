// SPDX-License-Identifier: Apache-2.0
// Copies between host and device: how much, how fast, which made the host wait, and for what. Pure;
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/summary.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

// All copies of one name: "Memcpy HtoD (Pageable -> Device)". Those that bring small results to the
// host, as .item() does, are a group of their own: they are waits, whatever memory they end in.
struct CopyGroup {
  std::uint32_t name = ops::kNoIndex;  // Trace::names
  bool reads = false;
  ops::CopyKind direction = ops::CopyKind::kNone;
  trace::MemoryKind host = trace::MemoryKind::kUnknown;  // kDevice: both ends lie on devices
  std::int64_t count = 0;
  std::int64_t in_steps = 0;               // launched in the counted steps, as what follows
  std::optional<std::int64_t> bytes = {};  // of these; absent: the rows do not say (ROCm)
  std::int64_t device_ns = 0;              // sum of the rows
  std::int64_t exposed_ns = 0;             // of their union, while no kernel runs
  Summary bytes_per_ns = {};               // GB/s of each row that lasts
  // Of their calls on the host, with those that wait for a copy in its own operation: torch's
  // copy_ calls cudaMemcpyAsync and then cudaStreamSynchronize, unless it is non_blocking.
  std::int64_t call_ns = 0;
  std::int64_t own_wait_ns = 0;       // of it: these waits
  std::int64_t own_wait_idle_ns = 0;  // of these: while the device did nothing
  // Copies whose call returned when they were done, within 100 us or 5 % of their time: all calls
  // that are not Async, and those of pageable memory. A pinned copy blocks where its call, or the
  // wait in its own operation, outlasts it.
  std::int64_t blocking = 0;
  // By how much these calls took longer than the copies: while the device worked on what was queued
  // before, and while it did nothing.
  std::int64_t wait_busy_ns = 0;
  std::int64_t wait_idle_ns = 0;
  TimeSpan longest_call = {};
  std::uint32_t longest_name = ops::kNoIndex;  // of that call
  std::uint32_t longest_op = ops::kNoIndex;    // around it; none: outside all ops
  std::size_t longest_step = 0;                // index of the step
};

// Larger ones are results on purpose.
inline constexpr std::int64_t kSmallReadBytes = std::int64_t{64} << 10;

// Does this copy bring a small result to the host, which waits for it? `call` may be null.
[[nodiscard]] bool reads_result(const trace::Trace& trace, const trace::TraceEvent& copy,
                                const CallRow* call);

// For each of Timeline::calls: the call that waits for the copy which it started, in the same
// operation; null: there is none. Copies that bring small results are waits themselves.
[[nodiscard]] std::vector<const CallRow*> own_waits(const Timeline& timeline);

struct Copies {
  std::vector<CopyGroup> groups = {};  // by time on the device
};

[[nodiscard]] ValueOrReason<Copies> find_copies(const Timeline& timeline, const Steps& steps);

}  // namespace stepbench::analyze
