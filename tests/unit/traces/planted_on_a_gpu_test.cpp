// SPDX-License-Identifier: Apache-2.0
// Traces that the real worker recorded on an H100 with one planted cause each, by
// tests/benchmarks/planted_causes.py: the cause comes first with its size, and is absent in the
// trace without it.
#include "harness/findings/finding.h"
#include "harness/traces/rules.h"
#include "harness/traces/trace_files.h"
#include "tests/testing.h"

namespace stepbench::traces {
namespace {

struct Recorded {
  double step_ns = 0;  // mean of the counted steps
  std::vector<Finding> findings;
};

Recorded recorded(const std::string& name) {
  const traces::Trace trace = traces::read_trace(
      fs::path(STEPBENCH_SOURCE_DIR) / "tests/unit/traces/data/h100" / (name + ".json.gz"));
  const Analysis analysis = analyse(trace);
  Recorded out;
  for (const Finding& finding : find_causes(trace, analysis, {})) {
    if (finding.undecided.empty() && finding.gain_ns) out.findings.push_back(finding);
  }
  out.step_ns = static_cast<double>(analysis.idle.back().counted.wall_ns) /
                static_cast<double>(analysis.steps.counted().size());
  return out;
}

TEST(PlantedOnAGpu, EachCause_IsNamedFirstWithItsSize) {
  const Recorded control = recorded("control");
  for (const auto& [name, cause] :
       {std::pair{"items", "trace.sync_bound"}, std::pair{"synchronous", "trace.blocking_copies"},
        std::pair{"pageable", "trace.pageable_copies"},
        std::pair{"allocations", "trace.allocations"}}) {
    const Recorded planted = recorded(name);
    ASSERT_FALSE(planted.findings.empty()) << name;
    EXPECT_EQ(planted.findings.front().id, cause) << planted.findings.front().text;
    const double more_ns = planted.step_ns - control.step_ns;
    EXPECT_GT(more_ns, 5e5) << name;
    EXPECT_NEAR(*planted.findings.front().gain_ns / more_ns, 1, 0.2) << name;
  }
}

// Its two small batches come from pageable memory, as in the options of that run.
TEST(PlantedOnAGpu, NoPlant_NamesThePageableBatchOnly) {
  for (const Finding& finding : recorded("control").findings) {
    if (finding.id == "trace.pageable_copies") continue;
    EXPECT_EQ(finding.id, "trace.edge_step_bias") << finding.text;
  }
}

}  // namespace
}  // namespace stepbench::traces
