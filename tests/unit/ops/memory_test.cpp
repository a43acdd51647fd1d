// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/op_table_of.h"
#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::ops {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

// Two steps at 100 MiB; the second one's backward has a temporary of `extra` for 2 % of the time.
LogMaker with_temporary(std::int64_t extra) {
  LogMaker maker;
  maker.step(3, 0, 1000);
  maker.step(4, 1000, 2000);
  maker.phase("backward", 4, 1500, 1900);
  maker.op("aten::empty", 0, 10);
  maker.op("aten::convolution_backward", 1600, 1700, 1);
  maker.memory(5, 100 * kMiB, 0);
  maker.memory(1610, extra, 1);
  maker.memory(1650, -extra, 1);
  maker.memory(1990, -100 * kMiB, 0);
  return maker;
}

TEST(Memory, Spike_NamesOpPhaseAndStep) {
  const LogMaker maker = with_temporary(60 * kMiB);
  const OpTable table = table_of(maker.log);
  const std::vector<Finding> findings = traces::memory_findings(traces::trace_of(maker.log), table);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "memory.spike");
  EXPECT_EQ(findings[0].text,
            "memory spike of the host: 160 MiB at aten::convolution_backward in backward of step "
            "4; for 95 % of the time it holds at most 100 MiB");
  EXPECT_DOUBLE_EQ(findings[0].value, 0.6);
  EXPECT_THAT(findings[0].evidence, ElementsAre("aten::convolution_backward", "backward"));
}

TEST(Memory, LastingOrSmall_IsNoSpike) {
  const LogMaker small = with_temporary(20 * kMiB);
  const auto findings_of = [](const OpLog& log) {
    return traces::memory_findings(traces::trace_of(log), table_of(log));
  };
  EXPECT_TRUE(findings_of(small.log).empty());
  LogMaker ramp;
  for (int i = 0; i < 100; ++i) ramp.memory(i * 10, kMiB);
  EXPECT_TRUE(findings_of(ramp.log).empty());
  EXPECT_TRUE(findings_of({}).empty());
}

TEST(Memory, PeakPerDevice_IsInTheTable) {
  LogMaker maker = with_temporary(60 * kMiB);
  maker.memory(1700, 5 * kMiB, 1, 0).total_allocated = 0;
  const OpTable table = table_of(maker.log);
  std::vector<std::string> peaks;
  for (const MemoryPoint& point : table.memory) {
    if (!point.peak) continue;
    peaks.push_back(std::to_string(point.device) + " " +
                    std::to_string(point.allocated_bytes / kMiB) + " " +
                    std::string(table.text(point.op)));
  }
  EXPECT_THAT(peaks,
              ElementsAre("-1 160 aten::convolution_backward", "0 5 aten::convolution_backward"));
}

TEST(Memory, LongTimeline_KeepsItsPeaks) {
  LogMaker maker;
  for (int i = 0; i < 10'000; ++i) maker.memory(i, i % 2 == 0 ? 100 + i : -100 - i + 1);
  const std::vector<traces::MemoryLevel> levels =
      traces::memory_levels(traces::trace_of(maker.log).memory, 100);
  ASSERT_EQ(levels.size(), 100U);
  std::int64_t highest = 0;
  std::int64_t held = 0;
  for (const MemoryEvent& event : maker.log.memory) {
    held += event.bytes;
    highest = std::max(highest, held);
  }
  const auto peak = std::find_if(levels.begin(), levels.end(),
                                 [](const traces::MemoryLevel& level) { return level.peak; });
  ASSERT_NE(peak, levels.end());
  EXPECT_EQ(peak->allocated_bytes, highest);
}

TEST(Memory, Peak_IsTheAllocatorsIfReported) {
  LogMaker maker;
  maker.memory(1, 10).total_allocated = 1010;
  maker.memory(2, -10).total_allocated = 1000;
  const std::vector<traces::MemoryLevel> levels =
      traces::memory_levels(traces::trace_of(maker.log).memory, 10);
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].allocated_bytes, 1010);
  EXPECT_TRUE(levels[0].peak);
}

}  // namespace
}  // namespace stepbench::ops
