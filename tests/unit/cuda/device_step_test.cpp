// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/internal/event_clock.h"

#include "tests/testing.h"

namespace stepbench::cuda {
namespace {

struct Shared {
  const char* name;
  std::vector<DeviceSpan> spans;
  std::int64_t gap_ns;  // to the previous step; this one lasts 100
  struct Parts {
    std::int64_t forward, h2d, side, idle, other;
    bool operator==(const Parts&) const = default;
  } parts;
};

TEST(DeviceStep, Period_IsSplitIntoPhases) {
  constexpr auto kForward = PhaseId::kForward;
  constexpr auto kBackward = PhaseId::kBackward;
  constexpr auto kH2d = PhaseId::kH2d;
  const Shared kShared[] = {{"a phase that comes twice is summed",
                             {{0, 10, kForward}, {30, 35, kForward}},
                             0,
                             {15, 0, 0, 85, 85}},
                            {"a period begins with the end of the step before",
                             {{10, 70, kForward}, {-20, 60, kH2d, true}, {80, 85, kH2d}},
                             7,
                             {60, 5, 80, 25, 42}},
                            {"idle is what no working phase covers",
                             {{0, 20, PhaseId::kDataWait}, {20, 50, kForward}, {60, 90, kBackward}},
                             0,
                             {30, 0, 0, 40, 20}},
                            {"a copy on a side stream fills what computing leaves open",
                             {{40, 70, kH2d, true}, {0, 50, kForward}, {60, 100, kBackward}},
                             0,
                             {50, 0, 30, 0, 10}},
                            {"what a side stream does outside the step is not its busy time",
                             {{-30, 10, kH2d, true}, {90, 130, kH2d, true}, {-50, -40, kH2d, true}},
                             0,
                             {0, 0, 90, 80, 100}},
                            {"a step without phases is idle", {}, 0, {0, 0, 0, 100, 100}}};
  for (const Shared& each : kShared) {
    SCOPED_TRACE(each.name);
    std::vector<DeviceSpan> spans = each.spans;
    const DeviceStep step = device_step(spans, 100, each.gap_ns);
    const auto at = [](const auto& phases, PhaseId id) {
      return phases.ns[static_cast<std::size_t>(id)];
    };
    EXPECT_EQ((Shared::Parts{at(step.compute, kForward), at(step.compute, kH2d),
                             at(step.side, kH2d), step.idle_ns, step.other_ns}),
              each.parts);
    EXPECT_EQ(step.span_ns, 100);
    EXPECT_EQ(step.period_ns, 100 + each.gap_ns);
    EXPECT_EQ(step.compute.occurred + step.side.occurred == 0, each.spans.empty());
  }
}

TEST(Overlap, SpanAcrossKernels_CountsTheirTime) {
  const std::vector<DeviceSpan> compute = {{.begin_ns = 0, .end_ns = 50},
                                           {.begin_ns = 60, .end_ns = 100},
                                           {.begin_ns = 100, .end_ns = 130}};
  const auto of = [&](std::int64_t begin_ns, std::int64_t end_ns) {
    return overlap_ns({.begin_ns = begin_ns, .end_ns = end_ns}, compute);
  };
  EXPECT_EQ(of(40, 70), 10 + 10);
  EXPECT_EQ(of(50, 60), 0);
  EXPECT_EQ(of(-20, 10), 10);
  EXPECT_EQ(of(90, 300), 10 + 30);
  EXPECT_EQ(of(-20, 300), 50 + 40 + 30);
  EXPECT_EQ(of(140, 150), 0);
  EXPECT_EQ(of(70, 70), 0);
  EXPECT_EQ(overlap_ns({.begin_ns = 0, .end_ns = 9}, {}), 0);
}

}  // namespace
}  // namespace stepbench::cuda
