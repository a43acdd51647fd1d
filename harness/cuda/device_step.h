// SPDX-License-Identifier: Apache-2.0
// What the events of one step say. Pure functions of times in nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/measure/phase.h"

namespace stepbench::cuda {

// One marked phase on a stream, since its step's first event: negative where a side stream is ahead
// of the stream that computes.
struct DeviceSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  PhaseId phase = PhaseId::kOther;
  bool side_stream = false;  // not the one that computes
};

// What phases took on one kind of stream.
struct DevicePhases {
  std::array<std::int64_t, kMaxPhases> ns{};
  std::uint32_t occurred = 0;  // bit per PhaseId
};

struct DeviceStep {
  DevicePhases compute;        // on the stream that computes
  DevicePhases side;           // on all others
  std::int64_t period_ns = 0;  // on the stream that computes, from the end of the step before
  std::int64_t other_ns = 0;   // of period_ns, outside every phase on that stream
  std::int64_t span_ns = 0;    // first to last event on the stream that computes
  std::int64_t idle_ns = 0;    // of span_ns, outside every phase that launches work
};

[[nodiscard]] bool launches_work(const DeviceSpan& span);

// A step of `span_ns` that began `gap_ns` after the end of the one before. Orders `spans` in place;
// allocates nothing.
[[nodiscard]] DeviceStep device_step(std::vector<DeviceSpan>& spans, std::int64_t span_ns,
                                     std::int64_t gap_ns);

// Of `span`, the time in which one of `compute` ran too; those are in order, none during another.
[[nodiscard]] std::int64_t overlap_ns(const DeviceSpan& span, std::span<const DeviceSpan> compute);

// cudaEventElapsedTime answers in float milliseconds.
[[nodiscard]] std::int64_t ns_of_ms(float ms);

// Maps times of the device's clock to the host's: linear between two moments at which both were
// read.
class ClockMap {
 public:
  struct Moment {
    std::int64_t device_ns = 0;
    std::int64_t host_ns = 0;
    std::int64_t error_ns = 0;  // host_ns is right within it
  };
  ClockMap(Moment first, Moment last) : first_(first), last_(last) {}
  [[nodiscard]] std::int64_t host_ns(std::int64_t device_ns) const;
  [[nodiscard]] std::int64_t error_ns() const;

 private:
  Moment first_;
  Moment last_;
};

}  // namespace stepbench::cuda
