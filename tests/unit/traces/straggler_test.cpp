// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/compare_traces.h"

#include <random>

#include "tests/testing.h"

namespace stepbench::traces {
namespace {

// Named by chance only, with the work of each step similar to the previous one.
TEST(Stragglers, EqualRanks_AreSeldomNamed) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise;
  constexpr int kTraces = 4000;
  constexpr double kAlike = 0.8;
  for (const std::size_t ranks : {2, 4, 8}) {
    for (const std::size_t steps : {4, 6, 10, 20, 50}) {
      for (const double slower_by : {0.0, 30.0}) {
        int named = 0;
        for (int i = 0; i < kTraces; ++i) {
          std::vector<double> own(ranks);
          for (double& each : own) each = noise(random);
          std::vector<std::vector<double>> work_ns;
          RankReport report{.rows = std::vector<RankRow>(ranks), .steps = std::int64_t(steps)};
          for (RankRow& row : report.rows) row.parts_ns.resize(step_parts().size());
          for (std::size_t step = 0; step < steps; ++step) {
            for (double& each : own) {
              each = kAlike * each + std::sqrt(1 - kAlike * kAlike) * noise(random);
            }
            std::vector<double>& works = work_ns.emplace_back(own);
            works[0] += slower_by;
            for (std::size_t rank = 0; rank < ranks; ++rank) {
              report.rows[rank].work_ns += works[rank] / double(steps);
            }
            ++report.rows[std::ranges::max_element(works) - works.begin()].slowest_in;
          }
          report.step_ns = 1;
          named += find_straggler(report, work_ns) ? 1 : 0;
        }
        SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(steps) + " steps");
        if (slower_by > 0) {
          EXPECT_GT(named, kTraces * 95 / 100);
        } else {
          EXPECT_LE(named, kTraces * 15 / 1000) << "1 in 100, and what a sample of them strays";
        }
      }
    }
  }
}

}  // namespace
}  // namespace stepbench::traces
