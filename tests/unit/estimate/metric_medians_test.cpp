// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/metric_medians.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "tests/unit/estimate/made_launch.h"

namespace stepbench::estimate {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;

record::Launch with_metrics(record::LaunchReport::Metrics metrics) {
  record::Launch launch = made_launch({"index", "step_ns"}, {{0, 1}, {10, 10}});
  launch.row.report.metrics = std::move(metrics);
  return launch;
}

TEST(MetricMedians, AreThoseOverTheLaunchesThatHaveTheMetric) {
  const record::Results results = made_results(
      {with_metrics({{"b", 1.0}, {"c", 5.0}}),
       with_metrics({{"a", 7.0}, {"b", 3.0}, {"c", std::nullopt}}), with_metrics({{"b", 2.0}})});
  const std::vector<CaseRow> rows = case_rows(results);
  EXPECT_THAT(metric_medians(rows.front()),
              ElementsAre(FieldsAre("a", 7.0), FieldsAre("b", 2.0), FieldsAre("c", 5.0)));
}

TEST(MetricMedians, OfOneLaunchAreItsNumbers) {
  const record::Results results = made_results({with_metrics({{"b", 1.0}, {"c", std::nullopt}})});
  EXPECT_THAT(metric_medians(case_rows(results).front()), ElementsAre(FieldsAre("b", 1.0)));
}

}  // namespace
}  // namespace stepbench::estimate
