// SPDX-License-Identifier: Apache-2.0
// Computes device times of a step from its events. Pure functions of times in nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/measure/phase.h"

namespace stepbench::cuda {

// One marked phase on a stream, relative to its step's first event: negative if a side stream is
// ahead of the compute stream.
struct DeviceSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  PhaseId phase = PhaseId::kOther;
  bool side_stream = false;  // not the compute stream
};

// Time of each phase on one kind of stream.
struct DevicePhases {
  std::array<std::int64_t, kMaxPhases> ns{};
  std::uint32_t occurred = 0;  // bit per PhaseId
};

struct DeviceStep {
  DevicePhases compute;        // on the compute stream
  DevicePhases side;           // on all other streams
  std::int64_t period_ns = 0;  // on the compute stream, since the previous step's end
  std::int64_t other_ns = 0;   // part of period_ns outside every phase on that stream
  std::int64_t span_ns = 0;    // first to last event on the compute stream
  std::int64_t idle_ns = 0;    // part of span_ns outside every phase that launches work
};

[[nodiscard]] bool launches_work(const DeviceSpan& span);

// A step of `span_ns` that began `gap_ns` after the previous step's end. Sorts `spans` in place;
// allocates nothing.
[[nodiscard]] DeviceStep device_step(std::vector<DeviceSpan>& spans, std::int64_t span_ns,
                                     std::int64_t gap_ns);

// Returns the part of `span` that overlaps any of `compute`; `compute` must be sorted and disjoint.
[[nodiscard]] std::int64_t overlap_ns(const DeviceSpan& span, std::span<const DeviceSpan> compute);

// cudaEventElapsedTime returns float milliseconds.
[[nodiscard]] std::int64_t ns_of_ms(float ms);

// Maps device times to host times: linear between two moments at which both clocks were read.
class ClockMap {
 public:
  struct Moment {
    std::int64_t device_ns = 0;
    std::int64_t host_ns = 0;
    std::int64_t error_ns = 0;  // bound of the error of host_ns
  };
  ClockMap(Moment first, Moment last) : first_(first), last_(last) {}
  [[nodiscard]] std::int64_t host_ns(std::int64_t device_ns) const;
  [[nodiscard]] std::int64_t error_ns() const;

 private:
  Moment first_;
  Moment last_;
};

}  // namespace stepbench::cuda
