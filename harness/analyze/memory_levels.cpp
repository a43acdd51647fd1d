// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/memory_levels.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "harness/text/numbers.h"

namespace stepbench::analyze {
namespace {

struct MemoryLevelAt {
  std::uint32_t event = 0;
  std::int64_t at_ns = 0;
  std::int64_t bytes = 0;
};

// By device, each sorted by time as Trace::memory is.
std::map<int, std::vector<MemoryLevelAt>> levels_by_device(
    const std::vector<trace::TraceMemory>& events) {
  std::map<int, std::vector<MemoryLevelAt>> devices;
  for (std::size_t i = 0; i < events.size(); ++i) {
    devices[events[i].device].push_back({static_cast<std::uint32_t>(i), events[i].at_ns, 0});
  }
  for (auto& [device, levels] : devices) {
    // -1: not recorded.
    const auto total = [&](const MemoryLevelAt& level) {
      const std::int64_t bytes = events[level.event].total_allocated;
      return bytes == -1 ? 0 : bytes;
    };
    const bool reported = std::ranges::any_of(levels, total);
    std::int64_t sum = 0;
    for (MemoryLevelAt& level : levels) {
      sum += events[level.event].bytes;
      level.bytes = reported ? total(level) : sum;
    }
  }
  return devices;
}

std::size_t highest(const std::vector<MemoryLevelAt>& levels, std::size_t first, std::size_t last) {
  const auto begin = levels.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = levels.begin() + static_cast<std::ptrdiff_t>(last);
  const auto found = std::max_element(
      begin, end, [](const MemoryLevelAt& a, const MemoryLevelAt& b) { return a.bytes < b.bytes; });
  return static_cast<std::size_t>(found - levels.begin());
}

// The level not exceeded for 95 % of the time between the first and the last event.
std::int64_t usual_bytes(const std::vector<MemoryLevelAt>& levels) {
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;  // bytes, duration
  std::int64_t total_ns = 0;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    const std::int64_t span_ns = levels[i + 1].at_ns - levels[i].at_ns;
    spans.emplace_back(levels[i].bytes, span_ns);
    total_ns += span_ns;
  }
  std::ranges::sort(spans);
  std::int64_t below_ns = 0;
  for (const auto& [bytes, span_ns] : spans) {
    below_ns += span_ns;
    if (below_ns >= total_ns - total_ns / 20) return bytes;
  }
  return spans.empty() ? 0 : spans.back().first;
}

Finding spike(const ops::OpTable& table, const ops::MemoryPoint& peak, std::int64_t usual,
              double threshold) {
  const std::string device = peak.device < 0 ? "host" : "device " + std::to_string(peak.device);
  std::string where(table.text(peak.op));
  if (where.empty()) where = "no op";
  if (peak.phase != ops::kNoIndex) where += " in " + std::string(table.text(peak.phase));
  if (peak.step >= 0) where += " of step " + std::to_string(peak.step);
  Finding finding;
  finding.id = "memory.spike";
  finding.severity = Severity::kWarning;
  finding.value = static_cast<double>(peak.allocated_bytes) / static_cast<double>(usual) - 1;
  finding.threshold = threshold;
  finding.unit = "ratio";
  finding.text = "memory spike of the " + device + ": " +
                 text::byte_text(static_cast<double>(peak.allocated_bytes)) + " at " + where +
                 "; for 95 % of the time it holds at most " +
                 text::byte_text(static_cast<double>(usual));
  finding.evidence = {std::string(table.text(peak.op)), std::string(table.text(peak.phase))};
  std::erase(finding.evidence, "");
  finding.remedy =
      "Look for a temporary of that op that can be made smaller, reused or freed earlier: this "
      "moment alone decides which batch size fits.";
  return finding;
}

}  // namespace

std::vector<MemoryLevel> memory_levels(const std::vector<trace::TraceMemory>& events,
                                       std::size_t points) {
  std::vector<MemoryLevel> chosen;
  for (const auto& [device, levels] : levels_by_device(events)) {
    const std::size_t runs = std::min(points, levels.size());
    const std::size_t peak = highest(levels, 0, levels.size());
    for (std::size_t run = 0; run < runs; ++run) {
      const std::size_t at =
          highest(levels, run * levels.size() / runs, (run + 1) * levels.size() / runs);
      chosen.push_back({levels[at].event, levels[at].bytes, at == peak});
    }
  }
  return chosen;
}

std::vector<Finding> memory_findings(const trace::Trace& trace, const ops::OpTable& table,
                                     double threshold) {
  std::vector<Finding> findings;
  for (const auto& [device, levels] : levels_by_device(trace.memory)) {
    const std::int64_t usual = usual_bytes(levels);
    const auto peak = std::ranges::find_if(
        table.memory,
        [of = device](const ops::MemoryPoint& point) { return point.device == of && point.peak; });
    if (peak == table.memory.end() || usual <= 0) continue;
    const std::int64_t excess = peak->allocated_bytes - usual;
    if (excess < kMinSpikeBytes ||
        static_cast<double>(excess) <= threshold * static_cast<double>(usual)) {
      continue;
    }
    findings.push_back(spike(table, *peak, usual, threshold));
  }
  return findings;
}

MemorySums::MemorySums(const std::vector<trace::TraceMemory>& events)
    : sums_(1), openings_(events.size() + 1) {
  for (const trace::TraceMemory& event : events) {
    times_.push_back(event.at_ns);
    sums_.push_back(sums_.back());
    (event.device < 0 ? sums_.back().cpu : sums_.back().device) += event.bytes;
  }
}

MemorySums::Bytes MemorySums::claim(std::int64_t start_ns, std::int64_t end_ns) {
  const auto begin = std::ranges::lower_bound(times_, start_ns);
  const auto end = std::upper_bound(begin, times_.end(), std::max(start_ns, end_ns));
  const auto first = static_cast<std::size_t>(begin - times_.begin());
  const auto last = static_cast<std::size_t>(end - times_.begin());
  if (first >= last) return {};
  ++openings_[first];
  --openings_[last];
  return {sums_[last].cpu - sums_[first].cpu, sums_[last].device - sums_[first].device};
}

std::vector<MemorySums::Unclaimed> MemorySums::unclaimed() const {
  std::vector<Unclaimed> found;
  std::int64_t open = 0;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    open += openings_[i];
    if (open > 0) continue;
    found.push_back(
        {times_[i], {sums_[i + 1].cpu - sums_[i].cpu, sums_[i + 1].device - sums_[i].device}});
  }
  return found;
}

}  // namespace stepbench::analyze
