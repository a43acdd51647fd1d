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
  EXPECT_NEAR(*found->gain_ns, 18e6, 1);
  EXPECT_NEAR(found->value, 0.18, 1e-6);
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

HostPlant blocks(std::int64_t count, bool freed_at_once) {
  constexpr std::int64_t kBlock = std::int64_t{32} << 20;
  return [=](TraceMaker& trace, std::int64_t begin_ns) {
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t at_ns = begin_ns + k * 500'000;
      trace.op("aten::full", at_ns, at_ns + 400'000);
      const auto address = std::uint64_t(16 * (freed_at_once ? 1 : k + 1));
      trace.builder.add(trace::TraceMemory{
          .at_ns = at_ns + 10, .bytes = kBlock, .address = address, .lane = trace.main});
      const std::int64_t free_ns = freed_at_once ? at_ns + 450'000 : begin_ns + 40'000'000 + k;
      trace.builder.add(trace::TraceMemory{
          .at_ns = free_ns, .bytes = -kBlock, .address = address, .lane = trace.main});
    }
  };
}

TEST(PlantedHostCauses, LargeBlocksThatAreAllocatedAgainAndAgainAreNamed) {
  const std::vector<Finding> findings = host_causes(on_host(blocks(40, true)));
  const Finding* found = find_host(findings, "trace.host_allocations");
  ASSERT_NE(found, nullptr);
  EXPECT_THAT(found->text, HasSubstr("1.25 GiB in 40 blocks per step"));
  EXPECT_THAT(found->text, HasSubstr("at most 32.0 MiB"));
  EXPECT_THAT(found->text, HasSubstr("aten::full"));
  EXPECT_TRUE(found->low_confidence);
  EXPECT_EQ(find_host(host_causes(on_host(blocks(9, true))), "trace.host_allocations"), nullptr)
      << "as often as a step may use its memory";
  EXPECT_EQ(find_host(host_causes(on_host(blocks(40, false))), "trace.host_allocations"), nullptr)
      << "held at the same time, as activations are";
}

TEST(PlantedHostCauses, OfNoSizeLeaveAStepWithoutThem) {
  const std::vector<Finding> findings = host_causes(on_host([](TraceMaker&, std::int64_t) {}));
  for (const char* id : {"trace.tiny_operators", "trace.host_reads", "trace.host_allocations"}) {
    EXPECT_EQ(find_host(findings, id), nullptr) << id;
  }
}

}  // namespace
}  // namespace stepbench::analyze
