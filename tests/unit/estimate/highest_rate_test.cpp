// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/highest_rate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/stats/random.h"
#include "tests/unit/estimate/made_launch.h"

namespace stepbench::estimate {
namespace {

constexpr double kMs = 1e6;

std::vector<double> exponential(double mean_ns, std::size_t count) {
  stats::Random random(3);
  std::vector<double> drawn(count);
  for (double& each : drawn) each = -std::log(1 - random.unit()) * mean_ns;
  return drawn;
}

// M/M/1: latencies are exponential with rate mu - lambda, so that p99 = ln 100 / (mu - lambda).
TEST(HighestRate, OfExponentialAnswersIsThatOfTheory) {
  for (const double limit_ms : {10.0, 20.0, 50.0}) {
    const double theory = 1000 - std::log(100) / limit_ms * 1000;
    const double found = highest_rate_per_s(exponential(kMs, 50'000), limit_ms * kMs, false);
    EXPECT_NEAR(found, theory, 0.03 * 1000) << limit_ms;
  }
}

// D/D/1: nobody waits until the server is full.
TEST(HighestRate, OfConstantAnswersAtFixedDistancesIsAllThatItCanAnswer) {
  EXPECT_NEAR(highest_rate_per_s(std::vector<double>(500, 2 * kMs), 2.5 * kMs, true), 495, 0.1);
}

TEST(HighestRate, IsNoneWhereAnAnswerAloneTakesTooLong) {
  EXPECT_EQ(highest_rate_per_s(std::vector<double>(500, 2 * kMs), 1.9 * kMs, false), 0);
  EXPECT_EQ(highest_rate_per_s({}, 1.9 * kMs, false), 0);
}

TEST(HighestRate, GrowsWithTheLimit) {
  const std::vector<double> services = exponential(kMs, 1000);
  double before = 0;
  for (const double limit : {6.0, 8.0, 12.0, 30.0, 100.0}) {
    const double rate = highest_rate_per_s(services, limit * kMs, false);
    EXPECT_GT(rate, before) << limit;
    before = rate;
  }
}

record::Launch answering(std::int64_t service_ns, std::int64_t wait_ns, std::size_t count) {
  record::Launch launch = made_launch(
      {"step_ns", "queue_wait_ns", "request_latency_ns"},
      {std::vector<std::int64_t>(count, service_ns), std::vector<std::int64_t>(count, wait_ns),
       std::vector<std::int64_t>(count, service_ns + wait_ns)});
  launch.row.options["schedule.sync"] = std::string("step");
  launch.row.options["schedule.arrivals.process"] = std::string("fixed");
  launch.row.options["schedule.arrivals.p99_limit_ms"] = 3.0;
  return launch;
}

TEST(HighestRate, OfACaseIsTheMedianOverLaunchesWithoutTheWaitsThatTheyHad) {
  std::vector<record::Launch> launches;
  for (const std::int64_t us : {2000, 2000, 2000, 2000, 2020, 1980}) {
    launches.push_back(answering(us * 1000, 5'000'000, 400));
  }
  const record::Results results = made_results(std::move(launches));
  const CaseRow row = case_rows(results).front();
  ASSERT_TRUE(row.highest_rate);
  EXPECT_NEAR(row.highest_rate->per_s, 495, 0.1);
  EXPECT_NEAR(row.highest_rate->interval->low, 490.1, 0.2);
  EXPECT_NEAR(row.highest_rate->interval->high, 500, 0.2);
}

TEST(HighestRate, OfFewRequestsIsNotGiven) {
  const record::Results results = made_results({answering(2'000'000, 0, 299)});
  EXPECT_FALSE(case_rows(results).front().highest_rate);
}

}  // namespace
}  // namespace stepbench::estimate
