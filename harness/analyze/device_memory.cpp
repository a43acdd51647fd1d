// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/device_memory.h"

#include <algorithm>
#include <map>

namespace stepbench::analyze {

ValueOrReason<std::vector<MemoryPeak>> memory_peaks(const trace::Trace& trace) {
  using Peaks = ValueOrReason<std::vector<MemoryPeak>>;
  if (trace.memory.empty()) {
    return Peaks::absent("memory was not recorded: profile with profile_memory=True");
  }
  std::map<int, MemoryPeak> peaks;
  for (const trace::TraceMemory& row : trace.memory) {
    if (row.total_allocated < 0) continue;
    const auto [at, is_new] = peaks.try_emplace(row.device, MemoryPeak{.device = row.device});
    MemoryPeak& peak = at->second;
    if (is_new || row.total_allocated > peak.allocated_bytes) {
      peak.allocated_bytes = row.total_allocated;
      peak.at_ns = row.at_ns;
    }
    peak.reserved_bytes = std::max(peak.reserved_bytes, row.total_reserved);
  }
  if (peaks.empty()) {
    return Peaks::absent("memory rows have no totals, as in traces until 2021: unknown peak");
  }
  std::vector<MemoryPeak> out;
  for (auto& [device, peak] : peaks) {
    const ops::TraceDevice* facts = trace.device(device);
    if (device >= 0 && facts != nullptr && facts->total_memory_bytes > 0) {
      peak.total_bytes = facts->total_memory_bytes;
    }
    out.push_back(peak);
  }
  return out;
}

}  // namespace stepbench::analyze
