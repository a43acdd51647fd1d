// SPDX-License-Identifier: Apache-2.0
// The table of metrics: each row agrees with its name, and a launch has the value of a case with
// this launch only.
#include "harness/estimate/columns.h"
#include "harness/estimate/internal/launch_estimate.h"
#include "harness/estimate/launch_values.h"
#include "tests/testing.h"
#include "tests/unit/estimate/made_launch.h"

namespace stepbench::estimate {
namespace {

using ::testing::Field;

record::Launch launch_that_says_all() {
  constexpr std::size_t kSteps = 400;
  record::Launch launch =
      made_launch({"index", "step_ns", "data_wait_ns", "epoch_wait_ns", "forward_ns", "other_ns",
                   "samples", "tokens", "flags"},
                  std::vector<std::vector<std::int64_t>>(9, std::vector<std::int64_t>(kSteps)));
  auto& columns = launch.samples.front().steps.columns;
  for (std::size_t i = 0; i < kSteps; ++i) {
    const bool border = i % 100 == 99;
    const auto step = static_cast<std::int64_t>(10'000'000 + 7919 * (i % 37));
    const std::int64_t wait = border ? 6'000'000 : 1'000'000;
    const std::int64_t values[] = {
        static_cast<std::int64_t>(i),    step, wait,     border ? wait : 0, (step - wait) / 2,
        step - wait - (step - wait) / 2, 64,   64 * 128, border ? 1 : 0};
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c][i] = values[c];
  }
  launch.row.options["schedule.sync"] = std::string("step");
  launch.row.report.metrics = {{"model_flops_per_step", 8e9}, {"device_peak_flops", 1e12}};
  return launch;
}

// A workload that moves bytes.
record::Launch launch_that_copies() {
  record::Launch launch = launch_that_says_all();
  std::vector<std::string>& names = launch.samples.front().steps.names;
  std::replace(names.begin(), names.end(), std::string("samples"), std::string("bytes"));
  return launch;
}

TEST(Columns, Launch_HasTheValueOfItsCase) {
  std::set<std::string> compared;
  std::set<std::string> known;
  for (const record::Launch& launch : {launch_that_says_all(), launch_that_copies()}) {
    const record::Results results = made_results({launch});
    const CaseRow row = case_rows(results).front();
    const MeasuredLaunch& only = row.measured.front();
    for (const EstimateColumn& column : estimate_columns()) {
      if (column.of_launch == nullptr) continue;
      known.insert(column.metric.name);
      const double of_launch =
          launch_value({*only.launch, only.estimate, row.clock}, column.metric.name);
      const auto of_case = number_of(column.get(row));
      EXPECT_EQ(std::isnan(of_launch), !of_case) << column.metric.name;
      if (!of_case) continue;
      EXPECT_NEAR(of_launch, *of_case, 1e-12 * std::abs(*of_case)) << column.metric.name;
      compared.insert(column.metric.name);
    }
  }
  EXPECT_EQ(compared, known);
  EXPECT_GT(compared.size(), 10U);
}

TEST(Columns, EachMetric_IsDeclaredOnceWithItsUnit) {
  std::set<std::string> names;
  for (const Metric& metric : harness_metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_EQ(metric.name.ends_with("_ns"), metric.unit == "ns") << metric.name;
    EXPECT_TRUE(!metric.name.ends_with("_bytes") || metric.unit == "bytes") << metric.name;
  }
  EXPECT_THAT(harness_metrics(), Contains(Field(&Metric::name, "mfu")));
  EXPECT_THAT(harness_metrics(), Contains(Field(&Metric::name, "time_to_first_token_ns")));
  EXPECT_FALSE(names.contains("outcome")) << "it describes a case, and is no metric";
}

TEST(Columns, Gauges_NameTheirUnit) {
  std::set<std::string_view> names;
  for (const EstimateColumn& column : estimate_columns()) {
    const std::string_view gauge = column.gauge.name;
    if (gauge.empty()) continue;
    EXPECT_TRUE(names.insert(gauge).second) << gauge;
    EXPECT_EQ(gauge.ends_with("_seconds"), is_time(column)) << gauge;
    EXPECT_EQ(gauge.ends_with("_ratio"), column.format == ColumnFormat::kPercent) << gauge;
    EXPECT_FALSE(column.gauge.help.empty() && column.metric.doc.empty()) << gauge;
  }
  EXPECT_GT(names.size(), 5U);
}

TEST(Columns, NoFormula_UsesReportElseMean) {
  record::Launch launch = made_launch({"step_ns", "copied_bytes"}, {{10, 30}, {4, 8}});
  launch.row.report.metrics["peak_rss_bytes"] = 77;
  launch.row.report.metrics["cpu_user_ns"] = 50;
  const LaunchEstimate estimate = *estimate_of(launch);
  const ClockedLaunch of{launch, estimate, StepClock::kHost};
  EXPECT_EQ(launch_value(of, "peak_rss_bytes"), 77);
  EXPECT_EQ(launch_value(of, "copied_bytes"), 6);
  EXPECT_EQ(launch_value(of, "cpu_user_ns"), 25) << "a sum over the window, per step";
  EXPECT_TRUE(std::isnan(launch_value(of, "tokens_per_s")));
  EXPECT_TRUE(std::isnan(launch_value(of, "nothing")));
}

TEST(MetricMedians, LaunchesWithoutTheMetric_DoNotCount) {
  const auto with = [](record::LaunchReport::Metrics metrics) {
    record::Launch launch = made_launch({"index", "step_ns"}, {{0, 1}, {10, 10}});
    launch.row.report.metrics = std::move(metrics);
    return launch;
  };
  const record::Results results =
      made_results({with({{"b", 1.0}, {"c", 5.0}}),
                    with({{"a", 7.0}, {"b", 3.0}, {"c", std::nullopt}}), with({{"b", 2.0}})});
  EXPECT_THAT(metric_medians(case_rows(results).front()),
              ElementsAre(FieldsAre("a", 7.0), FieldsAre("b", 2.0), FieldsAre("c", 5.0)));
}

record::Launch launch_with_phases(record::DeclaredPhases phases) {
  record::Launch launch = made_launch({"step_ns", "think_ns", "queue_ns", "other_ns"},
                                      {{10, 10}, {4, 4}, {3, 3}, {6, 6}});
  launch.phases = std::make_shared<const record::DeclaredPhases>(std::move(phases));
  return launch;
}

TEST(PhaseColumns, DeclaredPhases_AreUsed) {
  const record::Launch launch =
      launch_with_phases({{"think_ns", true}, {"queue_ns", false}, {"other_ns", true}});
  EXPECT_TRUE(phase_of(launch, "think_ns"));
  EXPECT_FALSE(phase_of(launch, "queue_ns")) << "an instrument's column of time is no phase";
  const auto estimate = estimate_of(launch);
  EXPECT_THAT(estimate->phases,
              ElementsAre(Field(&PhaseTime::name, "think"), Field(&PhaseTime::name, "other")));
}

TEST(PhaseColumns, UndeclaredColumn_IsAPhase) {
  const record::Launch launch = launch_with_phases({{"think_ns", true}, {"other_ns", true}});
  EXPECT_TRUE(phase_of(launch, "queue_ns"));
  EXPECT_FALSE(phase_of(launch, "step_ns"));
}

TEST(PhaseColumns, OldFile_TakesOtherTimesAsPhases) {
  const record::Launch launch = made_launch({"step_ns"}, {{10}});
  EXPECT_TRUE(phase_of(launch, "queue_ns"));
  for (const char* column :
       {"step_ns", "epoch_wait_ns", "host_lead_ns", "period_device_ns", "samples"}) {
    EXPECT_FALSE(phase_of(launch, column)) << column;
  }
}

TEST(PhaseColumns, Name_GivesThePlace) {
  const record::Launch launch = made_launch({"step_ns"}, {{10}});
  const auto host = phase_of(launch, "h2d_ns");
  const auto compute = phase_of(launch, "h2d_device_ns");
  const auto side = phase_of(launch, "h2d_side_device_ns");
  ASSERT_TRUE(host && compute && side);
  EXPECT_EQ(host->place, PhasePlace::kHost);
  EXPECT_EQ(compute->place, PhasePlace::kComputeStream);
  EXPECT_EQ(side->place, PhasePlace::kSideStream);
  EXPECT_THAT((std::vector{host->name, compute->name, side->name}),
              ElementsAre("h2d", "h2d", "h2d"));
}

TEST(EstimateColumns, NamesAndPlaces_AreUnique) {
  std::set<std::string> names;
  std::set<int> places;
  for (const auto columns : {key_columns(), estimate_columns(), noise_columns()}) {
    for (const EstimateColumn& column : columns) {
      EXPECT_TRUE(names.insert(column.metric.name).second) << column.metric.name;
      if (column.on_page > 0) {
        EXPECT_TRUE(places.insert(column.on_page).second) << column.metric.name;
      }
    }
  }
}

}  // namespace
}  // namespace stepbench::estimate
