// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/internal/request_times.h"
#include "tests/testing.h"
#include "tests/unit/estimate/made_launch.h"

namespace stepbench::estimate {
namespace {

// A launch whose requests take from + 1, from + 2, ... ns, a tenth of it to the first token.
record::Launch of_requests(std::int64_t from, std::size_t count) {
  std::vector<std::int64_t> latency(count), first(count);
  std::iota(latency.begin(), latency.end(), from + 1);
  for (std::size_t i = 0; i < count; ++i) first[i] = latency[i] / 10;
  record::Launch launch = made_launch({"step_ns", "request_latency_ns", "time_to_first_token_ns"},
                                      {latency, latency, first});
  launch.row.options["schedule.sync"] = std::string("step");
  return launch;
}

CaseRow row_of(const record::Results& results) { return case_rows(results).front(); }

std::optional<double> number(const CaseRow& row, std::string_view name) {
  for (const EstimateColumn& column : request_columns()) {
    if (column.metric.name == name) return number_of(column.get(row));
  }
  ADD_FAILURE() << "no column " << name;
  return std::nullopt;
}

TEST(RequestTimes, Quantiles_PoolAllLaunches) {
  std::vector<record::Launch> launches;
  for (int i = 0; i < 8; ++i) launches.push_back(of_requests(0, 1000));
  const record::Results results = made_results(std::move(launches));
  const CaseRow row = row_of(results);
  ASSERT_EQ(row.requests.size(), 2U) << "no answer has a second token";
  EXPECT_NEAR(number(row, "request_latency_p50_ns").value(), 500, 1);
  EXPECT_NEAR(number(row, "request_latency_p99_ns").value(), 990, 1);
  EXPECT_NEAR(number(row, "time_to_first_token_p99_ns").value(), 99, 1);
  EXPECT_LE(number(row, "request_latency_p99_low_ns").value(), 990);
  EXPECT_GE(number(row, "request_latency_p99_high_ns").value(), 990);
  EXPECT_FALSE(number(row, "time_per_output_token_p50_ns"));
}

TEST(RequestTimes, FewRequests_BoundTheQuantile) {
  std::vector<record::Launch> launches;
  for (int i = 0; i < 8; ++i) launches.push_back(of_requests(0, 100));
  const record::Results results = made_results(std::move(launches));
  const CaseRow row = row_of(results);
  EXPECT_FALSE(number(row, "request_latency_p999_ns"));
  EXPECT_FALSE(number(row, "request_latency_p999_high_ns"));
  EXPECT_GT(number(row, "request_latency_p999_low_ns").value(), 95);
  EXPECT_TRUE(number(row, "request_latency_p50_ns"));
}

TEST(RequestTimes, OneLaunch_UsesTenStretches) {
  std::vector<std::int64_t> latency(5000);
  for (std::size_t i = 0; i < latency.size(); ++i)
    latency[i] = 1000 + static_cast<std::int64_t>(i * 7919 % 5000);
  record::Launch launch = made_launch({"step_ns", "request_latency_ns"}, {latency, latency});
  launch.row.options["schedule.sync"] = std::string("step");
  const record::Results results = made_results({launch});
  const CaseRow row = row_of(results);
  EXPECT_NEAR(number(row, "request_latency_p50_ns").value(), 3500, 2);
  EXPECT_GT(number(row, "request_latency_p50_high_ns").value(), 3500);
}

TEST(RequestTimes, NoRequests_HaveNone) {
  record::Launch launch = made_launch({"step_ns"}, {{1, 2, 3}});
  launch.row.options["schedule.sync"] = std::string("step");
  const record::Results results = made_results({launch, launch});
  EXPECT_TRUE(row_of(results).requests.empty());
}

TEST(RequestTimes, Headline_IsTheRequests) {
  record::Launch launch = made_launch({"step_ns", "data_wait_ns", "request_latency_ns"},
                                      {{100, 100, 100}, {10, 10, 10}, {70, 80, 90}});
  launch.row.options["schedule.sync"] = std::string("step");
  const record::Results results = made_results({launch});
  EXPECT_EQ(row_of(results).latency_ns, 80);
}

}  // namespace
}  // namespace stepbench::estimate
