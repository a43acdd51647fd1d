// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/offered_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/noise.h"
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

}  // namespace
}  // namespace stepbench::estimate
