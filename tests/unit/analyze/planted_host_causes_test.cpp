// SPDX-License-Identifier: Apache-2.0
// The rules of traces without a device, on traces that hold one cause of known size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "harness/analyze/rules.h"
#include "harness/findings/finding.h"
#include "tests/unit/analyze/trace_maker.h"

namespace stepbench::analyze {
namespace {

using ::testing::HasSubstr;
using testing::TraceMaker;

constexpr std::int64_t kHostStepNs = 100'000'000;
constexpr std::int64_t kHostSteps = 8;  // the first and the last do not count

using HostPlant = std::function<void(TraceMaker&, std::int64_t begin_ns)>;

// A wait for data of 2 ms, an operator of 50 ms, and behind it what `plant` adds.
trace::Trace on_host(const HostPlant& plant) {
  TraceMaker trace;
  for (std::int64_t i = 0; i < kHostSteps; ++i) {
    const std::int64_t begin_ns = 1'000'000'000 + i * kHostStepNs;
    trace.step(i, begin_ns, begin_ns + kHostStepNs);
    trace.loading(begin_ns, begin_ns + 2'000'000);
    // A batch is put together of small operators: that is loading, not the step's own work.
    for (std::int64_t k = 0; k < 300; ++k) {
      trace.op("aten::select", begin_ns + k * 6'000, begin_ns + k * 6'000 + 5'000);
    }
    trace.op("aten::linear", begin_ns + 3'000'000, begin_ns + 53'000'000);
    plant(trace, begin_ns + 55'000'000);
  }
  return trace.finish();
}

const Finding* find_host(const std::vector<Finding>& findings, std::string_view id) {
  for (const Finding& finding : findings) {
    if (finding.id == id && finding.undecided.empty()) return &finding;
  }
  return nullptr;
}

std::vector<Finding> host_causes(const trace::Trace& trace, const RuleOptions& options = {}) {
  return find_causes(trace, analyse(trace), options);
}

HostPlant tiny_ops(std::int64_t count, std::int64_t each_ns) {
  return [=](TraceMaker& trace, std::int64_t begin_ns) {
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t at_ns = begin_ns + k * (each_ns + 1'000);
      trace.op("aten::add_", at_ns, at_ns + each_ns);
      trace.op("aten::empty", at_ns + 100, at_ns + each_ns - 100);  // called by it: not another one
    }
  };
}

TEST(PlantedHostCauses, ManyTinyOperatorsAreNamedWithTheirTime) {
  const trace::Trace trace = on_host(tiny_ops(2'000, 9'000));
  const std::vector<Finding> findings = host_causes(trace);
  const Finding* found = find_host(findings, "trace.tiny_operators");
  ASSERT_NE(found, nullptr);
  const double between_ns = 1'999 * 1e3;
  EXPECT_NEAR(*found->gain_ns, 18e6 + between_ns, 1) << "with what Python does between them";
  EXPECT_NEAR(found->value, 0.18 + between_ns / double(kHostStepNs), 1e-6);
  EXPECT_THAT(found->text, HasSubstr("of it between them 2.00 ms"));
  EXPECT_THAT(found->text, HasSubstr("2,000 operators per step take less than 10 us"));
  EXPECT_THAT(found->text, HasSubstr("aten::add_, 2,000 times per step"));
  EXPECT_TRUE(found->set.empty());
  ASSERT_EQ(found->places.size(), 1U);
  EXPECT_EQ(found->places.front().duration_ns, 2'000 * 10'000 - 1'000);
  // Below the share, and few that are not short.
  EXPECT_EQ(find_host(host_causes(on_host(tiny_ops(2'000, 4'000))), "trace.tiny_operators"),
            nullptr);
  EXPECT_EQ(find_host(host_causes(on_host(tiny_ops(2'000, 11'000))), "trace.tiny_operators"),
            nullptr);
}

TEST(PlantedHostCauses, TinyOperatorsOfOwnRunsProposeAFusedOptimizer) {
  const trace::Trace trace = on_host(tiny_ops(2'000, 9'000));
  const std::vector<Finding> findings =
      host_causes(trace, {.options = {{"optimizer.implementation", std::string("single")}}});
  const Finding* found = find_host(findings, "trace.tiny_operators");
  ASSERT_NE(found, nullptr);
  ASSERT_EQ(found->set.size(), 1U);
  EXPECT_EQ(found->set.front().value, "fused");
}

TEST(PlantedHostCauses, ValuesThatAStepReadsAreCounted) {
  const auto reads = [](std::int64_t in_all_steps) {
    return [in_all_steps, done = std::int64_t{0}](TraceMaker& trace, std::int64_t at_ns) mutable {
      for (std::int64_t k = 0; k < in_all_steps; ++k, at_ns += 20'000) {
        trace.op("aten::item", at_ns, at_ns + 12'000);
        trace.op("aten::_local_scalar_dense", at_ns + 1'000, at_ns + 9'000);
      }
    };
  };
  const std::vector<Finding> findings = host_causes(on_host(reads(3)));
  const Finding* found = find_host(findings, "trace.host_reads");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->value, 3);
  EXPECT_EQ(found->severity, Severity::kInfo);
  EXPECT_THAT(found->text, HasSubstr("3 times (aten::item)"));
  EXPECT_EQ(find_host(host_causes(on_host(reads(0))), "trace.host_reads"), nullptr);
}

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

HostPlant blocks(std::int64_t count, bool freed_at_once, std::int64_t block = 16 * kMiB) {
  return [=](TraceMaker& trace, std::int64_t begin_ns) {
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t at_ns = begin_ns + k * 500'000;
      trace.op("aten::full", at_ns, at_ns + 400'000);
      const auto address = std::uint64_t(16 * (freed_at_once ? 1 : k + 1));
      trace.builder.add(trace::TraceMemory{
          .at_ns = at_ns + 10, .bytes = block, .address = address, .lane = trace.main});
      const std::int64_t free_ns = freed_at_once ? at_ns + 450'000 : begin_ns + 40'000'000 + k;
      trace.builder.add(trace::TraceMemory{
          .at_ns = free_ns, .bytes = -block, .address = address, .lane = trace.main});
    }
  };
}

TEST(PlantedHostCauses, LargeBlocksThatAreAllocatedAgainAndAgainAreNamed) {
  const std::vector<Finding> findings = host_causes(on_host(blocks(40, true)));
  const Finding* found = find_host(findings, "trace.host_allocations");
  ASSERT_NE(found, nullptr);
  EXPECT_THAT(found->text, HasSubstr("640 MiB in 40 blocks per step"));
  EXPECT_THAT(found->text, HasSubstr("at most 16.0 MiB"));
  EXPECT_THAT(found->text, HasSubstr("aten::full"));
  EXPECT_TRUE(found->low_confidence);
  EXPECT_EQ(find_host(host_causes(on_host(blocks(9, true))), "trace.host_allocations"), nullptr)
      << "as often as a step may use its memory";
  EXPECT_EQ(find_host(host_causes(on_host(blocks(40, false))), "trace.host_allocations"), nullptr)
      << "held at the same time, as activations are";
}

// malloc gives blocks of 32 MiB and more back to the system as soon as they are freed.
TEST(PlantedHostCauses, ASingleBlockThatIsLargeEnoughForFreshPagesIsNamed) {
  const std::vector<Finding> findings = host_causes(on_host([](TraceMaker& trace, std::int64_t at) {
    blocks(1, true, 64 * kMiB)(trace, at);
    trace.op("aten::relu", at + 600'000, at + 12'600'000);
  }));
  EXPECT_EQ(find_host(findings, "trace.host_allocations"), nullptr)
      << "at most the time of the operator that touches it, 0.4 ms of 100";
  const std::vector<Finding> made = host_causes(on_host([](TraceMaker& trace, std::int64_t at) {
    trace.op("aten::empty", at, at + 5'000);
    trace.builder.add(trace::TraceMemory{
        .at_ns = at + 10, .bytes = 64 * kMiB, .address = 16, .lane = trace.main});
    trace.op("aten::fill_", at + 10'000, at + 12'010'000);
    trace.builder.add(trace::TraceMemory{
        .at_ns = at + 13'000'000, .bytes = -64 * kMiB, .address = 16, .lane = trace.main});
  }));
  const Finding* found = find_host(made, "trace.host_allocations");
  ASSERT_NE(found, nullptr);
  EXPECT_THAT(found->text, HasSubstr("64.0 MiB in 1 block per step"));
  EXPECT_NEAR(*found->gain_ns, 12'005'000, 1) << "of aten::empty and of what fills it";
}

TEST(PlantedHostCauses, OfMemoryAreUndecidedWithoutRowsOfMemory) {
  const std::vector<Finding> findings = host_causes(on_host([](TraceMaker&, std::int64_t) {}));
  const auto found = std::find_if(findings.begin(), findings.end(), [](const Finding& each) {
    return each.id == "trace.host_allocations";
  });
  ASSERT_NE(found, findings.end());
  EXPECT_THAT(found->undecided, HasSubstr("profile_memory=True"));
}

HostPlant items(std::int64_t count) {
  return [=](TraceMaker& trace, std::int64_t at_ns) {
    for (std::int64_t k = 0; k < count; ++k, at_ns += 10'000) {
      trace.op("aten::item", at_ns, at_ns + 6'000);
      trace.op("aten::_local_scalar_dense", at_ns + 1'000, at_ns + 5'000);
    }
  };
}

TEST(PlantedHostCauses, ValuesThatAStepReadsStandFirstWithTheirTimeAndAreNoTinyOperators) {
  const std::vector<Finding> findings = host_causes(on_host(items(3'000)));
  ASSERT_EQ(findings.front().id, "trace.host_reads") << findings.front().text;
  EXPECT_NEAR(*findings.front().gain_ns, 3'000 * 10e3, 5e3);
  EXPECT_EQ(find_host(findings, "trace.tiny_operators"), nullptr);
}

TEST(PlantedHostCauses, ValuesThatAnOptimizerReadsAreItsOwnCountersOnTheHost) {
  const auto within = [](const HostPlant& plant) {
    return [plant](TraceMaker& trace, std::int64_t at) {
      trace.row(trace.main, trace::EventKind::kAnnotation, "Optimizer.step#AdamW.step", at - 1'000,
                at + 3'000'000);
      plant(trace, at);
    };
  };
  EXPECT_EQ(find_host(host_causes(on_host(within(items(60)))), "trace.host_reads"), nullptr);
}

TEST(PlantedHostCauses, ValuesThatAStepReadsHaveTheirLineOfPython) {
  const auto plant = [](TraceMaker& trace, std::int64_t at) {
    trace.row(trace.main, trace::EventKind::kPython, "train.py(12): log_losses", at, at + 500'000);
    items(20)(trace, at + 1'000);
  };
  const std::vector<Finding> findings = host_causes(on_host(plant));
  const Finding* found = find_host(findings, "trace.host_reads");
  ASSERT_NE(found, nullptr);
  EXPECT_THAT(found->text, HasSubstr("aten::item, called at train.py(12): log_losses"));
}

TEST(PlantedHostCauses, OfNoSizeLeaveAStepWithoutThem) {
  const std::vector<Finding> findings = host_causes(on_host([](TraceMaker&, std::int64_t) {}));
  for (const char* id : {"trace.tiny_operators", "trace.host_reads", "trace.host_allocations"}) {
    EXPECT_EQ(find_host(findings, id), nullptr) << id;
  }
}

}  // namespace
}  // namespace stepbench::analyze
