// SPDX-License-Identifier: Apache-2.0
// The operator table of a trace, whoever recorded it, which `show --ops` prints and results keep,
// and the allocated memory over time. Exact in integer nanoseconds and bytes. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/findings/finding.h"
#include "harness/ops/op_table.h"
#include "harness/traces/internal/op_tree.h"
#include "harness/traces/trace.h"

namespace stepbench::traces {

// Grouped by step, phase, name, shapes, module and kind, in order of first call.
[[nodiscard]] ops::OpTable op_table_of(const Trace& trace);
[[nodiscard]] ops::OpTable op_table_of(const OpTree& tree);

// Allocated memory over time, its peaks, and the bytes of each interval. Pure; any thread.

struct MemoryLevel {
  std::uint32_t event = 0;  // index of the event that led to this level
  std::int64_t allocated_bytes = 0;
  bool peak = false;  // the device's maximum
};

// Sorted by device, then by time. At most `points` per device: the maximum of each run of events.
// Uses the totals reported by the allocator, or the sum of the events if there are none.
[[nodiscard]] std::vector<MemoryLevel> memory_levels(const std::vector<TraceMemory>& events,
                                                     std::size_t points);

inline constexpr double kSpikeThreshold = 0.25;
inline constexpr std::int64_t kMinSpikeBytes = std::int64_t{1} << 20;

// One finding, "memory.spike", per device whose peak is more than `threshold` above the level that
// holds for 95 % of the time. Names op and phase of the peak.
[[nodiscard]] std::vector<Finding> memory_findings(const Trace& trace, const ops::OpTable& table,
                                                   double threshold = kSpikeThreshold);

// Like torch.profiler, charges every allocation to all ops open at that time, on any thread. Both
// ends of an op's interval belong to it.
class MemorySums {
 public:
  struct Bytes {
    std::int64_t cpu = 0;
    std::int64_t device = 0;

    void operator+=(const Bytes& more) { cpu += more.cpu, device += more.device; }
    void operator-=(const Bytes& less) { cpu -= less.cpu, device -= less.device; }
  };

  explicit MemorySums(const std::vector<TraceMemory>& events);

  [[nodiscard]] bool empty() const { return times_.empty(); }
  // Marks the events as claimed.
  [[nodiscard]] Bytes claim(std::int64_t start_ns, std::int64_t end_ns);

  struct Unclaimed {
    std::int64_t at_ns = 0;
    Bytes bytes = {};
  };
  [[nodiscard]] std::vector<Unclaimed> unclaimed() const;

 private:
  std::vector<std::int64_t> times_;
  std::vector<Bytes> sums_;             // sum of the events before index i
  std::vector<std::int32_t> openings_;  // claims that begin minus claims that end at index i
};

}  // namespace stepbench::traces
