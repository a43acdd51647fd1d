// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/highest_rate.h"
#include "harness/estimate/noise.h"
#include "harness/estimate/offered_load.h"
#include "harness/estimate/request_times.h"
#include "harness/stats/random.h"
#include "tests/unit/estimate/made_launch.h"

namespace stepbench::estimate {
namespace {

// `count` requests that arrive at `rate` per second, each answered in 9 or 11 ms; each waits 1 ms.
record::Launch of_rate(double rate, std::size_t count, const std::string& process = "poisson") {
  std::vector<std::int64_t> service(count), wait(count, 1'000'000), latency(count);
  for (std::size_t i = 0; i < count; ++i) {
    service[i] = i % 2 == 0 ? 9'000'000 : 11'000'000;
    latency[i] = service[i] + wait[i];
  }
  record::Launch launch =
      made_launch({"step_ns", "queue_wait_ns", "request_latency_ns"}, {service, wait, latency});
  launch.row.options["schedule.sync"] = std::string("step");
  launch.row.options["schedule.arrivals.rate"] = rate;
  launch.row.options["schedule.arrivals.process"] = process;
  launch.row.report.schedule["warmup"] = std::int64_t{10};
  return launch;
}

TEST(OfferedLoad, IsTheShareOfTimeThatTheServerIsBusy) {
  const auto load = offered_load(of_rate(50, 1000));
  EXPECT_NEAR(load->utilisation, 0.5, 1e-9);
  EXPECT_NEAR(load->service_ns, 10e6, 1);
  EXPECT_EQ(load->requests, 1010) << "the queue began with the warm-up";
  // Var T = 20^2 ms^2, Var S = 1 ms^2, E T - E S = 10 ms.
  EXPECT_NEAR(load->settles, 2 * 401.0 / 100, 0.01);
  EXPECT_EQ(load->state(), LoadState::kSteady);
}

TEST(OfferedLoad, FixedArrivalsSettleSooner) {
  EXPECT_LT(offered_load(of_rate(90, 1000, "fixed"))->settles,
            offered_load(of_rate(90, 1000))->settles / 50);
}

TEST(OfferedLoad, MoreThanTheServerCanAnswerIsOverloadHoweverLongTheWindow) {
  EXPECT_EQ(offered_load(of_rate(101, 100'000))->state(), LoadState::kOverload);
  EXPECT_EQ(offered_load(of_rate(101, 100'000, "fixed"))->state(), LoadState::kOverload);
}

TEST(OfferedLoad, NearToItAShortWindowCannotTell) {
  EXPECT_EQ(offered_load(of_rate(95, 400))->state(), LoadState::kOverload);
  EXPECT_EQ(offered_load(of_rate(95, 2000))->state(), LoadState::kSettling);
  EXPECT_EQ(offered_load(of_rate(95, 20'000))->state(), LoadState::kSteady);
}

TEST(OfferedLoad, OfACaseIsOverloadWhereHalfOfItsLaunchesAre) {
  const auto of = [](double rate) { return offered_load(of_rate(rate, 1000)).value(); };
  const std::vector<OfferedLoad> one = {of(50), of(50), of(120)};
  EXPECT_EQ(offered_load(one)->state(), LoadState::kSteady);
  const std::vector<OfferedLoad> two = {of(50), of(50), of(120), of(120)};
  EXPECT_LT(offered_load(two)->utilisation, 1);
  EXPECT_EQ(offered_load(two)->state(), LoadState::kOverload);
}

TEST(OfferedLoad, LaunchesWithoutArrivalsHaveNone) {
  EXPECT_FALSE(offered_load(made_launch({"step_ns", "request_latency_ns"}, {{1}, {1}})));
}

CaseRow loaded_row(const record::Results& results) { return case_rows(results).front(); }

TEST(OfferedLoad, AnOverloadedCaseHasNoLatencyAtAll) {
  const record::Results results =
      made_results({of_rate(120, 500), of_rate(120, 500), of_rate(120, 500)});
  const CaseRow row = loaded_row(results);
  EXPECT_TRUE(row.overloaded());
  EXPECT_FALSE(row.latency_ns);
  EXPECT_FALSE(row.headline_ns());
  EXPECT_TRUE(row.requests.empty());
  EXPECT_FALSE(row.p99_ns);
  EXPECT_EQ(row.spread, Spread::kNone);
  EXPECT_TRUE(row.step_ns) << "how fast it was answered is known";
  EXPECT_TRUE(std::isnan(headline_ns(row.measured.front().estimate, row.clock)))
      << "no verdict is made of it";
}

TEST(OfferedLoad, ALoadedCaseIsAboutItsLatencyAndSaysHowBusyItIs) {
  const record::Results results =
      made_results({of_rate(50, 500), of_rate(50, 500), of_rate(50, 500)});
  const CaseRow row = loaded_row(results);
  EXPECT_NEAR(row.latency_ns.value(), 11e6, 1.1e6);
  EXPECT_NEAR(row.load->utilisation, 0.5, 1e-9);
  EXPECT_FALSE(noise_of(row)) << "its steps differ as arrivals do";
}

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

// A launch whose requests take from + 1, from + 2, ... ns, each a tenth of it to the first token.
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

TEST(RequestTimes, AreQuantilesOfAllLaunchesTogether) {
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

TEST(RequestTimes, AQuantileThatTheRequestsCannotCarryIsBoundedNotGiven) {
  std::vector<record::Launch> launches;
  for (int i = 0; i < 8; ++i) launches.push_back(of_requests(0, 100));
  const record::Results results = made_results(std::move(launches));
  const CaseRow row = row_of(results);
  EXPECT_FALSE(number(row, "request_latency_p999_ns"));
  EXPECT_FALSE(number(row, "request_latency_p999_high_ns"));
  EXPECT_GT(number(row, "request_latency_p999_low_ns").value(), 95);
  EXPECT_TRUE(number(row, "request_latency_p50_ns"));
}

TEST(RequestTimes, OneLaunchIsHeldByTenStretchesOfItself) {
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

TEST(RequestTimes, ALatencyWithoutRequestsHasNone) {
  record::Launch launch = made_launch({"step_ns"}, {{1, 2, 3}});
  launch.row.options["schedule.sync"] = std::string("step");
  const record::Results results = made_results({launch, launch});
  EXPECT_TRUE(row_of(results).requests.empty());
}

TEST(RequestTimes, TheHeadlineIsTheRequestsNotTheStepsOfTheirWindow) {
  record::Launch launch = made_launch({"step_ns", "data_wait_ns", "request_latency_ns"},
                                      {{100, 100, 100}, {10, 10, 10}, {70, 80, 90}});
  launch.row.options["schedule.sync"] = std::string("step");
  const record::Results results = made_results({launch});
  EXPECT_EQ(row_of(results).latency_ns, 80);
}

}  // namespace
}  // namespace stepbench::estimate
